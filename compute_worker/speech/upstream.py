"""What all users of one provider share in this process: its slots, its troubles, its remembered quirks."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256

from compute_worker.speech.model import Provider, Voice
from compute_worker.speech.provider_defaults import base_url_of
from compute_worker.speech.replicate_schema import ModelSchema

_MAX_REMEMBERED = 200


@dataclass
class Upstream:
    slots: asyncio.Semaphore
    unwanted_fields: dict[str, set[str]] = field(default_factory=dict)  # by model
    voices: dict[str, tuple[float, list[Voice]]] = field(default_factory=dict)  # by model: until when
    schemas: dict[str, tuple[float, ModelSchema]] = field(default_factory=dict)  # the same, for Replicate
    models: tuple[float, list[str]] = field(default_factory=lambda: (0.0, []))  # until when
    cool_at: float = 0.0  # loop time before which nobody should ask

    def cool_down(self, seconds: float) -> None:
        self.cool_at = max(self.cool_at, asyncio.get_running_loop().time() + seconds)

    @property
    def cooling_seconds(self) -> float:
        return max(0.0, self.cool_at - asyncio.get_running_loop().time())


class Upstreams:
    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str, str, int], Upstream] = OrderedDict()

    def of(self, provider: Provider) -> Upstream:
        """The same one as long as address, key and number of slots are the same."""
        key_hash = sha256(provider.api_key.encode()).hexdigest()
        slots = max(1, provider.policy.max_concurrent)
        key = (provider.type.value, base_url_of(provider), key_hash, slots)
        upstream = self._known.get(key)
        if upstream is None:
            upstream = self._known[key] = Upstream(asyncio.Semaphore(slots))
        self._known.move_to_end(key)
        while len(self._known) > _MAX_REMEMBERED:
            self._known.popitem(last=False)
        return upstream
