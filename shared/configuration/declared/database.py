"""Where accounts and metadata are kept."""

from pathlib import Path

from shared.configuration import parsers
from shared.configuration.variable import APP, Variable

SERVER_DB_URL = Variable[str](
    name="SERVER_DB_URL",
    scopes=APP,
    parse=parsers.server_database_url,
    example="postgresql://user:password@host:5432/lectern",
    secret=True,
    meaning="External PostgreSQL database. Unset: the embedded file database.",
    rule="A postgresql:// address. Never given to a standalone worker.",
)
EMBEDDED_DB_PATH = Variable(
    name="EMBEDDED_DB_PATH",
    scopes=APP,
    parse=parsers.file_path,
    default=Path("docstore/sqlite3.db"),
    meaning="The embedded database's file.",
    rule="Relative paths start at the working directory.",
)
RUN_DB_MIGRATIONS = Variable(
    name="RUN_DB_MIGRATIONS",
    scopes=APP,
    parse=parsers.boolean,
    default=True,
    meaning="Whether the database schema is brought up to date at start-up.",
    rule="`true` or `false`.",
)
RUN_V4_DECOMMISSION = Variable(
    name="RUN_V4_DECOMMISSION",
    scopes=APP,
    parse=parsers.boolean,
    default=True,
    meaning="Whether what version 4 left under tts_segments_v1/, tts_segments_v2/ and audiobooks_v1/ in the "
    "object store is removed at start-up.",
    rule="`true` or `false`.",
)

VARIABLES = (SERVER_DB_URL, EMBEDDED_DB_PATH, RUN_DB_MIGRATIONS, RUN_V4_DECOMMISSION)
