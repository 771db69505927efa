"""A hostile member of a pool: one table's valid key, and whatever it likes to post."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.meters.pool_postings import (
    AwardOutcome,
    ClaimPosting,
    ContributionOutcome,
    DeclinedOutcome,
    VerdictPosting,
    WagerPosting,
    WinningRow,
)
from controller.pool.ledger import Database, Ledger, LedgerRows
from controller.pool.ledger_replay import refold
from controller.pool.members import NOT_THEIRS, RECENT, Member, undue
from controller.pool.postings import PostingBody
from controller.pool.reconciliation import reconcile
from controller.pool.sqlite import SqliteDatabase
from tests.link.conftest import PARAMETERS
from tests.link.premises import BY_TWO, Premises
from tests.link.server import Server
from tests.link.test_ledger import Table

T = TypeVar("T")
SEVENS = Member({"blazing7s": frozenset({(1, 1), (1, 10)})}, spots=5)
OTHER = Member({"five_card": frozenset({(1, 10)})}, spots=7)
MEMBERS = {"bj-1": SEVENS, "bj-2": OTHER}
LAID = WagerPosting(500, 9, 3, "blazing7s")


def claim(number: int = 9, spot: int = 3, bet: str = "blazing7s", share: tuple[int, int] = (1, 1)) -> ClaimPosting:
    return ClaimPosting(number, (WinningRow(spot, bet, "three_diamonds", share),))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(SqliteDatabase(tmp_path / "ledger.sqlite", create=True), "pit-1", MEMBERS)
    ledger.open(PARAMETERS)
    return ledger


def declined(table: Table, deed: PostingBody) -> str:
    outcome = table.does(deed)
    assert isinstance(outcome, DeclinedOutcome), outcome
    assert outcome.reason.startswith(NOT_THEIRS)
    return outcome.reason


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        (claim(), "no wager on blazing7s at spot 3 in round 9 was posted"),
        (claim(bet="x"), "it has no bet 'x' that feeds the pool"),
        (claim(bet="five_card"), "it has no bet 'five_card'"),
        (claim(spot=6), "it has 5 spots"),
        (claim(spot=10**300), "it has 5 spots"),
        (claim(spot=0), "it has 5 spots"),
        (claim(number=10**300), "no round of the number posted"),
        (claim(share=(1, 2)), "no row of blazing7s pays 1 of 2"),
        (WagerPosting(500), "it has no bet ''"),
        (WagerPosting(500, 9, 3, "main"), "it has no bet 'main'"),
        (WagerPosting(500, 9, 7, "blazing7s"), "it has 5 spots"),
        (WagerPosting(500, 0, 3, "blazing7s"), "no round of the number posted"),
    ],
)
def test_the_first_posting_of_a_key_takes_nothing(ledger: Ledger, deed: PostingBody, message: str) -> None:
    before = ledger.standing()
    assert message in declined(Table(ledger), deed)
    assert ledger.standing().shown_cents == before.shown_cents
    assert ledger.books().hits == 0
    assert (reconcile(ledger).mistakes, refold(ledger)) == ((), ())


def test_a_wager_is_claimed_once_where_it_lay_and_by_whose_it_is(ledger: Ledger) -> None:
    table, other = Table(ledger), Table(ledger, "bj-2")
    assert isinstance(table.does(LAID), ContributionOutcome)
    assert "no wager" in declined(table, claim(spot=4))
    assert "no wager" in declined(table, claim(number=8))
    assert "no bet" in declined(other, claim())
    assert isinstance(table.does(claim(share=(1, 10))), AwardOutcome)
    again = table.does(claim())
    assert isinstance(again, DeclinedOutcome)
    assert "has its award already" in again.reason
    assert ledger.books().hits == 1
    assert (reconcile(ledger).mistakes, refold(ledger)) == ((), ())


def test_a_wager_and_its_claim_may_come_in_one_transaction(ledger: Ledger) -> None:
    table = Table(ledger)
    answers = ledger.post([table.next(LAID), table.next(claim())])
    assert [type(one.outcome) for one in answers] == [ContributionOutcome, AwardOutcome]  # type: ignore[union-attr]


def test_a_wager_that_was_not_counted_or_is_long_past_is_not_claimed(ledger: Ledger) -> None:
    table = Table(ledger)
    assert isinstance(table.does(WagerPosting(0, 9, 3, "blazing7s")), DeclinedOutcome)
    assert "no wager" in declined(table, claim())
    table.does(WagerPosting(500, 10, 3, "blazing7s"))
    ledger.post([table.next(WagerPosting(500, 11, 3, "blazing7s")) for _ in range(RECENT)])
    assert "no wager" in declined(table, claim(10))
    new_epoch = Table(ledger, epoch=2)
    assert "no wager" in declined(new_epoch, claim(11))


class Counting:
    """A database that counts the rows read of it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.lock = database.lock
        self.rows = 0

    def write(self, work: Callable[[LedgerRows], T]) -> T:
        return self._database.write(lambda rows: work(self._counted(rows)))

    def read(self, work: Callable[[LedgerRows], T]) -> T:
        return self._database.read(work)

    def close(self) -> None:
        self._database.close()

    def _counted(self, rows: LedgerRows) -> LedgerRows:
        counting = self

        class Counted:
            def all(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
                found = rows.all(statement, values)
                counting.rows += len(found)
                return found

            def do(self, statement: str, these: Iterable[Sequence[object]]) -> None:
                rows.do(statement, these)

            def insert(self, table: str, these: Sequence[Sequence[object]], update: Sequence[str] = ()) -> None:
                rows.insert(table, these, update)

        return Counted()


def test_claims_without_number_read_what_a_table_laid_and_won_once_a_transaction(tmp_path: Path) -> None:
    """Each winner of each claim once read thousands of entries, and every other table waited a minute for it."""
    database = Counting(SqliteDatabase(tmp_path / "ledger.sqlite", create=True))
    ledger = Ledger(database, "pit-1", MEMBERS)
    ledger.open(PARAMETERS)
    table = Table(ledger)
    wagers = [WagerPosting(500, number, 3, "blazing7s") for number in range(1, RECENT // 2 + 1)]
    ledger.post([table.next(one) for one in wagers])
    won = ledger.post([table.next(claim(number, share=(1, 10))) for number in range(1, 101)])
    assert all(isinstance(one.outcome, AwardOutcome) for one in won)  # type: ignore[union-attr]
    before = database.rows
    many = [
        ClaimPosting(number, (WinningRow(3, "blazing7s", "three_diamonds", (1, 1)),) * 200)
        for number in range(401, 501)
    ]
    ledger.post([table.next(one) for one in many])
    assert database.rows - before < len(wagers) + 2 * len(won) + 10
    assert (reconcile(ledger).mistakes, refold(ledger)) == ((), ())


@given(
    deed=st.builds(
        claim,
        st.integers(-(2**70), 2**70),
        st.integers(-(2**70), 2**70),
        st.text(max_size=40),
        st.tuples(st.integers(-3, 12), st.integers(-3, 12)),
    )
)
def test_nothing_is_due_to_whoever_laid_nothing(deed: ClaimPosting) -> None:
    assert undue(SEVENS, deed, lambda _: False)


async def test_a_hostile_table_with_a_valid_key_is_declined_with_an_alarm(tmp_path: Path) -> None:
    """Over its real socket: the pool stays whole, the table is answered, and the link's log says it aloud."""
    premises = Premises(tmp_path, 2)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with premises.process() as link, premises.table() as hostile:
        answer = await hostile.does(ClaimPosting(1, (WinningRow(3, "x", "all of it", (1, 1)),)))
        assert isinstance(answer.answer.outcome, DeclinedOutcome)
        whole = await hostile.does(ClaimPosting(9, (WinningRow(3, "blazing_7s", "row", (1, 1)),)))
        assert isinstance(whole.answer.outcome, DeclinedOutcome)
        assert whole.answer.shown_cents == 1_000_000
        link.terminate()
        _, logged = await link.communicate()
    alarms = [json.loads(line) for line in logged.splitlines() if b"ALARM: posting declined" in line]
    assert [(one["table"], one["seq"], one["level"]) for one in alarms] == [
        ("harbour/bj-1", 1, "error"),
        ("harbour/bj-1", 2, "error"),
    ]
    assert premises.does("reconcile", "--refold").exit_code == 0


async def test_a_member_that_posts_wagers_nobody_laid_is_believed_and_the_link_says_what_it_took(
    tmp_path: Path, postgresql: Server
) -> None:
    """No cards and no chips are seen at the link; that a pool was won is shown where no table has a hand in it."""
    premises = Premises(tmp_path, 2, postgresql.where)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with premises.process() as link, premises.table() as liar, premises.table("harbour/bj-2") as other:
        for number in (1, 2):
            assert isinstance(
                (await liar.does(WagerPosting(500, number, 3, "blazing_7s"))).answer.outcome, ContributionOutcome
            )
        whole = ClaimPosting(2, (WinningRow(3, "blazing_7s", "row", (1, 1)),))
        taken = (await liar.does(whole)).answer.outcome
        assert isinstance(taken, AwardOutcome)
        assert isinstance((await liar.does(whole)).answer.outcome, DeclinedOutcome)
        assert isinstance((await other.does(whole)).answer.outcome, DeclinedOutcome)
        assert isinstance((await other.does(VerdictPosting(1, "paid", "Ann"))).answer.outcome, DeclinedOutcome)
        link.terminate()
        _, logged = await link.communicate()
    (won,) = [json.loads(line) for line in logged.splitlines() if b"pool won" in line]
    (jackpot,) = taken.jackpots
    assert (won["table"], won["cents"], won["level"]) == ("harbour/bj-1", jackpot.cents, "warning")
    assert premises.does("reconcile", "--refold").exit_code == 0


async def test_a_member_cannot_make_an_epoch_of_the_future_the_last_of_its_table(tmp_path: Path) -> None:
    """Lower epochs than the highest entered are over: whoever had the key for a moment would have ended the table."""
    premises = Premises(tmp_path, 1)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with premises.process() as link:
        async with premises.table(epoch=2**40) as thief:
            thief.end.post(LAID)
            while "begins in" not in thief.shows.closed:
                await thief.changed()
        async with premises.table() as table:
            assert isinstance(
                (await table.does(WagerPosting(500, 9, 3, "blazing_7s"))).answer.outcome, ContributionOutcome
            )
        link.terminate()
        _, logged = await link.communicate()
    assert b"ALARM: epoch from the future" in logged
