import pytest
from books.recordings import BookRecording, record_book


@pytest.fixture(scope="session")
def book() -> BookRecording:
    return record_book()
