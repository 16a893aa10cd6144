"""Site features: what an instance can and may do, with its built-in defaults."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class SiteFeatures(BaseModel):
    """The keys of the runtime configuration; unknown ones are refused."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    signup_policy: Literal["open", "approval", "closed"] = "open"
    # Empty: the enabled default-provider, else the first enabled one, else the built-in voice.
    default_tts_provider: str = ""
    enable_builtin_voice: bool = True
    enable_tts_providers_tab: bool = True
    enable_audiobook_export: bool = True
    enable_docx_conversion: bool = True
    show_all_provider_models: bool = True
    tts_cache_max_size_bytes: int = Field(default=268_435_456, ge=1)
    tts_cache_ttl_ms: int = Field(default=1_800_000, ge=1)
    tts_upstream_max_retries: int = Field(default=2, ge=0)
    tts_upstream_timeout_ms: int = Field(default=285_000, ge=1)
    tts_playback_background_extent: Literal["section", "document"] = "section"
    max_upload_mb: int = Field(default=200, ge=1)
    changelog_feed_url: str = ""

    @property
    def max_upload_bytes(self) -> int:
        return self.max_upload_mb * 1024 * 1024


def features_from_rows(rows: dict[str, Any]) -> SiteFeatures:
    """Raises pydantic.ValidationError when a row holds what its key doesn't allow."""
    return SiteFeatures.model_validate(rows)
