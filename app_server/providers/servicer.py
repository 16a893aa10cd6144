"""CredentialBrokerService: hands a worker what it needs to call one provider, for one run."""

from typing import Any, Final

from app_server.compute_limits.servicer import metering_to_proto
from app_server.compute_limits.speech_meter import SpeechMeter
from app_server.providers.model import BUILTIN_REF, Provider, ProviderType
from app_server.providers.secrets import api_key_place
from app_server.providers.service import ProviderService
from app_server.secrets.sealing import SecretSealer
from app_server.site_features.ports import FeatureReader
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceServicer

_MOST: Final = 2**31 - 1  # an int32
_TYPES: Final = {
    ProviderType.CUSTOM_OPENAI: pb.PROVIDER_TYPE_CUSTOM_OPENAI,
    ProviderType.OPENAI: pb.PROVIDER_TYPE_OPENAI,
    ProviderType.DEEPINFRA: pb.PROVIDER_TYPE_DEEPINFRA,
    ProviderType.REPLICATE: pb.PROVIDER_TYPE_REPLICATE,
}


class CredentialBrokerServicer(CredentialBrokerServiceServicer):
    def __init__(
        self, *, providers: ProviderService, features: FeatureReader, sealer: SecretSealer, meter: SpeechMeter
    ) -> None:
        self._providers = providers
        self._features = features
        self._sealer = sealer
        self._meter = meter

    async def IssueTtsCredentials(
        self, request: pb.IssueTtsCredentialsRequest, context: Any
    ) -> pb.IssueTtsCredentialsResponse:
        answer = await self._answer(request)
        answer.speech_metering.CopyFrom(metering_to_proto(await self._meter.metering()))
        return answer

    async def _answer(self, request: pb.IssueTtsCredentialsRequest) -> pb.IssueTtsCredentialsResponse:
        provider = await self._providers.find(request.provider_ref)
        features = await self._features.current()
        limits = features.compute_limit_policies.providers.limits_of(request.provider_ref)
        policy = pb.RequestPolicy(
            max_retries=min(features.tts_upstream_max_retries, _MOST),
            timeout_ms=min(features.tts_upstream_timeout_ms, _MOST),
            max_concurrent=min(limits.max_concurrent, _MOST) if limits.enabled else _MOST,
            requests_per_minute=min(limits.requests_per_minute, _MOST) if limits.enabled else 0,
            characters_per_minute=min(limits.characters_per_minute, _MOST) if limits.enabled else 0,
            max_wait_seconds=min(limits.max_wait_seconds, _MOST),
        )
        cache = pb.SpeechCachePolicy(
            max_size_bytes=features.tts_cache_max_size_bytes, ttl_ms=features.tts_cache_ttl_ms
        )
        if provider is None:
            return pb.IssueTtsCredentialsResponse(
                provider_ref=BUILTIN_REF,
                provider_type=pb.PROVIDER_TYPE_BUILTIN,
                request_policy=policy,
                speech_cache=cache,
            )
        return self._issued(provider, policy, cache)

    def _issued(
        self, provider: Provider, policy: pb.RequestPolicy, cache: pb.SpeechCachePolicy
    ) -> pb.IssueTtsCredentialsResponse:
        sealed = provider.sealed_api_key
        return pb.IssueTtsCredentialsResponse(
            provider_ref=provider.slug,
            provider_type=_TYPES[provider.type],
            base_url=provider.base_url.rstrip("/"),
            api_key=self._sealer.open(sealed, api_key_place(provider.id)) if sealed else "",
            default_model=provider.default_model,
            default_instructions=provider.default_instructions,
            request_policy=policy,
            speech_cache=cache,
        )
