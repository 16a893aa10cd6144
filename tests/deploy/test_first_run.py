"""`make run` on a machine for the first time."""

import subprocess

from dotenv import dotenv_values

from servers.lectern import ROOT
from shared.configuration.app_settings import read_app_settings
from shared.configuration.environment import read_environment

FIRST_RUN = ROOT / "deploy" / "first-run.sh"


def test_it_writes_a_private_env_file_that_is_valid_and_each_has_its_own_secret(tmp_path):
    secrets = set()
    for name in ("one", "two"):
        workspace = tmp_path / name
        workspace.mkdir()
        subprocess.run([FIRST_RUN], cwd=workspace, check=True, capture_output=True)
        env_file = workspace / ".env"
        assert env_file.stat().st_mode & 0o777 == 0o600
        settings = read_app_settings(read_environment(env_file, {}))
        assert settings.base_url == "http://localhost:3003"
        secrets.add(settings.auth_secret)
    assert len(secrets) == 2
    assert min(map(len, secrets)) >= 43  # 32 random bytes


def test_it_never_changes_a_file_that_is_there(tmp_path):
    env_file = tmp_path / ".env"
    env_file.write_text("AUTH_SECRET=mine\n")
    subprocess.run([FIRST_RUN], cwd=tmp_path, check=True, capture_output=True)
    assert dotenv_values(env_file) == {"AUTH_SECRET": "mine"}
