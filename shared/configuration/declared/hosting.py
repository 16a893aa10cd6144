"""How the instance is hosted: in front of it, and by whom."""

from shared.configuration import parsers
from shared.configuration.variable import APP, Origin, Values, Variable


def _required_when_serverless(values: Values) -> str | None:
    if values.platform is None:
        return None
    return f"is required on serverless hosting ({values.platform} is set), which calls the scheduled tasks"


def _remark_inexact(raw: str) -> str | None:
    return None if raw in {"true", "false"} else f"is {raw!r}, not exactly `true`: it has no effect."


TRUSTED_PROXIES = Variable[tuple[parsers.Network, ...]](
    name="TRUSTED_PROXIES",
    scopes=APP,
    parse=parsers.networks,
    default=(),
    origin=Origin.LECTERN,
    meaning="The proxies whose X-Forwarded-For is believed when requests are counted per address, and whose "
    "country header is.",
    rule="IP addresses or networks, separated by commas.",
)
CRON_SECRET = Variable[str](
    name="CRON_SECRET",
    scopes=APP,
    parse=parsers.secret,
    required=_required_when_serverless,
    example="the output of: openssl rand -base64 32",
    secret=True,
    meaning="Bearer secret with which a platform's scheduler calls the scheduled tasks.",
    rule="Required on serverless hosting; otherwise leave it out.",
)
HOSTED_PRODUCTION = Variable(
    name="HOSTED_PRODUCTION",
    scopes=APP,
    parse=lambda raw: raw == "true",
    default=False,
    remark=_remark_inexact,
    meaning="Marks the official hosted instance: a badge, a privacy notice at /privacy, and 451 for requests "
    "from outside the US, whose country a proxy of TRUSTED_PROXIES tells.",
    rule="Only exactly `true` switches it on. Leave it out.",
)

VARIABLES = (TRUSTED_PROXIES, CRON_SECRET, HOSTED_PRODUCTION)
