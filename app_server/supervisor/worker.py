"""The embedded worker as a child: the same program as a standalone one, told exactly what it needs."""

import sys
from collections.abc import Mapping

from app_server.supervisor.child import Child
from app_server.supervisor.output import worker_line
from app_server.supervisor.probes import answers_http, reachable_host
from app_server.supervisor.servers import system_environment
from shared.configuration.embedded import EmbeddedWorker

WORKER = "worker"

# How Python finds us and how requests leave the machine; nothing else of the app's environment.
_PASSED_ON = (
    "PYTHONPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "no_proxy",
)  # fmt: skip


# Audio is worked on in many threads; with an arena for each, the C library would keep twice the memory.
_ALLOCATOR = {"MALLOC_ARENA_MAX": "2"}


def worker_child(worker: EmbeddedWorker, environment: Mapping[str, str]) -> Child:
    host, port = reachable_host(worker.settings.host), worker.settings.port
    return Child(
        name=WORKER,
        command=(sys.executable, "-m", "shared.cli", "worker", "--no-env-file"),
        environment={
            **_ALLOCATOR,
            **system_environment(environment, *_PASSED_ON),
            **worker.environment,
        },
        probe=answers_http(host, port, "/health/ready"),
        parse_line=worker_line,
        ready_seconds=60.0,
        waits=answers_http(host, port, "/health/live"),  # for a broker or a store that is not ours
        stop_seconds=10.0,
    )
