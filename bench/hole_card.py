"""How soon honest deals are confirmed by their rhythm, and how much later players' cards open for it.

``python -m bench.hole_card --rounds 2000 --seed 1`` plays simulated people at their pace before readers at theirs, in
every house that deals its players' cards face up.
"""

from __future__ import annotations

import json
from random import Random
from typing import NamedTuple

import click

from controller.core.game.rules import Rules
from controller.core.messages.events import CardDrawn, CardOpened, DealUnconfirmed, Event, HoleCardRevealed, RoundClosed
from controller.core.messages.inputs import Input
from controller.core.table.state import StepResult
from controller.io.files import profile_files
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.hole_rig import HoleRig, rig_for


class Drawn(NamedTuple):
    """A card as it left the shoe: its round and place, how many came before it, and when."""

    round: int
    place: int
    after: int
    at_ns: int


class WatchedRig(HoleRig):
    """Notes when each card is drawn and when it is opened."""

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int = 1) -> None:
        self.cards: dict[int, Drawn] = {}
        self.late_s: list[float] = []
        self.late_cards: list[int] = []
        self.holes: dict[int, int] = {}
        self.confirmed_s: list[float] = []
        self.unconfirmed = 0
        self.rounds = 0
        super().__init__(rules, chips, seed)

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        stepped = super().give(item, closed=closed)
        self.note(stepped.events)
        return stepped

    def note(self, events: tuple[Event, ...]) -> None:
        """What a step published."""
        for event in events:
            match event:
                case CardDrawn(int(round), card, int(place)):
                    self.cards[card] = Drawn(round, place, len(self.cards), self.now_ns)
                case CardOpened(card) if card in self.cards:
                    self.opened(card)
                case HoleCardRevealed(_, card):
                    self.holes[card] = 1
                case DealUnconfirmed():
                    self.unconfirmed += 1
                case RoundClosed():
                    self.rounds += 1
                case _:
                    pass

    def opened(self, card: int) -> None:
        """A card was opened now."""
        drawn = self.cards[card]
        round_now = self.table.state.round
        if card not in self.holes:
            self.late_s.append((self.now_ns - drawn.at_ns) / 1e9)
            self.late_cards.append(len(self.cards) - 1 - drawn.after)
        if round_now is not None and drawn.place == round_now.hole_place() - 1:
            hole = next(one for one in self.cards.values() if one.round == drawn.round and one.place == drawn.place + 1)
            self.confirmed_s.append((self.now_ns - hole.at_ns) / 1e9)


def of(values: list[float] | list[int], per_mille: int) -> float:
    """The value that so many of a thousand do not exceed."""
    return round(sorted(values)[min(len(values) * per_mille // 1000, len(values) - 1)], 3)


@click.command()
@click.option("--rounds", default=2_000, show_default=True, help="Rounds in each house.")
@click.option("--seed", default=1, show_default=True)
def main(rounds: int, seed: int) -> None:
    """Play, measure, and print a line of JSON for each house."""
    for name in profile_files.names():
        raw = profile_files.raw(name)
        if raw["rules"]["player_cards"] == "face_down":
            continue
        house = rig_for(name, "always", "always").house
        rig = WatchedRig(house.rules, house.chips, seed)
        rig.perform(play(house_from(raw), Random(seed), Rack(), rounds=rounds))
        figures = {
            "profile": name,
            "rounds": rig.rounds,
            "unconfirmed": rig.unconfirmed,
            "within_1.5_s": sum(one <= 1.5 for one in rig.confirmed_s),
            "confirmed_s": [of(rig.confirmed_s, 500), of(rig.confirmed_s, 990)],
            "later_cards": [of(rig.late_cards, 500), of(rig.late_cards, 990)],
            "later_s": [of(rig.late_s, 500), of(rig.late_s, 990)],
        }
        click.echo(json.dumps(figures))


if __name__ == "__main__":
    main()
