"""A table with meters and a trigger box that is counted by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import Event, WagerAdjusted
from controller.core.messages.inputs import (
    AdjustWager,
    ApproveOrder,
    Input,
    PayJackpot,
    PoolEntryRead,
    PoolStateRead,
    ProposeMeterChange,
    VerifyJackpot,
    VoidRound,
)
from controller.core.meters.awards import Jackpot
from controller.core.meters.meter import UNITS, Meter, Parameters
from controller.core.meters.pooled_meter import PooledMeter, PooledTerms, PostingBacklog
from controller.core.meters.state import MeterChange, MeterTerms
from controller.core.persons import Authentication
from controller.core.refusal_reason import RefusalReason
from controller.core.table.state import StepResult
from controller.io.files import profile_files
from controller.pool.ledger import Ledger
from controller.pool.postings import ChangeOutcome, LedgerEntry, Posting
from controller.pool.sqlite import SqliteDatabase
from firmware_protocols.readings import (
    DeviceHealth,
    HealthState,
    MysteryAnswered,
    MysteryCommitted,
    MysteryRevealed,
)
from tests.core.rig import Rig

OWN_KEY = Authentication("key", ("floor",))

SEVENS = MeterTerms(
    "sevens",
    "rows",
    ("blazing7s",),
    Parameters(base_cents=1_000_000, reset_cents=500_000, rate=(17, 100), unreasonable_cents=500, hidden_rate=(3, 100)),
)
MYSTERY = MeterTerms(
    "mystery",
    "mystery",
    ("five_card_progressive",),
    Parameters(base_cents=25_000, reset_cents=25_000, rate=(1, 10), unreasonable_cents=10_000, limit_cents=100_000),
)


class MeterRig(Rig):
    """Penn National with both meters, or with a pool in place of the sevens' own."""

    def __init__(self, *meters: MeterTerms, linked: tuple[PooledTerms, ...] = (), stand_key: str = "always") -> None:
        rules = profile_files.load("hollywood-penn-national", {"stand_key": stand_key}).rules
        own = (MYSTERY,) if linked else (SEVENS, MYSTERY)
        super().__init__(rules, meters=meters or own, linked=linked)

    def meter(self, name: str) -> Meter:
        found = self.table.state.progressives.meter(name)
        assert found is not None
        return found

    def jackpots(self) -> tuple[Jackpot, ...]:
        return self.table.state.progressives.jackpots

    def last(self, kind: type[Event]) -> Event:
        return self.events_of(kind)[-1]

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        """People here come with keys of their own, all of the floor."""
        if isinstance(item, VoidRound | AdjustWager | VerifyJackpot | PayJackpot | ProposeMeterChange | ApproveOrder):
            item = msgspec.structs.replace(item, vouched=OWN_KEY)
        return super().give(item, closed=closed)

    def order(self, meter: str, move: MeterChange, who: str = "A. Ames", second: str = "B. Bell") -> None:
        """One person proposes, another approves."""
        self.give(ProposeMeterChange(self.now_ns, meter, move, who, "as counted"))
        self.give(ApproveOrder(self.now_ns, self.table.state.progressives.ordered, second))

    def pay(self, jackpot: int) -> None:
        self.give(VerifyJackpot(self.now_ns, jackpot, "A. Ames", "cards seen"))
        self.give(PayJackpot(self.now_ns, jackpot, "B. Bell", "hand pay"))

    def shown(self) -> dict[str, int | None]:
        return {one.meter: one.cents for one in self.desired.meters}

    def adjustments(self) -> list[tuple[int, int, str, int, int]]:
        return [
            (one.round, one.spot, one.bet, one.before_cents, one.net_cents) for one in self.events_of(WagerAdjusted)
        ]


