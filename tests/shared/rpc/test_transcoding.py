from typing import Any

import pytest

from lectern.compute.v1.operations_pb2 import Operation
from lectern.compute.v1.playback_pb2 import (
    CreateSessionRequest,
    GetPlanRequest,
    GetPlanResponse,
    PlanOptions,
    PlanSection,
    StartPosition,
    UpdateCursorRequest,
    VoiceSettings,
    WatchSessionRequest,
)
from shared.errors import Code, LecternError
from shared.rpc.bindings import HttpBinding
from shared.rpc.transcoding import http_of_message, json_bytes, message_of_http, message_of_json

READ = HttpBinding(verb="GET", template="/read", body="")
WRITE = HttpBinding(verb="POST", template="/s/{session_id}", body="*")
SETTINGS = HttpBinding(verb="POST", template="/o/{owner_id}", body="settings")


def read(request: Any, *query: tuple[str, str]) -> Any:
    return message_of_http(request, READ, path_values=[], query=query, body=b"")


def refusal(request: Any, binding: HttpBinding = READ, **parts: Any) -> str:
    with pytest.raises(LecternError) as caught:
        message_of_http(request, binding, **{"path_values": [], "query": [], "body": b"", **parts})
    assert caught.value.code is Code.INVALID_ARGUMENT
    return caught.value.message


class TestQuery:
    def test_takes_both_spellings_of_a_name(self) -> None:
        assert read(GetPlanRequest(), ("sessionId", "s")) == read(GetPlanRequest(), ("session_id", "s"))

    def test_nests_by_dots(self) -> None:
        request = read(CreateSessionRequest(), ("settings.nativeSpeed", "1.5"), ("start.block.offset", "7"))
        assert request.settings == VoiceSettings(native_speed=1.5)
        assert request.start.block.offset == 7

    def test_repeats_by_repetition_with_enums_by_name_or_number(self) -> None:
        query = [("options.skipRoles", "BLOCK_ROLE_CODE"), ("options.skip_roles", "7")]
        assert read(CreateSessionRequest(), *query).options == PlanOptions(skip_roles=[6, 7])

    def test_a_zero_of_an_optional_field_is_there(self) -> None:
        assert read(GetPlanRequest(), ("section", "0")).HasField("section")
        assert not read(GetPlanRequest()).HasField("section")

    def test_takes_times_as_texts(self) -> None:
        request = read(Operation(), ("createTime", "2030-01-02T03:04:05Z"))
        assert request.create_time.seconds == 1893553445

    def test_takes_only_true_and_false_as_booleans(self) -> None:
        assert read(UpdateCursorRequest(), ("playing", "true")).playing
        assert "true or false" in refusal(UpdateCursorRequest(), query=[("playing", "yes")])

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("start.ordinal", "x"),
            ("start.ordinal", ""),
            ("start.ordinal", "1.5"),
            ("start.ordinal", "1_0"),
            ("start.ordinal", "2147483648"),
            ("backgroundExtent", "EXTENT_NO"),
            ("settings.nativeSpeed", "fast"),
            ("settings", "{}"),
            ("settings.voice.name", "x"),
            ("noField", "1"),
            ("", "1"),
        ],
    )
    def test_a_value_that_does_not_fit_is_refused(self, name: str, value: str) -> None:
        assert refusal(CreateSessionRequest(), query=[(name, value)])

    def test_a_single_field_twice_is_refused(self) -> None:
        assert "more than once" in refusal(GetPlanRequest(), query=[("section", "1"), ("section", "2")])

    def test_two_choices_of_one_are_refused(self) -> None:
        query = [("start.ordinal", "1"), ("start.block.blockId", "x")]
        assert refusal(CreateSessionRequest(), query=query)


