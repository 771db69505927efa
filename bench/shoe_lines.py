"""A table whose cards come over a shoe's line: the real codec and session; bytes are lost, changed and repeated."""

from __future__ import annotations

import random
from typing import Any, Final

from msgspec.structs import replace

from bench.truth import TimedRig
from controller.core.game.rules import Rules
from controller.core.messages.events import QuestionAsked
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted
from controller.core.round.missed_cards import MISSED_CARDS
from controller.core.table.state import State, Table
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import CardDrawn, DeviceHealth, HealthState, KeyPressed, Reading, ShoeNumbering
from firmware_protocols.shoe import bee_tek, reference
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.devices.wire import NullModem
from simulators.faults.line_faults import Faults, Rates
from simulators.people.acts import AnswerQuestions
from simulators.people.display_reader import LET_IN, NO, YES
from tests.core.rig import MS

PATIENCE: Final = 100
"""Fifths of a second a dealer waits for a shoe that holds its cards back."""


class LineRig(TimedRig):
    """A table with a shoe at the end of a line. ``shoe`` is ``bee_tek`` or ``reference``."""

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int, shoe: str, conditions: dict[str, Any]) -> None:
        rates, self.mistakes = Rates(**conditions["line"]), conditions["shoe"]
        self.line: NullModem[Reading] | None = None
        super().__init__(rules, chips, seed, sharp=False)
        self.house = replace(self.house, shoe_numbers_cards=shoe == "reference")
        self.table = Table(self.house, State())
        self.number = 0
        self.give(DaemonStarted(self.now_ns, "test", self.house))
        chance = random.Random(~seed)
        self.chance_of = random.Random(seed ^ 0x5A5A)
        codec: Any = reference.CODEC if shoe == "reference" else bee_tek.CODEC
        self.shoe: Any = ReferenceShoeSimulator(codec) if shoe == "reference" else ShoeSimulator(codec)
        self.session = ShoeSession(codec)
        self.faults = Faults(chance, rates), Faults(chance, rates)
        self.line = NullModem(
            self.session, self.shoe, codec, to_host=self.faults[0], to_device=self.faults[1], start_ns=self.now_ns
        )
        self.arrived: list[str] = []
        self.true_cards: list[str] = []
        self.line.connect()
        self.pass_ms(1000)

    def pass_ms(self, milliseconds: int) -> None:
        """Time passes, on the line too."""
        super().pass_ms(milliseconds)
        self.listen()

    def listen(self) -> None:
        """What the line has brought by now goes to the table."""
        if self.line is None:
            return
        self.line.run_until(self.now_ns)
        taken, self.line.readings = self.line.readings, []
        for reading in taken:
            self.give(reading)
            if isinstance(reading, ShoeNumbering):
                self.session.entered(reading.shoe, self.now_ns)
            if isinstance(reading, CardDrawn):
                self.arrived.append(str(reading.face or "??"))
                if reading.sequence is not None:
                    self.session.acknowledge(reading.sequence)
            if isinstance(reading, DeviceHealth) and reading.state is not HealthState.READY:
                # The supervisor opens the line anew.
                self.line.disconnect()
                self.line.connect()

    def draw(self, card: Card, *, burn: bool) -> None:
        """A card leaves the shoe."""
        assert self.line is not None
        self.pass_ms(300)
        for _ in range(PATIENCE):
            if not getattr(self.shoe, "locked", False):
                break
            self.pass_ms(200)
        self.say(card, burn=burn)
        self.true_cards.append(str(card))
        self.now_ns += 5 * MS
        self.listen()
        self.pass_ms(295)

    def say(self, card: Card, *, burn: bool) -> None:
        """The shoe's word of a card, if nothing happens to it."""
        assert self.line is not None
        numbered = isinstance(self.shoe, ReferenceShoeSimulator)
        misread = self.happens("misread")
        read = self.chance_of.choice(DECK) if misread and not numbered else card
        word = self.shoe.draw(read, burn=burn)
        if self.happens("missed"):
            return
        if misread and numbered:
            word = bytes((word[0] ^ 1, *word[1:]))
        self.line.say(word)
        if self.happens("twice"):
            self.line.say(word)

    def happens(self, mistake: str) -> bool:
        """Whether a mistake of the shoe's happens now."""
        return self.chance_of.randrange(1000) < int(self.mistakes[mistake])

    def answer_questions(self, act: AnswerQuestions) -> None:
        """The display is answered; whether cards are missing the dealer sees by comparing them with it."""
        self.answer_missing()
        self.answer_newcomers({int(spot) for spot in act.cards})
        super().answer_questions(act)
        self.answer_missing()

    def answer_newcomers(self, dealt_in: set[int]) -> None:
        """A spot that looks like a newcomer, its last round being lost, was dealt in if it has cards."""
        for _ in range(self.house.rules.boxes):
            found = LET_IN.search(self.desired.display)
            if found is None:
                return
            self.give(KeyPressed(self.now_ns, YES if int(found[1]) in dealt_in else NO))
            self.pass_ms(500)

    def at_a_loss(self) -> None:
        """A card was missed or misread, so that no answer fits what lies there: the dealer calls the floor."""
        self.key("call_floor")

    def answer_missing(self) -> None:
        """Asked whether cards were missed the dealer says whether those that arrived are those that were drawn."""
        asked = [event for event in self.events if isinstance(event, QuestionAsked) and event.text == MISSED_CARDS]
        for event in asked[-1:]:
            if self.table.state.round is not None and self.table.state.round.questions.doubt == event.question:
                words = "no" if self.arrived == self.true_cards else "yes"
                self.give(AnswerQuestion(self.now_ns, event.question, words, "dealer"))
