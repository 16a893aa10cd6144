"""What workers ask the app server for: providers, allowances, policies."""

from app_server.compute_limits.servicer import SpeechMeterServicer, WorkPolicyServicer
from app_server.providers.servicer import CredentialBrokerServicer
from app_server.wiring.foundations import Foundations


def credential_broker(base: Foundations) -> CredentialBrokerServicer:
    return CredentialBrokerServicer(
        providers=base.providers, features=base.features, sealer=base.sealer, meter=base.meter
    )


def speech_meter(base: Foundations) -> SpeechMeterServicer:
    return SpeechMeterServicer(meter=base.meter)


def work_policy(base: Foundations) -> WorkPolicyServicer:
    return WorkPolicyServicer(features=base.features, meter=base.meter)
