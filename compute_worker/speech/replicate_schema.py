"""Which inputs a model at Replicate takes: every one names them differently."""

from dataclasses import dataclass
from typing import Any

from compute_worker.speech.model import SpeechRequest

_TEXT = ("text", "prompt", "input", "script", "input_text")
_VOICE = ("voice", "speaker", "voice_id", "speaker_id", "preset_voice")
_SPEED = ("speed", "speaking_rate")
_LANGUAGE = ("language", "lang", "language_code")
_INSTRUCTIONS = ("instructions", "style_prompt", "voice_prompt")


@dataclass(frozen=True)
class ModelSchema:
    model: str
    version: str
    fields: dict[str, tuple[str, ...]]  # by name: the values it is limited to, or none

    @property
    def voices(self) -> tuple[str, ...]:
        return self.fields.get(self._first(_VOICE) or "", ())

    def inputs(self, request: SpeechRequest, voice: str) -> dict[str, Any]:
        wanted: list[tuple[tuple[str, ...], Any]] = [
            (_TEXT, request.text),
            (_VOICE, voice),
            (_LANGUAGE, request.language),
            (_INSTRUCTIONS, request.instructions),
        ]
        if request.native_speed != 1.0:
            wanted.append((_SPEED, request.native_speed))
        inputs: dict[str, Any] = {}
        for names, value in wanted:
            name = self._first(names)
            if name is None or not value:
                continue
            allowed = self.fields[name]
            if not allowed or value in allowed:
                inputs[name] = value
        inputs.setdefault(self._first(_TEXT) or "text", request.text)
        return inputs

    def _first(self, names: tuple[str, ...]) -> str | None:
        return next((name for name in names if name in self.fields), None)


def parse_model(model: str, answer: dict[str, Any]) -> ModelSchema:
    name, _, version = model.partition(":")
    latest = answer.get("latest_version") or {}
    schemas = ((latest.get("openapi_schema") or {}).get("components") or {}).get("schemas") or {}
    properties = (schemas.get("Input") or {}).get("properties") or {}
    fields = {field: _allowed_values(described, schemas) for field, described in properties.items()}
    return ModelSchema(name, version or str(latest.get("id") or ""), fields)


def _allowed_values(described: Any, schemas: dict[str, Any]) -> tuple[str, ...]:
    if not isinstance(described, dict):
        return ()
    for part in [described, *described.get("allOf", [])]:
        if "enum" in part:
            return tuple(str(value) for value in part["enum"])
        if "$ref" in part:
            return _allowed_values(schemas.get(str(part["$ref"]).rsplit("/", 1)[-1]), {})
    return ()
