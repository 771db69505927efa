"""How long one round of seven spots takes with every wager there is: scripted, played out and settled.

    python -m bench.settle_round [--rounds N] [--beside]

``settle``: the account of a round whose hands are known. ``tell``: the same round from its cards and acts, refusals
looked for at each act. ``why`` is timed by itself. ``--beside`` times the PyPI package ``blackjack21`` on the same
cards: it plays hands and knows no side wager, no insurance, no payout and no rules of a house; it must be installed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from controller.core.analysis.scripted_account import account
from controller.core.analysis.scripted_round import ScriptedAct, ScriptedEnding, ScriptedRound
from controller.core.analysis.stated_meters import StatedMeters, StatedMystery, StatedPooledMeter
from controller.core.game.refusals import Refusal
from controller.io.files import profile_files
from firmware_protocols.cards import Card

SHOE = tuple(
    Card(face)
    for face in (
        *("7d", "8h", "Qh", "5c", "Ah", "9c", "As", "6c"),
        *("7h", "8c", "Qh", "6d", "Kh", "7s", "Ad", "Td"),
        *("9d", "2c", "Kd", "3h", "Ts", "4c", "9h", "5d", "6s", "8s", "Kc", "2h"),
    )
)
ACTS = (
    *(ScriptedAct(spot, "ez_bust", 0, 500) for spot in range(1, 8)),
    ScriptedAct(1, "stand"),
    ScriptedAct(2, "split"),
    ScriptedAct(2, "stand", 0),
    ScriptedAct(2, "stand", 1),
    ScriptedAct(3, "stand"),
    ScriptedAct(4, "double"),
    ScriptedAct(6, "stand"),
    ScriptedAct(7, "split"),
)
SIDE = {"lucky_ladies": 500, "twenty_one_plus_three": 500, "blazing7s": 500, "five_card_progressive": 100}
METERS = StatedMeters(StatedPooledMeter(5_000_000, 1_000_000), StatedMystery(61_235, 10, 99_000, 50_000))


def median_us(work: Callable[[], object], rounds: int) -> float:
    """Median of single runs, in microseconds."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - begun)
    return statistics.median(times) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5000)
    parser.add_argument("--beside", action="store_true")
    given = parser.parse_args()
    rules = profile_files.load("hollywood-penn-national").rules
    mains = dict.fromkeys(range(1, 8), 2500)
    sides = {spot: dict(SIDE) for spot in mains}

    def scripted() -> ScriptedRound:
        return ScriptedRound(rules, mains, SHOE)

    def finished(round_: ScriptedRound) -> ScriptedEnding:
        standing = round_.deal()
        for act in ACTS:
            after = round_.act(standing, act)
            assert not isinstance(after, Refusal), (act, after)
            standing = after
        return round_.finish(standing)

    round_ = scripted()
    ended = finished(round_)
    found = account(round_, ended, sides, METERS)
    wagers = sum(len(row) for row in found.nets.values())
    settle_us = median_us(lambda: account(round_, ended, sides, METERS), given.rounds)

    def settle_anew() -> None:
        again = scripted()
        account(again, finished(again), sides, METERS)

    anew_us = median_us(settle_anew, given.rounds)
    why_us = median_us(lambda: [net.why for row in found.nets.values() for net in row.values()], given.rounds)
    print(f"{len(mains)} spots, {wagers} wagers, {ended.used} cards, {len(ACTS)} acts")
    print(f"settle  {settle_us:8.1f} us")
    print(f"tell    {anew_us:8.1f} us   dealt, played and settled")
    print(f"why     {why_us:8.1f} us   every sentence, made only when asked for")
    if given.beside:
        beside_us = median_us(blackjack21_round(), given.rounds)
        print(f"beside  {beside_us:8.1f} us   blackjack21: the same cards, main wagers only")
        print(f"tell / beside {anew_us / beside_us:.1f}")


def blackjack21_round() -> Callable[[], object]:
    """The same cards and acts, dealt and played by the package ``blackjack21``."""
    from blackjack21 import Card as PeerCard  # noqa: PLC0415 - only if asked for
    from blackjack21 import Table  # noqa: PLC0415

    values = {"A": 11, "T": 10, "J": 10, "Q": 10, "K": 10}
    cards = [PeerCard(face.value[1], face.value[0], values.get(face.value[0]) or int(face.value[0])) for face in SHOE]
    acts = [act.act for act in ACTS if act.act != "ez_bust"]

    class Stacked:
        """Hands out the shoe in its order."""

        def __init__(self) -> None:
            self.place = 0

        def __len__(self) -> int:
            return len(cards) - self.place

        def draw_card(self) -> PeerCard:
            self.place += 1
            return cards[self.place - 1]

    def play() -> None:
        table = Table([(str(spot), 25) for spot in range(1, 8)], Stacked())
        table.start_game()
        left = list(acts)
        while table.current_hand is not None:
            act = left.pop(0) if left else "stand"
            legal = {str(getattr(one, "value", one)) for one in table.available_actions()}
            getattr(table, {"double": "double_down"}.get(act, act) if act[:5] in " ".join(legal) else "stand")()

    return play


if __name__ == "__main__":
    main()
