"""How much may be asked: at once, on end, and by whom."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.io.system.rate_limits import (
    BUCKETS_LIMIT,
    CALM_NS,
    NANOSECONDS,
    REQUESTS_AT_ONCE,
    REQUESTS_PER_SECOND,
    Allowance,
    RequestLimit,
    RequestVerdict,
    too_much,
)


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_ns = 1

    def monotonic_ns(self) -> int:
        return self.now_ns

    def wall_ns(self) -> int:
        return self.now_ns


@given(
    rate=st.integers(1, 1000),
    at_once=st.integers(1, 100),
    pauses=st.lists(st.integers(0, NANOSECONDS), max_size=60),
)
def test_no_span_of_time_has_more_than_at_once_and_so_many_a_second(rate: int, at_once: int, pauses: list[int]) -> None:
    allowance, now_ns, taken = Allowance(rate, at_once), 0, []
    for pause in pauses:
        now_ns += pause
        wait_ns = allowance.wait_ns(now_ns)
        assert allowance.take(now_ns) is (wait_ns == 0)
        if wait_ns == 0:
            taken.append(now_ns)
    each_ns = NANOSECONDS // rate
    assert all(
        last - first + 1 <= at_once + (taken[last] - begin) // each_ns + 1
        for first, begin in enumerate(taken)
        for last in range(first, len(taken))
    )


def test_what_is_spent_comes_back() -> None:
    allowance = Allowance(10, 3)
    assert [allowance.take(0) for _ in range(4)] == [True, True, True, False]
    assert allowance.wait_ns(0) == NANOSECONDS // 10
    assert allowance.take(NANOSECONDS // 10)
    assert not allowance.is_whole(NANOSECONDS // 10)
    assert allowance.is_whole(NANOSECONDS)
    assert [allowance.take(NANOSECONDS) for _ in range(4)] == [True, True, True, False]


def test_a_flood_is_reported_once_and_the_next_one_again() -> None:
    clock, complaints = Hands(), list[str]()
    limit = RequestLimit(clock, complaints.append)

    def flood() -> Counter[RequestVerdict]:
        return Counter(limit.admit("M. Okafor", "void") for _ in range(1000))

    assert flood() == {
        RequestVerdict.ADMITTED: REQUESTS_AT_ONCE,
        RequestVerdict.REFUSED: 10,
        RequestVerdict.DROPPED: 940,
    }
    assert complaints == ["void by M. Okafor: more than 10 a second; what is beyond is refused"]
    clock.now_ns += CALM_NS - 1
    flood()
    assert len(complaints) == 1
    # Others, and other verbs, are let through meanwhile.
    assert limit.admit("J. Lee", "void") is limit.admit("M. Okafor", "ack") is RequestVerdict.ADMITTED
    clock.now_ns += CALM_NS
    flood()
    assert len(complaints) == 2


@pytest.mark.parametrize(
    ("verb", "at_once", "per_second"),
    [
        ("void", REQUESTS_AT_ONCE, REQUESTS_PER_SECOND),
        # The table tries out a whole round for each of these, and has its readings to take.
        ("set-card", 10, 2),
        ("adjust", 10, 2),
        ("answer", 10, 2),
        ("assign-card", 10, 2),
        ("declare-box", 10, 2),
    ],
)
def test_on_end_so_many_a_second_are_admitted(verb: str, at_once: int, per_second: int) -> None:
    clock, complaints = Hands(), list[str]()
    limit = RequestLimit(clock, complaints.append)
    admitted = 0
    for _ in range(60_000):
        clock.now_ns += NANOSECONDS // 1000
        admitted += limit.admit("M. Okafor", verb) is RequestVerdict.ADMITTED
    assert at_once + 59 * per_second <= admitted <= at_once + 60 * per_second
    assert limit.refused == 60_000 - admitted
    assert complaints == [f"{verb} by M. Okafor: more than {per_second} a second; what is beyond is refused"]
    assert too_much(verb).text.startswith(f"too many requests: at most {per_second} a second")


def test_a_crowd_of_names_shares_what_there_is() -> None:
    clock = Hands()
    limit = RequestLimit(clock, lambda _: None)
    admitted = sum(limit.admit(f"client {number}", "void") is RequestVerdict.ADMITTED for number in range(100_000))
    assert admitted == BUCKETS_LIMIT + REQUESTS_AT_ONCE
    clock.now_ns += NANOSECONDS
    # Who has been quiet since is forgotten, and there is room again.
    assert limit.admit("M. Okafor", "void") is RequestVerdict.ADMITTED
