"""Models that a worker downloads."""

from shared.configuration import parsers
from shared.configuration.variable import WORKER, Variable

COMPUTE_PREWARM_MODELS = Variable(
    name="COMPUTE_PREWARM_MODELS",
    scopes=WORKER,
    parse=parsers.boolean,
    default=False,
    pending="downloaded models",
    meaning="Whether a worker downloads its models when it starts, not when they are first needed.",
    rule="`true` or `false`.",
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

VARIABLES = (COMPUTE_PREWARM_MODELS, ALIGN_MODEL_BASE_URL, PDF_LAYOUT_MODEL_BASE_URL)
