"""What is read of a document and how words are said, from the browser to the worker."""

from typing import Any

from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker

from lectern.compute.v1 import playback_pb2 as pb
from lectern.reading.v1 import reading_pb2 as reading

MINE = "/api/user/pronunciation"
SAMPLE = "/api/tts/pronunciation-sample"


def rule(kind: str, pattern: str, replacement: str) -> dict[str, object]:
    return {"kind": kind, "pattern": pattern, "replacement": replacement, "matchCase": False}


def options_of(document_id: str) -> str:
    return f"/api/documents/{document_id}/reading-options"


async def asked_of(browser: Browser, worker: StatefulWorker, document_id: str) -> pb.CreateSessionRequest:
    body = {"documentId": document_id, "start": {"ordinal": 0}, "settings": {"providerRef": "builtin"}}
    answer = await browser.post("/api/tts/playback/sessions", body)
    assert answer.status == 201, answer.body
    return worker.sessions[answer.json["sessionId"]]


async def test_what_was_chosen_is_what_the_worker_is_asked_to_read(
    reader: Browser, worker: StatefulWorker
) -> None:
    document_id = await reader.add_document()
    before = (await reader.get(options_of(document_id))).json
    nothing: dict[str, Any] = {
        "includeRoles": [],
        "skipRoles": [],
        "skipCitations": False,
        "skipBrackets": False,
        "rules": [],
    }
    assert before == nothing
    plain = await asked_of(reader, worker, document_id)
    assert (plain.options, list(plain.pronunciation)) == (pb.PlanOptions(), [])

    chosen = {
        "includeRoles": ["footnote"],
        "skipRoles": ["table", "image_alt"],
        "skipCitations": True,
        "skipBrackets": True,
        "rules": [rule("word", "Dr.", "Doctor")],
    }
    answer = await reader.send("PUT", options_of(document_id), json=chosen)
    assert (answer.status, answer.json) == (200, {**chosen, "skipRoles": ["image_alt", "table"]})
    assert (await reader.get(options_of(document_id))).json == answer.json
    assert (await reader.send("PUT", MINE, json={"rules": [rule("regexp", "(a)", r"\1")]})).status == 200

    asked = await asked_of(reader, worker, document_id)
    assert list(asked.options.include_roles) == [reading.BLOCK_ROLE_FOOTNOTE]
    assert list(asked.options.skip_roles) == [reading.BLOCK_ROLE_IMAGE_ALT, reading.BLOCK_ROLE_TABLE]
    assert (asked.options.skip_citations, asked.options.skip_brackets) == (True, True)
    # The document's own first.
    assert [(one.kind, one.pattern, one.replacement) for one in asked.pronunciation] == [
        (pb.PronunciationRule.KIND_WORD, "Dr.", "Doctor"),
        (pb.PronunciationRule.KIND_REGEXP, "(a)", r"\1"),
    ]

    assert len(worker.parse_requests) == 1, "another plan of what was parsed"
    assert (await reader.send("PUT", options_of(document_id), json={})).json == nothing
    assert (await asked_of(reader, worker, document_id)).options == pb.PlanOptions()


async def test_nobody_meets_anothers_options_or_rules(instance: Instance, worker: StatefulWorker) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    document_id = await ada.add_document()
    await ada.send("PUT", MINE, json={"rules": [rule("literal", "a", "b")]})
    for answer in (
        await eve.get(options_of(document_id)),
        await eve.send("PUT", options_of(document_id), json={"skipBrackets": True}),
    ):
        assert (answer.status, answer.code) == (404, "DOCUMENT_NOT_FOUND")
    assert (await eve.get(MINE)).json == {"rules": []}
    assert not (await asked_of(ada, worker, document_id)).options.skip_brackets
    assert list((await asked_of(eve, worker, await eve.add_document())).pronunciation) == []


BAD_RULES = (
    (rule("regexp", "(a", ""), "rules.1.pattern", "no regular expression: missing )"),
    (rule("regexp", "(a)", r"\3"), "rules.1.replacement", "no such group"),
    (rule("regexp", "(a+)+$", ""), "rules.1.pattern", "takes too long"),
    (rule("word", "", "x"), "rules.1.pattern", "Say what is to be replaced"),
    (rule("sound", "a", "x"), "rules.1.kind", "literal"),
    (rule("literal", "a" * 201, "x"), "rules.1.pattern", "at most 200 characters"),
)


async def test_a_rule_that_cannot_be_used_is_named(reader: Browser) -> None:
    document_id = await reader.add_document()
    for bad, field, words in BAD_RULES:
        rules = [rule("literal", "fine", "good"), bad]
        for answer in (
            await reader.send("PUT", MINE, json={"rules": rules}),
            await reader.send("PUT", options_of(document_id), json={"rules": rules}),
            await reader.post(SAMPLE, {"rules": rules, "text": "Text."}),
        ):
            assert (answer.status, answer.code) == (422, "FIELDS_INVALID")
            (error,) = answer.json["errors"]
            assert error["field"] == field
            assert words in error["message"], error
    assert (await reader.get(MINE)).json == {"rules": []}


async def test_a_sample_shows_what_rules_make_of_a_text(reader: Browser) -> None:
    rules = [rule("word", "St", "Saint"), rule("regexp", r"(\d+)km", r"\1 kilometres")]
    answer = await reader.post(SAMPLE, {"rules": rules, "text": "St Ives is 12km from Street."})
    assert answer.json == {"said": "Saint Ives is 12 kilometres from Street.", "leftOut": []}


async def test_a_sample_tells_which_rules_take_too_long_on_it(reader: Browser) -> None:
    rules = [rule("word", "St", "Saint"), rule("regexp", r"([^\x00-\x7f]+)+[!?]", "never")]
    answer = await reader.post(SAMPLE, {"rules": rules, "text": "é" * 300 + " St"})
    assert answer.json == {"said": "é" * 300 + " Saint", "leftOut": [1]}


async def test_unknown_roles_are_refused_by_name(reader: Browser) -> None:
    answer = await reader.send(
        "PUT", options_of(await reader.add_document()), json={"skipRoles": ["footer", "chorus"]}
    )
    assert answer.json["errors"][0]["field"] == "skipRoles.1"
