"""What people, devices and the floor may do while a hole card lies closed, one function each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Final

from controller.core.messages.events import CardOpened
from controller.core.messages.floor_events import Count
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AdjustWager,
    AnswerQuestion,
    ApproveOrder,
    AssignCard,
    DaemonStarted,
    DayBegan,
    DeclareBox,
    EnterInventory,
    FitnessLevel,
    FitnessReported,
    OpeningRefuted,
    ReadingsHeld,
    SetCard,
    ShoeChanged,
    SoftwareInspected,
    VoidRound,
    WithdrawOrder,
)
from controller.core.persons import Authentication
from controller.core.table.keymap import KEYPAD, MEANINGS
from firmware_protocols.cards import DECK
from firmware_protocols.readings import (
    CardDrawn,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    LineDisturbed,
)
from simulators.people.simulated_table import MAIN
from tests.core.hole_rig import CHIP, HoleRig
from tests.core.rig import KEY_OF, SPOTS

Doing = Callable[[HoleRig, Random], None]


def cards_of(rig: HoleRig) -> list[int]:
    round_now = rig.table.state.round
    return [1] if round_now is None or not round_now.cards.drawn else [card.number for card in round_now.cards.drawn]


def number_of(rig: HoleRig) -> int:
    return rig.table.state.rounds


def strike(rig: HoleRig, rng: Random) -> None:
    rig.give(SetCard(rig.now_ns, rng.choice(cards_of(rig)), None, "floor", "test"))


def name_card(rig: HoleRig, rng: Random) -> None:
    rig.give(SetCard(rig.now_ns, rng.choice(cards_of(rig)), rng.choice(DECK), "floor", "test"))


def name_last(rig: HoleRig, rng: Random) -> None:
    rig.give(SetCard(rig.now_ns, cards_of(rig)[-1], rng.choice(DECK), "floor", "test"))


def declare(rig: HoleRig, rng: Random) -> None:
    rig.give(DeclareBox(rig.now_ns, rng.choice(SPOTS), 1000, "floor", "test"))


def assign(rig: HoleRig, rng: Random) -> None:
    rig.give(AssignCard(rig.now_ns, rng.choice(cards_of(rig)), rng.choice((0, *SPOTS)), "floor", "test"))


def void(rig: HoleRig, rng: Random) -> None:
    rig.give(VoidRound(rig.now_ns, number_of(rig), "floor", "test"))


def void_and_new_shoe(rig: HoleRig, rng: Random) -> None:
    void(rig, rng)
    rig.give(ShoeChanged(rig.now_ns, -1, "floor"))


def flicker(rig: HoleRig, rng: Random) -> None:
    """The keypad's line is lost and back."""
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth(KEYPAD, state, rig.now_ns))


def adjust(rig: HoleRig, rng: Random) -> None:
    rig.give(AdjustWager(rig.now_ns, number_of(rig), rng.choice(SPOTS), MAIN, 500, "floor", "test"))


def answer(rig: HoleRig, rng: Random) -> None:
    rig.give(AnswerQuestion(rig.now_ns, rig.table.state.questions, rng.choice(("yes", "no", "2")), "floor"))


def any_key(rig: HoleRig, rng: Random) -> None:
    """Any key but those that say that the hole card is turned, or the round over."""
    meaning = rng.choice(sorted((MEANINGS & KEY_OF.keys()) - {"hole_turned", "round_closed"}))
    rig.give(KeyPressed(rig.now_ns, KEY_OF[meaning]))


def no_more_bets(rig: HoleRig, rng: Random) -> None:
    rig.give(KeyPressed(rig.now_ns, KEY_OF["no_more_bets"]))


def undo(rig: HoleRig, rng: Random) -> None:
    for _ in range(rng.randrange(1, 4)):
        rig.give(KeyPressed(rig.now_ns, KEY_OF["undo"]))


def touch(rig: HoleRig, rng: Random) -> None:
    """Somebody throws a chip on a spot, or takes what lies there."""
    spot = rng.choice(SPOTS)
    lies = rig.truth.get((spot, MAIN), ())
    rig.lay(spot, MAIN, () if lies else (CHIP,))


