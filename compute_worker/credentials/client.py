"""Asks the app server's credential broker. Answers live only as long as the run that asked."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

from compute_worker.credentials.ports import CredentialBrokerError, LimitedCache, MeteredSpeech
from compute_worker.speech.model import Provider, ProviderType, RequestPolicy
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceStub
from shared.errors import Code, LecternError

ATTEMPTS: Final = 3
BACKOFF_SECONDS: Final = 0.1  # doubled each time, with jitter
# What is said of a provider, in words for listeners.
_ANSWERS: Final = {Code.INVALID_ARGUMENT, Code.NOT_FOUND, Code.FAILED_PRECONDITION}
_KNOWN_TYPES: Final = frozenset(pb.ProviderType.values())
_FIXES: Final = {
    Code.UNAUTHENTICATED: "give COMPUTE_CREDENTIAL_BROKER_TOKEN the same value here and on the app server",
    Code.UNAVAILABLE: "does the app server run, and does COMPUTE_CREDENTIAL_BROKER_URL lead to it?",
    Code.DEADLINE_EXCEEDED: "it is overloaded: look into its log, or raise "
    "COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS",
}
_FIXES_BY_REASON: Final = {
    "CERTIFICATE_UNTRUSTED": "use the name that the certificate is for in COMPUTE_CREDENTIAL_BROKER_URL, and "
    "name the file of an authority of your own in SSL_CERT_FILE",
}
_NO_BROKER: Final = (
    "COMPUTE_CREDENTIAL_BROKER_URL has to lead to the app server, of this worker's version, and never to the "
    "worker's own public address"
)

log = structlog.get_logger(__name__)


class CredentialBrokerClient:
    def __init__(
        self,
        *,
        channel: Any,  # a grpc or gateway channel
        timeout_seconds: float,
        speech_cache: LimitedCache,
        speech_meter: MeteredSpeech,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """speech_cache and speech_meter are told the site's limits, which come with every answer."""
        self._stub = CredentialBrokerServiceStub(channel)
        self._timeout_seconds = timeout_seconds
        self._speech_cache = speech_cache
        self._speech_meter = speech_meter
        self._pause = pause

    async def resolve(self, provider_ref: str) -> Provider:
        request = pb.IssueTtsCredentialsRequest(provider_ref=provider_ref)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = await self._stub.IssueTtsCredentials(request, timeout=self._timeout_seconds)
            except LecternError as error:
                if error.code in _ANSWERS:
                    raise
                if not error.retryable or attempt == ATTEMPTS:
                    fix = _FIXES_BY_REASON.get(error.reason) or _FIXES.get(error.code, _NO_BROKER)
                    log.warning("the credential broker can't be asked", reason=error.reason, fix=fix)
                    raise CredentialBrokerError(error) from error
                log.warning("credential broker did not answer, trying again", reason=error.reason)
                await self._pause(BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1))  # noqa: S311
            else:
                if answer.HasField("speech_cache"):
                    limits = answer.speech_cache
                    self._speech_cache.limit(
                        max_bytes=limits.max_size_bytes, ttl_seconds=limits.ttl_ms / 1000
                    )
                if answer.HasField("speech_metering"):
                    self._speech_meter.learn(answer.speech_metering)
                return _provider(answer)
        raise AssertionError("unreachable")


def _provider(answer: pb.IssueTtsCredentialsResponse) -> Provider:
    policy = answer.request_policy
    return Provider(
        ref=answer.provider_ref,
        type=_type(answer),
        base_url=answer.base_url,
        api_key=answer.api_key,
        default_model=answer.default_model,
        default_instructions=answer.default_instructions,
        policy=RequestPolicy(
            max_retries=policy.max_retries,
            timeout_ms=policy.timeout_ms or RequestPolicy.timeout_ms,
            max_concurrent=policy.max_concurrent or RequestPolicy.max_concurrent,
            requests_per_minute=policy.requests_per_minute,
            characters_per_minute=policy.characters_per_minute,
            max_wait_seconds=policy.max_wait_seconds or RequestPolicy.max_wait_seconds,
        ),
    )


def _type(answer: pb.IssueTtsCredentialsResponse) -> ProviderType:
    number = answer.provider_type
    name = pb.ProviderType.Name(number).removeprefix("PROVIDER_TYPE_") if number in _KNOWN_TYPES else ""
    if name not in ProviderType.__members__:
        log.warning("a provider is of a type that this worker doesn't know", type=number, fix=_NO_BROKER)
        raise CredentialBrokerError(
            LecternError(Code.UNIMPLEMENTED, "The app server is newer than this worker: use one version.")
        )
    return ProviderType[name]
