from hypothesis import given
from hypothesis import strategies as st

from app_server.compute_limits.arithmetic import (
    fits,
    lease_frees_at_ms,
    next_utc_day_ms,
    utc_day,
    window_opens_at_ms,
)

_TIMES = st.lists(st.integers(0, 10_000), max_size=40)
_LIMITS = st.integers(1, 6)


@given(tries=_TIMES, limit=_LIMITS, period_ms=st.integers(1, 3000))
def test_no_window_of_any_position_ever_holds_more_than_the_limit(
    tries: list[int], limit: int, period_ms: int
) -> None:
    admitted: list[int] = []
    for now_ms in sorted(tries):
        opens = window_opens_at_ms(admitted, limit=limit, period_ms=period_ms, now_ms=now_ms)
        if opens is None:
            admitted.append(now_ms)
    for start in admitted:
        assert sum(start <= at_ms < start + period_ms for at_ms in admitted) <= limit


@given(admitted=_TIMES, limit=_LIMITS, period_ms=st.integers(1, 3000), now_ms=st.integers(10_000, 12_000))
def test_a_window_opens_when_it_says_and_not_a_millisecond_before(
    admitted: list[int], limit: int, period_ms: int, now_ms: int
) -> None:
    def ask(at_ms: int) -> int | None:
        return window_opens_at_ms(sorted(admitted), limit=limit, period_ms=period_ms, now_ms=at_ms)

    opens = ask(now_ms)
    if opens is not None:
        assert opens > now_ms
        assert ask(opens) is None
        assert ask(opens - 1) == opens


@given(expiries=_TIMES, limit=_LIMITS, now_ms=st.integers(0, 11_000))
def test_room_is_free_when_it_says_and_not_before(expiries: list[int], limit: int, now_ms: int) -> None:
    frees = lease_frees_at_ms(expiries, limit=limit, now_ms=now_ms)
    running = sum(at_ms > now_ms for at_ms in expiries)
    assert (frees is None) == (running < limit)
    if frees is not None:
        assert lease_frees_at_ms(expiries, limit=limit, now_ms=frees) is None
        assert lease_frees_at_ms(expiries, limit=limit, now_ms=frees - 1) == frees


@given(amounts=st.lists(st.integers(1, 450), max_size=30), limit=st.integers(1, 2000))
def test_a_strict_limit_is_never_crossed_and_a_soft_one_by_one_piece(amounts: list[int], limit: int) -> None:
    strict = soft = 0
    for amount in amounts:
        if fits(used=strict, amount=amount, limit=limit, boundary="strict"):
            strict += amount
        if fits(used=soft, amount=amount, limit=limit, boundary="soft_unit"):
            soft += amount
    assert strict <= limit
    assert soft < limit + 450
    assert soft >= min(limit, sum(amounts))


@given(now_ms=st.integers(0, 4_000_000_000_000))
def test_a_day_ends_where_the_next_begins(now_ms: int) -> None:
    ends = next_utc_day_ms(now_ms)
    assert now_ms < ends <= now_ms + 86_400_000
    assert utc_day(ends - 1) == utc_day(now_ms)
    assert utc_day(ends) != utc_day(now_ms)


def test_days_are_those_of_utc() -> None:
    assert utc_day(1_798_761_599_999) == "2026-12-31"
    assert utc_day(1_798_761_600_000) == "2027-01-01"
