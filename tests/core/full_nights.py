"""Nights at full tables: side wagers, meters of the table's own and of a pool, a limit on what a round may win, cards
face down, readers lost and found, restarts. The laws of ``nights.py`` hold there too.

``python -m tests.core.full_nights 0 10000``.
"""

from __future__ import annotations

import atexit
import shutil
import sys
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Final

from controller.core.game.rules import Rules
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted
from controller.core.meters.pooled_meter import PooledTerms
from controller.core.meters.state import MeterTerms
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState, KeyPressed
from simulators.people.acts import Act, AnswerEntry, AnswerQuestions, Press
from simulators.people.dealer import play
from simulators.people.deck import LoadedShoe
from simulators.people.display_reader import entry_key
from simulators.people.house import house_from
from simulators.people.progressive_bets import SevensMeter
from simulators.people.rack import Rack
from simulators.people.side_bettors import STAKES_CENTS, SideBetHabits, with_side_bets
from simulators.people.simulated_table import KEY_ROUND_CLOSED, StandKey
from tests.core import nights
from tests.core.houses import chips_of
from tests.core.rig import MS, SPOTS, Rig
from tests.progressive.live import LINKED, MYSTERY, SEVENS, Box, pool

TRIGGERS: Final = (26_000, 31_000, 99_999, 27_000, 40_000, 25_500, 60_000, 33_000)


LEDGERS: Final = count(1)


@cache
def folder() -> Path:
    """Where the pools' ledgers lie until the process ends."""
    made = Path(mkdtemp())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


class FullRig(Rig):
    """A table whose readers may be lost or late, with a trigger box and a pool's ledger beside it."""

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int, *, pooled: bool) -> None:
        self.rng, self.lost = Random(seed), dict[int, int]()
        bets = rules.side_bets
        linked: tuple[PooledTerms, ...] = (LINKED,) if pooled and "blazing7s" in bets else ()
        own = (*(() if linked else (SEVENS,)), MYSTERY) if "blazing7s" in bets else ()
        meters: tuple[MeterTerms, ...] = own
        zones = {
            f"bet_spots/{spot}": tuple(f"{spot}/{zone}" for zone in ("main", "insurance", *bets)) for spot in SPOTS
        }
        super().__init__(rules, chips, meters, linked, zones)
        self.box = Box(self, [self.rng.choice(TRIGGERS) for _ in range(40)]) if meters else None
        self.pit = pool(folder() / f"{next(LEDGERS)}.sqlite") if linked else None
        if self.box is not None:
            self.box.up()
        if self.pit is not None:
            self.pit.publishes(self)

    def watched(self) -> tuple[int, ...]:
        """Only readers that are there confirm what they are asked."""
        return tuple(spot for spot in SPOTS if spot not in self.lost)

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        """Chips at a lost reader move unseen."""
        if spot not in self.lost:
            super().lay(spot, zone, chips, spread_ms)
        else:
            self.lying[spot, zone] = chips
            self.pass_ms(200 + spread_ms)

    def at_a_loss(self) -> None:
        """What was asked has no true answer here, as where a reader missed a wager: the dealer gives none."""

    def answer_entry(self, act: AnswerEntry) -> None:
        """Of a round that the floor has voided nobody asks who was let in."""
        self.pass_ms(500)
        entry = entry_key(self.desired.display, act)
        if entry is not None:
            self.give(KeyPressed(self.now_ns, entry))

    def lose(self, spot: int) -> None:
        """The reader of a spot is lost."""
        self.lost[spot] = self.now_ns
        self.give(DeviceHealth(f"bet_spots/{spot}", HealthState.LOST, self.now_ns))

    def find(self, spot: int) -> None:
        """It is back, and reports afresh what lies there."""
        since_ns = self.lost.pop(spot)
        self.give(DeviceHealth(f"bet_spots/{spot}", HealthState.READY, self.now_ns))
        self.report_afresh(spot, since_ns)
        self.pass_ms(100)

    def report_afresh(self, spot: int, since_ns: int) -> None:
        """A reader reports what lies at its spot, whatever it reported before."""
        for (where, zone), chips in sorted(self.lying.items()):
            if where == spot:
                self.now_ns += MS
                self.give(ChipsSeen(spot, zone, tuple(sorted(chips)), since_ns, self.now_ns))

    def start_again(self) -> None:
        """The daemon starts again, and every reader that is there reports afresh what lies at its spot."""
        self.give(DaemonStarted(self.now_ns, "test", self.house))
        for spot in self.watched():
            self.report_afresh(spot, self.now_ns)

    def answers_come(self) -> None:
        """Trigger box and pool answer all that they were asked."""
        if self.box is not None:
            self.box.answer()
        if self.pit is not None:
            self.pit.answers(self)


