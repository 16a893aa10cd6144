"""`lectern serve` as a whole: its start, its parts, and its end, however that comes."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from servers.lectern import LECTERN, PORTS, LecternInstance, lectern_environment, running_lectern
from servers.processes import http_status, processes_in, started, wait_until

CHILDREN = ("broker", "object store", "worker")


def serve_to_its_end(workspace: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LECTERN, "serve"],
        env=environment,
        cwd=workspace,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def environment_of(pid: int) -> dict[str, str]:
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if entry)


def test_it_says_where_it_is_ready_and_all_parts_run(lectern_instance):
    wait_until(
        lambda: "Lectern is ready" in lectern_instance.said(), seconds=10, what="the address is printed"
    )
    assert lectern_instance.base_url in lectern_instance.said()
    assert all(lectern_instance.child_pid(name) for name in CHILDREN)
    assert http_status(f"{lectern_instance.base_url}/health/live") == 200


def test_no_secret_stands_in_a_process_list_or_in_the_output(lectern_instance):
    worker = lectern_instance.child_pid("worker")
    assert worker
    environment = environment_of(worker)
    names = ("COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET",
             "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "BROKER_URL")  # fmt: skip
    secrets = [environment[name] for name in names]
    secrets.append(lectern_instance.environment["AUTH_SECRET"])
    visible = lectern_instance.said() + "".join(processes_in(lectern_instance.workspace).values())
    assert not [secret for secret in secrets if secret in visible]


def test_the_worker_gets_its_own_variables_and_nothing_of_the_apps(lectern_instance):
    worker = lectern_instance.child_pid("worker")
    assert worker
    given = set(environment_of(worker))
    assert not given & {"AUTH_SECRET", "SERVER_DB_URL", "BASE_URL", "OBJSTORE_PORT", "EMBEDDED_BROKER_PORT"}
    assert lectern_instance.environment["AUTH_SECRET"] not in environment_of(worker).values()


def test_files_with_secrets_are_private(lectern_instance):
    configuration = lectern_instance.workspace / "docstore" / "broker" / "nats-server.conf"
    assert configuration.stat().st_mode & 0o077 == 0


def test_a_second_one_in_the_same_directory_is_refused_with_a_reason(lectern_instance):
    result = serve_to_its_end(lectern_instance.workspace, lectern_environment())
    assert result.returncode == 1
    assert "in use by another Lectern" in result.stderr
    assert str(lectern_instance.pid) in result.stderr
    assert http_status(f"{lectern_instance.base_url}/health/live") == 200


def test_taken_ports_are_named_by_their_variables_all_at_once(tmp_path):
    environment = lectern_environment()
    listeners = [socket.create_server(("127.0.0.1", int(environment[name]))) for name in PORTS]
    try:
        result = serve_to_its_end(tmp_path, environment)
    finally:
        for listener in listeners:
            listener.close()
    assert result.returncode == 1
    for name in PORTS:
        assert f"set {name} to a free port" in result.stderr
    assert processes_in(tmp_path) == {}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_and_leaves_nothing(tmp_path, number):
    with running_lectern(tmp_path) as instance:
        children = [instance.child_pid(name) for name in CHILDREN]
        os.kill(instance.pid, number)
        wait_until(lambda: not processes_in(tmp_path), seconds=15, what="all processes have ended")
        assert not [pid for pid in children if pid and Path(f"/proc/{pid}").exists()]
    assert "stopped" in instance.said()
    assert "Traceback" not in instance.said()


def test_killing_it_leaves_nothing(tmp_path):
    with running_lectern(tmp_path) as instance:
        assert all(instance.child_pid(name) for name in CHILDREN)
        os.kill(instance.pid, signal.SIGKILL)
        wait_until(lambda: not processes_in(tmp_path), seconds=5, what="all processes have ended")


def kill_and_await_the_next(instance: LecternInstance, name: str) -> None:
    before = instance.child_pid(name)
    assert before
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: instance.child_pid(name) not in {None, before}, seconds=5, what=f"a new {name}")
    urls = (f"{instance.base_url}/health/ready", f"{instance.worker_url}/health/ready")
    wait_until(
        lambda: all(http_status(url) == 200 for url in urls),
        seconds=10,
        what=f"ready again after the {name} was killed",
    )


def test_each_killed_part_comes_back_and_the_whole_is_ready_again(tmp_path):
    with running_lectern(tmp_path) as instance:
        for name in CHILDREN:
            kill_and_await_the_next(instance, name)


def test_three_minimal_variables_start_the_service(tmp_path):
    """In an otherwise empty environment, but for how Python finds us and ports that are free."""
    given = lectern_environment()
    kept = {name: given[name] for name in (*PORTS, "PYTHONPATH", "BASE_URL", "AUTH_SECRET")}
    worker = f"http://localhost:{given['EMBEDDED_COMPUTE_WORKER_PORT']}"
    with running_lectern(tmp_path, environment={**kept, "COMPUTE_WORKER_PUBLIC_URL": worker}) as instance:
        assert http_status(f"{instance.base_url}/health/ready") == 200
        assert http_status(f"{worker}/health/ready") == 200
        assert "warning" not in instance.said()


def test_it_stops_while_it_is_still_starting(tmp_path):
    output = tmp_path / "lectern.log"
    with started(
        [*LECTERN, "serve"],
        environment=lectern_environment(),
        directory=tmp_path,
        output=output,
        is_ready=lambda: len(processes_in(tmp_path)) > 1,
    ) as process:
        process.terminate()
        assert process.wait(20) == 0
    wait_until(lambda: not processes_in(tmp_path), seconds=5, what="nothing is left")
    assert "Traceback" not in output.read_text()
