"""Days of a table with all that goes wrong and is put right, their books, and the auditor's books beside them.

``python -m tests.commands.auditing --rounds 500 --seed 1``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import click
from click.testing import CliRunner
from msgspec.structs import replace

from bench.irregularities import EDITS
from controller.cli import main
from controller.core.messages.floor_events import ChipCount, Count
from controller.core.messages.house import GamingDay
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AdjustWager,
    AnswerQuestion,
    ApproveOrder,
    AssignCard,
    BookRecalled,
    DaemonStarted,
    DayBegan,
    DeclareBox,
    EnterInventory,
    SetCard,
    VoidRound,
)
from controller.core.table.ledger import recall
from firmware_protocols.cards import DECK
from simulators.people.acts import Act, Lay, by_round
from simulators.people.offenders import OFFENCES, OWN_CHIPS, STOLEN, Contents, Script
from tests.commands import auditor, auditor_page, auditor_rows
from tests.core import nights
from tests.core.full_nights import FullNight
from tests.core.journals import WALL_NS, journal_of
from tests.core.rig import MS, SPOTS, Rig

DAY: Final = GamingDay("America/New_York", "06:00", {"day": "06:00", "swing": "14:00", "grave": "22:00"})
SHIFT_HOURS: Final = 7
"""So long a table is open in each of them."""


class Asked(NamedTuple):
    """An account that is wanted: the words of the command, and the time that is meant."""

    words: tuple[str, ...]
    since: str
    until: str


def at(hour: int) -> str:
    """A moment of the first gaming day and after it: its beginning and so many hours; EST is five hours behind."""
    return (datetime(2026, 11, 21, 11, tzinfo=UTC) + timedelta(hours=hour)).isoformat()


ACCOUNTS: Final = (
    Asked((), auditor.EARLIEST, auditor.LATEST),
    Asked(("--day", "2026-11-21", "--shift", "day"), at(0), at(8)),
    Asked(("--day", "2026-11-21", "--shift", "swing"), at(8), at(16)),
    Asked(("--day", "2026-11-21"), at(0), at(24)),
    Asked(("--day", "2026-11-22", "--shift", "day"), at(24), at(32)),
    Asked(("--since", "2026-11-21T12:00", "--until", "2026-11-21T15:30"), at(6), "2026-11-21T20:30:00+00:00"),
)
"""Three shifts of two gaming days, and other times."""

SIGNED: Final = ACCOUNTS[1:3]
"""The shifts whose pages are held against the auditor's."""


