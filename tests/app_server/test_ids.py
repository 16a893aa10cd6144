"""What is made in one millisecond has an order all the same: the one that it was made in."""

import pytest
from app_fixtures.administrator import VARIABLES
from app_fixtures.browser import Browser, Instance

from app_server.ids import new_id


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, **VARIABLES}


def test_ids_sort_in_the_order_in_which_they_are_made() -> None:
    made = [new_id() for _ in range(2000)]
    assert made == sorted(set(made))
    assert {len(identifier) for identifier in made} == {32}


# The clock of the tests stands still.


async def test_tokens_of_one_moment_are_listed_from_the_newest(reader: Browser) -> None:
    names = [f"token {number}" for number in range(6)]
    for name in names:
        answer = await reader.post("/api/user/tokens", {"name": name, "scopes": ["playback"]})
        assert answer.status == 201
    listed = (await reader.get("/api/user/tokens")).json["tokens"]
    assert [token["name"] for token in listed] == names[::-1]


async def test_documents_of_one_moment_are_listed_from_the_newest(reader: Browser) -> None:
    names = [f"document-{number}.html" for number in range(5)]
    for name in names:
        await reader.add_document(f"<p>{name}</p>".encode(), name)
    listed = (await reader.get("/api/documents")).json["documents"]
    assert [document["fileName"] for document in listed] == names[::-1]


async def test_users_of_one_moment_are_listed_from_the_newest(instance: Instance, admin: Browser) -> None:
    emails = [f"reader-{number}@example.org" for number in range(4)]
    for email in emails:
        await instance.new_reader(email)
    listed = (await admin.get("/api/admin/users")).json["users"]
    assert [user["email"] for user in listed if user["email"] in emails] == emails[::-1]