class TestBody:
    def test_joins_the_path_with_the_body(self) -> None:
        request = message_of_http(
            UpdateCursorRequest(), WRITE, path_values=["s"], query=[], body=b'{"ordinal": 3}'
        )
        assert request == UpdateCursorRequest(session_id="s", ordinal=3)

    def test_may_repeat_what_the_path_says(self) -> None:
        body = b'{"sessionId": "s"}'
        request = message_of_http(UpdateCursorRequest(), WRITE, path_values=["s"], query=[], body=body)
        assert request.session_id == "s"

    def test_must_not_contradict_the_path(self) -> None:
        message = refusal(UpdateCursorRequest(), WRITE, path_values=["s"], body=b'{"sessionId": "t"}')
        assert "contradicts" in message

    def test_that_is_the_whole_request_leaves_no_query(self) -> None:
        assert refusal(UpdateCursorRequest(), WRITE, path_values=["s"], query=[("ordinal", "1")])

    def test_may_be_one_field_with_the_rest_in_path_and_query(self) -> None:
        request = message_of_http(
            CreateSessionRequest(),
            SETTINGS,
            path_values=["o"],
            query=[("documentId", "d")],
            body=b'{"voice": "v"}',
        )
        assert request == CreateSessionRequest(
            owner_id="o", document_id="d", settings=VoiceSettings(voice="v")
        )

    @pytest.mark.parametrize("query", ["owner_id", "ownerId", "settings.voice"])
    def test_a_field_has_one_place_only(self, query: str) -> None:
        assert refusal(CreateSessionRequest(), SETTINGS, path_values=["o"], query=[(query, "x")])

    @pytest.mark.parametrize("body", [b'{"voice":"v"},"ownerId":"other"', b"[", b"[]", b"3", b'{"x":1}'])
    def test_of_one_field_cannot_reach_another(self, body: bytes) -> None:
        assert refusal(CreateSessionRequest(), SETTINGS, path_values=["o"], body=body)

    def test_is_refused_where_none_belongs(self) -> None:
        assert refusal(GetPlanRequest(), body=b"{}")

    def test_a_name_twice_is_refused(self) -> None:
        assert refusal(UpdateCursorRequest(), WRITE, path_values=["s"], body=b'{"ordinal":1,"ordinal":2}')


class TestClientSide:
    @pytest.mark.parametrize("binding", [WRITE, SETTINGS, READ])
    def test_what_it_writes_reads_back_the_same(self, binding: HttpBinding) -> None:
        request: Any = CreateSessionRequest(
            owner_id="o/1",
            document_id="d & e",
            start=StartPosition(ordinal=0),
            settings=VoiceSettings(native_speed=0.1, voice="ä"),
            options=PlanOptions(skip_roles=[1, 2]),
        )
        if binding is WRITE:
            request = UpdateCursorRequest(session_id="s", ordinal=2, playing=True)
        path, query, body = http_of_message(request, binding)
        values = [getattr(request, name) for name in binding.path_fields]
        assert path == binding.path(values)
        arrived = message_of_http(type(request)(), binding, path_values=values, query=query, body=body)
        assert arrived == request

    def test_writes_booleans_as_a_query_takes_them(self) -> None:
        _, query, _ = http_of_message(UpdateCursorRequest(playing=True), READ)
        assert query == [("playing", "true")]
        assert read(UpdateCursorRequest(), *query).playing

    def test_refuses_what_a_query_cannot_say(self) -> None:

        with pytest.raises(LecternError) as caught:
            http_of_message(GetPlanResponse(sections=[PlanSection()]), READ)
        assert caught.value.code is Code.INVALID_ARGUMENT

    def test_skips_fields_of_a_newer_server(self) -> None:
        answer = message_of_json(b'{"sessionId":"s","later":1}', WatchSessionRequest())
        assert answer == WatchSessionRequest(session_id="s")

    @pytest.mark.parametrize("body", [b"<html>", b"{", b'{"sessionId":1}', b"\xff"])
    def test_an_answer_that_is_no_message_is_an_error(self, body: bytes) -> None:
        with pytest.raises(LecternError) as caught:
            message_of_json(body, WatchSessionRequest())
        assert caught.value.code is Code.INTERNAL


def test_zeros_are_spelled_out_but_absent_fields_are_not() -> None:
    assert json_bytes(GetPlanRequest()) == b'{"sessionId":""}'
    assert json_bytes(WatchSessionRequest()) == b'{"sessionId":"","afterEventId":"0"}'
