"""Models that a worker downloads."""

from pathlib import Path

from shared.configuration import parsers
from shared.configuration.variable import WORKER, Origin, Variable

COMPUTE_PREWARM_MODELS = Variable(
    name="COMPUTE_PREWARM_MODELS",
    scopes=WORKER,
    parse=parsers.boolean,
    default=False,
    meaning="Whether a worker downloads its models when it starts, not when they are first needed.",
    rule="`true` or `false`.",
)
COMPUTE_ALIGN_ENGINE = Variable(
    name="COMPUTE_ALIGN_ENGINE",
    scopes=WORKER,
    parse=parsers.choice("auto", "acoustic", "model", "none"),
    default="auto",
    origin=Origin.LECTERN,
    meaning="How words are found in the sound of a voice that doesn't tell when it says them.",
    rule="`acoustic` compares it with a built-in voice; `model` uses the alignment model; `auto` the model "
    "where the comparison isn't to be trusted, if ALIGN_MODEL_BASE_URL is set; `none` lights sentences only.",
)
ALIGN_MODEL_BASE_URL = Variable[str](
    name="ALIGN_MODEL_BASE_URL",
    scopes=WORKER,
    parse=parsers.url("http", "https"),
    example="https://models.example.org/align",
    meaning="Where the speech-alignment model (ONNX) is downloaded from, when it is first needed.",
    rule="A base address; `manifest.json` there names the files with their sizes and checksums. "
    "Unset: no model.",
)
PDF_LAYOUT_MODEL_BASE_URL = Variable[str](
    name="PDF_LAYOUT_MODEL_BASE_URL",
    scopes=WORKER,
    parse=parsers.url("http", "https"),
    example="https://models.example.org/pdf-layout",
    meaning="Where the PDF layout model (ONNX) is downloaded from; without it, geometry lays pages out.",
    rule="A base address; `manifest.json` below it names the files.",
)

COMPUTE_MODELS_DIR = Variable(
    name="COMPUTE_MODELS_DIR",
    scopes=WORKER,
    parse=parsers.directory,
    default=Path("docstore/models"),
    origin=Origin.LECTERN,
    meaning="Where downloaded models are kept; workers of one machine may share it.",
    rule="A relative path resolves from the workspace.",
)

VARIABLES = (
    COMPUTE_PREWARM_MODELS,
    COMPUTE_ALIGN_ENGINE,
    ALIGN_MODEL_BASE_URL,
    PDF_LAYOUT_MODEL_BASE_URL,
    COMPUTE_MODELS_DIR,
)
