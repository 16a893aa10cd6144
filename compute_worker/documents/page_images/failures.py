"""Why a page is not drawn; each message is shown in the page's place."""

from shared.errors import Code, LecternError


def no_such_page() -> LecternError:
    return LecternError(Code.NOT_FOUND, "This document has no such page.", reason="PART_NOT_FOUND")


def too_complex() -> LecternError:
    return LecternError(
        Code.RESOURCE_EXHAUSTED,
        "Drawing this page takes more time or memory than the server allows.",
        reason="PAGE_TOO_COMPLEX",
        retryable=False,
    )


def not_drawn() -> LecternError:
    return LecternError(
        Code.INTERNAL,
        "This page could not be drawn: it made the drawing program fail. It may be damaged.",
        reason="PAGE_NOT_DRAWN",
        retryable=False,
    )
