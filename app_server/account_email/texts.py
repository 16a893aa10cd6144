"""What the messages say, as text and as HTML of one look. No I/O."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from string import Template

from app_server.account_email.model import EmailText

WithLink = Callable[[str], EmailText]

_HTML = Template("""\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
<meta name="color-scheme" content="light dark"><title>$subject</title></head>
<body style="margin:0;padding:32px 16px;background:#f8f5ee;color:#211d18;\
font:16px/1.55 -apple-system,'Segoe UI',Roboto,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#fffdf9;border-radius:16px">
<p style="margin:0 0 24px;font:600 20px Georgia,serif">Lectern</p>
<h1 style="margin:0 0 16px;font:600 22px/1.25 Georgia,serif">$subject</h1>
$paragraphs$button$footer
</div></body></html>
""")
_PARAGRAPH = Template('<p style="margin:0 0 16px">$text</p>\n')
_BUTTON = Template(
    '<p style="margin:24px 0"><a href="$address" style="display:inline-block;padding:12px 24px;'
    'border-radius:999px;background:#0f5c57;color:#fffdf9;font-weight:600;text-decoration:none">$label</a></p>\n'
    '<p style="margin:0 0 16px;font-size:13px;color:#5a5349">Or open this address: '
    '<span style="word-break:break-all">$address</span></p>\n'
)
_FOOTER = Template('<p style="margin:24px 0 0;font-size:13px;color:#5a5349">$text</p>')


@dataclass(frozen=True)
class _Letter:
    subject: str
    paragraphs: tuple[str, ...]
    # Label and address.
    button: tuple[str, str] | None = None
    footer: str = ""

    def written(self) -> EmailText:
        return EmailText(self.subject, self._text(), self._html())

    def _text(self) -> str:
        parts = [*self.paragraphs]
        if self.button:
            parts.append(f"{self.button[0]}:\n{self.button[1]}")
        if self.footer:
            parts.append(self.footer)
        return "\n\n".join(parts) + "\n"

    def _html(self) -> str:
        return _HTML.substitute(
            subject=escape(self.subject),
            paragraphs="".join(_PARAGRAPH.substitute(text=escape(text)) for text in self.paragraphs),
            button=_BUTTON.substitute(label=escape(self.button[0]), address=escape(self.button[1]))
            if self.button
            else "",
            footer=_FOOTER.substitute(text=escape(self.footer)) if self.footer else "",
        )


_ONCE = "The link works once, within the next hour."


def verification(address: str) -> EmailText:
    return _Letter(
        "Confirm your e-mail address",
        ("Please confirm that this is your e-mail address. Then you can sign in to Lectern.", _ONCE),
        ("Confirm my address", address),
        "If you didn't ask for an account at Lectern, do nothing: without you, it can't be used.",
    ).written()


def already_registered(address: str) -> EmailText:
    return _Letter(
        "You already have an account",
        (
            "Somebody, most likely you, wanted to create an account at Lectern with this e-mail address.",
            "It has one already: sign in with its password.",
            f"If you don't know the password, choose a new one. {_ONCE}",
        ),
        ("Choose a new password", address),
        "If that wasn't you, do nothing: your account stays as it is.",
    ).written()


def password_reset(address: str) -> EmailText:
    return _Letter(
        "Choose a new password",
        (
            "You asked for a new password at Lectern. Choosing it signs you out everywhere.",
            _ONCE,
        ),
        ("Choose a new password", address),
        "If you didn't ask, do nothing: your password stays as it is.",
    ).written()


def address_change(address: str) -> EmailText:
    return _Letter(
        "Confirm your new e-mail address",
        (f"You want to use this e-mail address for your account at Lectern. {_ONCE}",),
        ("Use this address", address),
        "If you didn't ask for this, do nothing: the account keeps its present address.",
    ).written()


def address_in_use() -> EmailText:
    return _Letter(
        "This address has an account already",
        (
            "Somebody, perhaps you, wanted to use this e-mail address for another account at Lectern.",
            "It has an account of its own, so nothing was changed.",
        ),
    ).written()


def address_changed(new_email: str) -> EmailText:
    return _Letter(
        "Your e-mail address was changed",
        (
            f"Your account at Lectern now uses {new_email}. This address is no longer of use for it.",
            "If that wasn't you, tell the administrator of this Lectern at once.",
        ),
    ).written()


def test_message() -> EmailText:
    return _Letter(
        "A test message",
        ("Account e-mail works: this is what an administrator of Lectern wanted to know.",),
    ).written()
