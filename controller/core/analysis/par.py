"""What a side wager returns: every hand it can be decided by, counted, and paid by the code that settles it.

A hand is never judged here. ``SideBet.row`` names its row and ``fixed_net_cents`` says what the row is worth, as in a
live round; this module only counts how many ways of dealing lead to each row. Counts are integers and everything
else is an exact fraction.

Counted is a full shoe and one box: cards that other boxes or the burn took are unknown and change no probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm, perm
from typing import Final, NamedTuple

from controller.core.game.hand import holes_that_draw
from controller.core.game.rules import Rules, SideBetTerms
from controller.core.game.side_bet import LOST, PUSH, SideBet, View, find, fixed_net_cents, terms_of
from firmware_protocols.cards import DECK, POINTS, Card

_WHOLE_STAKE_CENTS: Final = 100
"""What is staked where the profile fixes no stake, times whatever the odds are counted in: no payout is rounded."""

_PLAIN: Final = {POINTS[card.rank]: card for card in reversed(DECK)}
_OTHER: Final = {POINTS[card.rank]: card for card in DECK}
"""For each point value two cards as unlike as they can be; a dealer's hand is judged with both."""


_Rows = dict[str, tuple[int | None, Fraction]]
"""Ways of dealing and probability by row."""


class ParError(ValueError):
    """The wager cannot be counted; the text says why."""


class RowPar(NamedTuple):
    """One row: how it comes about and what it is worth."""

    row: str
    combinations: int | None
    """Ways of dealing that make it; None where hands of different length do, which are not equally likely."""
    probability: Fraction
    net: Fraction | None
    """Won (or, negative, lost) per unit staked; None: the meter pays."""
    meter_share: Fraction
    """The part of the meter it awards; 0: none."""

    @property
    def contribution(self) -> Fraction:
        """What the row adds to the fixed return: probability times what comes back, the stake included."""
        return Fraction(0) if self.net is None else self.probability * (1 + self.net)


