"""Where a provider's key is sealed to lie."""

from app_server.secrets.sealing import Place


def api_key_place(provider_id: str) -> Place:
    return Place(table="providers", column="api_key", row=provider_id)
