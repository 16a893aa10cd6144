from compute_worker.speech.word_events import place_words

WORD, CLAUSE_END = 1, 5


def placed(
    text: str, events: list[tuple[int, int, int, int]], total: int = 1000
) -> list[tuple[str, int, int]]:
    times = place_words(text, events, total_samples=total, sample_rate=1000)
    return [(text[time.char_start : time.char_end], time.start_ms, time.end_ms) for time in times]


def test_a_word_lasts_until_the_next_one_or_the_end_of_its_clause() -> None:
    events = [
        (WORD, 0, 3, 0),
        (WORD, 4, 3, 200),
        (CLAUSE_END, 8, 0, 450),
        (WORD, 9, 5, 450),
        (CLAUSE_END, 14, 0, 990),
    ]
    assert placed("one two, three", events) == [("one", 0, 200), ("two", 200, 450), ("three", 450, 990)]


def test_a_number_starts_at_its_first_event() -> None:
    events = [(WORD, 0, 1, 0), (WORD, 1, 4, 285), (WORD, 2, 4, 500), (WORD, 2, 4, 800), (WORD, 6, 3, 900)]
    assert placed("$3.50 now", events) == [("$3.50", 0, 900), ("now", 900, 1000)]


def test_words_without_an_event_share_the_time_by_their_length() -> None:
    times = placed("AB&CDEF x", [(WORD, 0, 2, 0), (WORD, 8, 1, 900)])
    assert [word for word, _, _ in times] == ["AB", "&", "CDEF", "x"]
    starts = [start for _, start, _ in times]
    assert starts[0] == 0
    assert starts[3] == 900
    assert 0 < starts[1] < starts[2] < 900


def test_events_for_punctuation_and_events_that_go_back_are_ignored() -> None:
    events = [(WORD, 0, 1, 0), (WORD, 2, 3, 100), (WORD, 6, 3, 400), (WORD, 2, 3, 50), (WORD, 0, 1, 600)]
    assert placed("( one two", events) == [("one", 100, 400), ("two", 400, 1000)]


def test_without_any_event_every_word_still_gets_its_time() -> None:
    times = placed("one two three", [])
    assert [word for word, _, _ in times] == ["one", "two", "three"]
    assert times[0][1] == 0
    assert times[-1][2] == 1000
