"""A table whose chips are looked at antenna by antenna, as one bus does it, while people play on.

The poll plan and the weighing of inventories are the session's own; only the frames are left out. People wait for
nobody: a change is reported when two looks have agreed on it, often after the next card.
"""

from __future__ import annotations

import random
from typing import Final

from msgspec.structs import replace

from bench.truth import TimedRig
from controller.core.game.rules import Rules
from controller.core.game.side_bet import find
from controller.core.messages.events import QuestionAsked
from controller.core.messages.inputs import AnswerQuestion, DeadlinePassed, Input
from controller.core.meters.state import MeterTerms
from controller.core.table.state import StepResult
from controller.io.system.deadlines import GRACE_NS
from devices.chips.bet_spots import STALE_NS
from devices.chips.poll_plan import PollPlan
from devices.chips.zone_evidence import Inventory
from devices.chips.zones import AntennaZone, Asked, laid_out
from devices.keypad import HELD_NS, TAP_NS, KeypadSession
from firmware_protocols.cards import Card
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, DeviceHealth, HealthState, KeyPressed
from simulators.devices.keypad import KeypadSimulator
from simulators.faults.restarting_readers import RestartingReaders
from simulators.faults.stray_chips import StrayChips
from simulators.people.acts import AnswerEntry
from simulators.people.display_reader import entry_key
from tests.core.rig import MS, SPOTS

LOOK_NS: Final = 30 * MS
"""One antenna: question and answer on the line, and the radio's own time."""

BUSES: Final = 2
"""A layout with four side wagers has 49 antennas: a site puts them on two lines, and a look at all takes 0.75 s."""

AGREEING: Final = 2
"""Looks in a row that must agree, as the session has it unless given another number."""


TAPPED_NS: Final = 80 * MS
"""From a key's going down to its release, where it is not held."""

BOUNCES_PER_MILLE: Final = 20
"""A worn keypad."""


