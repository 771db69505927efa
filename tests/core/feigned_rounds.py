"""A round that goes on for long while players and people at the socket make the table believe that it is another one.

The dealer has dealt, and no hand of his turns the hole card. Players draw, each time less than would end their hands:
slowly, or as fast as a dealer deals, so that their cards look like further deals with a hole card and a turn of their
own. Cards are unread, drawn unheard or named by somebody; the round is voided, the shoe said to be new, the program
started again. What is physically the hole card stays closed, and but for its commitment not a byte depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final, NamedTuple

from controller.core.game.hand import points_of, seen, total
from controller.core.messages.events import CardOpened
from controller.core.messages.inputs import AnswerQuestion
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import CardDrawn
from simulators.people.simulated_table import MAIN, StandKey
from tests.core.hole_doings import DOINGS
from tests.core.hole_rig import rig_for
from tests.core.hole_rounds import PROFILES
from tests.core.human import DEAL_MS
from tests.core.rig import KEY_OF, MS, SPOTS

FACES: Final = (Card("9c"), Card("Ah"), Card("Kd"))
"""One that makes nothing special of any up card, and two that make a natural of some."""

_LOW: Final = tuple(card for card in DECK if str(card)[0] in "A234")
_UP: Final = ("6d", "9d", "Td", "2d", "Ad")
_OFTEN_ACES: Final = ("Ad", "Td", "Ad", "6d")
_STANDS: Final = 20
"""What a player has at most who may still draw."""

_SLIPS: Final = frozenset({"any_key", "no_more_bets", "touch", "wait", "nothing"})
"""Doings that are not used here: keys that say what is not so, and what is done in another way."""

SPOKEN: Final = tuple(name for name in DOINGS if name not in _SLIPS)

_ACTS: Final = ("draw",) * 4 + ("wait",) * 4 + ("feign",) * 5 + ("say over",) * 3 + ("touch",) * 2 + ("speak",) * 10
_INSURED: Final = ("draw",) * 4 + ("wait",) * 4 + ("feign",) * 2 + ("touch",) * 6 + ("say over",) * 2 + ("speak",) * 9


class Feigned(NamedTuple):
    """Which round is played, and how it is feigned to be others."""

    profile: str
    seed: int
    turn_key: str = "always"
    stand_key: StandKey = "always"
    chips: bool = True
    """Whether players also touch chips."""
    insurance: bool = False
    """Whether they touch chips more often, insurance's too."""
    turns_keyed: bool = True
    """False: by a journal of before."""


def random_case(rng: Random) -> Feigned:
    """A round of any house."""
    habit: StandKey = rng.choice(("always", "sometimes"))
    turn_key = rng.choice(("always", "sometimes"))
    return Feigned(
        rng.choice(PROFILES), rng.randrange(1 << 30), turn_key, habit, rng.random() < 0.7, rng.random() < 0.3
    )


