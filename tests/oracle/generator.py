"""Small random rounds as people would play them, with what truly happened.

Shares with the oracle only ``house.py`` (totals and prices): how a round runs is written here a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tests.oracle.house import CARDS, dealer_draws
from tests.oracle.sitting import DECKS, Box, Dealing, Hand, Line, habits_of, lines_of, options_of


@dataclass
class Generated:
    """A round's lines and its truth: the play as the oracle names plays.

    ``idle``: numbers of the lines that mean nothing. ``prompt``: each change is reported before the next one is made.
    """

    lines: list[Line]
    truth: tuple[Any, ...]
    idle: frozenset[int]
    prompt: bool


def honest(seed: int, *, boxes: int = 3, bust_bets: bool = False) -> Generated:
    """A round played by the rules by people who show what their house's procedure makes them show.

    ``boxes``: at most so many; ``bust_bets``: EZ Bust wagers too, where the house has them.
    """
    rng = Random(seed)
    profile = rng.choice(list(CARDS))
    options = options_of(rng, profile)
    made = Dealing(rng, profile, options, habits_of(rng, bust_bets=bust_bets), rng.choice(DECKS))
    for spot in sorted(rng.sample(range(1, 8), rng.randint(1, boxes))):
        wager = rng.choice((500, 1000, 1000, 1500, 2500, 505))
        made.boxes.append(Box(spot, wager, [Hand([], wager)], wager))
    header = {"profile": profile, "options": options, "wagers": {str(b.spot): {"main": b.wager} for b in made.boxes}}
    deal(made)
    make_offers(made)
    for box in made.boxes:
        play_box(made, box)
    dealer_plays(made)
    pay(made)
    observed = lines_of(made)
    idle = frozenset(number for number, (_, touched) in enumerate(observed, start=1) if touched)
    lines = [header, *(line for line, _ in observed), {"close": True}]
    return Generated(lines, truth_of(made), idle, made.habits.times != "wide")


def truth_of(made: Dealing) -> tuple[Any, ...]:
    boxes = tuple(
        (
            box.surrendered,
            box.even,
            box.insured,
            box.bust_bet,
            tuple((tuple(hand.cards), hand.base, hand.extra) for hand in box.hands),
        )
        for box in made.boxes
    )
    return boxes, tuple(made.dealer), (), ""


def deal(made: Dealing) -> None:
    """Two cards each; somebody may touch a wager meanwhile and put it back."""
    for turn in range(2):
        for box in made.boxes:
            box.hands[0].cards.append(made.card())
        if turn == 0 or made.house.hole_card == "dealt":
            made.dealer.append(made.card())
        if turn == 0 and made.chance(made.habits.fumbles):
            box = made.rng.choice(made.boxes)
            made.lay(box, "main", made.rng.choice((0, box.wager // 2, 2 * box.wager)), idle=True)
            made.lay(box, "main", box.wager, idle=True)
    for box in made.boxes:
        box.hands[0].over = made.natural(box)
    made.now += 200


def make_offers(made: Dealing) -> None:
    """Insurance, early surrenders, even money, and naturals paid at once, in any order."""
    boxes = list(made.boxes)
    made.rng.shuffle(boxes)
    for box in boxes:
        if made.up() == "A" and made.chance(0.4):
            cap = made.house.insurance_cap(box.wager)
            made.lay(box, "insurance", made.rng.choice((cap, cap, cap // 2, box.wager)))
            if made.chance(0.3):
                made.lay(box, "insurance", made.rng.choice((0, cap)))
            box.insured = min(cap, box.insurance)
        if made.natural(box) and made.up() == "A" and made.house.even_money_offered and made.chance(0.5):
            take_even_money(made, box)
        elif made.natural(box) and not made.slow() and made.chance(0.7):
            made.lay(box, "main", box.wager * 5 // 2)
            if made.chance(0.5):
                made.lay(box, "main", 0)
        elif made.house.surrender_turn == "any" and made.chance(0.15):
            surrender(made, box)
        if made.habits.bust_bets and made.house.ez_bust and made.up() in "23456" and made.chance(0.5):
            bust_bet(made, box, made.rng.choice((500, 1000)))
            if made.chance(0.2):
                bust_bet(made, box, made.rng.choice((0, 500, 1000)))
    made.insurable = made.up() == "A" and made.house.insurance_until == "card"
    if made.up() == "A" and made.chance(0.5):
        made.insurable = False
        made.press("insurance_closed")


def bust_bet(made: Dealing, box: Box, cents: int) -> None:
    """An EZ Bust wager is laid, or another amount than before, or taken back."""
    if box.bust_bet != cents:
        made.observe({"spot": box.spot, "zone": "ez_bust", "cents": cents})
    box.bust_bet = cents


def take_even_money(made: Dealing, box: Box) -> None:
    if made.house.even_money == "chips":
        made.lay(box, "main", 2 * box.wager)
    else:
        made.observe({"key": "even_money", "spot": box.spot})
    box.even = True


def surrender(made: Dealing, box: Box) -> None:
    """Two untouched cards given up, shown by chips, key or both (or, where the house allows it, by nothing)."""
    hand = box.hands[0]
    if made.house.surrender != "late" or hand.over or len(hand.cards) != 2:
        return
    box.surrendered = hand.over = True
    how = made.rng.choice(("chips", "key", "key chips", "chips key"))
    if how == "key" and made.house.surrender_shown == "sometimes" and made.chance(0.5):
        return
    half = made.rng.choice(sorted({0, *made.house.halves(box.wager)} - {box.wager}))
    for step in how.split():
        if step == "key":
            made.observe({"key": "surrender", "spot": box.spot})
        else:
            made.lay(box, "main", half)
    if not made.slow() and made.chance(0.5):
        made.lay(box, "main", 0)


def play_box(made: Dealing, box: Box) -> None:
    """The box's decisions, hand by hand from the left."""
    number = 0
    while number < len(box.hands):
        hand = box.hands[number]
        if hand.over:
            number += 1
        elif len(hand.cards) == 1:
            second_card(made, box, hand)
        else:
            decide(made, box, number)
        if all(hand.over for hand in box.hands) and broke(made, box) and box.main:
            take_busts(made, box)


