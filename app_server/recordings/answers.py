"""Recordings as the browser API shows them."""

from datetime import UTC, datetime

from app_server.http.json_bodies import AnswerBody
from app_server.recordings.model import Progress, Recording


class ShownProgress(AnswerBody):
    phase: str
    done: int
    total: int


class ShownFailure(AnswerBody):
    code: str
    message: str
    retryable: bool


class ShownRecording(AnswerBody):
    """state: aligning, ready or failed. progress: while it is aligned, as far as is known."""

    id: str
    file_name: str
    media_type: str
    size_bytes: int
    created_at: str
    state: str
    progress: ShownProgress | None
    error: ShownFailure | None


class RecordingAnswer(AnswerBody):
    recording: ShownRecording


class RecordingsAnswer(AnswerBody):
    """max_megabytes: of the file of one recording."""

    recordings: list[ShownRecording]
    max_megabytes: int


def shown_recording(recording: Recording, progress: Progress | None = None) -> ShownRecording:
    failure = recording.failure
    return ShownRecording(
        id=recording.id,
        file_name=recording.file_name,
        media_type=recording.media_type,
        size_bytes=recording.size_bytes,
        created_at=datetime.fromtimestamp(recording.created_at_ms / 1000, UTC).isoformat(),
        state=recording.state.value,
        progress=None
        if progress is None
        else ShownProgress(phase=progress.phase, done=progress.done, total=progress.total),
        error=None
        if failure is None
        else ShownFailure(code=failure.code, message=failure.message, retryable=failure.retryable),
    )
