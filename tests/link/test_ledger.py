"""One pool, many tables: every posting once, one order, sums exact; the same of both databases."""

from __future__ import annotations

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from controller.core.meters.meter import UNITS
from controller.core.meters.pool_postings import (
    AwardOutcome,
    ClaimPosting,
    ContributionOutcome,
    DeclinedOutcome,
    VerdictOutcome,
    VerdictPosting,
    WagerPosting,
    WinningRow,
)
from controller.core.meters.state import Adjustment, NewParameters
from controller.pool.ledger import Ledger, LedgerRefused, LedgerRows
from controller.pool.ledger_replay import refold
from controller.pool.postgresql import PostgresqlDatabase
from controller.pool.postings import (
    HOUSE,
    ChangeOutcome,
    ChangePosting,
    LedgerAnswer,
    LedgerEntry,
    OutOfOrder,
    Posting,
    PostingBody,
    PostingOutcome,
)
from controller.pool.reconciliation import reconcile
from controller.pool.sqlite import SqliteDatabase
from tests.link.conftest import PARAMETERS, Reach
from tests.link.server import Server, unused_pool

FIVE = WagerPosting(500)
SHOWN = 1_000_000


class Table:
    """Posts its deeds one after the other."""

    def __init__(self, ledger: Ledger, name: str = "bj-1", epoch: int = 1) -> None:
        self.ledger = ledger
        self.name = name
        self.epoch = epoch
        self.seq = 0

    def next(self, deed: PostingBody) -> Posting:
        self.seq += 1
        return Posting(self.name, self.epoch, self.seq, deed)

    def does(self, deed: PostingBody) -> PostingOutcome:
        return entered(self.ledger.post([self.next(deed)])[0]).outcome


def entered(answer: LedgerAnswer) -> LedgerEntry:
    assert isinstance(answer, LedgerEntry), answer
    return answer


def whole(number: int, spot: int = 3) -> ClaimPosting:
    return ClaimPosting(number, (WinningRow(spot, "blazing_7s", "three_diamonds", (1, 1)),))


def tenth(number: int, spot: int = 3) -> ClaimPosting:
    return ClaimPosting(number, (WinningRow(spot, "blazing_7s", "suited", (1, 10)),))


def won(outcome: PostingOutcome) -> tuple[int, ...]:
    assert isinstance(outcome, AwardOutcome), outcome
    return tuple(one.cents for one in outcome.jackpots)


def agrees(ledger: Ledger) -> bool:
    found = reconcile(ledger)
    assert not found.mistakes, found.mistakes
    assert refold(ledger) == ()
    assert found.left() == found.right()
    return True


def test_a_wager_adds_its_rate_to_pool_and_reserve(ledger: Ledger) -> None:
    table = Table(ledger)
    assert table.does(FIVE) == ContributionOutcome(850_000, 166_666)
    assert table.does(FIVE) == ContributionOutcome(850_000, 166_667)
    assert ledger.standing() == (2, SHOWN + 170)
    assert agrees(ledger)


def test_what_was_posted_before_gets_the_answer_it_got_and_counts_once(ledger: Ledger, reach: Reach) -> None:
    table = Table(ledger)
    postings = [table.next(FIVE), table.next(tenth(1)), table.next(WagerPosting(0))]
    first = ledger.post(postings)
    before = ledger.books()
    assert ledger.post(postings) == first
    assert reach().post(postings[1:2]) == first[1:2]
    assert ledger.post([postings[0], postings[0]]) == [first[0], first[0]]
    assert ledger.books() == before


def test_the_same_number_for_something_else_is_refused_and_changes_nothing(ledger: Ledger) -> None:
    table = Table(ledger)
    table.does(FIVE)
    before = ledger.books()
    (answer,) = ledger.post([Posting("bj-1", 1, 1, WagerPosting(700))])
    assert isinstance(answer, OutOfOrder)
    assert "something else" in answer.reason
    assert ledger.books() == before


@pytest.mark.parametrize(("epoch", "seq"), [(1, 3), (2, 2), (1, 0), (0, 1), (-1, 1)])
def test_a_number_that_does_not_come_next_is_not_entered(ledger: Ledger, epoch: int, seq: int) -> None:
    Table(ledger).does(FIVE)
    (answer,) = ledger.post([Posting("bj-1", epoch, seq, FIVE)])
    assert isinstance(answer, OutOfOrder)
    assert (answer.epoch, answer.seq) == (1, 1)
    assert ledger.standing().number == 1