class Floor:
    """The people of the floor, who correct, rule, void, take back, count, and see to jackpots; two of them sign."""

    def __init__(self, rig: Rig, rng: Random) -> None:
        self.rig, self.rng, self.slips = rig, rng, 4_700

    def may_intervene(self) -> None:
        """Perhaps something, between two acts of the people at the table."""
        for per_mille, intervention in (
            (6, self.names_a_card),
            (2, self.strikes_a_card),
            (2, self.assigns_a_card),
            (2, self.declares_a_box),
            (4, self.adjusts),
            (1, self.voids),
            (2, self.rules_late),
            (30, self.approves),
            (60, self.answers),
            (4, self.acknowledges),
            (2, self.fills),
            (2, self.counts_late),
            (1, self.restarts),
        ):
            if self.rng.randrange(1000) < per_mille:
                intervention()
        nights.jackpots_ruled(self.rig, self.rng)

    def names_a_card(self) -> None:
        card = nights.named(self.rig, self.rng)
        if card is not None:
            nights.name_card(self.rig, card[0], self.rng.choice((card[1], self.rng.choice(DECK))))

    def strikes_a_card(self) -> None:
        card = nights.named(self.rig, self.rng)
        if card is not None:
            self.rig.give(SetCard(self.rig.now_ns, card[0], None, "M. Okafor", "drawn back"))

    def assigns_a_card(self) -> None:
        card = nights.named(self.rig, self.rng)
        if card is not None:
            self.rig.give(AssignCard(self.rig.now_ns, card[0], self.rng.randrange(8), "M. Okafor", "seen on video"))

    def declares_a_box(self) -> None:
        spot, cents = self.rng.choice(SPOTS), self.rng.choice((0, 1_000, 2_500))
        self.rig.give(DeclareBox(self.rig.now_ns, spot, cents, "M. Okafor", "no chips read"))

    def adjusts(self) -> None:
        rows = [(book.round, row) for book in self.rig.table.state.books for row in book.rows]
        if rows:
            number, row = self.rng.choice(rows)
            cents, case = self.rng.randint(-5, 5) * 100, self.rng.choice(("", "2026-117"))
            who, why = self.rng.choice((("M. Okafor", "paid by courtesy"), ("A: B", "as seen: twice")))
            given = AdjustWager(self.rig.now_ns, number, row.spot, row.bet, cents, who, why, nights.VOUCHED, case)
            self.rig.give(given)

    def voids(self) -> None:
        last = self.rig.table.state.rounds
        if last:
            number = max(last - self.rng.randrange(4), 1)
            self.rig.give(VoidRound(self.rig.now_ns, number, "M. Okafor", "misdeal", nights.VOUCHED))

    def rules_late(self) -> None:
        """A round that left the books comes back, and two people rule on it."""
        number = self.rng.randint(1, max(self.rig.table.state.rounds - 1, 1))
        book = recall(self.rig.events, number)
        if book is None or not book.rows:
            return
        self.rig.give(BookRecalled(self.rig.now_ns, book))
        if self.rng.random() < 0.2:
            given: AdjustWager | VoidRound = VoidRound(
                self.rig.now_ns, number, "J. Weber", "foul deal", nights.VOUCHED, "2026-118"
            )
        else:
            row = self.rng.choice(book.rows)
            cents = self.rng.randint(-5, 5) * 100
            given = AdjustWager(
                self.rig.now_ns, number, row.spot, row.bet, cents, "J. Weber", "seen late", nights.VOUCHED, "2026-119"
            )
        self.rig.give(given)
        self.approves()

    def approves(self) -> None:
        """A second person lets what was proposed last be done."""
        ordered = self.rig.table.state.progressives.ordered
        self.rig.give(ApproveOrder(self.rig.now_ns, ordered, "B. Bell", nights.VOUCHED))

    def answers(self) -> None:
        """What the display did not get answered the floor answers, as well as it knows."""
        open_round = self.rig.table.state.round
        waiting = () if open_round is None else open_round.open_questions()
        if waiting:
            answer = self.rng.choice(("yes", "no", "1", "2", "3"))
            self.rig.give(AnswerQuestion(self.rig.now_ns, waiting[0], answer, "M. Okafor"))

    def acknowledges(self) -> None:
        self.rig.give(AcknowledgeAlert(self.rig.now_ns, self.rng.randint(1, 40), "M. Okafor", "seen"))

    def fills(self) -> None:
        kind = self.rng.choice((Count.FILL, Count.FILL, Count.CREDIT))
        self.slips += 1
        chips = (ChipCount(2_500, self.rng.randint(10, 80)), ChipCount(10_000, self.rng.randint(1, 20)))
        self.counts(kind, *chips, slip=str(self.slips))
        if self.rng.random() < 0.2:
            back = tuple(replace(one, count=-one.count) for one in chips)
            self.counts(kind, *back, slip=str(self.slips), why="entered twice")

    def counts(self, kind: Count, *chips: ChipCount, slip: str = "", why: str = "counted") -> None:
        cents = sum(one.value_cents * one.count for one in chips)
        self.rig.give(EnterInventory(self.rig.now_ns, kind, cents, chips, slip, "M. Okafor", why))

    def counts_late(self) -> None:
        """What a shift before this one was counted at, entered now: the paper lay in the count room."""
        kind, back = self.rng.choice([*Count]), self.rng.random() < 0.2
        day = self.rng.choice(("today", "yesterday", "2026-11-21"))
        shift = self.rng.choice(("", *DAY.shifts))
        cents = self.rng.randint(1, 900) * 1_000 * (-1 if back else 1)
        given = EnterInventory(self.rig.now_ns, kind, cents, (), "", "Count room", "found late", day, shift)
        self.rig.give(given)

    def drops(self) -> None:
        cents = self.rng.randint(1_000, 9_000) * 100
        self.rig.give(EnterInventory(self.rig.now_ns, Count.DROP, cents, (), "", "Count room", "soft count, box 12"))

    def restarts(self) -> None:
        nights.restarted(self.rig)
        self.rig.give(DaemonStarted(self.rig.now_ns, "test", self.rig.house))


