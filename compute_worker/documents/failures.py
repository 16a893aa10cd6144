"""The ways in which a file is refused; each message is shown to the person who opened it."""

from shared.errors import Code, LecternError


def refused(reason: str, message: str) -> LecternError:
    """The file itself is at fault: opening it again changes nothing."""
    return LecternError(Code.INVALID_ARGUMENT, message, reason=reason)


def over_limit(reason: str, message: str) -> LecternError:
    """The file asks for more than the server grants."""
    return LecternError(Code.RESOURCE_EXHAUSTED, message, reason=reason, retryable=False)


def empty() -> LecternError:
    return refused("DOCUMENT_EMPTY", "The file is empty.")


def no_text() -> LecternError:
    return refused("NO_READABLE_TEXT", "There is no text in this file to read aloud.")


def password_required() -> LecternError:
    return refused("PASSWORD_REQUIRED", "This PDF opens only with a password.")


def password_wrong() -> LecternError:
    return refused("PASSWORD_WRONG", "This is not the password that opens this PDF.")
