"""The `lectern` command as people run it."""

import os
import subprocess

import pytest

from servers.lectern import LECTERN, ROOT

SECRET = "hunter2-hunter2-hunter2"


def lectern(*arguments: str, directory, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{ROOT}{os.pathsep}{ROOT / 'gen'}"
    return subprocess.run(
        [*LECTERN, *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, **variables},
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_check_of_a_valid_configuration_exits_with_0(tmp_path):
    result = lectern("check", directory=tmp_path, BASE_URL="http://localhost:3003", AUTH_SECRET=SECRET)
    assert (result.returncode, result.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_check_prints_all_problems_and_no_secret_and_exits_with_1(tmp_path):
    result = lectern(
        "check",
        directory=tmp_path,
        AUTH_SECRET=f"$({SECRET})",
        PORT="x",
        LOG_FORMAT="xml",
        S3_ENDPOINT="http://a",
    )
    assert result.returncode == 1
    for name in ("BASE_URL", "AUTH_SECRET", "PORT", "LOG_FORMAT", "S3_ENDPOINT"):
        assert name in result.stderr
    assert SECRET not in result.stderr + result.stdout


def test_check_reads_the_env_file_of_the_working_directory(tmp_path):
    (tmp_path / ".env").write_text(f"BASE_URL=http://localhost:3003\nAUTH_SECRET={SECRET}\n")
    assert lectern("check", directory=tmp_path).returncode == 0
    assert "PORT" in lectern("check", directory=tmp_path, PORT="x").stderr


def test_a_worker_beside_the_apps_env_file_refuses_its_secret(tmp_path):
    (tmp_path / ".env").write_text(f"AUTH_SECRET={SECRET}\n")
    result = lectern("worker", directory=tmp_path)
    assert result.returncode == 1
    assert "AUTH_SECRET" in result.stderr
    assert SECRET not in result.stderr


@pytest.mark.parametrize("wanted", ["markdown", "dotenv", "json"])
def test_env_prints_the_variables(tmp_path, wanted):
    result = lectern("env", "--format", wanted, directory=tmp_path)
    assert result.returncode == 0
    assert "EMBEDDED_BROKER_MONITOR_PORT" in result.stdout


def test_an_unknown_command_is_refused_with_the_list(tmp_path):
    result = lectern("server", directory=tmp_path)
    assert result.returncode == 2
    assert "serve" in result.stderr
    assert "speech-server" in lectern(directory=tmp_path).stdout
