"""Starts the provider, and tells it what to be like."""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from servers.identity_provider.people import CLIENT_ID, CLIENT_SECRET
from servers.ports import free_port
from servers.processes import http_status, started

ADA = {"sub": "ada", "email": "ada@example.org", "email_verified": True, "name": "Ada"}
OCTO = {"sub": 583231, "login": "octo", "email": "octo@example.org", "email_verified": True, "name": "Octo"}


class IdentityProviderServer:
    def __init__(self, *, port: int) -> None:
        self.url = f"http://localhost:{port}"

    @property
    def oidc_variables(self) -> dict[str, str]:
        return {
            "OIDC_CLIENT_ID": CLIENT_ID,
            "OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "OIDC_DISCOVERY_URL": f"{self.url}/.well-known/openid-configuration",
        }

    @property
    def githost_variables(self) -> dict[str, str]:
        return {
            "GITHOST_CLIENT_ID": CLIENT_ID,
            "GITHOST_CLIENT_SECRET": CLIENT_SECRET,
            "GITHOST_BASE_URL": self.url,
        }

    def be(self, person: dict[str, Any] = ADA, *, rotate: bool = False, **faults: Any) -> None:
        """From now on, until it is told something else."""
        told = json.dumps({"person": person, "faults": faults, "rotate": rotate}).encode()
        request = urllib.request.Request(f"{self.url}/state", data=told, method="PUT")
        urllib.request.urlopen(request, timeout=10).close()


@contextmanager
def running_identity_provider(directory: Path) -> Iterator[IdentityProviderServer]:
    port = free_port()
    tests = Path(__file__).parents[2]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}"}
    with started(
        [sys.executable, "-m", "servers.identity_provider", str(port)],
        environment=environment,
        directory=directory,
        output=directory / "identity-provider.log",
        is_ready=lambda: http_status(f"http://localhost:{port}/.well-known/openid-configuration") == 200,
    ):
        server = IdentityProviderServer(port=port)
        server.be()
        yield server
