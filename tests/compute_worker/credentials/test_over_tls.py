"""The credential broker behind TLS, as a worker elsewhere reaches it: HTTPS and gRPC, whose certificate is
believed, and what is said of one that isn't."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from compute_worker.credentials.client import CredentialBrokerClient
from compute_worker.credentials.ports import CredentialBrokerError
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceServicer
from servers.rpc import serving_rpc
from servers.tls import Certificate, new_certificate, tls_before
from shared.configuration.worker_settings import CredentialBrokerClientSettings, read_worker_settings
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel

TOKEN = "broker-token-0123456789"
TRANSPORTS = pytest.mark.parametrize("transport", ["grpcs", "https"])


class AppServer(CredentialBrokerServiceServicer):
    async def IssueTtsCredentials(
        self, request: pb.IssueTtsCredentialsRequest, context: Any
    ) -> pb.IssueTtsCredentialsResponse:
        return pb.IssueTtsCredentialsResponse(
            provider_ref=request.provider_ref, provider_type=pb.PROVIDER_TYPE_BUILTIN
        )


class Unheard:
    """Of what may come with an answer, and doesn't here."""

    limit = learn = None


@asynccontextmanager
async def behind_tls(transport: str, certificate: Certificate) -> AsyncIterator[int]:
    inner, protocol = {"grpcs": ("grpc", "h2"), "https": ("http", "http/1.1")}[transport]
    async with (
        serving_rpc(inner, [AppServer()], token=TOKEN) as address,
        tls_before(int(address.rpartition(":")[2]), certificate.context(protocol)) as port,
    ):
        yield port


def told(url: str) -> CredentialBrokerClientSettings:
    """As the worker reads it."""
    variables = {
        "COMPUTE_WORKER_TOKEN": "w" * 32,
        "COMPUTE_CREDENTIAL_BROKER_TOKEN": TOKEN,
        "COMPUTE_CREDENTIAL_BROKER_URL": url,
        "TTS_PLAYBACK_TOKEN_SECRET": "p" * 32,
        "BROKER_URL": "nats://broker:4222",
        "S3_ACCESS_KEY_ID": "key",
        "S3_SECRET_ACCESS_KEY": "secret",
        "S3_BUCKET": "bucket",
        "S3_REGION": "us-east-1",
    }
    return read_worker_settings(variables).credential_broker


async def resolved(transport: str, host: str, port: int) -> str:
    path = "/api/internal/compute/tts-credentials" if transport == "https" else ""
    settings = told(f"{transport}://{host}:{port}{path}")
    async with open_channel(settings.app_url, settings.token) as channel:
        client: Any = CredentialBrokerClient(
            channel=channel,
            timeout_seconds=20,
            speech_cache=Unheard(),  # type: ignore[arg-type]
            speech_meter=Unheard(),  # type: ignore[arg-type]
        )
        return (await client.resolve("builtin")).ref


async def refused(transport: str, host: str, port: int) -> LecternError:
    with capture_logs() as logs, pytest.raises(CredentialBrokerError) as caught:
        await resolved(transport, host, port)
    assert "SSL_CERT_FILE" in logs[-1]["fix"]
    assert caught.value.message == (
        "The part of Lectern that speaks isn't set up rightly. Please tell the administrator."
    )
    found = caught.value.found
    assert (found.code, found.reason, found.retryable) == (Code.UNAVAILABLE, "CERTIFICATE_UNTRUSTED", False)
    return found


@TRANSPORTS
async def test_a_certificate_that_is_named_in_ssl_cert_file_is_believed(
    transport: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = new_certificate(tmp_path, host="localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    async with behind_tls(transport, certificate) as port:
        assert await resolved(transport, "localhost", port) == "builtin"


@TRANSPORTS
async def test_a_stranger_s_certificate_is_not_and_that_is_said(transport: str, tmp_path: Path) -> None:
    async with behind_tls(transport, new_certificate(tmp_path, host="localhost")) as port:
        found = await refused(transport, "localhost", port)
    assert f"localhost:{port} is not trusted (self" in found.message
    assert "SSL_CERT_FILE" in found.message


@TRANSPORTS
async def test_a_certificate_for_another_name_is_not_either(
    transport: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = new_certificate(tmp_path, host="reader.example.org")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    async with behind_tls(transport, certificate) as port:
        found = await refused(transport, "localhost", port)
    assert "name" in found.message.partition("(")[2].partition(")")[0].lower()
