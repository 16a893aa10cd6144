"""Speech providers, as the workers ask for them."""

from app_server.providers.servicer import CredentialBrokerServicer
from app_server.wiring.foundations import Foundations


def credential_broker(base: Foundations) -> CredentialBrokerServicer:
    return CredentialBrokerServicer(providers=base.providers, features=base.features, sealer=base.sealer)
