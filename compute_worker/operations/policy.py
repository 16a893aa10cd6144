"""What the site's compute limits ask of a worker: what is more urgent, and how much at once. No I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final


class Priority(IntEnum):
    """Smaller comes first."""

    INTERACTIVE = 1
    FOREGROUND = 2
    BACKGROUND = 3


@dataclass(frozen=True)
class ActionPolicy:
    """An action that isn't limited has its priority, and nothing else of this holds."""

    priority: Priority = Priority.FOREGROUND
    is_limited: bool = False
    max_queued: int = 0
    max_concurrent: int = 0
    max_queue_age_seconds: int = 0
    resources: tuple[str, ...] = ()


# No action of the policy document: owners' own recordings are aligned behind everything else, as many at once
# as the policy's resource of that name allows.
ALIGN_RECORDING: Final = "align_recording"
_ALIGNING: Final = ActionPolicy(
    Priority.BACKGROUND,
    is_limited=True,
    max_queued=2**53,
    max_concurrent=2**53,
    max_queue_age_seconds=2**53,
    resources=("align",),
)
PLANNING: Final = "tts_playback_plan"  # in no queue: done while its request waits
# As the document ships them; in force until the app server has been asked.
_SHIPPED: Final = {
    "pdf_layout": ActionPolicy(Priority.FOREGROUND),
    "document_conversion": ActionPolicy(Priority.FOREGROUND),
    "document_preview": ActionPolicy(Priority.BACKGROUND),
    "tts_playback": ActionPolicy(Priority.INTERACTIVE),
    "tts_playback_document": ActionPolicy(Priority.BACKGROUND),
    PLANNING: ActionPolicy(Priority.FOREGROUND),
}
_SHIPPED_RESOURCES: Final = {"cpu_heavy": 1, "model_inference": 1, "align": 1, "media": 1, "archive_io": 2}


@dataclass(frozen=True)
class WorkPolicy:
    actions: Mapping[str, ActionPolicy] = field(default_factory=lambda: _SHIPPED)
    max_executing: int = 3
    resources: Mapping[str, int] = field(default_factory=lambda: _SHIPPED_RESOURCES)

    def of(self, action: str) -> ActionPolicy:
        if action == ALIGN_RECORDING:
            return _ALIGNING
        return self.actions.get(action, ActionPolicy())

    def max_wait_seconds(self, action: str) -> float | None:
        """How long a job may wait until it is begun; None while the action isn't limited."""
        policy = self.of(action)
        return policy.max_queue_age_seconds if policy.is_limited else None


class PolicyInForce:
    """The latest policy that was heard of. An app server that can't be asked changes nothing."""

    def __init__(self, policy: WorkPolicy | None = None) -> None:
        self._policy = policy or WorkPolicy()
        self._on_change: list[Callable[[], None]] = []

    @property
    def current(self) -> WorkPolicy:
        return self._policy

    def learn(self, policy: WorkPolicy) -> bool:
        """Whether it is another one."""
        if policy == self._policy:
            return False
        self._policy = policy
        for tell in self._on_change:
            tell()
        return True

    def on_change(self, tell: Callable[[], None]) -> None:
        self._on_change.append(tell)
