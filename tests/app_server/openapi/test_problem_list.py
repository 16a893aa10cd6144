"""The list of problem codes knows every way in which code makes one."""

import pytest

from app_server.openapi.problem_list import problems_markdown
from app_server.openapi.raised_problems import Problem, raised_in


@pytest.fixture(scope="module")
def of_the_app() -> set[Problem]:
    return raised_in("app_server")


@pytest.fixture(scope="module")
def of_the_worker() -> set[Problem]:
    return raised_in("compute_worker")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("DOCUMENT_NOT_FOUND", 404),  # made at once
        ("EMAIL_TAKEN", 409),  # by a subclass
        ("FORMAT_UNSUPPORTED", 415),  # with a status of its own
        ("USAGE_LIMIT_REACHED", 429),  # by way of a pair
    ],
)
def test_a_code_of_the_app_is_known_with_its_status(of_the_app: set[Problem], code: str, status: int) -> None:
    assert (code, status) in {(problem.code, problem.status) for problem in of_the_app}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("DRM_PROTECTED", 400),  # by a function that is imported
        ("AUDIO_TOO_SHORT", 503),  # by one of the same module
        ("PROVIDER_FAILING", 503),  # by way of a tuple
    ],
)
def test_a_code_of_the_worker_is_known_with_its_status(
    of_the_worker: set[Problem], code: str, status: int
) -> None:
    assert (code, status) in {(problem.code, problem.status) for problem in of_the_worker}


def test_what_is_filled_in_later_stays_open(of_the_app: set[Problem]) -> None:
    details = {problem.detail for problem in of_the_app if problem.code == "TOO_MANY_ATTEMPTS"}
    assert details == {"Too many attempts. Try again in …."}


def test_every_code_has_one_row() -> None:
    rows = [line.split("|")[1] for line in problems_markdown().splitlines() if line.startswith("| `")]
    own = rows[: rows.index(" `ALIGN_CRASHED` ")]
    assert len(own) == len(set(own)) > 50
