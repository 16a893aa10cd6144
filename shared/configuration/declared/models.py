"""Models that a worker downloads."""

from shared.configuration import parsers
from shared.configuration.variable import WORKER, Origin, Variable

COMPUTE_PREWARM_MODELS = Variable(
    name="COMPUTE_PREWARM_MODELS",
    scopes=WORKER,
    parse=parsers.boolean,
    default=False,
    pending="downloaded models",
    meaning="Whether a worker downloads its models when it starts, not when they are first needed.",
    rule="`true` or `false`.",
)
COMPUTE_ALIGN_ENGINE = Variable(
    name="COMPUTE_ALIGN_ENGINE",
    scopes=WORKER,
    parse=parsers.choice("auto", "acoustic", "none"),
    default="auto",
    origin=Origin.LECTERN,
    meaning="How words are found in the sound of a voice that doesn't tell when it says them.",
    rule="`acoustic` compares it with a built-in voice, as `auto` does so far; `none` lights sentences only.",
)
ALIGN_MODEL_BASE_URL = Variable[str](
    name="ALIGN_MODEL_BASE_URL",
    scopes=WORKER,
    parse=parsers.url("http", "https"),
    example="https://models.example.org/align",
    pending="the alignment model",
    meaning="Where the speech-alignment model (ONNX) is downloaded from.",
    rule="A base address; the files' names follow it.",
)
PDF_LAYOUT_MODEL_BASE_URL = Variable[str](
    name="PDF_LAYOUT_MODEL_BASE_URL",
    scopes=WORKER,
    parse=parsers.url("http", "https"),
    example="https://models.example.org/pdf-layout",
    pending="the layout model",
    meaning="Where the PDF layout model (ONNX) is downloaded from.",
    rule="A base address; the files' names follow it.",
)

VARIABLES = (COMPUTE_PREWARM_MODELS, COMPUTE_ALIGN_ENGINE, ALIGN_MODEL_BASE_URL, PDF_LAYOUT_MODEL_BASE_URL)
