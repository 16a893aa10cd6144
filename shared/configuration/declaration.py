"""Every variable, once, in the order of the documentation."""

from typing import Any, Final

from shared.configuration.declared import accounts, broker, database, logging, provider, storage, worker
from shared.configuration.variable import Scope, Variable

GROUPS: Final[tuple[tuple[str, tuple[Variable[Any], ...]], ...]] = (
    ("App server and accounts", accounts.VARIABLES),
    ("Logging", logging.VARIABLES),
    ("Speech provider", provider.VARIABLES),
    ("Database", database.VARIABLES),
    ("Object storage", storage.VARIABLES),
    ("Compute worker", worker.VARIABLES),
    ("Broker and budgets", broker.VARIABLES),
)
VARIABLES: Final[tuple[Variable[Any], ...]] = tuple(variable for _, group in GROUPS for variable in group)

# A standalone worker must never receive these.
APP_ONLY_SECRETS: Final = (
    "AUTH_SECRET",
    "SERVER_DB_URL",
    "BOOTSTRAP_ADMIN_EMAIL",
    "BOOTSTRAP_ADMIN_PASSWORD",
    "BOOTSTRAP_ADMIN_PASSWORD_FILE",
)


def variables_of(scope: Scope) -> tuple[Variable[Any], ...]:
    return tuple(variable for variable in VARIABLES if scope in variable.scopes)
