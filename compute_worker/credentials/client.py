"""Asks the app server's credential broker. Answers live only as long as the run that asked."""

import asyncio
import random
from typing import Any

import structlog

from compute_worker.credentials.ports import LimitedCache, MeteredSpeech
from compute_worker.speech.model import Provider, ProviderType, RequestPolicy
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceStub
from shared.errors import LecternError

ATTEMPTS = 3
BACKOFF_SECONDS = 0.1  # doubled each time, with jitter

log = structlog.get_logger(__name__)


class CredentialBrokerClient:
    def __init__(
        self,
        *,
        channel: Any,  # a grpc or gateway channel
        timeout_seconds: float,
        speech_cache: LimitedCache,
        speech_meter: MeteredSpeech,
    ) -> None:
        """speech_cache and speech_meter are told the site's limits, which come with every answer."""
        self._stub = CredentialBrokerServiceStub(channel)
        self._timeout_seconds = timeout_seconds
        self._speech_cache = speech_cache
        self._speech_meter = speech_meter

    async def resolve(self, provider_ref: str) -> Provider:
        request = pb.IssueTtsCredentialsRequest(provider_ref=provider_ref)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = await self._stub.IssueTtsCredentials(request, timeout=self._timeout_seconds)
            except LecternError as error:
                if not error.retryable or attempt == ATTEMPTS:
                    raise
                log.warning("credential broker did not answer, trying again", reason=error.reason)
                await asyncio.sleep(BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1))  # noqa: S311
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
    type_name = pb.ProviderType.Name(answer.provider_type).removeprefix("PROVIDER_TYPE_")
    return Provider(
        ref=answer.provider_ref,
        type=ProviderType[type_name],
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
