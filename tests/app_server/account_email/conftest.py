from collections.abc import Iterator

import pytest

from servers.email_service import EmailService, running_email_service


@pytest.fixture
def email_service() -> Iterator[EmailService]:
    with running_email_service() as service:
        yield service
