"""The `lectern` command as people run it."""

import os
import resource
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


TEN_WRONG = {
    "BASE_URL": "localhost",
    "AUTH_SECRET": "short",
    "LOG_FORMAT": "xml",
    "PORT": "x",
    "RUN_DB_MIGRATIONS": "maybe",
    "S3_BROWSER_TRANSPORT": "direct",
    "BOOTSTRAP_ADMIN_EMAIL": "admin",
    "COMPUTE_PDF_TIMEOUT_MS": "5 minutes",
    "OIDC_DISCOVERY_URL": "http://id.example.org/.well-known/openid-configuration",
    "RUNTIME_SEED_JSON": '{"version": 2}',
}


@pytest.mark.parametrize("command", ["check", "serve"])
def test_ten_wrong_values_are_ten_problems_within_a_second(tmp_path, command):
    """A second of this process's own work: how long others keep it waiting is not ours to test."""
    wrong = TEN_WRONG | {"BOOTSTRAP_ADMIN_PASSWORD": SECRET}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = lectern(command, directory=tmp_path, **wrong)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == 1
    problems = [line.split()[0] for line in result.stderr.splitlines() if line.startswith("  ")]
    assert sorted(problems) == sorted(TEN_WRONG)
    assert SECRET not in result.stderr
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1
    assert list(tmp_path.iterdir()) == []


def test_a_retired_and_a_misspelt_name_warn_and_do_not_stop(tmp_path):
    result = lectern(
        "check", directory=tmp_path, BASE_URL="http://localhost:3003", AUTH_SECRET=SECRET,
        ADMIN_EMAILS="a@example.org", LOG_FORMT="json",
    )  # fmt: skip
    assert result.returncode == 0
    assert "ADMIN_EMAILS is no longer used" in result.stderr
    assert "did you mean LOG_FORMAT?" in result.stderr


def test_a_standalone_worker_with_a_secret_of_the_app_says_why_it_does_not_start(tmp_path):
    result = lectern("worker", directory=tmp_path, AUTH_SECRET=SECRET, BOOTSTRAP_ADMIN_PASSWORD=SECRET)
    assert result.returncode == 1
    assert "AUTH_SECRET is set, but belongs to the app alone" in result.stderr
    assert "BOOTSTRAP_ADMIN_PASSWORD is set, but belongs to the app alone" in result.stderr
    assert lectern("check", "worker", directory=tmp_path, AUTH_SECRET=SECRET).stderr in result.stderr.replace(
        "  BOOTSTRAP_ADMIN_PASSWORD is set, but belongs to the app alone. "
        "Take it out of the worker's environment.\n",
        "",
    )


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
