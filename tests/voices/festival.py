"""Festival as a voice: speech with the times of its words, out of the utterance it built."""

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compute_worker.audio.wav import parse_wav
from voices.timed_speech import SaidToken, TimedSpeech, time_words

_SCRIPT = """
(define (say text wave)
  (let ((utt (utt.synth (eval (list 'Utterance 'Text text)))))
    (utt.save.wave utt wave 'riff)
    (format t "utterance:\\n")
    (mapcar
      (lambda (token)
        (format t "T\\t%s\\n" (item.name token))
        (mapcar
          (lambda (word)
            (format t "W\\t%f\\t%f\\n" (item.feat word "word_start") (item.feat word "word_end")))
          (item.daughters token)))
      (utt.relation.items utt 'Token))))
"""


@dataclass(frozen=True)
class FestivalVoice:
    name: str
    language: str
    encoding: str = "latin-1"


ENGLISH = (
    FestivalVoice("cmu_us_slt_arctic_hts", "en-us"),
    FestivalVoice("kal_diphone", "en-us"),
    FestivalVoice("ked_diphone", "en-us"),
)
OTHERS = (
    FestivalVoice("lp_diphone", "it"),
    FestivalVoice("pc_diphone", "it"),
    FestivalVoice("czech_dita", "cs", "iso-8859-2"),
    FestivalVoice("suo_fi_lj_diphone", "fi"),
    FestivalVoice("hy_fi_mv_diphone", "fi"),
    FestivalVoice("msu_ru_nsh_clunits", "ru", "utf-8"),
    FestivalVoice("upc_ca_ona_hts", "ca"),
)


def say_with_festival(voice: FestivalVoice, texts: Sequence[str]) -> list[TimedSpeech]:
    """All texts in one process; fails when Festival or the voice is not installed."""
    with tempfile.TemporaryDirectory(prefix="festival-") as folder:
        calls = [f'(say "{_escaped(text)}" "{folder}/{index}.wav")' for index, text in enumerate(texts)]
        script = Path(folder) / "say.scm"
        source = "\n".join((_SCRIPT, f"(voice_{voice.name})", *calls))
        script.write_bytes(source.encode(voice.encoding, errors="replace"))
        run = subprocess.run(["festival", "-b", str(script)], capture_output=True, check=True)
        told = run.stdout.decode(voice.encoding).split("utterance:\n")[1:]
        assert len(told) == len(texts), run.stderr
        return [
            _timed(voice, text, lines, (Path(folder) / f"{index}.wav").read_bytes())
            for index, (text, lines) in enumerate(zip(texts, told, strict=True))
        ]


def wave_from_festival(voice: FestivalVoice, text: str) -> bytes:
    """As its own program makes it."""
    command = ["text2wave", "-eval", f"(voice_{voice.name})"]
    source = text.encode(voice.encoding, errors="replace")
    return subprocess.run(command, input=source, capture_output=True, check=True).stdout


def _timed(voice: FestivalVoice, text: str, lines: str, wave: bytes) -> TimedSpeech:
    tokens: list[SaidToken] = []
    for line in lines.splitlines():
        kind, *fields = line.split("\t")
        if kind == "T":
            tokens.append(SaidToken(fields[0], ()))
        elif kind == "W":
            span = (float(fields[0]), float(fields[1]))
            tokens[-1] = SaidToken(tokens[-1].name, (*tokens[-1].words, span))
    pcm = parse_wav(wave)
    assert pcm is not None
    words = time_words(text, tokens)
    return TimedSpeech(text, voice.language, f"festival {voice.name}", pcm.samples, pcm.sample_rate, words)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