def days(rounds: int, seed: int) -> Rig:
    """So many rounds in two shifts of a gaming day and one of the next, each third of them in one."""
    night, rng = FullNight(seed, rounds=rounds), Random(seed)
    night.chips = {**night.chips, **{chip: cents for cents, chip in OWN_CHIPS.items()}, STOLEN: 10_000}
    rig = night.table()
    rig.house = replace(rig.house, currency="USD", gaming_day=DAY, two_persons=seed % 2 == 1)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    floor = Floor(rig, rng)
    pause_s = 3 * SHIFT_HOURS * 3600 // rounds
    number = 0
    for count, acts in enumerate(scripts(night.acts, rng)):
        shift = count * 3 // rounds
        if count == 0 or shift != (count - 1) * 3 // rounds:
            opens(rig, floor, shift)
        for act in acts:
            night.outside(rig, number)
            floor.may_intervene()
            rig.perform([act])
            number = min(number + 1, len(night.acts) - 1)
        rig.pass_ms(rng.randint(1, max(2 * pause_s - 60, 2)) * 1_000)
        if count + 1 == rounds or (count + 1) * 3 // rounds != shift:
            floor.counts(Count.CLOSER, ChipCount(2_500, 900), ChipCount(10_000, 400))
            floor.drops()
    return rig