class BusRig(TimedRig):
    """A table with a bus, readers that now and then begin anew, and a keypad whose contacts bounce.

    ``stray`` says what its antennas hear besides the zones' own chips; None: nothing.
    """

    gathers_moves = True

    def __init__(
        self,
        rules: Rules,
        chips: dict[str, int],
        seed: int,
        *,
        meters: tuple[MeterTerms, ...] = (),
        stray: StrayChips | None = None,
    ) -> None:
        self.felt: dict[tuple[int, str], tuple[str, ...]] = {}
        self.stray = stray
        bets = [bet for bet in rules.side_bets if find(bet).placed == "before_deal"]
        names = ("main", *bets, *(bet for bet in rules.side_bets if bet not in bets), "insurance")
        places: dict[tuple[int, int | None], tuple[int, str]] = {
            (spot, antenna): (spot, name) for antenna, name in enumerate(names, start=1) for spot in SPOTS
        }
        self.readers, self.zones = laid_out(places, AGREEING)
        self.plans = [PollPlan(self.zones[part::BUSES]) for part in range(BUSES)]
        self.keypad_away = False
        self.keypad = KeypadSimulator(
            matrix_orbital.CODEC, chance=random.Random(seed + 5), bounces_per_mille=BOUNCES_PER_MILLE
        )
        self.keys, self.pressed_ns = KeypadSession(matrix_orbital.CODEC), 0
        self.keys.connected(0)
        self.keypad.receive(self.keys.bytes_to_send())
        self.keys.readings()
        self.deadline_given_ns = 0
        self.confirm_ns = 0
        """Up to when the readers have still to confirm the layout; 0: they need not."""
        self.restarting = RestartingReaders(random.Random(seed + 6))
        self.unheard = set[int]()
        """Readers that did not answer when they were asked last."""
        self.away = random.Random(~seed)
        super().__init__(rules, chips, seed, sharp=False, meters=meters)
        for reader in self.readers.values():
            reader.identified, reader.since_ns, reader.state = True, self.now_ns, HealthState.READY
        for zone in self.zones:
            zone.evidence.opened(self.now_ns)
        self.pass_ms(5_000)

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        before = self.desired
        stepped = super().give(item, closed=closed)
        if self.desired != before:
            # As the daemon does: readers are sent what is new, and confirm the layout once each time.
            for plan in self.plans:
                plan.watched = frozenset(self.desired.watched) or None
            self.confirm(self.desired.confirm_ns)
        return stepped

    def confirm(self, upto_ns: int) -> None:
        """Ask the readers to confirm the layout up to a moment; 0: not any more."""
        self.confirm_ns = upto_ns
        for plan in self.plans:
            plan.everything = upto_ns > 0

    def pass_ms(self, milliseconds: int) -> None:
        """Time passes, antenna by antenna."""
        until_ns = self.now_ns + milliseconds * MS
        while self.now_ns + LOOK_NS <= until_ns:
            self.look()
            self.give_deadline()
        self.now_ns = max(self.now_ns, until_ns)
        self.give_deadline()

    def give_deadline(self) -> None:
        """The clock says that a moment has passed for which the table waits, as the daemon's does."""
        wanted_ns = self.desired.deadline_ns
        if wanted_ns and wanted_ns != self.deadline_given_ns and wanted_ns + GRACE_NS <= self.now_ns:
            self.deadline_given_ns = wanted_ns
            self.give(DeadlinePassed(wanted_ns))

    def look(self) -> None:
        """One antenna of each bus is asked and answers."""
        begun_ns = self.now_ns
        asked = [plan.next(begun_ns) for plan in self.plans]
        self.now_ns += LOOK_NS
        for one in asked:
            if one is not None and one.zone is not None:
                self.looked(one, one.zone, begun_ns)

    def looked(self, asked: Asked, zone: AntennaZone, begun_ns: int) -> None:
        """An antenna has answered."""
        place = (zone.spot, zone.zone)
        heard = self.felt.get(place, ())
        if self.stray is not None:
            heard = self.stray.heard_chips(place, heard, self.felt, begun_ns)
        answer = self.restarting.answer(asked.reader.address, place, heard, begun_ns)
        if answer is None:
            self.unheard.add(asked.reader.address)
            zone.evidence.interrupted()
            return
        if asked.reader.address in self.unheard:
            self.unheard.remove(asked.reader.address)
            for one in asked.reader.zones:
                one.evidence.returned(self.now_ns + STALE_NS)
        heard = answer
        asked.reader.heard_ns = self.now_ns
        for change in zone.evidence.take(Inventory(frozenset(heard), begun_ns, self.now_ns)):
            self.give(ChipsSeen(zone.spot, zone.zone, change.chips, change.after_ns, change.by_ns))
        wanted_ns = self.confirm_ns
        if wanted_ns and all(one.evidence.known_ns > wanted_ns for one in self.zones):
            self.confirm(0)
            self.give(ChipsConfirmed(SPOTS, wanted_ns))

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        """The zone's content becomes these chips; that it did is reported when it is looked at."""
        del spread_ms
        self.felt[spot, zone] = tuple(sorted(chips))

    def pause(self, milliseconds: int) -> None:
        """People take their time."""
        self.pass_ms(milliseconds)

    def draw(self, card: Card, *, burn: bool) -> None:
        """A card leaves the shoe; the pause before it is the script's own."""
        self.give(CardDrawn(self.now_ns, card, burn))

    def press(self, key: str, *, held: bool) -> None:
        """A key goes down and comes up; while the keypad is off the line nobody hears it."""
        if self.keypad_away:
            return
        down, up = self.keypad.press(key)
        self.pressed_ns = max(self.now_ns, self.pressed_ns)
        self.keys.receive(down, self.pressed_ns)
        self.pressed_ns += HELD_NS if held else TAPPED_NS
        self.keys.receive(up, self.pressed_ns)
        self.pressed_ns += TAP_NS
        self.keys.handle_deadline(self.pressed_ns)
        # Nobody at the table waits for the key to come up.
        for reading in self.keys.readings():
            self.give(replace(reading, at_ns=self.now_ns) if isinstance(reading, KeyPressed) else reading)

    def unplug(self) -> None:
        """The keypad drops off the line, or is back."""
        self.keypad_away = not self.keypad_away
        state = HealthState.LOST if self.keypad_away else HealthState.READY
        self.give(DeviceHealth("keypad", state, self.now_ns))

    def answer_entry(self, act: AnswerEntry) -> None:
        """The floor answers for a dealer without keys."""
        for _ in range(100):
            entry = entry_key(self.desired.display, act)
            if entry is not None:
                break
            self.pass_ms(100)
        asked = [event.question for event in self.events if isinstance(event, QuestionAsked)]
        if entry is not None and asked:
            self.give(AnswerQuestion(self.now_ns, asked[-1], "yes" if act.dealt_in else "no", "floor"))