class BetPar(NamedTuple):
    """A side wager's rows, highest first, with the push and the loss at the end."""

    bet: str
    up_points: int
    """The up card (1: ace) it was counted against; 0: any against which it may be made."""
    stake_cents: int
    of: int | None
    """All ways of dealing; None where hands of different length decide."""
    rows: tuple[RowPar, ...]

    @property
    def returned(self) -> Fraction:
        """What comes back per unit staked, 1 being all of it, without what a meter pays."""
        return sum((row.contribution for row in self.rows), Fraction(0))

    @property
    def edge(self) -> Fraction:
        """What the house keeps per unit staked, without what a meter pays."""
        return 1 - self.returned

    @property
    def meter_coefficient(self) -> Fraction:
        """What each cent in the meter adds to the return, if no other spot wins from it in the same round."""
        shares = (row.probability * row.meter_share for row in self.rows)
        return sum(shares, Fraction(0)) * Fraction(1, self.stake_cents)

    @property
    def break_even_cents(self) -> int | None:
        """The least meter, in whole cents, with which the wager returns all that is staked; None: no meter pays."""
        if not self.meter_coefficient:
            return None
        exact = self.edge * Fraction(self.meter_coefficient.denominator, self.meter_coefficient.numerator)
        return max(0, -(-exact.numerator // exact.denominator))


def par_of(rules: Rules, name: str) -> tuple[BetPar, ...]:
    """A side wager under these rules, dealt from ``rules.decks`` full decks; none if it has no rows.

    A wager made after the deal gives one account for each up card against which it is offered, and before them the
    account of them all.

    Raises:
        KeyError: there is no such wager.
        ParError: its row depends on the order of the box's two cards, or on more cards than the deal turns up.
    """
    bet, terms = find(name), terms_of(rules, name)
    if not bet.rows:
        return ()
    if bet.placed == "after_deal":
        return _against_each(bet, terms, rules)
    counts, of = deal_counts(bet, terms, rules.decks)
    rows: _Rows = {row: (ways, Fraction(ways, of)) for row, ways in counts.items()}
    return (_account(bet, terms, 0, of, rows),)


def favourable_return(rules: Rules, name: str) -> Fraction | None:
    """What a side wager returns per unit staked, meters apart, where that is more than all of it, against some up card.

    None: the house keeps a part of it.

    Raises:
        KeyError, ParError: as ``par_of``.
    """
    most = max((account.returned for account in par_of(rules, name)), default=Fraction(0))
    return most if most > 1 else None


def _account(bet: SideBet, terms: SideBetTerms, up_points: int, of: int | None, rows: _Rows) -> BetPar:
    """The rows with what each is worth; a row that pays nothing and that no hand makes is left out."""
    stake_cents = _stake_of(terms)
    paid = {*terms.pays, *terms.awards_cents, *terms.meter_shares}
    listed = [row for row in bet.rows if row in paid or row in rows]
    listed += [row for row in (PUSH, LOST) if row in rows]
    assert set(rows) <= set(listed), "a wager names no row but its own"
    none: tuple[int | None, Fraction] = (None if of is None else 0, Fraction(0))
    found = []
    for row in listed:
        net_cents = fixed_net_cents(terms, row, stake_cents)
        net = None if net_cents is None else Fraction(net_cents, stake_cents)
        share = Fraction(*terms.meter_shares[row]) if net is None else Fraction(0)
        found.append(RowPar(row, *rows.get(row, none), net, share))
    return BetPar(bet.name, up_points, stake_cents, of, tuple(found))


def _stake_of(terms: SideBetTerms) -> int:
    """A stake in cents that the wager may be made for and that every row pays without a part of a cent."""
    return terms.stake_cents or _WHOLE_STAKE_CENTS * lcm(*(to for _, to in terms.pays.values()))


# --- wagers decided by the deal -----------------------------------------------------------------------


def deal_counts(bet: SideBet, terms: SideBetTerms, decks: int) -> tuple[Counter[str], int]:
    """How many ways of dealing make each row, and how many there are.

    The box's two cards are counted without their order, the up card and the hole card distinguished from them; a card
    no row looks at is not counted at all.
    """
    cards = 52 * decks
    counts: Counter[str] = Counter()
    looks_at_up = looks_at_hole = False
    for first, second, ways in _pairs(decks):
        by_up: Counter[str] = Counter()
        for up, ups in _left(decks, (first, second)):
            row = _either_way(bet, terms, View(first, second, up))
            if row is not None:
                by_up[row] += ups * (cards - 3)
                continue
            looks_at_hole = True
            for hole, holes in _left(decks, (first, second, up)):
                by_up[_turned(bet, terms, View(first, second, up, (up, hole)))] += ups * holes
        looks_at_up |= len(by_up) > 1
        for row, times in by_up.items():
            counts[row] += ways * times
    uncounted = (1 if looks_at_hole else cards - 3) * (1 if looks_at_up else cards - 2)
    counts = Counter({row: ways // uncounted for row, ways in counts.items()})
    of = cards * (cards - 1) // 2 * (cards - 2) * (cards - 3) // uncounted
    assert counts.total() == of, "every way of dealing makes one row"
    return counts, of


def _pairs(decks: int) -> Iterator[tuple[Card, Card, int]]:
    """Every two faces, and how many ways there are to be dealt them, in any order."""
    for first, second in combinations_with_replacement(DECK, 2):
        ways = decks * (decks - 1) // 2 if first is second else decks * decks
        if ways:
            yield first, second, ways


def _left(decks: int, gone: tuple[Card, ...]) -> Iterator[tuple[Card, int]]:
    """Every face still in the shoe, and how many of it."""
    for card in DECK:
        copies = decks - gone.count(card)
        if copies:
            yield card, copies


def _either_way(bet: SideBet, terms: SideBetTerms, view: View) -> str | None:
    """The row of a box's two cards, whichever of them came first."""
    row = bet.row(terms, view)
    if bet.row(terms, view._replace(first=view.second, second=view.first)) != row:
        raise ParError(f"{bet.name}: the order of {view.first} and {view.second} decides its row")
    return row


def _turned(bet: SideBet, terms: SideBetTerms, view: View) -> str:
    """The row once the dealer's second card is turned."""
    row = _either_way(bet, terms, view)
    if row is None:
        raise ParError(f"{bet.name}: made before the deal and decided by the dealer's complete hand")
    return row


# --- wagers decided by the dealer's hand --------------------------------------------------------------


def _against_each(bet: SideBet, terms: SideBetTerms, rules: Rules) -> tuple[BetPar, ...]:
    """The wager against all the up cards it is offered against, then against each of them."""
    each = {up: dealer_row_chances(bet, terms, rules, up) for up in terms.up_cards}
    copies = {up: rules.decks * _copies_of(up) for up in each}
    together: _Rows = {}
    for up, rows in each.items():
        part = Fraction(copies[up], sum(copies.values()))
        for row, probability in rows.items():
            together[row] = (None, together.get(row, (None, Fraction(0)))[1] + part * probability)
    return (
        _account(bet, terms, 0, None, together),
        *(_account(bet, terms, up, None, {row: (None, p) for row, p in rows.items()}) for up, rows in each.items()),
    )


def _copies_of(points: int) -> int:
    """Cards of a point value in one deck."""
    return 16 if points == 10 else 4


def dealer_row_chances(bet: SideBet, terms: SideBetTerms, rules: Rules, up: int) -> dict[str, Fraction]:
    """The probability of each row against one up card, by every hand the dealer may draw.

    The players' cards are not looked at: they are unknown to the count, and some hand of theirs did not break.
    """
    shoe = [0] + [rules.decks * _copies_of(points) for points in range(1, 11)]
    shoe[up] -= 1
    counts: dict[int, Counter[str]] = {}
    for hand, ways in _hands(shoe, (up,), 1, hits_soft_17=rules.soft_17 == "hit"):
        counts.setdefault(len(hand) - 1, Counter())[_judged(bet, terms, hand)] += ways
    found: dict[str, Fraction] = {}
    for drawn, rows in counts.items():
        orders = perm(52 * rules.decks - 1, drawn)
        for row, ways in rows.items():
            found[row] = found.get(row, Fraction(0)) + Fraction(ways, orders)
    assert sum(found.values()) == 1, "every hand of the dealer makes one row"
    return found


def _hands(
    shoe: list[int], hand: tuple[int, ...], ways: int, *, hits_soft_17: bool
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every complete hand of the dealer's, as points in the order they came, and the ways to draw it.

    ``shoe`` has the cards left of each point value; it is lent out and given back as it was.
    """
    for points in range(1, 11):
        copies = shoe[points]
        if not copies:
            continue
        longer = (*hand, points)
        up, hole, *drawn = longer
        if holes_that_draw(up, tuple(drawn), hits_soft_17) >> hole & 1:
            shoe[points] -= 1
            yield from _hands(shoe, longer, ways * copies, hits_soft_17=hits_soft_17)
            shoe[points] += 1
        else:
            yield longer, ways * copies


def _judged(bet: SideBet, terms: SideBetTerms, hand: tuple[int, ...]) -> str:
    """The row of a dealer's complete hand, which must hang on its points alone."""
    rows = {bet.row(terms, _final_view(hand, faces)) for faces in (_PLAIN, _OTHER)}
    row = rows.pop()
    if rows or row is None:
        raise ParError(f"{bet.name}: its row does not hang on the points of the dealer's hand alone")
    return row


def _final_view(hand: Iterable[int], faces: dict[int, Card]) -> View:
    """What lies open at the end of a round whose player's hand did not break."""
    dealer = tuple(faces[points] for points in hand)
    return View(faces[9], faces[8], dealer[0], dealer, complete=True, all_broke=False)
