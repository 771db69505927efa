"""A table without wires: people's acts or lines of talk become stamped readings, and what is published is kept.

Time is counted by hand. Every act takes a moment, and the readers confirm the layout after each, as they do when nobody
hurries them; ``late`` keeps them silent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, ClassVar, TypeVar, assert_never

import msgspec
from msgspec.structs import replace

from controller.core.game.rules import Options, Rules
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import Event, QuestionAsked, RoundClosed, WagerSettled
from controller.core.messages.house import House, begun_now
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted, DeadlinePassed, Input, StampedInput
from controller.core.meters.pooled_meter import PooledTerms
from controller.core.meters.state import MeterTerms
from controller.core.step import step
from controller.core.table.desired import Desired
from controller.core.table.keymap import DEFAULT_KEYS, MEANINGS
from controller.core.table.state import State, StepResult, Table
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, KeyPressed
from simulators.people.acts import Act, AnswerEntry, AnswerQuestions, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.display_reader import QUESTIONS_LIMIT, answer_key, asks, entry_key

E = TypeVar("E", bound=Event)

MS = 1_000_000
FURTHER_MEANINGS = sorted(MEANINGS - set(DEFAULT_KEYS.values()))
KEYS = {**DEFAULT_KEYS, **{f"further/{number}": meaning for number, meaning in enumerate(FURTHER_MEANINGS)}}
"""A key for every meaning there is: a rig's keypad has room for more than a real one's 25."""
KEY_OF = {meaning: key for key, meaning in KEYS.items()}
SPOTS = tuple(range(1, 8))


def penn(**options: Any) -> Rules:
    """Hollywood Penn National's main game."""
    return Rules(
        name="hollywood-penn-national",
        max_hands=3,
        surrender="late",
        insurance_until="card",
        options=Options(**options),
    )


