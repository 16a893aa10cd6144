"""How the processes log."""

from shared.configuration import parsers
from shared.configuration.variable import APP, BOTH, WORKER, Variable

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
    parse=parsers.log_level,
    default="info",
    meaning="How much the app server logs.",
    rule="debug, info, warning (or warn) or error.",
)
COMPUTE_LOG_LEVEL = Variable(
    name="COMPUTE_LOG_LEVEL",
    scopes=WORKER,
    parse=parsers.log_level,
    default="info",
    meaning="How much the compute worker logs.",
    rule="debug, info, warning (or warn) or error.",
)

VARIABLES = (LOG_FORMAT, LOG_LEVEL, COMPUTE_LOG_LEVEL)
