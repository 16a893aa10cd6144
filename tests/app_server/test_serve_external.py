"""`lectern serve` beside a standalone worker, an external broker and an external store."""

import secrets

from servers.lectern import LECTERN, lectern_environment
from servers.ports import free_port
from servers.processes import http_status, processes_in, started, wait_until


def test_with_everything_external_it_starts_no_child_and_is_ready(tmp_path, nats_server, object_store):
    port, grpc_port = free_port(), free_port()
    both = {
        "COMPUTE_WORKER_TOKEN": secrets.token_urlsafe(32),
        "COMPUTE_CREDENTIAL_BROKER_TOKEN": secrets.token_urlsafe(32),
        "TTS_PLAYBACK_TOKEN_SECRET": secrets.token_urlsafe(32),
        "S3_INTERNAL_ENDPOINT": object_store.endpoint,
        "S3_ACCESS_KEY_ID": object_store.access_key,
        "S3_SECRET_ACCESS_KEY": object_store.secret_key,
        "S3_BUCKET": object_store.bucket,
        "S3_REGION": object_store.region,
        "S3_PREFIX": "external",
    }
    app = lectern_environment(
        **both, USE_EMBEDDED_OBJSTORE="false", COMPUTE_WORKER_URL=f"http://127.0.0.1:{port}"
    )
    system = {name: app[name] for name in ("PATH", "PYTHONPATH")}
    worker = {
        **system,
        **both,
        "PORT": str(port),
        "COMPUTE_WORKER_HOST": "127.0.0.1",
        "COMPUTE_WORKER_GRPC_PORT": str(grpc_port),
        "BROKER_URL": nats_server.url,
        "COMPUTE_CREDENTIAL_BROKER_URL": (
            f"http://127.0.0.1:{app['PORT']}/api/internal/compute/tts-credentials"
        ),
    }
    directories = {name: tmp_path / name for name in ("worker", "app")}
    for directory in directories.values():
        directory.mkdir()
    worker_run = started(
        [*LECTERN, "worker"],
        environment=worker,
        directory=directories["worker"],
        output=tmp_path / "worker.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health/ready") == 200,
    )
    app_run = started(
        [*LECTERN, "serve"],
        environment=app,
        directory=directories["app"],
        output=tmp_path / "app.log",
        is_ready=lambda: http_status(f"{app['BASE_URL']}/health/ready") == 200,
    )
    with worker_run as worker_process, app_run as app_process:
        assert set(processes_in(directories["app"])) == {app_process.pid}
        worker_process.terminate()
        assert worker_process.wait(15) == 0
        wait_until(lambda: not processes_in(directories["worker"]), seconds=5, what="the worker is gone")
        app_process.terminate()
        assert app_process.wait(15) == 0
    assert "Traceback" not in (tmp_path / "app.log").read_text() + (tmp_path / "worker.log").read_text()
