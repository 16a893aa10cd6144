"""How account e-mail is sent. No I/O."""

from dataclasses import dataclass, field
from typing import Final

from app_server.secrets.sealing import Place

ROW_ID: Final = "default"
API_KEY_PLACE: Final = Place(table="account_email", column="api_key", row=ROW_ID)


@dataclass(frozen=True)
class AccountEmail:
    enabled: bool
    sender_name: str
    sender_email: str
    reply_to: str | None
    # Sealed at API_KEY_PLACE.
    sealed_api_key: str = field(repr=False)
