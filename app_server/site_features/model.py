"""Site features: what an instance can and may do, with its built-in defaults."""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from app_server.compute_limits.defaults import default_policies
from app_server.compute_limits.model import ComputeLimitPolicies
from shared.configuration.parsers import url

_LARGEST: Final = 2**53  # what JSON's numbers carry exactly


class Source(Enum):
    """Where a value comes from."""

    DEFAULT = "default"
    SEED = "seed"
    ADMIN = "admin"


def _web_address(text: str) -> str:
    return url("http", "https")(text) if text else text


class SiteFeatures(BaseModel):
    """The keys of the runtime configuration; unknown ones are refused."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    signup_policy: Literal["open", "approval", "closed"] = "open"
    # A provider's type, its slug, or builtin. Empty: the enabled default-provider, else the first enabled
    # one, else the built-in voice.
    default_tts_provider: Annotated[
        str, StringConstraints(pattern=r"^([a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)?$")
    ] = ""
    enable_builtin_voice: bool = True
    enable_tts_providers_tab: bool = True
    enable_audiobook_export: bool = True
    enable_docx_conversion: bool = True
    show_all_provider_models: bool = True
    tts_cache_max_size_bytes: int = Field(default=268_435_456, ge=1, le=_LARGEST)
    tts_cache_ttl_ms: int = Field(default=1_800_000, ge=1, le=_LARGEST)
    tts_upstream_max_retries: int = Field(default=2, ge=0, le=_LARGEST)
    tts_upstream_timeout_ms: int = Field(default=285_000, ge=1, le=_LARGEST)
    tts_playback_background_extent: Literal["section", "document"] = "section"
    max_upload_mb: int = Field(default=200, ge=1, le=_LARGEST // 1024**2)
    changelog_feed_url: Annotated[str, AfterValidator(_web_address)] = ""
    compute_limit_policies: ComputeLimitPolicies = Field(default_factory=default_policies)

    @property
    def max_upload_bytes(self) -> int:
        return self.max_upload_mb * 1024 * 1024

    def written(self) -> dict[str, Any]:
        """JSON values by key, of the keys that were given; defaults are left out."""
        return self.model_dump(mode="json", by_alias=True, include=self.model_fields_set)


FEATURE_KEYS: Final = tuple(str(field.alias) for field in SiteFeatures.model_fields.values())


def features_from_values(values: Mapping[str, Any]) -> SiteFeatures:
    """Raises pydantic.ValidationError when a key is unknown or doesn't allow its value."""
    return SiteFeatures.model_validate_json(json.dumps(dict(values)))


def faulty_keys(error: ValidationError) -> set[str]:
    return {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]}
