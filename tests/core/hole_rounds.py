"""Rounds of simulated people in which something is wrong with the deal, and the hole card is any card.

What is physically the hole card, and when the dealer's hand turns it, the people's script says and not the table: of
two runs that differ in nothing but the hole card's face, every byte that leaves the table must be the same until then.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from controller.core.game.rules import Rules
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
    Input,
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
from controller.core.table.state import StepResult
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import (
    CardDrawn,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    LineDisturbed,
)
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.dealer import play
from simulators.people.felt import KEY_BURN, KEY_HOLE_TURNED, KEY_NO_MORE_BETS, MAIN, StandKey
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.houses import chips_of
from tests.core.human import Happens, HumanRig
from tests.core.pictures import Pictures
from tests.core.rig import KEY_OF, SPOTS, coded

PROFILES: Final = profile_files.names()

RANKS: Final = tuple(
    Card(face) for face in ("Ah", "2d", "3c", "4s", "5h", "6d", "7c", "8s", "9h", "Td", "Jc", "Qh", "Ks")
)
"""A face of every rank, of every suit."""

CHIP: Final = "E00400000000C1"
"""A chip of ten dollars that somebody throws."""

MORE_CHIPS: Final = ("E00400000000C2", "E00400000000C3", "E00400000000C4")
"""And three more of them."""


class HoleRig(HumanRig):
    """Keeps every byte that leaves the table, step by step."""

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int = 1) -> None:
        self.said: list[bytes] = []
        self.pictures = Pictures()
        self.is_deaf = False
        """Whether the next card of the deal is not heard."""
        super().__init__(rules, {**chips, **dict.fromkeys((CHIP, *MORE_CHIPS), 1000)}, seed)

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        stepped = super().give(item, closed=closed)
        pictures = self.pictures.after(self.house, self.table.state, stepped.events, self.now_ns)
        self.said.append(coded((stepped.events, stepped.desired, pictures)))
        return stepped

    def perform(self, acts: Iterable[Act | Happens]) -> list[RoundPlayed]:
        told: list[RoundPlayed] = []
        for act in acts:
            unheard = self.is_deaf and isinstance(act, Draw)
            self.is_deaf = self.is_deaf and not unheard
            told += [] if unheard else super().perform([act])
        return told

    def fork(self) -> HoleRig:
        """The same table at the same moment, to be played on in another way."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list):
                setattr(other, name, copy.copy(value))
        other.changing = {place: list(looks) for place, looks in self.changing.items()}
        other.pictures = self.pictures.fork()
        other.rng = Random()
        other.rng.setstate(self.rng.getstate())
        return other


class Script(NamedTuple):
    """What people do from the lock of a round until its hole card is physically turned."""

    acts: tuple[Act, ...]
    hole: int
    """Where the hole card is drawn."""
    boxes: tuple[int, ...]
    before: tuple[Act, ...] = ()
    """What they did before that: the rounds before, and the bets."""


def script_of(profile: str, seed: int, stand_key: StandKey, boxes: tuple[int, int], *, keyed: bool = True) -> Script:
    """The third round of people at a table; not ``keyed``: the dealer's key says nothing of the turn."""
    house = house_from(profile_files.raw(profile))
    acts = list(play(house, Random(seed), Rack(), boxes, rounds=3, stand_key=stand_key))
    ends = [at for at, act in enumerate(acts) if isinstance(act, RoundPlayed)]
    told = acts[ends[2]]
    assert isinstance(told, RoundPlayed)
    whole = acts[ends[1] + 1 : ends[2]]
    lock = next(at for at, act in enumerate(whole) if is_key(act, KEY_NO_MORE_BETS))
    turn = next(at for at, act in enumerate(whole) if is_key(act, KEY_HOLE_TURNED))
    round_acts = whole[lock:turn]
    draws = [at for at, act in enumerate(round_acts) if isinstance(act, Draw)]
    spots = tuple(sorted(int(spot) for spot in told.hands))
    before = (*acts[: ends[1] + 1], *whole[:lock])
    if not keyed:
        before = tuple(act for act in before if not is_key(act, KEY_HOLE_TURNED))
    return Script(tuple(round_acts), draws[2 * len(spots) + 1], spots, before)


