"""How much work people may ask for: one document, valid as a whole or not at all. No I/O."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

Scope = Literal["user", "anonymous_device", "ip", "site"]
Resource = Literal["cpu_heavy", "model_inference", "align", "media", "archive_io"]
AtLeastOne = Annotated[int, Field(ge=1, le=2**53)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]


class _Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)


class _SnakePart(_Part):
    """Keys as they are written here: names of actions and resources."""

    model_config = ConfigDict(alias_generator=None)


class Window(_Part):
    scope: Scope
    window_seconds: AtLeastOne
    limit: AtLeastOne


class Active(_Part):
    scope: Literal["user", "site"]
    limit: AtLeastOne
    lease_seconds: AtLeastOne


class Admission(_Part):
    windows: tuple[Window, ...]
    active: tuple[Active, ...]


class Usage(_Part):
    scope: Scope
    audience: Literal["anonymous", "authenticated", "all"]
    metric: Literal["characters", "input_bytes", "files"]
    window: Literal["utc_day"]
    limit: AtLeastOne
    boundary: Literal["strict", "soft_unit"]


class Execution(_Part):
    priority: Literal["interactive", "foreground", "background"]
    max_queued: AtLeastOne
    max_concurrent_per_worker: AtLeastOne
    max_queue_age_seconds: AtLeastOne
    resources: tuple[Resource, ...]


class Action(_Part):
    enabled: bool
    admission: Admission
    usage: tuple[Usage, ...]
    execution: Execution

    @property
    def counts_usage(self) -> bool:
        return self.enabled and bool(self.usage)


class MeteredAction(_Part):
    """A part of other actions, never queued by itself: it may leave out what only queued ones need."""

    enabled: bool
    admission: Admission | None = None
    usage: tuple[Usage, ...]
    execution: Execution | None = None

    @property
    def counts_usage(self) -> bool:
        return self.enabled and bool(self.usage)


class Actions(_SnakePart):
    pdf_layout: Action
    tts_playback: Action
    tts_playback_document: Action
    tts_playback_plan: Action
    tts_playback_export: Action
    document_preview: Action
    document_conversion: Action
    account_export: Action
    tts_synthesis: MeteredAction


class Resources(_SnakePart):
    cpu_heavy: AtLeastOne
    model_inference: AtLeastOne
    align: AtLeastOne
    media: AtLeastOne
    archive_io: AtLeastOne


class WorkerLimits(_Part):
    max_executing_per_worker: AtLeastOne
    resources: Resources
    policy_refresh_seconds: AtLeastOne


class ProviderLimits(_Part):
    enabled: bool
    max_concurrent: AtLeastOne
    requests_per_minute: AtLeastOne
    characters_per_minute: AtLeastOne
    max_wait_seconds: AtLeastOne


class Providers(_Part):
    defaults: ProviderLimits
    overrides: dict[Slug, ProviderLimits]

    def limits_of(self, slug: str) -> ProviderLimits:
        return self.overrides.get(slug, self.defaults)


class ComputeLimitPolicies(_Part):
    schema_version: Literal[2]
    actions: Actions
    worker: WorkerLimits
    providers: Providers