def nothing(rig: HoleRig, rng: Random) -> None:
    pass


FLOOR: Final = Authentication("key", ("floor",))
SURVEILLANCE: Final = Authentication("socket", ("surveillance",), 1002)


def propose(rig: HoleRig, rng: Random) -> None:
    """Where two persons must agree, one orders: nothing is done."""
    spot, cents = rng.choice(SPOTS), rng.choice((-1000, 500, 10_000_000))
    order = rng.choice(
        (
            VoidRound(rig.now_ns, number_of(rig), "floor", "test", FLOOR),
            AdjustWager(rig.now_ns, number_of(rig), spot, MAIN, cents, "floor", "test", FLOOR),
            SetCard(rig.now_ns, rng.choice(cards_of(rig)), rng.choice((None, *DECK)), "floor", "test", vouched=FLOOR),
            AssignCard(rig.now_ns, rng.choice(cards_of(rig)), rng.choice((0, *SPOTS)), "floor", "test", FLOOR),
            DeclareBox(rig.now_ns, spot, 1000, "floor", "test", FLOOR),
        )
    )
    rig.give(order)


def propose_and_approve(rig: HoleRig, rng: Random) -> None:
    propose(rig, rng)
    for proposed in rig.table.state.proposed[-1:]:
        rig.give(ApproveOrder(rig.now_ns, proposed.number, "surveillance", SURVEILLANCE))


def propose_and_withdraw(rig: HoleRig, rng: Random) -> None:
    propose(rig, rng)
    for proposed in rig.table.state.proposed[-1:]:
        rig.give(WithdrawOrder(rig.now_ns, proposed.number, "floor", "test"))


def count(rig: HoleRig, rng: Random) -> None:
    """The floor enters a count of the inventory."""
    rig.give(EnterInventory(rig.now_ns, rng.choice(list(Count)), 100_000, (), "slip 1", "floor", "test"))


def acknowledge(rig: HoleRig, rng: Random) -> None:
    """The floor has seen every alert."""
    for one in rig.table.state.alerts.listed:
        rig.give(AcknowledgeAlert(rig.now_ns, one.alert, "floor", ""))


def rule_on_one_before(rig: HoleRig, rng: Random) -> None:
    """Orders about the round before this one."""
    before = max(1, number_of(rig) - 1)
    rig.give(AdjustWager(rig.now_ns, before, rng.choice(SPOTS), MAIN, 500, "floor", "test"))
    if rng.random() < 0.5:
        rig.give(VoidRound(rig.now_ns, before, "floor", "test"))


def restart(rig: HoleRig, rng: Random) -> None:
    """The program ends and starts again."""
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))


def lose_readers(rig: HoleRig, rng: Random) -> None:
    """The readers of every spot are lost and back."""
    for spot, state in product(SPOTS, (HealthState.LOST, HealthState.READY)):
        rig.give(DeviceHealth(f"bet_spots/{spot}", state, rig.now_ns))


def lose_shoe(rig: HoleRig, rng: Random) -> None:
    """The shoe is lost and back."""
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))


def restart_unheard(rig: HoleRig, rng: Random) -> None:
    """The program ends, a card is dealt, and it starts again."""
    restart(rig, rng)
    rig.is_deaf = True


def lose_shoe_unheard(rig: HoleRig, rng: Random) -> None:
    """A card is dealt while the shoe is lost."""
    lose_shoe(rig, rng)
    rig.is_deaf = True


def disturb_unheard(rig: HoleRig, rng: Random) -> None:
    """A card comes as bytes that nobody can read."""
    disturb_shoe(rig, rng)
    rig.is_deaf = True


def complain_unheard(rig: HoleRig, rng: Random) -> None:
    """The shoe says that it has dealt a card that did not reach the table."""
    rig.give(DeviceComplained("shoe", "draws_missing", "1 draw did not arrive", rig.now_ns))
    rig.is_deaf = True


def disturb_shoe(rig: HoleRig, rng: Random) -> None:
    """The last card comes once more, as bytes that are no message."""
    drawn = [one.input.face for one in rig.stamped if isinstance(one.input, CardDrawn)]
    rig.give(LineDisturbed("shoe", f"no message: {drawn[-1:]}", str(drawn[-1:]).encode(), rig.now_ns))