@pytest.mark.parametrize("epoch", [0, -1])
def test_no_posting_is_of_an_epoch_before_the_first(ledger: Ledger, epoch: int) -> None:
    """An entry without an account would be a ledger that does not add up, and the end of the pool for every table."""
    for _ in range(2):
        (answer,) = ledger.post([Posting("bj-1", epoch, 1, FIVE)])
        assert isinstance(answer, OutOfOrder)
    assert ledger.standing() == (0, SHOWN)
    assert Table(ledger).does(FIVE) == ContributionOutcome(850_000, 166_666)
    assert agrees(ledger)


def test_a_table_with_a_new_journal_begins_a_new_epoch_and_the_old_is_over(ledger: Ledger) -> None:
    Table(ledger).does(FIVE)
    assert isinstance(Table(ledger, epoch=2).does(FIVE), ContributionOutcome)
    old = [Posting("bj-1", 1, seq, FIVE) for seq in (1, 2)]
    known, new = ledger.post(old)
    assert entered(known).number == 1
    assert isinstance(new, OutOfOrder)
    assert agrees(ledger)


def test_two_tables_hit_at_the_same_moment_the_first_committed_gets_all(reach: Reach) -> None:
    tables = [Table(reach(), name) for name in ("bj-1", "bj-2")]
    with ThreadPoolExecutor(2) as threads:
        amounts = list(threads.map(lambda table: won(table.does(whole(9))), tables))
    assert sorted(amounts) == [(PARAMETERS.reset_cents,), (SHOWN,)]
    found = reconcile(reach())
    assert found.total.reserved == (SHOWN + PARAMETERS.reset_cents) * UNITS
    assert agrees(reach())


def test_a_hit_posted_twice_by_two_ways_at_once_is_one_award(reach: Reach) -> None:
    posting = Table(reach()).next(whole(9))
    ledgers = [reach(), reach()]
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda ledger: ledger.post([posting])[0], ledgers))
    assert answers[0] == answers[1]
    assert reach().books().hits == 1


def test_a_wager_of_a_round_wins_once_whatever_number_it_is_claimed_under(ledger: Ledger) -> None:
    table = Table(ledger)
    assert won(table.does(tenth(5))) == (100_000,)
    assert isinstance(table.does(tenth(5)), DeclinedOutcome)
    assert won(table.does(tenth(6))) == (90_000,)
    assert won(Table(ledger, "bj-2").does(tenth(5))) == (81_000,)


def test_winners_of_one_round_are_evaluated_from_the_highest_spot_and_share_the_whole(ledger: Ledger) -> None:
    rows = (
        WinningRow(1, "b7", "all", (1, 1)),
        WinningRow(2, "b7", "tenth", (1, 10)),
        WinningRow(5, "b7", "all", (1, 1)),
    )
    outcome = Table(ledger).does(ClaimPosting(1, rows))
    assert isinstance(outcome, AwardOutcome)
    assert [(one.spot, one.cents) for one in outcome.jackpots] == [(2, 100_000), (5, 450_000), (1, 450_000)]
    assert agrees(ledger)


def test_an_award_is_verified_and_paid_by_two_people_of_its_own_table(ledger: Ledger) -> None:
    table, other = Table(ledger), Table(ledger, "bj-2")
    won(table.does(tenth(1)))
    assert isinstance(other.does(VerdictPosting(1, "verified", "Ann")), DeclinedOutcome)
    assert isinstance(table.does(VerdictPosting(1, "paid", "Ann")), DeclinedOutcome)
    assert isinstance(table.does(VerdictPosting(1, "verified", "Ann")), VerdictOutcome)
    assert isinstance(table.does(VerdictPosting(1, "paid", "ann ")), DeclinedOutcome)
    assert isinstance(table.does(VerdictPosting(1, "paid", "Ben")), VerdictOutcome)
    found = reconcile(ledger)
    assert (found.total.paid, found.total.reserved) == (100_000 * UNITS, 0)
    assert agrees(ledger)


def test_a_refused_award_goes_back_and_the_reset_value_too_while_nobody_won_it(ledger: Ledger) -> None:
    table = Table(ledger)
    table.does(FIVE)
    won(table.does(whole(1)))
    assert ledger.standing().shown_cents == PARAMETERS.reset_cents
    table.does(VerdictPosting(1, "refused", "Ann"))
    assert ledger.standing().shown_cents == SHOWN + 85
    found = reconcile(ledger)
    assert (found.total.refused, found.total.reserved) == ((SHOWN + 85) * UNITS, 0)
    # Refused, the wager may win again: two people grant what the cards did give.
    assert won(table.does(tenth(1))) == (100_008,)
    assert agrees(ledger)


