"""Follows a recording whose speaker is not known: with several voices' warps at once, until one fits."""

import numpy as np

from compute_worker.alignment.outline import STEP_SAMPLES, STEP_SECONDS, outline
from compute_worker.alignment.tracking import NOWHERE, Places, Reference, Tracker
from compute_worker.audio.pcm import Samples

WARPS = (0.96, 1.05, 1.15, 1.25, 0.87)
_ENOUGH_STEPS = int(40 / STEP_SECONDS)  # found in the text, to be sure of a voice
_SURE_SHARE = 0.5
_LOST_STEPS = int(150 / STEP_SECONDS)  # maybe somebody else reads now
_SEARCH_STEPS = int(300 / STEP_SECONDS)  # after which nobody is looked for in what is not in the text


class VoiceSearch:
    """What the Tracker is, fed with samples (whole steps, at the features' rate, some seconds at least)."""

    def __init__(self, *, reference: Reference) -> None:
        self._trackers = {warp: Tracker(reference=reference) for warp in WARPS}
        self._warp: float | None = None
        self._searched = self._lost = 0
        self.has_found = False

    def feed(self, samples: Samples) -> Places:
        if self._warp is None:
            return self._search(samples)
        places = self._trackers[self._warp].feed(outline(samples, self._warp))
        self._lost = 0 if np.any(places != NOWHERE) else self._lost + len(places)
        if self._lost >= _LOST_STEPS:
            self._search_again()
        return places

    def finish(self) -> Places:
        return self._trackers[self._best() if self._warp is None else self._warp].finish()

    def _search(self, samples: Samples) -> Places:
        settled = {warp: tracker.feed(outline(samples, warp)) for warp, tracker in self._trackers.items()}
        best = self._best()
        self._searched += len(samples) // STEP_SAMPLES
        found, steps = self._trackers[best].recently_found()
        if found >= _ENOUGH_STEPS and found >= _SURE_SHARE * steps:
            self.has_found = True
        elif self._searched < _SEARCH_STEPS or not self.has_found:
            return settled[best]
        self._warp, self._lost = best, 0
        self._trackers = {best: self._trackers[best]}
        return settled[best]

    def _search_again(self) -> None:
        assert self._warp is not None  # noqa: S101 - only what was found can be lost
        present = self._trackers[self._warp]
        self._trackers = {warp: present.fork() for warp in WARPS}
        self._warp, self._searched = None, 0

    def _best(self) -> float:
        return min(self._trackers, key=lambda warp: self._trackers[warp].total)
