"""The env file is literal, and the real environment wins."""

from pathlib import Path

from shared.configuration.environment import read_environment


def test_values_of_the_file_are_literal(tmp_path):
    env_file = tmp_path / ".env"
    env_file.write_text("A=$(id)\nB=${HOME}/x\nC='quoted $HOME'\n# D=no\nE=with = and # sign\nF=\n")
    values = read_environment(env_file, {"HOME": "/root"})
    assert values == {
        "HOME": "/root", "A": "$(id)", "B": "${HOME}/x", "C": "quoted $HOME", "E": "with = and", "F": "",
    }  # fmt: skip


def test_the_real_environment_wins(tmp_path):
    env_file = tmp_path / ".env"
    env_file.write_text("PORT=1\nBASE_URL=http://localhost:1\n")
    assert read_environment(env_file, {"PORT": "2"}) == {"PORT": "2", "BASE_URL": "http://localhost:1"}


def test_without_a_file_there_is_only_the_environment(tmp_path):
    assert read_environment(tmp_path / ".env", {"PORT": "2"}) == {"PORT": "2"}
    assert read_environment(None, {"PORT": "2"}) == {"PORT": "2"}
    assert read_environment(Path("/nowhere/.env"), {}) == {}