def is_key(act: Act, key: str) -> bool:
    return isinstance(act, Press) and act.key == key


def rig_for(profile: str, stand_key: StandKey, turn_key: str, seed: int = 1, **options: Any) -> HoleRig:
    """A table at which nobody has played, with the hole card guarded.

    A pause counts as the turn only after a minute: these dealers take less to pay a natural before they turn it. Where
    they key the turn it never does.
    """
    keyed = "always" if stand_key == "always" else "sometimes"
    pause_s = 1 if turn_key == "always" else 60
    told = {"stand_key": keyed, "turn_key": turn_key, "turn_pause_s": pause_s, **options}
    rules = profile_files.load(profile, told).rules
    return HoleRig(rules, chips_of(Rack()), seed)


# --- what may be wrong with a deal ------------------------------------------------------------------


def insert(script: Script, at: int, *acts: Act) -> Script:
    """The script with acts put in before the act at a place."""
    hole = script.hole + (len(acts) if at <= script.hole else 0)
    return script._replace(acts=(*script.acts[:at], *acts, *script.acts[at:]), hole=hole)


def first_card(script: Script) -> int:
    """Where the first card is drawn, with the pause before it."""
    return next(at for at, act in enumerate(script.acts) if isinstance(act, Draw)) - 1


def card_within(script: Script, rng: Random) -> int:
    """Where some card of the deal is drawn that is not the hole card."""
    return rng.choice([at for at, act in enumerate(script.acts[: script.hole]) if isinstance(act, Draw)])


def honest(script: Script, rng: Random) -> Script:
    return script


def chip_on_undealt_box(script: Script, rng: Random) -> Script:
    free = [spot for spot in SPOTS if spot not in script.boxes]
    if not free:
        return script
    return script._replace(before=(*script.before, Pause(700), Lay(rng.choice(free), MAIN, (CHIP,)), Pause(1500)))


def chips_on_undealt_boxes(script: Script, rng: Random) -> Script:
    free = [spot for spot in SPOTS if spot not in script.boxes]
    thrown = zip(rng.sample(free, len(free)), MORE_CHIPS, strict=False)
    laid = (act for spot, chip in thrown for act in (Pause(700), Lay(spot, MAIN, (chip,))))
    return script._replace(before=(*script.before, *laid, Pause(1500)))


def chip_handed_back(script: Script, rng: Random) -> Script:
    thrown = chip_on_undealt_box(script, rng)
    spot = next((act.spot for act in reversed(thrown.before) if isinstance(act, Lay) and act.chips == (CHIP,)), 0)
    return insert(thrown, card_within(thrown, rng), Lay(spot, MAIN, ()), Pause(200)) if spot else script


def unannounced_burn(script: Script, rng: Random) -> Script:
    return insert(script, first_card(script), Pause(450), Draw(rng.choice(DECK)))


def card_read_twice(script: Script, rng: Random) -> Script:
    at = card_within(script, rng)
    return insert(script, at + 1, Pause(120), script.acts[at])


def card_missed(script: Script, rng: Random) -> Script:
    at = card_within(script, rng)
    return script._replace(acts=(*script.acts[:at], *script.acts[at + 1 :]), hole=script.hole - 1)


def box_without_chips(script: Script, rng: Random) -> Script:
    if len(script.boxes) < 2:
        return script
    spot = rng.choice(script.boxes)

    def without(acts: Iterable[Act]) -> Iterator[Act]:
        # As many acts as before: the places stay.
        for act in acts:
            yield Pause(0) if isinstance(act, Lay) and act.spot == spot else act

    return script._replace(acts=tuple(without(script.acts)), before=tuple(without(script.before)))


def burn_in_vain(script: Script, rng: Random) -> Script:
    return insert(script, first_card(script), Press(KEY_BURN), Pause(300))


IRREGULARITIES: Final[dict[str, Callable[[Script, Random], Script]]] = {
    "honest": honest,
    "a chip on a box that is not dealt to": chip_on_undealt_box,
    "such a chip handed back in the deal": chip_handed_back,
    "chips on boxes that are not dealt to": chips_on_undealt_boxes,
    "an unannounced burn": unannounced_burn,
    "a card read twice": card_read_twice,
    "a card missed": card_missed,
    "a box without chips": box_without_chips,
    "burn pressed in vain": burn_in_vain,
}

