"""Side wagers by their cards, and the aggregate limit on what those of a round win at fixed odds (ruling A35).

The rows are those on the card of Hollywood Penn National as the rulings A16 to A27 read them. A wager is decided with
its box's two cards and the up card; two queens of hearts against an ace or ten with the dealer's second card.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from firmware_protocols.cards import DECK
from tests.oracle.house import House, is_natural, lucky_ladies, three_cards, total
from tests.oracle.position import Position

Wager = tuple[int, str]
"""Place of a box among the boxes, and a bet."""

Nets = dict[Wager, set[int | None]]

WITHOUT_END = 10**15
"""Cents that somebody may still win who may still wager what he likes."""


def sevens(cards: tuple[str, str, str], cents: int) -> int | None:
    """Blazing 7's: an award for one less the stake; None where a meter pays."""
    own, up = [card for card in cards[:2] if card[0] == "7"], cards[2]
    award = {0: 0, 1: 1_000, 2: 12_500}[len(own)]
    if len(own) == 2 and up[0] == "7":
        suits = "".join(sorted({card[1] for card in cards}))
        if len(suits) == 1:
            return None
        award = 250_000 if suits in ("dh", "cs") else 100_000
    return award - cents


def net(bet: str, cents: int, cards: tuple[str, str, str], *, natural: bool) -> int | None:
    """What a wager placed before the deal comes to by a box's two cards and the up card; None: a meter says."""
    if bet == "lucky_ladies":
        return cents * lucky_ladies(cards[0], cards[1], dealer_natural=natural)
    if bet == "twenty_one_plus_three":
        return cents * three_cards(cards)
    if bet == "blazing7s":
        return sevens(cards, cents)
    assert bet == "five_card_progressive", bet
    return -cents


def cards_of(position: Position, index: int) -> tuple[str, str, str] | None:
    """A box's two cards and the up card, once they lie there."""
    up = len(position.boxes)
    return (
        (position.faces[index], position.faces[up + 1 + index], position.faces[up])
        if len(position.faces) > up + 1 + index
        else None
    )


def bust_net(position: Position, index: int) -> int:
    """What a box's EZ Bust comes to; the dealer's hand is complete."""
    if all(map(position.all_broke, position.boxes)):
        return 0
    cents = position.boxes[index].bust_bet
    return cents if total(position.ranks(position.dealer)) > 21 else -cents


def nets(
    house: House, position: Position, wagers: list[dict[str, int]], ends: list[Position], *, further: bool
) -> Nets:
    """What every side wager of the boxes may come to; None where a card or a wager to come may change it.

    ``wagers`` are those before the deal, box by box; ``ends`` the dealer's hands that the position may still meet;
    ``further``: EZ Bust may still be laid, or may have been laid unseen.
    """
    found: Nets = {(index, bet): set() for index, bets in enumerate(wagers) for bet in bets}
    found |= {(index, "ez_bust"): set() for index in range(len(position.boxes))}
    for end in ends:
        exact: dict[Wager, int | None] = {}
        for index, bets in enumerate(wagers):
            cards = cards_of(position, index)
            natural = is_natural(end.ranks(end.dealer[:2]))
            for bet, cents in bets.items():
                exact[index, bet] = None if cards is None else net(bet, cents, cards, natural=natural)
        for index, box in enumerate(position.boxes):
            exact[index, "ez_bust"] = bust_net(end, index) if position.played(house) or not box.bust_bet else None
        wins = set(wins_in_all(house, position, wagers, end, further=further)) if house.aggregate_limit_cents else {0}
        for wager, due in exact.items():
            found[wager] |= {due} if due is None or due <= 0 else {lowered(house, due, all_) for all_ in wins}
    return found


def lowered(house: House, cents: int, wins: int) -> int:
    """A win where all wins of the round at fixed odds come to ``wins``: in proportion, rounded down to the cent."""
    limit = house.aggregate_limit_cents
    return cents if not limit or wins <= limit else cents * limit // wins


def wins_in_all(
    house: House, position: Position, wagers: list[dict[str, int]], end: Position, *, further: bool
) -> Iterator[int]:
    """Whatever all wins of the round may come to with this dealer's hand: every card to come is tried."""
    if len(position.faces) <= len(position.boxes):
        # No wager is decided yet, and nobody asks.
        return
    natural = is_natural(end.ranks(end.dealer[:2]))
    each = [set(wins_of_box(position, index, bets, natural=natural)) for index, bets in enumerate(wagers)]
    each.append(set(bust_wins(house, position, end, further=further)))
    yield from {sum(chosen) for chosen in product(*each)}


def wins_of_box(position: Position, index: int, bets: dict[str, int], *, natural: bool) -> Iterator[int]:
    """What a box's wagers may win together; its second card may be any."""
    lying = cards_of(position, index)
    up = position.faces[len(position.boxes)]
    for cards in [lying] if lying else [(position.faces[index], str(face), up) for face in DECK]:
        nets = (net(bet, cents, cards, natural=natural) for bet, cents in bets.items())
        yield sum(cents for cents in nets if cents is not None and cents > 0)


def bust_wins(house: House, position: Position, end: Position, *, further: bool) -> Iterator[int]:
    """What EZ Bust may win: the dealer breaks for all who wagered on it, and not if every hand broke."""
    broke = total(end.ranks(end.dealer)) > 21
    gone = position.played(house) and all(map(position.all_broke, position.boxes))
    if not broke or gone or not position.played(house):
        yield 0
    if broke and not gone:
        yield sum(box.bust_bet for box in position.boxes)
        if further:
            yield WITHOUT_END
