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
    ORDERS_AT_ONCE,
    REBUILDING,
    REBUILDS,
    REQUESTS_AT_ONCE,
    REQUESTS_PER_SECOND,
    Allowance,
    RequestLimit,
    RequestVerdict,
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
    ("verbs", "counted", "at_once", "per_second"),
    [
        (["void"], "void", REQUESTS_AT_ONCE, REQUESTS_PER_SECOND),
        # The table tries out a whole round for each of these, and has its readings to take.
        *(([verb], REBUILDS, 10, 2) for verb in sorted(REBUILDING)),
        # Given in turn they are no more.
        (sorted(REBUILDING), REBUILDS, 10, 2),
    ],
)
def test_on_end_so_many_a_second_are_admitted(verbs: list[str], counted: str, at_once: int, per_second: int) -> None:
    clock, complaints = Hands(), list[str]()
    limit = RequestLimit(clock, complaints.append)
    admitted = 0
    for number in range(60_000):
        clock.now_ns += NANOSECONDS // 1000
        admitted += limit.admit("M. Okafor", verbs[number % len(verbs)]) is RequestVerdict.ADMITTED
    assert at_once + 59 * per_second <= admitted <= at_once + 60 * per_second
    assert limit.refused == 60_000 - admitted
    assert complaints == [f"{counted} by M. Okafor: more than {per_second} a second; what is beyond is refused"]
    text = limit.refusal("M. Okafor", verbs[0]).text
    assert text == f"too many requests: at most {per_second} a second; ask again in 1 s"


def test_who_goes_through_all_verbs_fills_no_journal_and_is_reported() -> None:
    """Each verb is asked for within its own measure, eight a second for an hour."""
    clock, complaints = Hands(), list[str]()
    limit = RequestLimit(clock, complaints.append)
    kept = 0
    for _ in range(3600 * 8):
        clock.now_ns += NANOSECONDS // 8
        kept += limit.order_refusal("M. Okafor") is None
    assert ORDERS_AT_ONCE + 3598 <= kept <= ORDERS_AT_ONCE + 3600
    assert limit.refused == 3600 * 8 - kept
    assert complaints == ["orders of every kind by M. Okafor: more than 1 a second; what is beyond is refused"]
    refusal = limit.order_refusal("M. Okafor")
    assert refusal is not None
    assert refusal.text == "too many requests: at most 1 a second; ask again in 1 s"
    # Others give their orders meanwhile.
    assert limit.order_refusal("J. Lee") is None


def test_a_thousand_orders_of_a_bad_night_wait_for_nothing() -> None:
    clock, complaints = Hands(), list[str]()
    limit = RequestLimit(clock, complaints.append)
    assert not any(limit.order_refusal("M. Okafor") for _ in range(ORDERS_AT_ONCE))
    assert not complaints


def test_a_crowd_of_names_shares_what_there_is() -> None:
    clock = Hands()
    limit = RequestLimit(clock, lambda _: None)
    admitted = sum(limit.admit(f"client {number}", "void") is RequestVerdict.ADMITTED for number in range(100_000))
    assert admitted == BUCKETS_LIMIT + REQUESTS_AT_ONCE
    clock.now_ns += NANOSECONDS
    # Who has been quiet since is forgotten, and there is room again.
    assert limit.admit("M. Okafor", "void") is RequestVerdict.ADMITTED


def asked(limit: RequestLimit, clock: Hands, clients: list[str], took_ns: int, for_ns: int) -> int:
    """How long a table is at work that is asked a hundred times a second in turn, each order taking so long."""
    begun_ns, worked_ns = clock.now_ns, 0
    verbs = sorted(REBUILDING)
    while clock.now_ns < begun_ns + for_ns:
        for client in clients:
            if limit.admit(client, verbs[clock.now_ns % len(verbs)]) is RequestVerdict.ADMITTED:
                limit.rebuild_time.given()
                clock.now_ns += took_ns
                worked_ns += took_ns
                limit.rebuild_time.stepped(client, took_ns)
        clock.now_ns += NANOSECONDS // 100
    return worked_ns


@pytest.mark.parametrize(("keys", "share"), [(1, 8), (2, 4), (20, 4)])
def test_the_worst_orders_take_a_small_part_of_the_time_however_many_keys_send_them(keys: int, share: int) -> None:
    clock = Hands()
    limit = RequestLimit(clock, lambda _: None)
    clients = [f"key {number}" for number in range(keys)]
    minutes_ns, order_ns = 600 * NANOSECONDS, 1_300_000_000
    assert minutes_ns / share / 2 < asked(limit, clock, clients, order_ns, minutes_ns) < minutes_ns / share


def test_orders_that_take_a_millisecond_wait_for_nothing_but_their_number() -> None:
    clock = Hands()
    limit = RequestLimit(clock, lambda _: None)
    assert asked(limit, clock, ["M. Okafor"], 1_000_000, 60 * NANOSECONDS) >= 128_000_000


def test_another_person_may_order_before_who_kept_the_table_long_may_again() -> None:
    clock, complaints = Hands(), list[str]()
    limit = RequestLimit(clock, complaints.append)
    assert limit.admit("M. Crook", "assign-card") is RequestVerdict.ADMITTED
    limit.rebuild_time.given()
    limit.rebuild_time.stepped("M. Crook", NANOSECONDS)
    assert limit.admit("M. Crook", "set-card") is RequestVerdict.REFUSED
    assert complaints == [f"{REBUILDS} by M. Crook: more than the table can follow; what is beyond is refused"]
    assert limit.admit("J. Lee", "set-card") is RequestVerdict.REFUSED
    said = "too many requests: the table is not through with such orders; ask again in"
    assert [limit.refusal(one, "set-card").text for one in ("M. Crook", "J. Lee")] == [f"{said} 8 s", f"{said} 3 s"]
    clock.now_ns += 3 * NANOSECONDS
    assert limit.admit("M. Crook", "set-card") is not limit.admit("J. Lee", "set-card") is RequestVerdict.ADMITTED
    clock.now_ns += 5 * NANOSECONDS
    assert limit.admit("M. Crook", "set-card") is RequestVerdict.ADMITTED


def test_a_reading_waits_behind_two_such_orders_at_most() -> None:
    clock = Hands()
    limit = RequestLimit(clock, lambda _: None)
    for client in ("M. Crook", "J. Lee"):
        assert limit.admit(client, "set-card") is RequestVerdict.ADMITTED
        limit.rebuild_time.given()
    assert limit.admit("M. Okafor", "set-card") is RequestVerdict.REFUSED
    assert limit.refusal("M. Okafor", "set-card").text.endswith("ask again in 1 s")
    limit.rebuild_time.stepped("M. Crook", 1_000_000)
    assert limit.admit("M. Okafor", "set-card") is RequestVerdict.ADMITTED