@dataclass
class Box:
    """A trigger box on the other side: it counts its meter and answers when a test says so."""

    rig: Rig
    triggers: list[int]
    cycle: int = 0
    units: int = 25_000 * UNITS
    number: int = 0

    def up(self) -> None:
        self.rig.give(DeviceHealth("mystery_trigger", HealthState.READY, self.rig.now_ns))
        if not self.cycle:
            self.commit()

    def down(self) -> None:
        self.rig.give(DeviceHealth("mystery_trigger", HealthState.LOST, self.rig.now_ns))

    def commit(self) -> None:
        self.cycle += 1
        self.rig.give(MysteryCommitted(self.rig.now_ns, self.cycle, "c0" * 32, self.units, 25_000, 100_000))

    def answer(self, *, error_units: int = 0) -> int:
        """Answer everything the table wants answered; how many contributions that were."""
        answered = 0
        while wanted := self.rig.desired.trigger.contributions:
            first = wanted[0]
            assert first.number == self.number + 1
            self.number = first.number
            self.units += first.amount_units
            answered += 1
            hit = self.units > self.triggers[0] * UNITS
            award = min(self.units // UNITS, 100_000) if hit else 0
            answer = MysteryAnswered(self.rig.now_ns, first.number, self.cycle, self.units + error_units, hit, award)
            self.rig.give(answer)
            if hit:
                drawn = self.triggers.pop(0)
                self.units += (25_000 - award) * UNITS
                self.rig.give(MysteryRevealed(self.rig.now_ns, self.cycle, first.number, drawn, "ab" * 32))
                self.commit()
        return answered


POOL = "pit-1"
LINKED = PooledTerms("pit_sevens", POOL, ("blazing7s",), "Blazing 7's of the pit")


class Pit:
    """A pool's ledger, and tables that it hears when a test lets it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def publishes(self, rig: Rig) -> None:
        """The table hears what the pool shows."""
        rig.give(PoolStateRead(rig.now_ns, LINKED.name, self.ledger.standing().shown_cents, ""))

    def is_lost(self, rig: Rig) -> None:
        rig.give(PoolStateRead(rig.now_ns, LINKED.name, None, "the link is away"))

    def answers(self, rig: Rig, table: str = "harbour/bj-1") -> int:
        """Everything the table owes is entered, and answered; how many postings that were."""
        answered = 0
        while owed := owing(rig).owed:
            (answer,) = self.ledger.post([Posting(table, 1, owed[0].seq, owed[0].deed)])
            assert isinstance(answer, LedgerEntry)
            assert not isinstance(answer.outcome, ChangeOutcome)
            entry = PoolEntryRead(
                rig.now_ns, LINKED.name, owed[0].seq, answer.number, answer.shown_cents, answer.outcome
            )
            rig.give(entry)
            answered += 1
        return answered


def owing(rig: Rig) -> PostingBacklog:
    """What the pool's link is given."""
    (found,) = rig.desired.owing
    return found


def linked(rig: Rig) -> PooledMeter:
    found = rig.table.state.progressives.linked_meter(LINKED.name)
    assert found is not None
    return found


REST = "key stand hole_turned \n 5c \n key round_closed"
DIAMONDS = f"1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c \n {REST}"
SUITED = f"1 main 10 \n 1 blazing7s 5 \n 7h 7h 7h 8c \n {REST}"
NOTHING = f"1 main 10 \n 1 blazing7s 5 \n 9h 6c 8s Tc \n {REST}"
PIT_PARAMETERS = Parameters(
    base_cents=1_000_000, reset_cents=500_000, rate=(17, 100), unreasonable_cents=500, hidden_rate=(3, 100)
)


def pool(path: Path, parameters: Parameters = PIT_PARAMETERS) -> Pit:
    """A pool that begins, its ledger in a file at ``path``."""
    ledger = Ledger(SqliteDatabase(path, create=True), POOL)
    ledger.open(parameters)
    return Pit(ledger)


def pit_table(pit: Pit) -> MeterRig:
    """A table that has heard its link."""
    rig = MeterRig(linked=(LINKED,))
    pit.publishes(rig)
    return rig


def refusals(rig: MeterRig) -> list[str]:
    return [one.reason for one in rig.events_of(OrderRefused)]


def why(given: object) -> str:
    """The sentence of a refusal."""
    assert isinstance(given, RefusalReason)
    return given.text
