"""Documents that lie on the server already."""

from pathlib import Path

from shared.configuration import parsers
from shared.configuration.variable import APP, Variable


def _remark_missing(raw: str) -> str | None:
    missing = [str(folder) for folder in parsers.directories(raw) if not folder.is_dir()]
    return f"names {', '.join(missing)}, which is not there now." if missing else None


IMPORT_LIBRARY_DIRS = Variable[tuple[Path, ...]](
    name="IMPORT_LIBRARY_DIRS",
    scopes=APP,
    parse=parsers.directories,
    default=(Path("docstore/library"),),
    shown_default="docstore/library",
    remark=_remark_missing,
    meaning="Folders on the server from which documents can be imported.",
    rule="Separated by commas, colons or semicolons.",
)

VARIABLES = (IMPORT_LIBRARY_DIRS,)
