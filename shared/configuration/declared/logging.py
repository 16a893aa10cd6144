"""How the processes log."""

from shared.configuration import parsers
from shared.configuration.variable import APP, BOTH, WORKER, Variable

_LEVELS = ("debug", "info", "warning", "error")

LOG_FORMAT = Variable(
    name="LOG_FORMAT",
    scopes=BOTH,
    parse=parsers.choice("pretty", "json"),
    default="pretty",
    meaning="Output format of the logs.",
    rule="`pretty` or `json`.",
)
LOG_LEVEL = Variable(
    name="LOG_LEVEL",
    scopes=APP,
    parse=parsers.choice(*_LEVELS),
    default="info",
    meaning="How much the app server logs.",
    rule="One of debug, info, warning, error.",
)
COMPUTE_LOG_LEVEL = Variable(
    name="COMPUTE_LOG_LEVEL",
    scopes=WORKER,
    parse=parsers.choice(*_LEVELS),
    default="info",
    meaning="How much the compute worker logs.",
    rule="One of debug, info, warning, error.",
)

VARIABLES = (LOG_FORMAT, LOG_LEVEL, COMPUTE_LOG_LEVEL)
