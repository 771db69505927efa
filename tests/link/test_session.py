"""A table's end of the link, in virtual time: nothing lost, nothing twice, closed within two seconds of silence."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import assert_never

import pytest

from controller.core.meters.pool_postings import ContributionOutcome, WagerPosting
from controller.pool.ledger import Ledger, TableAccount
from controller.pool.postings import LedgerAnswer, LedgerEntry, Posting
from controller.pool.session import (
    BEHIND_LIMIT,
    SILENCE_NS,
    STILL_NS,
    LinkSession,
    PoolState,
    PostingConfirmed,
    Reaction,
)
from controller.pool.sqlite import SqliteDatabase
from controller.pool.table_end import MOVE_NS
from controller.pool.wire import (
    NOT_ADDED_UP,
    NotUnderstood,
    PoolStatus,
    PostingAnswer,
    PostingRequest,
    StatusRequest,
    frames,
    from_link,
    from_table,
)
from tests.link.conftest import PARAMETERS

SECOND = 1_000_000_000
POOL = "pit-1"
TABLE = "harbour/bj-1"
WAGER = WagerPosting(500)


def pool_status(seq: int = 0, *, epoch: int = 1, closed: str = "", pool: str = POOL, cents: int = 777) -> PoolStatus:
    return PoolStatus(pool, 1, cents, epoch, seq, closed)


def entered(seq: int, cents: int = 778) -> PostingAnswer:
    return PostingAnswer(1, seq, LedgerEntry(seq, cents, ContributionOutcome(1, 0)))


def why_closed(session: LinkSession) -> str:
    return session.shows.closed


def posted(reaction: Reaction) -> list[int]:
    return [one.seq for one in reaction.send if isinstance(one, PostingRequest)]


def opened(*deeds: WagerPosting) -> LinkSession:
    session = LinkSession(POOL, 1, 0, waiting=deeds)
    session.receive(0, pool_status())
    return session


def test_it_is_closed_until_the_link_has_spoken() -> None:
    session = LinkSession(POOL, 1, 0)
    assert session.shows == PoolState(None, "the link is away")
    assert session.handle_deadline(0).send == (StatusRequest(),)
    assert session.receive(1, pool_status()).events == (PoolState(777, ""),)


def test_it_is_closed_within_two_seconds_of_silence_and_says_so_once() -> None:
    session = opened()
    now = 0
    events: list[object] = []
    while not events:
        now = session.next_deadline()
        events += session.handle_deadline(now).events
    assert now == SILENCE_NS < 2 * SECOND
    assert events == [PoolState(None, "the link is away")]
    assert session.handle_deadline(now + SECOND).events == ()


def test_what_is_posted_while_the_link_is_away_goes_in_order_once_it_is_back() -> None:
    session = LinkSession(POOL, 1, 0)
    assert [session.post(0, WAGER)[0] for _ in range(3)] == [1, 2, 3]
    assert posted(session.receive(SECOND, pool_status())) == [1, 2, 3]
    assert session.outstanding == 3


def test_the_pool_opens_again_when_everything_of_before_is_answered() -> None:
    session = opened(WAGER, WAGER)
    assert why_closed(session) == "catching up with the ledger"
    session.receive(1, entered(1, 900))
    assert why_closed(session) == "catching up with the ledger"
    assert session.receive(2, entered(2, 901)).events[-1] == PoolState(901, "")


def test_a_posting_that_is_not_answered_closes_the_pool_though_the_link_speaks() -> None:
    session = opened()
    session.post(0, WAGER)
    assert not why_closed(session)
    for now in range(0, SILENCE_NS, SECOND // 2):
        session.handle_deadline(now)
        session.receive(now, pool_status())
    assert not why_closed(session)
    assert session.next_deadline() <= SILENCE_NS
    session.handle_deadline(SILENCE_NS)
    assert why_closed(session) == "catching up with the ledger"
    session.receive(SILENCE_NS + 1, entered(1))
    assert session.shows == PoolState(778, "")


def test_an_answer_settles_the_oldest_and_another_is_ignored() -> None:
    session = opened(WAGER, WAGER)
    assert session.receive(1, entered(2)).events == ()
    first = session.receive(2, entered(1)).events
    assert [one for one in first if isinstance(one, PostingConfirmed)] == [
        PostingConfirmed(1, LedgerEntry(1, 778, ContributionOutcome(1, 0)))
    ]
    assert session.receive(3, entered(1)).events == ()
    assert session.outstanding == 1


def test_what_is_not_answered_is_posted_again() -> None:
    session = opened(WAGER)
    session.receive(SECOND // 2, pool_status())
    assert posted(session.handle_deadline(SECOND - 1)) == []
    assert posted(session.handle_deadline(SECOND)) == [1]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (pool_status(pool="pit-2"), "this is pool pit-2, not pit-1"),
        (pool_status(epoch=2), "another journal of this table has been posting"),
    ],
)
def test_a_pool_or_a_journal_that_is_not_ours_closes_it_and_nothing_is_posted(message: PoolStatus, reason: str) -> None:
    session = LinkSession(POOL, 1, 0, waiting=[WAGER])
    reaction = session.receive(0, message)
    assert reaction.events == (PoolState(None, reason),)
    assert reaction.send == ()


def test_a_ledger_put_back_from_a_copy_closes_it() -> None:
    session = LinkSession(POOL, 1, 0, settled=9)
    for turn in range(3):
        assert session.receive(turn, pool_status(8)).events in ((), (PoolState(777, ""),))
    assert session.receive(4, pool_status(8)).events == (PoolState(None, "the ledger has lost what it had answered"),)


def test_an_older_copy_of_the_journal_closes_the_pool_before_a_wager_is_swallowed(tmp_path: Path) -> None:
    """The ledger has seven postings, the journal knows two: five new wagers would get five old answers."""
    database = SqliteDatabase(tmp_path / "ledger.sqlite", create=True)
    ledger = Ledger(database, POOL)
    ledger.open(PARAMETERS)
    for seq in range(1, 8):
        ledger.post([Posting(TABLE, 1, seq, WagerPosting(500, seq, 3, "blazing7s"))])
    session = LinkSession(POOL, 1, 0, settled=2)
    seq, reaction = session.post(0, WagerPosting(500, 3, 5, "blazing7s"))
    account = ledger.books().accounts[TABLE]
    reaction = session.receive(1, pool_status(account.seq))
    assert why_closed(session) == "the ledger has entries this journal never made"
    assert posted(reaction) == []
    # And where nobody looked, another round or spot is another wager: no old answer is given for it.
    (answer,) = ledger.post([Posting(TABLE, 1, seq, WagerPosting(500, 3, 5, "blazing7s"))])
    assert not isinstance(answer, LedgerEntry)
    database.close()


def test_nor_is_one_swallowed_of_as_many_that_were_made_while_the_link_was_away() -> None:
    """The same wager of the same round, laid again: the ledger has it, and would count it for the one laid now."""
    session = LinkSession(POOL, 1, 0, settled=2)
    for _ in range(6):
        session.post(0, WAGER)
    assert posted(session.receive(SECOND, pool_status(7))) == []
    assert why_closed(session) == "the ledger has entries this journal never made"


def test_a_closed_pool_takes_nothing_and_goes_on_when_it_opens() -> None:
    session = LinkSession(POOL, 1, 0, waiting=[WAGER])
    assert session.receive(0, pool_status(closed="the ledger cannot be reached")).send == ()
    assert session.shows == PoolState(None, "the ledger cannot be reached")
    assert posted(session.receive(1, pool_status())) == [1]


def test_a_link_that_is_turned_to_is_sent_nothing_before_it_has_said_which_pool_it_has() -> None:
    session = opened(WAGER, WAGER)
    session.moved(SECOND)
    assert session.handle_deadline(SECOND) == Reaction((StatusRequest(),))
    assert posted(session.post(SECOND, WAGER)[1]) == []
    assert posted(session.receive(SECOND, pool_status(pool="pit-2"))) == []
    assert why_closed(session) == "this is pool pit-2, not pit-1"
    session = opened(WAGER, WAGER)
    session.moved(SECOND)
    assert posted(session.receive(SECOND, pool_status())) == [1, 2]


def test_a_link_that_is_turned_to_in_time_is_no_silence() -> None:
    """The pool stays open: the other link is asked at once and has three quarters of a second to answer."""
    session = opened()
    session.moved(MOVE_NS)
    for now in range(MOVE_NS, SILENCE_NS, SECOND // 10):
        assert session.handle_deadline(now).events == ()
    session.post(SILENCE_NS - 2, WAGER)
    answers = session.receive(SILENCE_NS - 1, pool_status())
    assert (posted(answers), why_closed(session)) == ([1], "")
    assert session.receive(SILENCE_NS - 1, entered(1)).events[-1] == PoolState(778, "")


def test_that_it_is_closed_still_is_reported_again_every_quarter_of_an_hour() -> None:
    session, now, reminded_at = LinkSession(POOL, 1, 0), 0, list[int]()
    while now < 2 * STILL_NS:
        now = session.next_deadline()
        if session.handle_deadline(now).events:
            reminded_at.append(now)
    assert reminded_at == [0, STILL_NS, 2 * STILL_NS]


def test_a_ledger_that_does_not_add_up_is_not_looked_for_elsewhere() -> None:
    session, refused = opened(), list[bool]()
    for closed in ("", NOT_ADDED_UP, "the ledger cannot be reached", NOT_ADDED_UP, ""):
        session.receive(1, pool_status(closed=closed))
        refused.append(session.condemned)
    assert refused == [False, True, False, True, False]


class Wire:
    """A line that loses, doubles, delays and disorders, with the real ledger at its end."""

    def __init__(self, ledger: Ledger, chance: random.Random) -> None:
        self.ledger = ledger
        self.chance = chance
        self.there: deque[StatusRequest | PostingRequest] = deque()
        self.back: deque[PoolStatus | PostingAnswer] = deque()

    def push(self, message: StatusRequest | PostingRequest) -> None:
        self.there.extend([from_table(frames(message))] * self.chance.choice((0, 1, 1, 1, 2)))
        if self.chance.random() < 0.1:
            self.there.rotate()

    def turn(self) -> None:
        while self.there:
            message = self.there.popleft()
            match message:
                case StatusRequest():
                    account = self.ledger.books().accounts.get(TABLE, TableAccount())
                    standing = self.ledger.standing()
                    answer: PoolStatus | PostingAnswer = PoolStatus(POOL, *standing, account.epoch, account.seq)
                case PostingRequest(epoch, seq, deed):
                    (outcome,) = self.ledger.post([Posting(TABLE, epoch, seq, deed)])
                    answer = PostingAnswer(epoch, seq, outcome)
                case _:
                    assert_never(message)
            self.back.extend([from_link(frames(answer))] * self.chance.choice((0, 1, 1, 1, 2)))


@pytest.mark.parametrize("seed", range(6))
def test_over_a_line_that_loses_and_doubles_every_deed_counts_once_in_order(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    database = SqliteDatabase(tmp_path / "ledger.sqlite", create=True)
    ledger = Ledger(database, POOL)
    ledger.open(PARAMETERS)
    wire = Wire(ledger, chance)
    session = LinkSession(POOL, 1, 0)
    wagers = [WagerPosting(chance.choice((100, 500, 33))) for _ in range(30)]
    settled: list[tuple[int, LedgerAnswer]] = []
    now, left = 0, list(wagers)

    def do(reaction: Reaction) -> None:
        for message in reaction.send:
            wire.push(message)
        settled.extend((one.seq, one.answer) for one in reaction.events if isinstance(one, PostingConfirmed))

    while len(settled) < len(wagers):
        now = min(session.next_deadline(), now + SECOND // 5) if left else session.next_deadline()
        assert now < 600 * SECOND
        do(session.handle_deadline(now))
        if left:
            do(session.post(now, left.pop(0))[1])
        # Sometimes the link is away for a while.
        if chance.random() < 0.8:
            wire.turn()
        while wire.back:
            do(session.receive(now, wire.back.popleft()))
    books = ledger.books()
    assert [seq for seq, _ in settled] == list(range(1, len(wagers) + 1))
    assert (books.entries, books.meter.main.cents) == (len(wagers), sum(one.wager_cents for one in wagers))
    database.close()


def test_nothing_but_the_protocol_is_understood() -> None:
    for parts in (
        [],
        [b"x"],
        [b"tableside.link.v0", b"{}"],
        [b"tableside.link.v1", b"\xff"],
        [b"tableside.link.v1", b"1"],
    ):
        with pytest.raises(NotUnderstood):
            from_table(parts)
    with pytest.raises(NotUnderstood):
        from_link(frames(StatusRequest()))
    moved = b'{"type":"posted","epoch":1,"seq":1,"deed":{"type":"moved","who":"A","second":"B","why":"x","move":{}}}'
    with pytest.raises(NotUnderstood):
        from_table([b"tableside.link.v1", moved])


@pytest.mark.parametrize(("epoch", "seq"), [(0, 1), (1, 0), (-1, 1), (2**53 + 1, 1)])
def test_epochs_and_postings_are_counted_from_one(epoch: int, seq: int) -> None:
    with pytest.raises(NotUnderstood):
        from_table(frames(PostingRequest(epoch, seq, WAGER)))


def test_an_older_look_of_another_process_is_not_shown() -> None:
    session = LinkSession(POOL, 1, 0)
    session.receive(0, PoolStatus(POOL, 7, 900, 0, 0))
    for _ in range(BEHIND_LIMIT):
        assert session.receive(1, PoolStatus(POOL, 6, 800, 0, 0)).events == ()
    # A ledger that stays behind was put back: what it shows is what it has.
    assert session.receive(2, PoolStatus(POOL, 6, 800, 0, 0)).events == (PoolState(800, ""),)