def test_two_people_move_the_pool_for_a_reason_of_the_list_and_no_table_can(ledger: Ledger) -> None:
    def by(who: str, second: str, units: int) -> ChangePosting:
        return ChangePosting(Adjustment("meter", units, "equipment_correction"), who, second, "sensor 4 was stuck")

    house = Table(ledger, HOUSE)
    assert house.does(by("Ann", "Ben", -7 * UNITS)) == ChangeOutcome(-7 * UNITS)
    assert isinstance(house.does(by("Ann", "Ann", 7)), DeclinedOutcome)
    assert isinstance(house.does(by("Ann", "Ben", -(10**15))), DeclinedOutcome)
    answers = ledger.post([Table(ledger).next(by("Ann", "Ben", 5)), Posting(HOUSE, 1, 4, FIVE)])
    assert all(isinstance(answer, OutOfOrder) for answer in answers)
    assert ledger.standing().shown_cents == SHOWN - 7
    assert agrees(ledger)


def test_other_parameters_wait_for_the_next_reset(ledger: Ledger) -> None:
    house, table = Table(ledger, HOUSE), Table(ledger)
    table.does(FIVE)
    other = NewParameters(PARAMETERS.__class__(0, 100_000, (1, 10), 100_000))
    assert house.does(ChangePosting(other, "Ann", "Ben", "a smaller start")) == ChangeOutcome(0, queued=True)
    assert table.does(FIVE) == ContributionOutcome(850_000, 166_667)
    table.does(whole(1))
    assert ledger.standing().shown_cents == 100_000
    assert table.does(FIVE) == ContributionOutcome(500_000, 0)
    assert agrees(ledger)


@pytest.mark.parametrize(
    "deed",
    [
        WagerPosting(0),
        WagerPosting(-5),
        WagerPosting(10**9),
        WagerPosting(10**18),
        ClaimPosting(1, ()),
        ClaimPosting(1, (WinningRow(1, "b", "r", (2, 1)),)),
        ClaimPosting(1, (WinningRow(1, "b", "r", (0, 1)),)),
        ClaimPosting(1, (WinningRow(1, "b", "r", (1, 0)),)),
        ClaimPosting(1, (WinningRow(1, "b", "r", (1, 2)), WinningRow(1, "c", "r", (1, 2)))),
        VerdictPosting(1, "paid", "Ann"),
        VerdictPosting(10**30, "paid", "Ann"),
        VerdictPosting(-1, "refused", "\0"),
        WagerPosting(10**30),
        WagerPosting(-(10**30)),
        ClaimPosting(10**30, (WinningRow(10**30, "\0", "r", (10**30, 10**30)),)),
    ],
)
def test_what_cannot_be_is_declined_once_and_for_ever(ledger: Ledger, deed: PostingBody) -> None:
    table = Table(ledger)
    assert isinstance(table.does(deed), DeclinedOutcome)
    assert ledger.post([Posting("bj-1", 1, 1, deed)])[0] == ledger.post([Posting("bj-1", 1, 1, deed)])[0]
    assert ledger.standing() == (1, SHOWN)
    assert isinstance(table.does(FIVE), ContributionOutcome)
    assert agrees(ledger)


def test_many_tables_at_once_over_several_ways_and_every_unit_is_found_again(reach: Reach) -> None:
    chance = random.Random(7)
    ways = [reach() for _ in range(4)]

    def play(number: int) -> None:
        own = random.Random(number)
        table = Table(ways[number % len(ways)], f"bj-{number}")
        for turn in range(12):
            postings = [table.next(WagerPosting(own.choice((100, 500, 33)))) for _ in range(own.randint(1, 4))]
            if own.random() < 0.3:
                postings.append(table.next(own.choice((whole, tenth))(turn)))
            table.ledger.post(postings)

    # A ledger is one process's: its tables take turns on it, the four work at once.
    def process(way: int) -> None:
        numbers = [number for number in range(16) if number % len(ways) == way]
        for number in numbers:
            play(number)

    with ThreadPoolExecutor(len(ways)) as threads:
        list(threads.map(process, chance.sample(range(len(ways)), len(ways))))
    found = reconcile(reach())
    assert agrees(reach())
    assert len(found.tables) == 16
    assert found.total.reserved > 0


