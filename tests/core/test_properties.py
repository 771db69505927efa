"""What holds for every hand, every felt and every input."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core.game.hand import Outcome, PlayedHand, best, points_of, seen, total
from controller.core.game.settlement import DRAWN, NATURAL, DealerEnd, hand_net, insurance_net, main_net
from controller.core.messages.events import Event
from controller.core.messages.house import House, begun_now
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted, Input, StampedInput, VoidRound
from controller.core.step import step
from controller.core.table.keymap import DEFAULT_KEYS
from controller.core.table.layout import Felt, FeltHeard, conflicts, inventory, placed_after_look
from controller.core.table.state import State, Table, restore
from firmware_protocols.cards import DECK, POINTS, Card
from firmware_protocols.readings import (
    CardDrawn,
    ChipsConfirmed,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    LineDisturbed,
)
from tests.core.houses import RULES, rules_of
from tests.core.rig import MS, SPOTS, Rig, penn, settled

FACES = st.sampled_from(DECK)
CENTS = st.integers(1, 1_000_000)
ENDS = st.sampled_from([NATURAL, *DRAWN])


@st.composite
def played_hands(draw: st.DrawFn) -> PlayedHand:
    cards = tuple(seen(place, face) for place, face in enumerate(draw(st.lists(FACES, min_size=2, max_size=8))))
    base = draw(CENTS)
    return PlayedHand(cards, base, draw(st.integers(0, base)))


def outcome_of(hands: list[PlayedHand]) -> Outcome:
    return Outcome("played", tuple(msgspec.structs.replace(hand, base_cents=hands[0].base_cents) for hand in hands))


@given(st.lists(FACES, min_size=1, max_size=12))
def test_the_best_total_is_the_highest_that_does_not_break(faces: list[Card]) -> None:
    hard = sum(POINTS[face.rank] for face in faces)
    aces = sum(face.rank == "A" for face in faces)
    ways = [hard + 10 * high for high in range(aces + 1)]
    fitting = [way for way in ways if way <= 21]
    found, soft = total(tuple(POINTS[face.rank] for face in faces))
    assert found == (max(fitting) if fitting else hard)
    assert soft == (found > hard)
    assert best(tuple(seen(place, face) for place, face in enumerate(faces))) == found


@given(st.integers(0, 400), FACES)
def test_a_remembered_card_keeps_its_place_and_points(place: int, face: Card) -> None:
    assert points_of(seen(place, face)) == POINTS[face.rank]
    assert seen(place, face) >> 4 == place


@given(st.lists(played_hands(), min_size=1, max_size=4), ENDS, st.sampled_from(sorted(RULES)))
def test_nobody_loses_more_than_lies_there_or_wins_more_than_is_paid(
    hands: list[PlayedHand], end: DealerEnd, name: str
) -> None:
    outcome = outcome_of(hands)
    stake = sum(hand.stake_cents() for hand in outcome.hands)
    net = main_net(RULES[name], outcome, end).cents
    assert -stake <= net <= stake
    if end.natural:
        assert net == -outcome.hands[0].base_cents
    else:
        assert net == sum(hand_net(RULES[name], hand, end).cents for hand in outcome.hands)


@given(st.lists(played_hands(), min_size=2, max_size=4), ENDS, st.randoms(use_true_random=False))
def test_the_order_of_split_hands_moves_no_money(hands: list[PlayedHand], end: DealerEnd, chance: object) -> None:
    outcome = outcome_of(hands)
    turned = Outcome("played", tuple(reversed(outcome.hands)))
    rules = RULES["borgata"]
    assert main_net(rules, outcome, end).cents == main_net(rules, turned, end).cents


@given(played_hands(), played_hands())
def test_what_one_side_wins_the_other_loses(ours: PlayedHand, theirs: PlayedHand) -> None:
    """Two unbroken hands of the same stake, each taken once for the player's and once for the dealer's."""
    theirs = msgspec.structs.replace(theirs, base_cents=ours.base_cents, extra_cents=ours.extra_cents)
    if best(ours.cards) > 21 or best(theirs.cards) > 21:
        return
    won = hand_net(RULES["borgata"], ours, DealerEnd(natural=False, total=best(theirs.cards))).cents
    lost = hand_net(RULES["borgata"], theirs, DealerEnd(natural=False, total=best(ours.cards))).cents
    assert won == -lost
    assert won in {-ours.stake_cents(), 0, ours.stake_cents()}


@given(CENTS, st.integers(1, 500), ENDS)
def test_naturals_surrenders_and_insurance(wager: int, unit: int, end: DealerEnd) -> None:
    rules = rules_of("hollywood-penn-national", payout_unit_cents=unit)
    hand = (PlayedHand((seen(0, Card("9h")), seen(1, Card("7d"))), wager, 0),)
    natural, surrendered = (main_net(rules, Outcome(how, hand), end).cents for how in ("natural", "surrendered"))
    assert natural == (0 if end.natural else wager * 3 // 2 // unit * unit)
    assert surrendered == (-wager if end.natural else wager // 2 // unit * unit - wager)
    assert insurance_net(rules, wager, dealer_natural=True).cents == 2 * wager
    assert insurance_net(rules, wager, dealer_natural=False).cents == -wager


def stood_round(spots: tuple[int, int], hands: list[list[Card]], dealer: list[Card]) -> dict[int, int]:
    """Two boxes stand on what they have and the dealer draws as he must; the nets by place of the box."""
    rig = Rig(penn(stand_key="always"))
    for spot in spots:
        rig.chips(spot, "main", 1000)
    first, second = hands
    for face in [first[0], second[0], dealer[0], first[1], second[1], dealer[1]]:
        rig.card(face)
    for hand in hands:
        if total(tuple(POINTS[face.rank] for face in hand))[0] < 21:
            rig.key("stand")
    held = dealer[:2]
    natural = all(total(tuple(POINTS[face.rank] for face in hand))[0] == 21 for hand in hands)
    for face in dealer[2:]:
        if natural or total(tuple(POINTS[each.rank] for each in held))[0] >= 17:
            break
        rig.card(face)
        held.append(face)
    rig.key("round_closed")
    rig.pass_ms(100)
    assert rig.outcomes() == ["settled"]
    return {spots.index(spot): due for (_, spot, _), (_, due) in settled(rig.events).items()}


@settings(max_examples=40)
@given(
    st.lists(st.lists(FACES, min_size=2, max_size=2), min_size=2, max_size=2),
    st.lists(FACES, min_size=12, max_size=12),
    st.lists(st.sampled_from(SPOTS), min_size=2, max_size=2, unique=True).map(sorted),
)
def test_which_spot_a_hand_lies_on_moves_no_money(
    hands: list[list[Card]], dealer: list[Card], spots: list[int]
) -> None:
    first = stood_round((1, 2), hands, dealer)
    assert stood_round((spots[0], spots[1]), hands, dealer) == first
    assert stood_round((1, 2), hands[::-1], dealer) == {0: first[1], 1: first[0]}


VALUES = {"A": 100, "B": 500, "C": 2500, "D": 2500}
SEEN = st.builds(
    ChipsSeen,
    spot=st.integers(1, 2),
    zone=st.sampled_from(["main", "insurance"]),
    chips=st.lists(st.sampled_from([*VALUES, "X"]), max_size=4).map(tuple),
    after_ns=st.just(0),
    by_ns=st.just(1),
)


@given(st.lists(SEEN, max_size=12))
def test_a_known_chip_counts_at_one_zone_that_hears_it_the_one_before_while_it_does(
    seen_chips: list[ChipsSeen],
) -> None:
    now = FeltHeard()
    for each in seen_chips:
        before = now.felt
        now, changes, _ = inventory(now, VALUES, each, 0, 1)
        felt, disputed = now.felt, conflicts(now.felt)
        assert now.heard_twice == disputed
        for name, zone in felt.items():
            counted = counting(felt, name)
            assert zone.cents == sum(VALUES.get(chip, 0) for chip in counted)
            assert {chip for chip in zone.chips if chip not in disputed} <= counted.union(zone.released)
            settled, _, _ = placed_after_look(felt, VALUES, [1, 2], 2)
            assert {chip for chip in zone.chips if chip not in disputed} <= counting(settled, name)
            assert counting(before, name).intersection(zone.chips) <= counted
            was = before[name].cents if name in before else 0
            moved = [(c.before, c.after) for c in changes if (c.spot, c.zone) == (zone.spot, zone.name)]
            assert moved == ([] if was == zone.cents else [(was, zone.cents)])
        assert all(sum(chip in counting(felt, name) for name in felt) <= 1 for chip in VALUES)


def counting(felt: Felt, name: str) -> set[str]:
    """The chips that count at a zone."""
    return set(felt[name].chips).difference(felt[name].doubted) if name in felt else set()


TIMES = st.integers(0, 30).map(lambda tenths: tenths * 100 * MS)
INPUTS: st.SearchStrategy[Input] = st.one_of(
    st.builds(
        CardDrawn,
        at_ns=TIMES,
        face=st.one_of(FACES, FACES, FACES, st.none()),
        burn=st.sampled_from([False] * 5 + [True]),
    ),
    st.builds(
        ChipsSeen,
        spot=st.integers(1, 3),
        zone=st.sampled_from(["main", "main", "insurance", "lucky_ladies"]),
        chips=st.lists(st.sampled_from([*VALUES, "X"]), max_size=3).map(tuple),
        after_ns=TIMES,
        by_ns=TIMES,
    ),
    st.builds(ChipsConfirmed, spots=st.sampled_from([SPOTS, (1,), ()]), upto_ns=TIMES),
    st.builds(KeyPressed, at_ns=TIMES, key=st.sampled_from([*DEFAULT_KEYS, "Z"]), held=st.booleans()),
    st.builds(
        DeviceHealth,
        device=st.sampled_from(["shoe", "keypad", "bet_spots/1", "nothing"]),
        state=st.sampled_from(HealthState),
        at_ns=TIMES,
    ),
    st.builds(DeviceComplained, device=st.text(max_size=3), code=st.text(max_size=3), text=st.text(), at_ns=TIMES),
    st.builds(LineDisturbed, device=st.just("shoe"), reason=st.text(), data=st.binary(max_size=64), at_ns=TIMES),
    st.builds(
        AnswerQuestion,
        at_ns=TIMES,
        question=st.integers(0, 2),
        answer=st.sampled_from(["yes", "no", ""]),
        who=st.text(),
    ),
)


RULED: st.SearchStrategy[Input] = st.one_of(
    INPUTS,
    st.builds(VoidRound, at_ns=TIMES, round=st.integers(1, 2), who=st.just("floor"), why=st.just("misdeal")),
)


@dataclass
class Night:
    """A table under whatever comes in."""

    house: House
    events: list[Event] = field(default_factory=list)
    number: int = 0

    def __post_init__(self) -> None:
        self.table = Table(self.house, State())

    def take(self, item: Input, at_ns: int) -> None:
        self.number += 1
        stamped = StampedInput(self.number, at_ns, 0, bytes(32), item)
        stepped = step(self.table, stamped)
        self.table = stepped.table
        self.events.extend(stepped.events)
        msgspec.json.encode((stepped.events, stepped.desired))
        assert self.table.state.seq == len(self.events)
        assert self.table.state.number == self.number


@settings(max_examples=150)
@given(
    st.sampled_from(sorted(RULES)),
    st.lists(FACES, max_size=8),
    st.lists(st.tuples(RULED, TIMES), max_size=30),
    st.booleans(),
    st.booleans(),
)
def test_no_input_at_any_time_upsets_the_table(
    name: str, deal: list[Card], inputs: list[tuple[Input, int]], again: bool, new: bool
) -> None:
    house = House(RULES[name], VALUES, DEFAULT_KEYS, "0" * 64, {"bet_spots/1": (1,), "bet_spots/2": (2, 3)})
    if new:
        house = msgspec.structs.replace(begun_now(house), two_persons=True)
    night = Night(house)
    night.take(DaemonStarted(0, "test", house), 0)
    night.take(ChipsSeen(1, "main", ("C",), 0, 1), 1)
    night.take(ChipsSeen(2, "main", ("D",), 0, 1), 1)
    for face in deal:
        night.take(CardDrawn(2, face), 2)
    for item, at_ns in inputs:
        night.take(item, at_ns)
    state = msgspec.json.decode(msgspec.json.encode(night.table.state), type=State)
    night.table = restore(house, state)
    if again:
        night.take(DaemonStarted(0, "test", house), 0)
    for item, at_ns in inputs[:5]:
        night.take(item, at_ns)