class Feint:
    """The people of a round with one face in the hole: they do the same whatever it is."""

    def __init__(self, case: Feigned, hole: Card) -> None:
        self.case, self.rng = case, Random(case.seed)
        pause_s = self.rng.choice((1, 3, 10))
        self.rig = rig_for(case.profile, case.stand_key, case.turn_key, case.seed, turn_pause_s=pause_s)
        self.rig.reads_display = False
        self.rig.change_house(two_persons=self.rng.random() < 0.5, orders_traced=True, proposals_bound=True)
        self.rig.change_house(turns_keyed=case.turns_keyed)
        self.hands: list[list[Card]] = []
        self.acting = 0
        self.misleads = False
        """Whether players have touched chips, or a card went unheard: where no key turns it a card may seem to."""
        for _ in range(2):
            self._honest_round()
        if self.rng.random() < 0.3:
            DOINGS[self.rng.choice(("new_shoe", "declare"))](self.rig, self.rng)
        self._deal(hole)
        self.hole = self._last_card()
        self.rig.emitted.clear()
        self.rig.events.clear()

    def _last_card(self) -> int:
        return next(one.number for one in reversed(self.rig.stamped) if isinstance(one.input, CardDrawn))

    def _honest_round(self) -> None:
        """Nineteen against sixteen that breaks."""
        turned = "/ key hole_turned" if self.case.turn_key == "always" else ""
        self.rig.play("1 main 10 / wait 4 / deal Ts 6d 9h Kc / wait 3 / key stand / wait 1")
        self.rig.play(f"{turned.removeprefix('/')} / Th".removeprefix(" / "))
        self.rig.play("wait 3 / 1 main 20 / wait 3 / 1 main 0 / wait 3 / key round_closed / wait 4")

    def _deal(self, hole: Card) -> None:
        boxes = self.rng.randrange(1, 4)
        bets = " / ".join(f"{spot} main 10" for spot in range(1, boxes + 1))
        self.rig.play(f"{bets} / wait 4")
        first, second = ([self.rng.choice(_LOW) for _ in range(boxes)] for _ in range(2))
        self.hands = [list(hand) for hand in zip(first, second, strict=True)]
        words = " ".join(
            (*map(str, first), self.rng.choice(_OFTEN_ACES if self.case.insurance else _UP), *map(str, second))
        )
        self.rig.play(f"deal {words} {hole}")

    def act(self) -> None:
        """Somebody does something."""
        match self.rng.choice(_INSURED if self.case.insurance else _ACTS):
            case "draw":
                self._wait(self.rng.choice((300, 500, 1_000, 1_500, 5_500, 9_000)))
                self._draw()
            case "wait":
                self._wait(self.rng.choice((500, 2_000, 4_000, 6_000, 12_000, 65_000)))
            case "feign":
                self._feign()
            case "say over":
                self._wait(self.rng.choice((4_000, 80_000)))
                self._answer("yes")
                if self.rng.random() < 0.7:
                    DOINGS["new_shoe"](self.rig, self.rng)
            case "touch":
                self._touch(self.rng.choice(SPOTS[:4]), self.rng.choice((0, 500, 1_000, 1_500, 2_000, 3_500)))
            case _:
                DOINGS[self.rng.choice(SPOKEN)](self.rig, self.rng)

    def _wait(self, milliseconds: int) -> None:
        self.rig.pass_until(self.rig.now_ns + milliseconds * MS)

    def _touch(self, spot: int, cents: int) -> None:
        """A player changes his chips, or lays some anew."""
        if not self.case.chips:
            return
        self.misleads = True
        place = self.rng.random() if self.case.insurance else 1
        if place < 0.4:
            self.rig.chips(spot, "insurance", self.rng.choice((0, 500, 500, 1_500)))
        elif place < 0.5:
            self.rig.press(KEY_OF["insurance_closed"], held=False)
        else:
            self.rig.chips(spot, MAIN, cents)

    def _feign(self) -> None:
        """Players change their chips as if they were paid and bet anew, and draw what would be a deal."""
        if self.rng.random() < 0.5:
            for cents in (3_500, 1_000):
                for spot in SPOTS[: len(self.hands)]:
                    self._touch(spot, cents)
                self._wait(8_000)
        self._wait(6_000)
        boxes = len(self.hands)
        # If he is lucky the next card after the deal makes 21: then a pause says that its hole card is turned.
        wished = "A" * boxes + "A4" + "T" * (boxes - 1) + "2"
        for rank in wished[: self.rng.choice((-1, 9, 9, 9))]:
            self._draw(rank)
            self._wait(DEAL_MS)
        self._wait(5_000)
        self._draw("6")
        self._wait(self.rng.choice((2_000, 12_000)))

    def _answer(self, word: str) -> None:
        """Somebody from elsewhere answers the last question."""
        rig = self.rig
        rig.give(AnswerQuestion(rig.now_ns, rig.table.state.questions, word, "floor"))

    def _draw(self, rank: str = "") -> None:
        """A player draws who may still do so, and if there is one whom a card of the rank wished leaves in the round.

        Once the one who acts has enough the next one does.
        """
        wished = [card for card in DECK if str(card)[0] == rank]
        while not (fitting := [card for card in wished or DECK if points(*self.hands[self.acting], card) <= _STANDS]):
            if self.acting + 1 < len(self.hands):
                self.acting += 1
                if self.case.stand_key == "always":
                    self.rig.play("key stand")
            elif wished:
                wished = []
            else:
                return
        card = self.rng.choice([card for card in fitting if wished or card in _LOW] or fitting)
        self.hands[self.acting].append(card)
        is_heard, self.rig.is_deaf = not self.rig.is_deaf, False
        self.misleads = self.misleads or not is_heard
        if is_heard:
            self.rig.give(CardDrawn(self.rig.now_ns, card if self.rng.random() > 0.03 else None))

    def is_open(self) -> bool:
        """Whether the hole card has been opened."""
        return any(one.card == self.hole for one in self.rig.events if isinstance(one, CardOpened))

    def was_kept(self) -> bool:
        """Whether its round was over before, so that it lay among the cards of the shoe."""
        account = (*self.rig.table.state.shoe.closed, *self.rig.table.state.last_shoe.closed)
        return any(card.number == self.hole for card in account)


def points(*hand: Card) -> int:
    return total(tuple(points_of(seen(0, card)) for card in hand))[0]


def assert_stays_closed(case: Feigned, faces: Iterable[Card] = FACES) -> bool:
    """Play it with each face; whether the card lay among the cards of the shoe in the end, its round being over.

    Where no key says that it is turned the table may believe it when players touch their chips or a card went unheard,
    as docs/reference/threat-model.md has it, but no longer once the round is over.
    """
    acts = Random(case.seed + 1).randrange(8, 40)
    feints = [Feint(case, face) for face in faces]
    for _ in range(acts):
        kept = feints[0].was_kept()
        for feint in feints:
            feint.act()
        if any(feint.is_open() for feint in feints):
            assert not kept, case
            assert feints[0].misleads, case
            assert case.turn_key == "sometimes", case
            assert all(feint.is_open() for feint in feints), case
            return False
        assert all(feint.rig.emitted == feints[0].rig.emitted for feint in feints), case
        for feint in feints:
            feint.rig.emitted.clear()
    return feints[0].was_kept()
