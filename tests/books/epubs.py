"""Makes EPUBs: whole ones from a few parts, and broken ones."""

import io
import zipfile
from collections.abc import Mapping, Sequence

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
    "0500015e7e5dd50000000049454e44ae426082"
)


def page(body: str, *, head: str = "", attributes: str = 'lang="en"') -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops" {attributes}><head><title>t</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def opf(
    pages: Sequence[str],
    *,
    metadata: str = "",
    items: str = "",
    language: str = "en",
    spine: str | None = None,
) -> str:
    media_type = 'media-type="application/xhtml+xml"'
    manifest = "".join(f'<item id="p{n}" href="{name}" {media_type}/>' for n, name in enumerate(pages))
    references = "".join(f'<itemref idref="p{n}"/>' for n in range(len(pages))) if spine is None else spine
    declared = f"<dc:language>{language}</dc:language>" if language else ""
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:opf="http://www.idpf.org/2007/opf"><dc:title>A Book</dc:title>{declared}{metadata}</metadata>'
        f"<manifest>{manifest}{items}</manifest><spine>{references}</spine></package>"
    )


def epub(
    pages: Mapping[str, str], *, others: Mapping[str, bytes | str] | None = None, **package: str
) -> bytes:
    """pages: file name in OPS/ to body or whole page, in reading order."""
    members: dict[str, bytes | str] = {
        "META-INF/container.xml": CONTAINER,
        "OPS/content.opf": opf(list(pages), **package),
    }
    for name, text in pages.items():
        members[f"OPS/{name}"] = text if text.lstrip().startswith(("<?xml", "<html")) else page(text)
    return archive(members | dict(others or {}))


def archive(members: Mapping[str, bytes | str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in members.items():
            packed.writestr(name, content)
    return file.getvalue()


def locked(content: bytes) -> bytes:
    """As the members' flags say it of an archive that was packed with a password."""
    body = bytearray(content)
    place = body.find(b"PK\x01\x02")
    while place >= 0:
        body[place + 8] |= 1
        place = body.find(b"PK\x01\x02", place + 4)
    return bytes(body)