class FullNight:
    """A night at one of the five cards' tables as they are; what goes wrong there does not hang on the floor."""

    def __init__(self, seed: int, *, reads_display: bool | None = None, rounds: int = nights.ROUNDS) -> None:
        rng, rack = Random(seed), Rack()
        self.seed = seed
        self.reads_display = rng.random() < 0.5 if reads_display is None else reads_display
        self.answers = reads_display is True
        """Whether readers are lost in rounds only, so that every question has its answer."""
        name = Random(seed // 3).choice(profile_files.names()) if seed % 3 else "hollywood-penn-national"
        keyed: StandKey = rng.choice(["always", "sometimes"])
        limit_cents = rng.choice([0, 0, 2_000, 10_000])
        options: dict[str, object] = {"stand_key": keyed}
        raw = profile_files.raw(name)
        if limit_cents and "side_bets" in raw:
            options["aggregate_limit_cents"] = limit_cents
        self.rules = profile_files.load(name, options).rules
        house = house_from(raw)
        shoe = LoadedShoe(Random(seed), house.decks)
        acts = play(house, Random(seed), rack, (1, 4), rounds=rounds, shoe=shoe, stand_key=keyed)
        bets = tuple(bet for bet in STAKES_CENTS if bet in self.rules.side_bets)
        if bets:
            side_habits = SideBetHabits(bets, 500, 400, limit_cents=self.rules.aggregate_limit_cents)
            acts = with_side_bets(acts, Random(~seed), rack, shoe, side_habits=side_habits, meter=people_meter())
        self.acts: list[Act] = list(acts)
        self.chips = chips_of(rack)
        self.pooled, self.late = rng.random() < 0.5, rng.random() < 0.3
        self.hides = rng.random() < 0.6

    def table(self) -> Rig:
        """The table at the night's beginning."""
        rig = FullRig(self.rules, dict(self.chips), self.seed, pooled=self.pooled)
        rig.reads_display = self.reads_display
        return rig

    def outside(self, rig: Rig, act: int) -> None:
        """Answers come sooner or later; readers go and come back; the daemon is started again."""
        assert isinstance(rig, FullRig)
        rng, now = Random(f"{self.seed} {act}"), self.acts[act]
        ends = isinstance(now, Press) and now.key == KEY_ROUND_CLOSED
        rig.late = self.late and not ends and rng.random() < 0.8
        if isinstance(now, AnswerQuestions | AnswerEntry):
            return
        if rng.random() < 0.2:
            rig.answers_come()
        if rng.random() < 0.02:
            nights.restarted(rig)
        if not self.hides:
            return
        if self.answers and rig.table.state.round is None:
            # A box that bets unseen is declared by somebody, or every card goes elsewhere: nobody asks about that.
            for spot in tuple(rig.lost):
                rig.find(spot)
            return
        if rng.random() < 0.01:
            rig.lose(rng.choice(SPOTS)) if not rig.lost else rig.find(next(iter(rig.lost)))
        elif rig.lost and rng.random() < 0.1:
            rig.find(next(iter(rig.lost)))
        if rng.random() < 0.003:
            rig.start_again()
            if self.reads_display and rig.table.state.round is not None and rig.table.state.round.questions.doubt:
                rig.give(AnswerQuestion(rig.now_ns, rig.table.state.round.questions.doubt, "no", "dealer"))

    def answered(self) -> FullNight:
        """The same night with a dealer who answers what the display asks."""
        return FullNight(self.seed, reads_display=True)


def people_meter() -> SevensMeter:
    """The sevens' meter as the people count it; what they pay by it is compared with nothing here."""
    return SevensMeter(10**10, 5 * 10**9, 850_000)


def main(first: int, number: int) -> int:
    """Try every law in so many nights; 1 if one is broken."""
    return nights.tried(first, number, FullNight)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
