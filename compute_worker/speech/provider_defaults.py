"""What is known about the providers' addresses, models and voices without asking them."""

from typing import Final

from compute_worker.speech.model import Provider, ProviderType, Voice

_BASE_URLS: Final = {
    ProviderType.OPENAI: "https://api.openai.com/v1",
    ProviderType.DEEPINFRA: "https://api.deepinfra.com/v1/openai",
    ProviderType.REPLICATE: "https://api.replicate.com/v1",
}
_MODELS: Final = {
    ProviderType.BUILTIN: "espeak-ng",
    ProviderType.OPENAI: "tts-1",
    ProviderType.DEEPINFRA: "hexgrad/Kokoro-82M",
    ProviderType.CUSTOM_OPENAI: "kokoro",
    ProviderType.REPLICATE: "jaaari/kokoro-82m",
}
_KNOWN_MODELS: Final = {
    ProviderType.OPENAI: ("tts-1", "tts-1-hd", "gpt-4o-mini-tts"),
    ProviderType.DEEPINFRA: ("hexgrad/Kokoro-82M", "canopylabs/orpheus-3b-0.1-ft"),
}
_OPENAI_VOICES: Final = ("alloy", "echo", "fable", "onyx", "nova", "shimmer")
_OPENAI_EXPRESSIVE_VOICES: Final = (*_OPENAI_VOICES, "ash", "coral", "sage")
_ORPHEUS_VOICES: Final = ("tara", "leah", "jess", "leo", "dan", "mia", "zac", "zoe")
# The first of each language is its default. The first letter is the language, the second the sex.
_KOKORO_VOICE_IDS: Final = """
    af_heart af_alloy af_aoede af_bella af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky
    am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa
    bf_emma bf_alice bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis
    ef_dora em_alex em_santa ff_siwis hf_alpha hf_beta hm_omega hm_psi if_sara im_nicola
    jf_alpha jf_gongitsune jf_nezumi jf_tebukuro jm_kumo pf_dora pm_alex pm_santa
    zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang
"""
_KOKORO_LANGUAGES: Final = {
    "a": "en-US",
    "b": "en-GB",
    "e": "es",
    "f": "fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-BR",
    "z": "zh",
}


def base_url_of(provider: Provider) -> str:
    return (provider.base_url.strip() or _BASE_URLS.get(provider.type, "")).rstrip("/")


def model_of(provider: Provider, model: str) -> str:
    return model or provider.default_model or _MODELS[provider.type]


def known_models(provider: Provider) -> list[str]:
    """Those of its type that make speech; empty for a type that has many makers."""
    return list(_KNOWN_MODELS.get(provider.type, ()))


def default_voices(model: str) -> list[Voice]:
    lowered = model.lower()
    if "kokoro" in lowered:
        return [_kokoro_voice(voice_id) for voice_id in _KOKORO_VOICE_IDS.split()]
    if "orpheus" in lowered:
        return _named(_ORPHEUS_VOICES)
    if "gpt-4o-mini-tts" in lowered:
        return _named(_OPENAI_EXPRESSIVE_VOICES)
    return _named(_OPENAI_VOICES)


def choose_voice(voices: list[Voice], language: str) -> str:
    """The first that speaks exactly this, the first of the language, the first; voices is not empty."""
    wanted = language.lower()
    for voice in voices:
        if voice.language and voice.language.lower() == wanted:
            return voice.voice_id
    for voice in voices:
        if voice.language and voice.language.lower().split("-")[0] == wanted.split("-")[0]:
            return voice.voice_id
    return voices[0].voice_id


def _kokoro_voice(voice_id: str) -> Voice:
    return Voice(voice_id, voice_id[3:].capitalize(), _KOKORO_LANGUAGES[voice_id[0]])


def _named(voice_ids: tuple[str, ...]) -> list[Voice]:
    return [Voice(voice_id, voice_id.capitalize()) for voice_id in voice_ids]
