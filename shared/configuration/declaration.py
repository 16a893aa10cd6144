"""Every variable, once, in the order of the documentation."""

from typing import Any, Final

from shared.configuration.declared import (
    accounts,
    broker,
    database,
    first_boot,
    hosting,
    library,
    logging,
    models,
    provider,
    sign_in,
    storage,
    worker,
)
from shared.configuration.variable import Scope, Variable

GROUPS: Final[tuple[tuple[str, tuple[Variable[Any], ...]], ...]] = (
    ("App server and accounts", accounts.VARIABLES),
    ("Ways to sign in", sign_in.VARIABLES),
    ("Hosting", hosting.VARIABLES),
    ("First start", first_boot.VARIABLES),
    ("Logging", logging.VARIABLES),
    ("Speech provider", provider.VARIABLES),
    ("Database", database.VARIABLES),
    ("Object storage", storage.VARIABLES),
    ("Library folders", library.VARIABLES),
    ("Compute worker", worker.VARIABLES),
    ("Broker and budgets", broker.VARIABLES),
    ("Models", models.VARIABLES),
)
VARIABLES: Final[tuple[Variable[Any], ...]] = tuple(variable for _, group in GROUPS for variable in group)

# A standalone worker must never receive these.
APP_ONLY_SECRETS: Final = (
    "AUTH_SECRET",
    "SERVER_DB_URL",
    "BOOTSTRAP_ADMIN_EMAIL",
    "BOOTSTRAP_ADMIN_PASSWORD",
    "BOOTSTRAP_ADMIN_PASSWORD_FILE",
    "CRON_SECRET",
    "GITHOST_CLIENT_SECRET",
    "OIDC_CLIENT_SECRET",
    "RUNTIME_SEED_JSON",
    "RUNTIME_SEED_JSON_PATH",
)


def variables_of(scope: Scope) -> tuple[Variable[Any], ...]:
    return tuple(variable for variable in VARIABLES if scope in variable.scopes)
