"""A browser sends its file straight to a public object store, and what comes of it is heard."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from e2e.browser import Person
from playwright.sync_api import Browser, Request

from servers.lectern import LecternInstance, lectern_environment, running_lectern
from servers.object_store import ObjectStoreServer

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def instance(
    tmp_path_factory: pytest.TempPathFactory, other_object_store: ObjectStoreServer
) -> Iterator[LecternInstance]:
    environment = lectern_environment(
        USE_EMBEDDED_OBJSTORE="false",
        S3_INTERNAL_ENDPOINT=other_object_store.endpoint,
        S3_PUBLIC_ENDPOINT=f"http://localhost:{urlsplit(other_object_store.endpoint).port}",
        S3_ACCESS_KEY_ID=other_object_store.access_key,
        S3_SECRET_ACCESS_KEY=other_object_store.secret_key,
        S3_BUCKET=other_object_store.bucket,
        S3_REGION=other_object_store.region,
    )
    with running_lectern(tmp_path_factory.mktemp("direct"), environment=environment) as running:
        yield running


def test_a_file_goes_straight_to_the_store_and_is_heard(
    browser: Browser, instance: LecternInstance, spaced_words: Path
) -> None:
    context = browser.new_context()
    person = Person(context, instance.base_url)
    sent: list[Request] = []
    person.page.on("request", lambda it: sent.append(it))  # noqa: PLW0108 - it must be a function of Python
    person.sign_up()
    person.upload(spaced_words)
    person.open("Spaced words")
    person.play()
    assert "Alpha" in person.until(lambda it: it.state == "playing" and it.sentence).sentence
    puts = [request for request in sent if request.method == "PUT" and "/uploads/" in request.url]
    assert [request.url.partition("?")[0].rpartition("/uploads/")[0] for request in puts] == [
        f"{instance.environment['S3_PUBLIC_ENDPOINT']}/{instance.environment['S3_BUCKET']}/lectern"
    ]
    posts = {urlsplit(request.url).path for request in sent if request.method == "POST"}
    assert {"/api/documents/uploads", "/api/documents/uploads/finalize"} <= posts
    assert "/api/documents" not in posts
    assert not [line for line in person.console if line.startswith(("error", "pageerror"))]
    context.close()