# --- what a player may do about it ------------------------------------------------------------------


def draw_at_once(script: Script, rng: Random, cards: int) -> Script:
    """A player draws as soon as the deal is done, faster than any dealer waits and slower than any deals."""
    acts = (act for _ in range(cards) for act in (Pause(rng.randrange(750, 1250)), Draw(rng.choice(DECK))))
    return insert(script, script.hole + 1, *acts)


def draw_in_rhythm(script: Script, rng: Random) -> Script:
    """A player draws as fast as the dealer deals."""
    return insert(script, script.hole + 1, Pause(450), Draw(rng.choice(DECK)))


DRAWS: Final[dict[str, Callable[[Script, Random], Script]]] = {
    "a card drawn at once": partial(draw_at_once, cards=1),
    "two cards drawn at once": partial(draw_at_once, cards=2),
    "a card drawn in the dealer's rhythm": draw_in_rhythm,
}

# --- what people may do meanwhile -------------------------------------------------------------------

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


def tell_fitness(rig: HoleRig, rng: Random) -> None:
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
    tell_fitness,
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
"""What keeps a card of an open round from the table, and tells it that one may be missing."""

KEYS: Final[tuple[Doing, ...]] = (any_key, no_more_bets, undo)
DOINGS: Final[dict[str, Doing]] = {
    one.__name__: one for one in (nothing, *ORDERS, *OTHERS, *UNHEARD, *KEYS, wait, flicker, touch)
}


class Case(NamedTuple):
    """A round, what is wrong with its deal, and what somebody does at which moment before the turn.

    Two irregularities are written with an "and" between them, what a player does about them too.
    """

    profile: str
    irregularity: str
    doings: tuple[str, ...]
    seed: int
    stand_key: StandKey = "always"
    turn_key: str = "always"
    boxes: tuple[int, int] = (1, 3)


def assert_secret(case: Case, faces: Iterable[Card] = RANKS) -> None:
    """Play the round with each face in the hole; nothing that leaves before the dealer turns it may differ."""
    rng = Random(case.seed)
    script = script_of(case.profile, case.seed, case.stand_key, case.boxes, keyed=case.turn_key == "always")
    for irregularity in case.irregularity.split(" and "):
        script = (IRREGULARITIES | DRAWS)[irregularity](script, rng)
    moments = sorted(rng.randrange(len(script.acts) + 1) for _ in case.doings)
    doings = [Done(at, DOINGS[name], rng.randrange(1 << 30)) for at, name in zip(moments, case.doings, strict=True)]
    rig = rig_for(case.profile, case.stand_key, case.turn_key, case.seed)
    if any(done.doing in (propose, propose_and_approve, propose_and_withdraw) for done in doings):
        rig.house = replace(rig.house, two_persons=True)
        restart(rig, rng)
    rig.perform(script.before)
    carry_out(rig, script.acts[: script.hole], doings, 0)
    carry_out(rig, (), doings, script.hole)
    draw = script.acts[script.hole]
    assert isinstance(draw, Draw)
    rig.is_deaf = False
    first: list[bytes] | None = None
    for face in faces:
        run = rig.fork()
        run.said, run.events = [], []
        run.perform([replace(draw, card=face)])
        hole = next(one.number for one in reversed(run.stamped) if isinstance(one.input, CardDrawn))
        later = [one for one in doings if one.at > script.hole]
        carry_out(run, script.acts[script.hole + 1 :], later, script.hole + 1)
        carry_out(run, (), later, len(script.acts))
        opened = [event for event in run.events if isinstance(event, CardOpened) and event.card == hole]
        assert not opened, (case, face)
        first = run.said if first is None else first
        assert run.said == first, (case, face)


class Done(NamedTuple):
    """What somebody does before the act at a place."""

    at: int
    doing: Doing
    seed: int


def carry_out(rig: HoleRig, acts: tuple[Act, ...], doings: list[Done], first: int) -> None:
    """People's acts, the first of them at place ``first``, with what somebody does between; all there is at the end."""
    for at, one in enumerate((*acts, None), start=first):
        if one is None and acts:
            return
        for done in doings:
            if done.at == at:
                done.doing(rig, Random(done.seed))
        if one is not None:
            rig.perform([one])