TAMPERINGS = [
    "UPDATE entries SET units = units + 1 WHERE pool = ? AND number = 1",
    "DELETE FROM entries WHERE pool = ? AND number = 2",
    "UPDATE accounts SET units = units - 1 WHERE pool = ?",
    "UPDATE awards SET units = units + 10000 WHERE pool = ?",
    "UPDATE awards SET standing = 'refused' WHERE pool = ?",
    "DELETE FROM awards WHERE pool = ?",
    "UPDATE pools SET meter = replace(meter, '\"wagers\":2', '\"wagers\":3'), entries = entries + 1 WHERE name = ?",
    "UPDATE pools SET meter = replace(meter, '\"current_units\":', '\"current_units\":1') WHERE name = ?",
]


def tampered_with(reach: Reach, statement: str) -> Ledger:
    """A ledger that agreed with itself until somebody changed it."""
    ledger = reach()
    table = Table(ledger)
    for deed in (FIVE, FIVE, tenth(1)):
        table.does(deed)
    assert agrees(ledger)

    def change(rows: LedgerRows) -> None:
        rows.do(statement, [(ledger.pool,)])

    reach()._database.write(change)
    return ledger


@pytest.mark.parametrize("statement", TAMPERINGS)
def test_a_unit_changed_anywhere_is_found(reach: Reach, statement: str) -> None:
    ledger = tampered_with(reach, statement)
    assert reconcile(ledger).mistakes


KEEPING_EVERY_SUM = [
    """UPDATE entries SET deed = replace(deed, '500', '600') WHERE pool = ? AND number = 1""",
    """UPDATE entries SET outcome = replace(outcome, 'suited', 'sooted') WHERE pool = ?""",
    """UPDATE entries SET shown_cents = shown_cents + 1 WHERE pool = ? AND number = 2""",
    """UPDATE awards SET body = replace(body, '"spot":3', '"spot":4') WHERE pool = ?""",
    """UPDATE pools SET opening = replace(opening, '"wagers":0', '"wagers":1') WHERE name = ?""",
]


@pytest.mark.parametrize("statement", KEEPING_EVERY_SUM)
def test_a_change_that_keeps_every_sum_is_found_by_stepping_again(reach: Reach, statement: str) -> None:
    ledger = tampered_with(reach, statement)
    assert not reconcile(ledger).mistakes
    assert refold(ledger)


def test_a_pool_begins_once_and_one_that_has_not_is_refused(reach: Reach) -> None:
    with pytest.raises(LedgerRefused, match="has begun already"):
        reach().open(PARAMETERS)
    other = Ledger(reach()._database, "other")
    with pytest.raises(LedgerRefused, match="has not begun"):
        other.post([Posting("bj-1", 1, 1, FIVE)])


def test_a_file_that_is_no_ledger_is_refused_and_a_ledger_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    SqliteDatabase(path, create=True).close()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(LedgerRefused, match="is there already"):
        SqliteDatabase(path, create=True)
    with pytest.raises(LedgerRefused, match="is not there"):
        SqliteDatabase(tmp_path / "none.sqlite")
    sqlite3.connect(tmp_path / "other.sqlite").execute("CREATE TABLE t (a)").connection.close()
    with pytest.raises(LedgerRefused):
        SqliteDatabase(tmp_path / "other.sqlite")
    (tmp_path / "text").write_text("no database at all, " * 100)
    with pytest.raises(LedgerRefused):
        SqliteDatabase(tmp_path / "text")


def test_a_server_that_was_killed_is_reached_again_and_nothing_counts_twice(postgresql: Server) -> None:
    database = PostgresqlDatabase(postgresql.where, create=True)
    ledger = Ledger(database, unused_pool())
    ledger.open(PARAMETERS)
    table = Table(ledger)
    first = table.next(FIVE)
    answers = ledger.post([first])
    postgresql.kill()
    postgresql.start()
    assert ledger.post([first]) == answers
    assert isinstance(table.does(FIVE), ContributionOutcome)
    assert agrees(ledger)
    database.close()


def test_no_such_server_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(LedgerRefused, match=r"^PostgreSQL: [^\n]+$"):
        PostgresqlDatabase(f"host={tmp_path} dbname=postgres")