def opens(rig: Rig, floor: Floor, shift: int) -> None:
    """The table opens for a shift, at its hour or once the last round of the one before is over."""
    begins = datetime.fromisoformat(at((0, 8, 24)[shift])) + timedelta(minutes=20)
    now_ns = max(rig.now_ns, int(begins.timestamp()) * 10**9 - WALL_NS)
    rig.pass_ms((now_ns - rig.now_ns) // MS)
    rig.give(DayBegan(rig.now_ns, "2026-11-22" if shift == 2 else "2026-11-21"))
    floor.counts(Count.OPENER, ChipCount(2_500, 1_000), ChipCount(10_000, 400))


def scripts(acts: list[Act], rng: Random) -> Iterator[list[Act]]:
    """The rounds, some with something irregular or an offence in them; what that left is put right before the next."""
    before, lying = Contents(), Contents()
    for own in by_round(acts):
        script = Script(own, before)
        right: list[Act] = [
            Lay(*place, before.get(place, ()))
            for place in sorted(before.keys() | lying.keys())
            if lying.get(place, ()) != before.get(place, ())
        ]
        played = [*right, *edited(script, rng)]
        lying = {**lying, **{(one.spot, one.zone): one.chips for one in played if isinstance(one, Lay)}}
        before = {**before, **script.left()}
        yield played


def edited(script: Script, rng: Random) -> list[Act]:
    """A round as it was written, or with one thing changed in it."""
    chance = rng.random()
    if chance < 0.15 and script.draws and script.boxes:
        return rng.choice(list(EDITS.values()))(script, rng) or script.acts
    if chance < 0.25 and script.draws and script.boxes:
        planted = rng.choice(list(OFFENCES.values()))(script, rng)
        return script.acts if planted is None else planted.acts
    return script.acts


# --- the two beside each other ------------------------------------------------------------------------


class Compared:
    """Figures held against each other: how many, and which differ."""

    def __init__(self) -> None:
        self.figures = 0
        self.differ: list[str] = []

    def same(self, place: str, ours: Any, theirs: Any) -> None:
        """Every leaf of one value against the other's."""
        match ours, theirs:
            case (dict(), dict()) if ours.keys() == theirs.keys():
                for name in ours:
                    self.same(f"{place}/{name}", ours[name], theirs[name])
            case (list(), list()) if len(ours) == len(theirs):
                for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
                    self.same(f"{place}/{number}", one, other)
            case _:
                self.figures += 1
                if ours != theirs or type(ours) is not type(theirs):
                    self.differ.append(f"{place}: the program {ours!r}, the auditor {theirs!r}")


def command(*words: str) -> str:
    """What ``tableside`` prints."""
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, (words, done.output)
    return done.stdout


def compared(journal: Path, accounts: tuple[Asked, ...], pages: tuple[Asked, ...]) -> Compared:
    """All figures of ``report``, of pages of it, of ``rounds`` and ``export`` against those of the auditor."""
    found = Compared()
    events = auditor.events_of(command("export", "--events", str(journal)).splitlines())
    books = auditor.Books(events)
    rows_agree(found, journal, books)
    found.same(
        "rounds", json.loads(command("rounds", "--json", "--last", "100000", str(journal))), auditor_rows.listed(books)
    )
    for asked in accounts:
        report = json.loads(command("report", str(journal), *asked.words, "--json"))
        account_agrees(
            found,
            " ".join(asked.words) or "all",
            report,
            auditor.account(events, asked.since, asked.until, DAY.time_zone),
        )
    for asked in pages:
        page = journal.with_suffix(".html")
        command("report", str(journal), *asked.words, "--html", str(page))
        second = auditor.account(events, asked.since, asked.until, DAY.time_zone)
        page_agrees(found, " ".join(asked.words), page.read_text(encoding="utf-8"), second)
    return found


def page_agrees(found: Compared, name: str, page: str, second: dict[str, Any]) -> None:
    """A page of ``report --html``, cell by cell; what theory says of a bet stands in further cells."""
    ours = auditor_page.Tables(page).found
    theirs = auditor_page.tables(second, DAY.time_zone)
    bets = next(place for place, table in enumerate(theirs) if table[-1][0] == "all")
    cells = len(theirs[bets][0])
    ours[bets] = [row[:cells] for row in ours[bets]]
    found.same(f"page {name}", ours, theirs)


def rows_agree(found: Compared, journal: Path, books: auditor.Books) -> None:
    """Every kind of ``export --rows``; and each hand's cards come to its total."""
    for kind, theirs in auditor_rows.exported(books).items():
        ours = [json.loads(line) for line in command("export", "--rows", kind, str(journal)).splitlines()]
        for row in ours:
            if "data" in row:
                row["data"] = json.loads(row["data"])
        found.same(kind, ours, theirs)
        for row in ours if kind == "hands" else ():
            found.same(f"hands/{row['round']}/{row['spot']}/total", row["total"], auditor_rows.points_of(row["cards"]))


LEFT_OUT: Final = (
    *("started", "ended", "since", "until", "name", "time_zone", "before", "course", "currency"),
    *("written", "version", "versions"),
)
"""Of an account: what names it, and what is compared otherwise."""

THEORY: Final = ("expected_cents", "low_cents", "high_cents")


def account_agrees(found: Compared, name: str, report: dict[str, Any], second: dict[str, Any]) -> None:
    """An account of ``report`` and the auditor's of the same time."""
    ours = {key: value for key, value in report.items() if key not in LEFT_OUT}
    known = {line["bet"] for line in report["bets"] if line["expected_cents"] is not None}
    ours["bets"] = [{key: value for key, value in line.items() if key not in THEORY} for line in report["bets"]]
    won = second.pop("won_by_round")
    found.same(f"report {name}", ours, second)
    win = 0
    course = {point["round"]: point["win_cents"] for point in report["course"]}
    for number, by_bet in sorted(won.items()):
        win += sum(cents for bet, cents in by_bet.items() if bet in known)
        if number in course:
            found.same(f"report {name}/course/{number}", course[number], win)


@click.command()
@click.option("--rounds", default=500, show_default=True, type=click.IntRange(6))
@click.option("--seed", default=1, show_default=True)
@click.option("--journal", type=click.Path(path_type=Path), help="Keep the journal here.")
def campaign(rounds: int, seed: int, journal: Path | None) -> None:
    """Play days of a table and hold its books against the auditor's; exit status 1 if a figure differs."""
    with tempfile.TemporaryDirectory() as folder:
        path = journal_of(days(rounds, seed), journal or Path(folder) / "journal.sqlite")
        found = compared(path, ACCOUNTS, SIGNED)
    for line in found.differ[:40]:
        click.echo(line)
    click.echo(f"{rounds} rounds, seed {seed}: {found.figures} figures compared, {len(found.differ)} differ")
    sys.exit(bool(found.differ))


if __name__ == "__main__":
    campaign()
