"""People at their own pace before readers at theirs: what the table is sent when nobody waits for anybody.

Each zone is looked at once a cycle; a content counts once two looks in a row agree, as the reader's session has it. The
interval of a change spans the looks that agree, as a reader's does. Contents that do not last until the second
look are never reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import assert_never

from controller.core.game.rules import Rules
from controller.core.messages.alerts import CloseRefused
from controller.core.messages.inputs import DeadlinePassed, Input
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, KeyPressed
from simulators.people.acts import Act, AnswerEntry, AnswerQuestions, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.display_reader import QUESTIONS_LIMIT, answer_key, asks, entry_key
from simulators.people.simulated_table import KEY_ROUND_CLOSED
from tests.core.rig import KEY_OF, MS, SPOTS, Rig

CYCLE_MS = 350
"""Fourteen zones on a line of 38,400 baud, 25 milliseconds each."""

SECOND_HAND_MS = 900
"""A second hand comes to a zone no sooner after the first: that one has to leave before."""

CLOSING_LOOKS = 4
"""Half seconds a dealer watches the display after closing."""

DEAL_MS = 400
"""From one card of a deal to the next."""

Place = tuple[int, str]


@dataclass(frozen=True)
class Happens:
    """What is reported to the table and nobody does with chips, cards or keys; made when it is reported."""

    make: Callable[[HumanRig], Input]


Done = Act | Happens


class HumanRig(Rig):
    """A rig in which time passes as the people's pauses say."""

    gathers_moves = True

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int = 1, cycle_ms: int = CYCLE_MS) -> None:
        self.rng = Random(seed)
        self.cycle_ns = cycle_ms * MS
        self.truth: dict[Place, tuple[str, ...]] = {}
        self.known: dict[Place, tuple[str, ...]] = {}
        """What was reported of each zone."""
        self.laid_ns: dict[Place, int] = {}
        self.phases: dict[Place, int] = {}
        self.changing: dict[Place, list[tuple[int, tuple[str, ...]]]] = {}
        """Of each zone that does not hold what was reported: the looks since, and what they showed."""
        self.single_looks = False
        """Whether a change is reported between single looks, narrower than any reader reports it."""
        self.steady_ns: dict[Place, int] = {}
        """Of each zone, the first of the looks that agreed on what was reported of it last."""
        self.asked_ns = 0
        self.seen: list[tuple[Place, int, int]] = []
        """Every change reported: where, and its interval."""
        super().__init__(rules, chips)
        self.reads_display = True

    def look_after(self, place: Place, moment_ns: int) -> int:
        """The first look at a zone after a moment."""
        phase = self.phases.setdefault(place, self.rng.randrange(self.cycle_ns))
        return moment_ns + self.cycle_ns - (moment_ns - phase) % self.cycle_ns

    def pass_until(self, moment_ns: int) -> None:
        """Let time pass: the readers look, and report what two looks agree on."""
        while True:
            looks = [
                (self.look_after(place, looked[-1][0] if looked else self.laid_ns[place]), place)
                for place, looked in self.changing.items()
            ]
            confirm_ns = self.confirmation(looks)
            deadline_ns = self.desired.deadline_ns
            others = [moment_ns, *([min(looks)[0]] if looks else []), *([confirm_ns] if confirm_ns else [])]
            if 0 < deadline_ns <= min(others):
                self.now_ns = max(self.now_ns, deadline_ns)
                self.give(DeadlinePassed(self.now_ns))
            elif looks and min(looks)[0] <= min(moment_ns, confirm_ns or moment_ns):
                self.look(*min(looks))
            elif confirm_ns and confirm_ns <= moment_ns:
                self.now_ns = max(self.now_ns, confirm_ns)
                asked, self.asked_ns = self.asked_ns, 0
                self.give(ChipsConfirmed(SPOTS, asked))
            else:
                break
        self.now_ns = max(self.now_ns, moment_ns)

    def confirmation(self, looks: list[tuple[int, Place]]) -> int:
        """When the readers can confirm what the table asks for; 0: not asked, or a zone is changing."""
        if self.desired.confirm_ns and not self.asked_ns:
            self.asked_ns = max(self.desired.confirm_ns, self.now_ns)
        return self.asked_ns + self.cycle_ns + MS if self.asked_ns and not looks else 0

    def look(self, moment_ns: int, place: Place) -> None:
        """One look at a zone that is changing."""
        self.now_ns = max(self.now_ns, moment_ns)
        looked, content = self.changing[place], self.truth[place]
        if content == self.known.get(place, ()):
            del self.changing[place]
        elif looked and looked[-1][1] == content:
            interval = self.interval(place, [ns for ns, _ in looked], moment_ns)
            del self.changing[place]
            self.known[place] = content
            self.steady_ns[place] = looked[-1][0]
            self.seen.append((place, *interval))
            self.give(ChipsSeen(*place, tuple(sorted(content)), *interval))
        else:
            looked.append((moment_ns, content))

    def interval(self, place: Place, looks_ns: list[int], agreed_ns: int) -> tuple[int, int]:
        """Between which looks a content changed, as ``zone_evidence`` has it: the last of those and another one agree.

        A single look without a chip proves nothing: what came may have been missed in the last of those before, and
        what went in the first of these.
        """
        if self.single_looks:
            return looks_ns[-1] - self.cycle_ns, looks_ns[-1]
        added = set(self.truth[place]) - set(self.known.get(place, ()))
        went = set(self.known.get(place, ())) - set(self.truth[place])
        last_ns = looks_ns[0] - self.cycle_ns
        before_ns = last_ns - self.cycle_ns if added else last_ns
        return max(before_ns, self.steady_ns.get(place, 0)), agreed_ns if went else looks_ns[-1]

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        """A hand changes a zone; how wide the interval is reported is the readers' affair."""
        del spread_ms
        place = (spot, zone)
        self.pass_until(max(self.now_ns, self.laid_ns.get(place, 0) + SECOND_HAND_MS * MS))
        self.laid_ns[place] = self.now_ns
        self.truth[place] = self.lying[place] = chips
        self.changing.setdefault(place, [])

    def play(self, text: str) -> None:
        """Play in words at people's pace: acts are parted by slashes.

        ``deal Th 9c 6d 8s`` is a deal in its rhythm, ``Kd`` a card, ``wait 3`` seconds, ``1 main 20`` chips brought to
        20 dollars, ``1 main = 20`` other chips for all of them in one movement, ``key stand`` a key, ``??`` a card that
        could not be read.
        """
        for act in text.split("/"):
            match act.split():
                case ["wait", seconds]:
                    self.pass_until(self.now_ns + round(float(seconds) * 1_000) * MS)
                case ["deal", *faces]:
                    for face in faces:
                        self.give(CardDrawn(self.now_ns, Card(face)))
                        self.pass_until(self.now_ns + DEAL_MS * MS)
                case ["key", *meanings]:
                    for meaning in meanings:
                        self.press(KEY_OF[meaning], held=False)
                case [spot, zone, "=", dollars]:
                    self.exchange(int(spot), zone, 100 * int(dollars))
                case [spot, zone, dollars]:
                    self.chips(int(spot), zone, 100 * int(dollars))
                case [face]:
                    self.give(CardDrawn(self.now_ns, None if face == "??" else Card(face)))
                case words:
                    raise AssertionError(f"nobody does this at a table: {words}")

    def perform(self, acts: Iterable[Done]) -> list[RoundPlayed]:
        """Carry out people's acts at their pace; the truth of each round."""
        rounds: list[RoundPlayed] = []
        for act in acts:
            match act:
                case Draw(card, burn):
                    self.give(CardDrawn(self.now_ns, card, burn))
                case Lay(spot, zone, chips):
                    self.lay(spot, zone, chips)
                case Press(key, held):
                    self.press(key, held=held)
                case Pause(milliseconds):
                    self.pass_until(self.now_ns + milliseconds * MS)
                case AnswerQuestions():
                    self.answer_questions(act)
                case AnswerEntry():
                    self.answer_entry(act)
                case RoundPlayed():
                    rounds.append(act)
                case Happens():
                    self.give(act.make(self))
                case _:
                    assert_never(act)
        return rounds

    def press(self, key: str, *, held: bool) -> None:
        """Press a key; a dealer whose close is refused looks at the felt and presses again."""
        stepped = self.give(KeyPressed(self.now_ns, key, held))
        if key == KEY_ROUND_CLOSED:
            latest = list(stepped.events)
            for _ in range(CLOSING_LOOKS):
                self.pass_until(self.now_ns + 500 * MS)
                latest = self.events[-20:]
                if any(isinstance(event, CloseRefused) for event in latest) or self.table.state.round is None:
                    break
            if self.table.state.round is not None and any(isinstance(event, CloseRefused) for event in latest):
                self.give(KeyPressed(self.now_ns, key, held))

    def answer_entry(self, act: AnswerEntry) -> None:
        """The dealer waits for the question about a newcomer and answers it."""
        for _ in range(CLOSING_LOOKS):
            self.pass_until(self.now_ns + 500 * MS)
            entry = entry_key(self.desired.display, act)
            if entry is not None:
                self.give(KeyPressed(self.now_ns, entry))
                return

    def answer_questions(self, act: AnswerQuestions) -> None:
        """The dealer waits a moment and answers what the display asks."""
        for _ in range(QUESTIONS_LIMIT):
            self.pass_until(self.now_ns + 2000 * MS)
            if not asks(self.desired.display):
                return
            key = answer_key(self.desired.display, act)
            if key is None:
                return
            self.give(KeyPressed(self.now_ns, key))


def keyless(profile: str, cycle_ms: int = CYCLE_MS, *, is_reckoned: bool = True) -> HumanRig:
    """A table at which nobody presses a key or reads the display; not ``is_reckoned``: by a journal of before."""
    rules = profile_files.load(profile, {"turn_key": "sometimes", "new_shoe_burns": 0}).rules
    rig = HumanRig(rules, {}, cycle_ms=cycle_ms)
    rig.change_house(looks_reckoned=is_reckoned)
    rig.reads_display = False
    return rig