class Rig:
    """A table, its clock, and everything it has said; ``zones``: those of each reader, else it has one a spot.

    Its acts follow one another quicker than people's, so that chips which move twice are not gathered into one move,
    but in a rig that keeps people's pace.
    """

    gathers_moves: ClassVar[bool] = False

    def __init__(
        self,
        rules: Rules,
        chips: dict[str, int] | None = None,
        meters: tuple[MeterTerms, ...] = (),
        linked: tuple[PooledTerms, ...] = (),
        zones: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.values = {} if chips is None else chips
        readers: dict[str, tuple[int, ...]] = {f"bet_spots/{s}": (s,) for s in SPOTS}
        if zones:
            readers = {device: (int(names[0].partition("/")[0]),) for device, names in zones.items()}
        house = House(rules, self.values, KEYS, "0" * 64, readers, meters=meters, linked=linked)
        of_anybody = replace(begun_now(house), orders_bounded=False, proposals_bound=False, orders_traced=False)
        self.house = replace(of_anybody, zones=dict(zones or {}), moves_gathered=self.gathers_moves)
        self.table = Table(self.house, State())
        self.now_ns = 1_000 * MS
        self.number = 0
        self.events: list[Event] = []
        self.stamped: list[StampedInput] = []
        self.desired = Desired()
        self.late = False
        self.reads_display = False
        self.misread: set[int] = set()
        """Rounds in which a digit that was to name a spot came as the display asked for a number, and answered it."""
        self.is_misled = False
        """Whether the floor has named a card that may be another."""
        self.lying: dict[tuple[int, str], tuple[str, ...]] = {}
        self.give(DaemonStarted(self.now_ns, "test", self.house))

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        """Stamp an input and step it."""
        self.number += 1
        nonce = hashlib.sha256(str(self.number).encode()).digest()
        stamped = StampedInput(self.number, self.now_ns, 0, nonce, item, f"c{self.number}", closed)
        self.stamped.append(stamped)
        stepped = step(self.table, stamped)
        self.table, self.desired = stepped.table, stepped.desired
        self.events.extend(stepped.events)
        return stepped

    def pass_ms(self, milliseconds: int) -> None:
        """Let time pass; readers that are not late confirm what the table asks for, and so does the clock."""
        until_ns = self.now_ns + milliseconds * MS
        while 0 < self.desired.deadline_ns <= until_ns:
            self.now_ns = max(self.now_ns, self.desired.deadline_ns)
            self.give(DeadlinePassed(self.now_ns))
        self.now_ns = until_ns
        if self.desired.confirm_ns and not self.late:
            self.give(ChipsConfirmed(self.watched(), self.now_ns, self.unseen_zones()))

    def leave_lying(self) -> None:
        """What was done with chips stays so for longer than a mistake does."""
        self.pass_ms(5_000)

    def watched(self) -> tuple[int, ...]:
        """The spots whose readers are there."""
        return SPOTS

    def unseen_zones(self) -> tuple[str, ...]:
        """The zones of these spots whose readers are not there."""
        return ()

    def card(self, face: str | None) -> None:
        """A card leaves the shoe."""
        self.pass_ms(500)
        self.give(CardDrawn(self.now_ns, None if face is None else Card(face)))
        self.pass_ms(500)

    def key(self, meaning: str) -> None:
        """The dealer presses a key, by its meaning; what the display asks is read before it is answered."""
        answers = self.table.state.question_displayed and (meaning.isdigit() or meaning in {"yes", "no"})
        self.pass_ms(500 if answers else 100)
        self.give(KeyPressed(self.now_ns, KEY_OF[meaning]))
        self.pass_ms(100)

    def chips(self, spot: int, zone: str, cents: int, spread_ms: int = 100) -> None:
        """The zone's content becomes ``cents``; reported ``spread_ms`` wide."""
        self.lay(spot, zone, self.changed(spot, zone, cents), spread_ms)

    def changed(self, spot: int, zone: str, cents: int) -> tuple[str, ...]:
        """The chips of a zone once its content has become ``cents``.

        A chip comes to those that lie there, or some of them go; only where neither will do one lies in place of all.
        """
        lie = self.lying.get((spot, zone), ())
        missing = cents - self._worth(lie)
        ways = (some for count in range(len(lie) + 1) for some in combinations(lie, count))
        kept = lie if missing > 0 else next((some for some in ways if self._worth(some) == cents), ())
        return (*kept, *self._chip(spot, cents - self._worth(kept)))

    def exchange(self, spot: int, zone: str, cents: int, spread_ms: int = 100) -> None:
        """One chip of ``cents`` lies in place of all that lay in a zone."""
        self.lay(spot, zone, self._chip(spot, cents), spread_ms)

    def _worth(self, chips: tuple[str, ...]) -> int:
        return sum(self.values[chip] for chip in chips)

    def _chip(self, spot: int, cents: int) -> tuple[str, ...]:
        """A chip made for the purpose; none for no amount."""
        chip = f"E004{cents:08X}{spot:02X}{len(self.values) & 0xFF:02X}"
        if not cents:
            return ()
        self.values[chip] = cents
        return (chip,)

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        """The zone's content becomes these chips."""
        self.pass_ms(100)
        before = self.now_ns
        self.now_ns += spread_ms * MS
        self.lying[spot, zone] = chips
        self.give(ChipsSeen(spot, zone, tuple(sorted(chips)), before, self.now_ns))
        self.pass_ms(100)

    def answer(self, words: str) -> None:
        """A person answers the last question asked."""
        asked = [event.question for event in self.events if isinstance(event, QuestionAsked)]
        self.give(AnswerQuestion(self.now_ns, asked[-1], words, "floor"))

    def draw(self, card: Card, *, burn: bool) -> None:
        """A card of a dealer's script leaves the shoe."""
        self.pass_ms(300)
        self.give(CardDrawn(self.now_ns, card, burn))
        self.pass_ms(300)

    def perform(self, acts: Iterable[Act]) -> list[RoundPlayed]:
        """Carry out people's acts; the truth of each round."""
        rounds: list[RoundPlayed] = []
        for act in acts:
            match act:
                case Draw(card, burn):
                    self.draw(card, burn=burn)
                case Lay(spot, zone, chips):
                    self.lay(spot, zone, chips)
                case Press(key, held):
                    self.press(key, held=held)
                case Pause(milliseconds):
                    self.pause(milliseconds)
                case AnswerQuestions():
                    self.answer_questions(act)
                case AnswerEntry():
                    self.answer_entry(act)
                case RoundPlayed():
                    rounds.append(act)
                case _:
                    assert_never(act)
        return rounds

    def press(self, key: str, *, held: bool) -> None:
        """A key of a dealer's script goes down."""
        self.pass_ms(100)
        if asks(self.desired.display) and KEYS.get(key, "").isdigit():
            self.misread |= {self.table.state.rounds, *(waits.number for waits in self.table.state.waiting)}
        self.give(KeyPressed(self.now_ns, key, held))
        self.pass_ms(100)

    def pause(self, milliseconds: int) -> None:
        """People take their time; here every act takes its own moment instead."""

    def answer_entry(self, act: AnswerEntry) -> None:
        """The dealer answers whether a newcomer was dealt in."""
        self.pass_ms(500)
        entry = entry_key(self.desired.display, act)
        assert entry is not None, self.desired.display
        self.give(KeyPressed(self.now_ns, entry))

    def answer_questions(self, act: AnswerQuestions) -> None:
        """The dealer answers what the display asks, if this dealer reads it."""
        self.pass_ms(500)
        for _ in range(QUESTIONS_LIMIT):
            if not self.reads_display or not asks(self.desired.display):
                return
            key = answer_key(self.desired.display, act)
            if key is None:
                self.at_a_loss()
                return
            self.give(KeyPressed(self.now_ns, key))
            self.pass_ms(500)

    def at_a_loss(self) -> None:
        """Nothing the display offers is what lies there: only where the floor has named a card that it is not."""
        assert self.is_misled, self.desired.display

    def talk(self, text: str) -> None:
        """Deal a round in words.

        ``3 main 25`` lays chips (dollars), ``key stand`` presses a key (``key 3 surrender`` names the spot first),
        anything else is cards.
        """
        for line in text.strip().splitlines():
            words = line.split("#")[0].split()
            match words:
                case []:
                    pass
                case ["key", *meanings]:
                    for meaning in meanings:
                        self.key(meaning)
                case [spot, zone, dollars] if spot.isdigit():
                    self.chips(int(spot), zone, round(100 * int(dollars)))
                case _:
                    for face in words:
                        self.card(face)

    def change_house(self, **facts: Any) -> None:
        """The same table in another house, or by a journal of before."""
        self.house = replace(self.house, **facts)
        self.table = Table(self.house, self.table.state, self.table.lattice, self.table.workings)

    def events_of(self, *kinds: type[E]) -> list[E]:
        """The events of some kinds, in order."""
        return [event for event in self.events if isinstance(event, kinds)]

    def postings(self) -> list[str]:
        """Settlements as a person would write them down: ``1: spot 3 main -25.00``."""
        settled = [event for event in self.events if isinstance(event, WagerSettled)]
        return [f"{s.round}: spot {s.spot} {s.bet} {s.net_cents / 100:+.2f}" for s in settled]

    def postings_of(self, number: int) -> set[str]:
        """The settlements of one round: ``spot 3 main -25.00``."""
        return {one.removeprefix(f"{number}: ") for one in self.postings() if one.startswith(f"{number}: ")}

    def outcomes(self) -> list[str]:
        """How each closed round ended."""
        return [event.outcome for event in self.events if isinstance(event, RoundClosed)]

    def irregularities(self) -> list[str]:
        """Why no legal play explained a round, each time."""
        return [event.reason for event in self.events if isinstance(event, RoundIrregular)]


def rig_with(talk: str, rules: Rules | None = None) -> Rig:
    """A table where a round has come so far; without ``rules`` the main game, with a stand key always pressed."""
    rig = Rig(penn(stand_key="always") if rules is None else rules)
    rig.talk(talk)
    return rig


def whole_house_with(talk: str, **options: object) -> Rig:
    """The same by the house's profile, side bets included."""
    return rig_with(talk, profile_files.load("hollywood-penn-national", {"stand_key": "always", **options}).rules)


def settled(events: Iterable[Event]) -> dict[tuple[int, int, str], tuple[int, int]]:
    """(round, spot, bet) -> (wager, due) in cents."""
    return {
        (event.round, event.spot, event.bet): (event.wager_cents, event.net_cents)
        for event in events
        if isinstance(event, WagerSettled)
    }


def coded(value: Any) -> bytes:
    """The bytes of a value, to compare."""
    return msgspec.json.encode(value)
