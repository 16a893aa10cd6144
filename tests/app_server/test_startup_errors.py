"""What keeps a start from happening is said in a sentence or two, with the variable's name and no secret."""

import subprocess
from pathlib import Path

from servers.lectern import LECTERN, lectern_environment
from servers.nats import running_nats
from servers.ports import free_port
from servers.processes import processes_in

SENTINEL = "sentinel-0123456789abcdef"
EXTERNAL_STORE = {
    "USE_EMBEDDED_OBJSTORE": "false",
    "S3_ACCESS_KEY_ID": "access-key",
    "S3_SECRET_ACCESS_KEY": SENTINEL,
    "S3_BUCKET": "books",
    "S3_REGION": "us-east-1",
}


def started_in_vain(command: str, directory: Path, environment: dict[str, str]) -> str:
    result = subprocess.run(
        [*LECTERN, command],
        env=environment,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = result.stdout + result.stderr
    assert result.returncode == 1, said
    assert "Traceback" not in said
    assert SENTINEL not in said
    assert processes_in(directory) == {}
    return said


def worker_environment(**variables: str) -> dict[str, str]:
    system = {name: text for name, text in lectern_environment().items() if name in {"PATH", "PYTHONPATH"}}
    return {
        **system,
        **{name: text for name, text in EXTERNAL_STORE.items() if name.startswith("S3_")},
        "COMPUTE_WORKER_TOKEN": "w" * 32,
        "COMPUTE_CREDENTIAL_BROKER_TOKEN": "c" * 32,
        "TTS_PLAYBACK_TOKEN_SECRET": "p" * 32,
        "COMPUTE_CREDENTIAL_BROKER_URL": "grpc://127.0.0.1:1",
        "COMPUTE_WORKER_HOST": "127.0.0.1",
        "PORT": str(free_port()),
        "COMPUTE_WORKER_GRPC_PORT": str(free_port()),
        **variables,
    }


def test_an_app_without_its_store(tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{free_port()}"
    environment = lectern_environment(**EXTERNAL_STORE, S3_INTERNAL_ENDPOINT=endpoint)
    said = started_in_vain("serve", tmp_path, environment)
    assert f"The object store at {endpoint} can't be reached" in said
    assert "Check S3_INTERNAL_ENDPOINT" in said


def test_an_app_with_wrong_keys_for_its_store(tmp_path: Path, object_store) -> None:
    environment = lectern_environment(**EXTERNAL_STORE, S3_INTERNAL_ENDPOINT=object_store.endpoint)
    said = started_in_vain("serve", tmp_path, environment)
    assert "Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET" in said


def test_an_app_without_its_database(tmp_path: Path) -> None:
    url = f"postgresql://lectern:{SENTINEL}@127.0.0.1:{free_port()}/lectern"
    said = started_in_vain("serve", tmp_path, lectern_environment(SERVER_DB_URL=url))
    assert "can't be used" in said
    assert "Check SERVER_DB_URL" in said


def test_a_worker_with_wrong_credentials_for_its_broker(tmp_path: Path) -> None:
    configuration = '{"authorization": {"user": "lectern", "password": "another one"}}'
    with running_nats(tmp_path / "broker", configuration=configuration) as server:
        url = server.url.replace("//", f"//lectern:{SENTINEL}@")
        (tmp_path / "worker").mkdir()
        said = started_in_vain("worker", tmp_path / "worker", worker_environment(BROKER_URL=url))
    assert f"The broker at {server.url} refuses the credentials" in said


def test_a_worker_with_wrong_keys_for_its_store(tmp_path: Path, nats_server, object_store) -> None:
    environment = worker_environment(BROKER_URL=nats_server.url, S3_INTERNAL_ENDPOINT=object_store.endpoint)
    said = started_in_vain("worker", tmp_path, environment)
    assert "Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET" in said
