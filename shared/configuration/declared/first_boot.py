"""What only the first start takes in: the runtime seed document and the first administrator."""

from pathlib import Path

from shared.configuration import parsers
from shared.configuration.variable import APP, Variable
from shared.email_addresses import normalized_email

PASSWORD_MIN_CHARACTERS = 16
PASSWORD_MAX_CHARACTERS = 256


def _seed_file(raw: str) -> str:
    if not Path(raw).is_absolute():
        raise ValueError("Write an absolute path, one that begins with /.")
    return parsers.readable_text(parsers.path(raw))


def _email(raw: str) -> str:
    address = normalized_email(raw)
    if address is None:
        raise ValueError("Write an e-mail address, such as admin@example.org.")
    return address


def _password(raw: str) -> str:
    if not PASSWORD_MIN_CHARACTERS <= len(raw) <= PASSWORD_MAX_CHARACTERS:
        raise ValueError(
            f"Write a password of {PASSWORD_MIN_CHARACTERS} to {PASSWORD_MAX_CHARACTERS} characters."
        )
    return raw


def _password_file(raw: str) -> str:
    text = parsers.readable_text(parsers.path(raw))
    try:
        # One trailing newline is what writing a file with an editor or echo leaves.
        return _password(text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text)
    except ValueError as error:
        raise ValueError(
            f"Write into that file a password of {PASSWORD_MIN_CHARACTERS} to "
            f"{PASSWORD_MAX_CHARACTERS} characters."
        ) from error


RUNTIME_SEED_JSON_PATH = Variable[str](
    name="RUNTIME_SEED_JSON_PATH",
    scopes=APP,
    parse=_seed_file,
    example="/run/secrets/lectern-seed.json",
    meaning="JSON file with the first values of site features, shared providers and account e-mail.",
    rule="Absolute path. Wins over RUNTIME_SEED_JSON.",
)
RUNTIME_SEED_JSON = Variable[str](
    name="RUNTIME_SEED_JSON",
    scopes=APP,
    parse=lambda raw: raw,
    secret=True,
    meaning="The same document, inline.",
    rule="Used only when RUNTIME_SEED_JSON_PATH is unset.",
)
BOOTSTRAP_ADMIN_EMAIL = Variable[str](
    name="BOOTSTRAP_ADMIN_EMAIL",
    scopes=APP,
    parse=_email,
    example="admin@example.org",
    meaning="E-mail address of the first administrator, made once, while there is none.",
    rule="Works together with BOOTSTRAP_ADMIN_PASSWORD or BOOTSTRAP_ADMIN_PASSWORD_FILE.",
)
BOOTSTRAP_ADMIN_PASSWORD = Variable[str](
    name="BOOTSTRAP_ADMIN_PASSWORD",
    scopes=APP,
    parse=_password,
    example=f"a random text of {PASSWORD_MIN_CHARACTERS} or more characters",
    secret=True,
    verbatim=True,
    meaning="First password of that administrator, whose rights begin when it has been changed.",
    rule=f"At least {PASSWORD_MIN_CHARACTERS} characters. Not together with BOOTSTRAP_ADMIN_PASSWORD_FILE.",
)
BOOTSTRAP_ADMIN_PASSWORD_FILE = Variable[str](
    name="BOOTSTRAP_ADMIN_PASSWORD_FILE",
    scopes=APP,
    parse=_password_file,
    example="/run/secrets/admin-password",
    meaning="File that holds this first password.",
    rule="A readable file; one newline at its end is removed. Not together with BOOTSTRAP_ADMIN_PASSWORD.",
)

VARIABLES = (
    RUNTIME_SEED_JSON_PATH,
    RUNTIME_SEED_JSON,
    BOOTSTRAP_ADMIN_EMAIL,
    BOOTSTRAP_ADMIN_PASSWORD,
    BOOTSTRAP_ADMIN_PASSWORD_FILE,
)