def broke(made: Dealing, box: Box) -> bool:
    return not box.surrendered and all(made.count(hand) > 21 for hand in box.hands)


def take_busts(made: Dealing, box: Box) -> None:
    if made.house.busts_taken == "at_once" or made.chance(made.habits.takes):
        made.lay(box, "main", 0)


def second_card(made: Dealing, box: Box, hand: Hand) -> None:
    hand.cards.append(made.card())
    again = made.house.resplit_aces and made.ranks_of(hand.cards) == "AA" and len(box.hands) < made.house.max_hands
    hand.over = made.count(hand) == 21 or (hand.aces and not again)


def decide(made: Dealing, box: Box, number: int) -> None:
    """One decision of a hand of two or more cards below 21."""
    hand = box.hands[number]
    ranks = made.ranks_of(hand.cards)
    pair = len(hand.cards) == 2 and made.house.pairs(ranks) and len(box.hands) < made.house.max_hands
    first = len(box.hands) == 1 and len(hand.cards) == 2
    if pair and made.chance(0.6):
        split(made, box, number)
    elif first and made.chance(0.12):
        surrender(made, box)
        if not hand.over:
            stand(made, box, hand)
    elif len(hand.cards) == 2 and not hand.aces and made.house.may_double(ranks) and made.chance(0.25):
        double(made, box, hand)
    elif hand.aces or made.chance(0.5 if made.count(hand) < 17 else 0.85):
        stand(made, box, hand)
    else:
        made.press("hit", box)
        hand.cards.append(made.card())
        hand.over = made.count(hand) >= 21
        if made.count(hand) > 21 and len(box.hands) > 1 and made.chance(made.habits.takes):
            left = box.main - hand.base - hand.extra
            if left > 0:
                made.lay(box, "main", left)


def stand(made: Dealing, box: Box, hand: Hand) -> None:
    made.press("stand", box)
    hand.over = True
    if made.insurable and made.chance(0.4):
        late = made.rng.choice(made.boxes)
        made.lay(late, "insurance", made.house.insurance_cap(late.wager))
        late.insured = late.insurance


def double(made: Dealing, box: Box, hand: Hand) -> None:
    made.insurable = False
    extra = hand.base if made.chance(0.7) else made.rng.randint(1, hand.base)
    before = made.chance(0.5)
    if before:
        made.press("double", box)
    made.lay(box, "main", box.main + extra)
    if not before:
        made.press("double", box)
    hand.extra = extra
    hand.cards.append(made.card())
    hand.over = True


def split(made: Dealing, box: Box, number: int) -> None:
    made.insurable = False
    hand = box.hands[number]
    before = made.chance(0.5)
    if before:
        made.press("split", box)
    made.lay(box, "main", box.main + box.wager)
    if not before:
        made.press("split", box)
    aces = made.ranks_of(hand.cards) == "AA"
    box.hands[number : number + 1] = [Hand([card], box.wager, aces=aces) for card in hand.cards]


def live(made: Dealing, box: Box) -> bool:
    if box.surrendered or made.natural(box):
        return False
    return any(made.count(hand) <= 21 for hand in box.hands)


def dealer_plays(made: Dealing) -> None:
    made.press("hole_turned")
    bets = any(box.bust_bet for box in made.boxes) and not all(broke(made, box) for box in made.boxes)
    goes_on = bets or any(live(made, box) for box in made.boxes)
    if len(made.dealer) == 1 and (goes_on or second_decides(made)):
        made.dealer.append(made.card())
    if goes_on:
        while dealer_draws(made.house, made.ranks_of(made.dealer)):
            made.dealer.append(made.card())


def second_decides(made: Dealing) -> bool:
    """Somebody who does not play on waits for the dealer's second card."""
    frozen = made.slow() and any((made.natural(box) and not box.even) or box.surrendered for box in made.boxes)
    return frozen or any(box.insured for box in made.boxes)


def pay(made: Dealing) -> None:
    """Some wagers are taken or paid, now and then wrongly, insurance first or last."""
    boxes = list(reversed(made.boxes)) if made.chance(0.7) else made.rng.sample(made.boxes, len(made.boxes))
    for box in boxes:
        if box.insurance and made.chance(made.habits.pay):
            made.lay(box, "insurance", made.rng.choice((0, 3 * box.insurance)))
        if box.bust_bet and made.chance(made.habits.pay):
            made.observe({"spot": box.spot, "zone": "ez_bust", "cents": made.rng.choice((0, 2 * box.bust_bet))})
        if not made.chance(made.habits.pay):
            continue
        if broke(made, box):
            made.lay(box, "main", 0)
        elif box.main:
            made.lay(box, "main", made.rng.choice((0, 2 * box.main, box.main * 5 // 2)))
