"""A round long over, ruled on: it comes back from the journal, takes a case and two people, and moves no other."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from controller.core.game.wager import RoundBook
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import CorrectionEntered, RoundVoided
from controller.core.messages.inputs import AdjustWager, ApproveOrder, BookRecalled, Input, VoidRound
from controller.core.persons import Authentication
from controller.core.refusal_reason import RefusalReason
from controller.core.table.ledger import BOOKS_LIMIT, RECALLED_LIMIT, book_of, recall, with_recalled
from controller.daemon.closed_rounds import WAITING_LIMIT, LateRuling, OldRounds, is_late, look_up
from controller.io.journal.errors import JournalDamaged
from tests.core.accounts import hold_whole
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn

ROUND = """
1 main 10
9h Ts 8d 9c
key stand hole_turned round_closed
"""
FLOOR = Authentication("key", ("floor",))
SURVEILLANCE = Authentication("socket", ("surveillance",), 1002)
CASE = "2026-117"


def long_ago() -> Rig:
    """A table at which the first round has left the books."""
    rig = Rig(penn(stand_key="always"))
    for _ in range(BOOKS_LIMIT + 2):
        rig.talk(ROUND)
    assert book_of(rig.table.state.books, 1) is None
    return rig


def recalled(rig: Rig, number: int = 1) -> None:
    book = recall(rig.events, number)
    assert book is not None
    rig.give(BookRecalled(rig.now_ns, book))


def adjust(rig: Rig, net_cents: int, case: str = CASE) -> None:
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", net_cents, "M. Okafor", "paid twice", FLOOR, case))


def approved(rig: Rig, order: int) -> None:
    rig.give(ApproveOrder(rig.now_ns, order, "J. Lee", SURVEILLANCE))


def test_a_ruling_on_it_that_nothing_vouches_for_is_refused_with_what_to_do() -> None:
    rig = long_ago()
    recalled(rig)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "paid twice", case=CASE))
    old = "round 1 is past the last 20, on which one person may rule"
    what = "order it over the operator channel for another person to approve"
    assert rig.events_of(OrderRefused)[-1].reason == f"nothing vouches for M. Okafor: {old}: {what}"


def test_a_round_that_left_the_books_cannot_be_ruled_on_as_it_is() -> None:
    rig = long_ago()
    adjust(rig, 500)
    assert "no such round" in rig.events_of(OrderRefused)[-1].reason


def test_what_is_recalled_is_what_the_table_had() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    on_the_books = book_of(rig.table.state.books, 1)
    assert on_the_books is not None
    book = recall(rig.events, 1)
    assert book is not None
    assert (book.rows, book.void, book.recalled) == (on_the_books.rows, on_the_books.void, True)


def test_a_late_ruling_takes_two_people_and_a_case_in_every_house() -> None:
    rig = long_ago()
    assert not rig.house.two_persons
    recalled(rig)
    adjust(rig, 500, case="")
    assert "--case" in rig.events_of(OrderRefused)[-1].reason
    adjust(rig, 500)
    assert not rig.events_of(WagerAdjusted)
    approved(rig, 1)
    (entry,) = rig.events_of(CorrectionEntered)
    assert entry == CorrectionEntered(CASE, 1, 1, "main", -1000, 500, "M. Okafor, J. Lee", "paid twice", late=True)
    (moved,) = rig.events_of(WagerAdjusted)
    assert (moved.round, moved.before_cents, moved.net_cents) == (1, -1000, 500)
    hold_whole(rig)


def test_a_round_recalled_stays_while_others_are_dealt() -> None:
    rig = long_ago()
    recalled(rig)
    adjust(rig, 500)
    for _ in range(3):
        rig.talk(ROUND)
    approved(rig, 1)
    assert [one.net_cents for one in rig.events_of(WagerAdjusted)] == [500]
    # A second correction begins where the first one ended.
    adjust(rig, -1000)
    approved(rig, 2)
    assert [(one.before_cents, one.net_cents) for one in rig.events_of(WagerAdjusted)] == [(-1000, 500), (500, -1000)]


def test_a_late_void_returns_every_wager() -> None:
    rig = long_ago()
    recalled(rig, 2)
    rig.give(VoidRound(rig.now_ns, 2, "M. Okafor", "wrong shoe", FLOOR, CASE))
    approved(rig, 1)
    assert [event.round for event in rig.events_of(RoundVoided)] == [2]
    assert rig.events_of(CorrectionEntered)[0].spot is None
    assert [(one.round, one.net_cents) for one in rig.events_of(WagerAdjusted)] == [(2, 0)]
    rig.give(VoidRound(rig.now_ns, 2, "M. Okafor", "wrong shoe", FLOOR, CASE))
    assert rig.events_of(OrderRefused)[-1].reason == "the round is void already"
    hold_whole(rig)


def test_a_ruling_with_a_case_on_a_round_on_the_books_is_entered_too() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    adjust(rig, 500)
    (entry,) = rig.events_of(CorrectionEntered)
    assert (entry.case, entry.before_cents, entry.net_cents, entry.late) == (CASE, -1000, 500, False)


def test_recalled_rounds_do_not_push_out_the_latest_and_are_limited() -> None:
    rig = long_ago()
    fresh = rig.table.state.books
    books = fresh
    for number in range(1000, 1000 + RECALLED_LIMIT + 5):
        books = with_recalled(books, RoundBook(number, (), recalled=True))
    assert books[-BOOKS_LIMIT:] == fresh
    assert len(books) == BOOKS_LIMIT + RECALLED_LIMIT
    assert with_recalled(fresh, RoundBook(fresh[0].round, ())) == fresh


# --- out of the journal -------------------------------------------------------------------------------


def test_a_round_is_found_in_a_journal(tmp_path: Path) -> None:
    rig = long_ago()
    journal = journal_of(rig, tmp_path / "journal.sqlite")
    assert look_up(journal, 1) == recall(rig.events, 1)
    assert look_up(journal, 12) == recall(rig.events, 12)
    assert look_up(journal, 99) is None


def test_only_rounds_that_left_the_books_are_late() -> None:
    state = long_ago().table.state
    late = [number for number in range(state.rounds + 2) if is_late(void(number), state)]
    assert late == [1, 2]


def void(number: int) -> VoidRound:
    return VoidRound(1, number, "M. Okafor", "misdeal", FLOOR, CASE)


async def test_a_ruling_is_given_once_its_round_is_back() -> None:
    done: list[Input | RefusalReason | str] = []

    async def keep(given: Input) -> None:
        done.append(given)

    book = RoundBook(7, (), recalled=True)
    rounds = OldRounds({7: book, 8: None}.__getitem__, keep)
    for number in (7, 8):
        rounds.take(LateRuling(void(number), functools.partial(done.append, f"given {number}"), done.append))
    await until(rounds, lambda: "given 8" in done)
    assert done == [BookRecalled(1, book), "given 7", "given 8"]


async def test_a_journal_that_cannot_be_read_refuses_the_ruling_and_nothing_else() -> None:
    def damaged(number: int) -> RoundBook | None:
        raise JournalDamaged(f"page {number}")

    refusals: list[RefusalReason | str] = []
    rounds = OldRounds(damaged, lambda _: asyncio.sleep(0))
    rounds.take(LateRuling(void(7), lambda: refusals.append("given"), refusals.append))
    await until(rounds, lambda: bool(refusals))
    text = "round 7 could not be read from the journal: page 7"
    assert refusals == [RefusalReason("journal_unreadable", text)]


def test_too_many_at_once_are_refused() -> None:
    refusals: list[RefusalReason] = []
    rounds = OldRounds(lambda _: None, lambda _: asyncio.sleep(0))
    for number in range(WAITING_LIMIT + 1):
        rounds.take(LateRuling(void(number), lambda: None, refusals.append))
    assert [one.code for one in refusals] == ["too_many_waiting"]


_Way = Literal["key", "signature", "socket"]


@pytest.mark.parametrize("way", ["key", "signature", "socket"])
def test_who_rules_on_old_rounds_without_end_keeps_nobody_else_from_it(way: _Way) -> None:
    refused: list[int] = []
    rounds = OldRounds(lambda _: None, lambda _: asyncio.sleep(0))

    def take(number: int, who: str, by: _Way) -> None:
        ruling = VoidRound(1, number, who, "misdeal", Authentication(by, ("floor",)), CASE)
        rounds.take(LateRuling(ruling, lambda: None, lambda _: refused.append(number)))

    for number in range(1, WAITING_LIMIT + 2):
        # At a socket another name makes no other person.
        take(number, "M. Okafor" if way != "socket" else f"A. Bell {number}", way)
    assert refused == [WAITING_LIMIT + 1]
    for number in range(20, 24):
        take(number, "J. Lee", "key")
    assert refused == [9, 8, 7, 6, 5]
    # Four of each wait: now it is who asks for more who waits.
    take(24, "J. Lee", "key")
    assert refused[5:] == [24]


async def until(rounds: OldRounds, done: Callable[[], bool]) -> None:
    """Let it run until that is so."""
    running = asyncio.create_task(rounds.run())
    async with asyncio.timeout(10):
        while not done():  # noqa: ASYNC110 - the look-up is in a thread, which sets no event
            await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


def test_settled_wagers_of_other_rounds_do_not_move() -> None:
    rig = long_ago()
    before = [event for event in rig.events if isinstance(event, WagerSettled)]
    recalled(rig)
    adjust(rig, 0)
    approved(rig, 1)
    assert [event for event in rig.events if isinstance(event, WagerSettled)] == before
    assert {event.round for event in rig.events_of(WagerAdjusted)} == {1}