def report_fitness(rig: HoleRig, rng: Random) -> None:
    """The table is not fit for another round, or is again."""
    cause, levels = rng.choice(("storage", "consumers", "second_copy")), list(FitnessLevel)
    for level in rng.sample(levels, len(levels)):
        rig.give(FitnessReported(rig.now_ns, cause, level, "test"))


def hold_readings(rig: HoleRig, rng: Random) -> None:
    """The program was held back."""
    rig.give(ReadingsHeld(rig.now_ns, rng.randrange(1, 2_000) * 1_000_000))


def begin_day(rig: HoleRig, rng: Random) -> None:
    """Another gaming day begins."""
    rig.give(DayBegan(rig.now_ns, "2026-11-25"))


def look_at_software(rig: HoleRig, rng: Random) -> None:
    """The program is held against its list of files, and is another."""
    rig.give(SoftwareInspected(rig.now_ns, "hour", rng.random() < 0.5, "0" * 64, 1, "", "test"))


def refute(rig: HoleRig, rng: Random) -> None:
    """A card that was opened is found to have been committed to as another."""
    lying = [one.card for one in rig.events if isinstance(one, CardOpened)] or [1]
    rig.give(OpeningRefuted(rig.now_ns, rng.choice(lying[-20:]), str(rng.choice(DECK))))


def new_shoe(rig: HoleRig, rng: Random) -> None:
    """The floor says that another shoe is used."""
    rig.give(ShoeChanged(rig.now_ns, -1, "floor"))


def answer_all(rig: HoleRig, rng: Random) -> None:
    """Every question there was is answered, right or wrong."""
    for question in range(1, rig.table.state.questions + 1):
        rig.give(AnswerQuestion(rig.now_ns, question, rng.choice(("yes", "no", "1", "2", "3")), "floor"))


def adjust_beyond(rig: HoleRig, rng: Random) -> None:
    """The floor adjusts a wager to what no cards could give it."""
    cents = rng.choice((-100_000_000, 100_000_000))
    rig.give(AdjustWager(rig.now_ns, number_of(rig), rng.choice(SPOTS), MAIN, cents, "floor", "test", FLOOR))


def adjust_all(rig: HoleRig, rng: Random) -> None:
    """The floor adjusts every wager of the round."""
    cents = rng.choice((-1000, 0, 500, 1500))
    for spot in SPOTS:
        rig.give(AdjustWager(rig.now_ns, number_of(rig), spot, MAIN, cents, "floor", "test"))


def wait(rig: HoleRig, rng: Random) -> None:
    """Nobody does anything for a while, shorter than the pause that counts as the turn."""
    rig.pass_until(rig.now_ns + rng.randrange(1, 20) * 1_000_000_000)


ORDERS: Final[tuple[Doing, ...]] = (
    strike,
    name_card,
    name_last,
    declare,
    assign,
    void,
    void_and_new_shoe,
    adjust,
    answer,
)
OTHERS: Final[tuple[Doing, ...]] = (
    propose,
    propose_and_approve,
    propose_and_withdraw,
    count,
    acknowledge,
    rule_on_one_before,
    restart,
    lose_readers,
    lose_shoe,
    disturb_shoe,
    report_fitness,
    hold_readings,
    begin_day,
    look_at_software,
    refute,
    new_shoe,
    answer_all,
    adjust_beyond,
    adjust_all,
)
"""What is no ruling on the round, or takes two persons, and what befalls the program and its devices."""

UNHEARD: Final[tuple[Doing, ...]] = (restart_unheard, lose_shoe_unheard, disturb_unheard, complain_unheard)
"""What keeps a card of an open round from the table, and says that one may be missing."""

KEYS: Final[tuple[Doing, ...]] = (any_key, no_more_bets, undo)
DOINGS: Final[dict[str, Doing]] = {
    one.__name__: one for one in (nothing, *ORDERS, *OTHERS, *UNHEARD, *KEYS, wait, flicker, touch)
}
