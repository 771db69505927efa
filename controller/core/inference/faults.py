"""Every account of a round with one irregularity put right.

A missed card, a misread rank, a card that was none of the round's (a burn nobody announced, a dealer who drew on 17),
two cards taken out of turn, a box nobody declared, and two boxes served in the wrong order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.game.hand import hole_place
from controller.core.game.rules import Rules
from controller.core.inference.lattice import PlayAnswer
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation, KeyObserved

OUT_OF_TURN: Final = "were taken out of turn"
WRONG_ORDER: Final = "were served in the wrong order"
_MISSED: Final = "a card was missed {}"
_LAST: Final = "at last "
"""Before where a card was missed: after the last of a round that was closed."""

STRAY: Final = "was no card of the round: a burn nobody announced, or drawn on 17 or more"
STOOD: Final = "or the dealer stood on 16 or less"

_RANKS: Final = range(1, 14)
UNKNOWN: Final = 0
"""The rank of a card that must not be known yet, or could not be read."""


class RankedObservation(NamedTuple):
    """A piece of evidence; of a card also its rank (None: it is no card)."""

    dated: DatedObservation
    rank: int | None = None


class ObservedRound(NamedTuple):
    """A round as it was reported."""

    rules: Rules
    wagers: tuple[int, ...]
    lying: dict[tuple[int, str], int]
    pieces: tuple[RankedObservation, ...]
    names: tuple[str, ...]
    """What people call the cards, in order."""
    spots: tuple[int, ...]
    turned: bool
    closed: bool
    answers: tuple[PlayAnswer, ...] = ()

    def hole_place(self) -> int:
        """The place of the hole card among the cards; -1 where none is dealt."""
        return hole_place(len(self.wagers), hole=self.rules.has_hole_card())


class FaultHypothesis(NamedTuple):
    """One irregularity put right."""

    kind: str
    """Which: a sentence about ``where``."""
    where: str
    made: Callable[[], ObservedRound]
    at: int = 0
    """The first piece of evidence that is not as it was reported; 0 also where everything is another."""

    @property
    def account(self) -> ObservedRound:
        """The round as it was reported, but for the irregularity."""
        return self.made()

    @property
    def text(self) -> str:
        """The irregularity in words."""
        return sentence(self.kind, [self.where])


def sentence(kind: str, places: list[str]) -> str:
    """An irregularity in words."""
    where = places[0] if len(places) == 1 else f"{', '.join(places[:-1])} or {places[-1]}"
    if kind == _MISSED and where.startswith(_LAST):
        return f"{kind.format(where.removeprefix(_LAST))}, {STOOD}"
    return kind.format(where.replace(_LAST, ""))


def fault_hypotheses(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """Every account with one irregularity put right; those that need least trying first."""
    yield from _strays(account)
    yield from _out_of_turn(account)
    yield from _boxes_swapped(account)
    yield from _undeclared(account)
    yield from _misread(account)
    yield from _missed(account)


def cards_of(account: ObservedRound) -> list[int]:
    """Where the cards stand among the pieces."""
    return [at for at, piece in enumerate(account.pieces) if piece.rank is not None]


def _strays(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """One card that was none of the round's."""
    for name, at in zip(account.names, cards_of(account), strict=True):
        yield FaultHypothesis(f"{{}} {STRAY}", f"card {name}", partial(_put, account, at, at + 1), at)


def _out_of_turn(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """Two cards that follow each other were taken in the wrong order."""
    places = cards_of(account)
    for name, next_name, at, then in zip(account.names, account.names[1:], places, places[1:], strict=False):
        one, other = account.pieces[at].rank, account.pieces[then].rank
        if one != other:
            swapped = (_ranked(account, at, other), *account.pieces[at + 1 : then], _ranked(account, then, one))
            where = f"cards {name} and {next_name}"
            yield FaultHypothesis(f"{{}} {OUT_OF_TURN}", where, partial(_put, account, at, then + 1, *swapped), at)


def _put(account: ObservedRound, at: int, until: int, *pieces: RankedObservation) -> ObservedRound:
    """The account with other pieces of evidence from one place until before another."""
    return account._replace(pieces=(*account.pieces[:at], *pieces, *account.pieces[until:]))


def _ranked(account: ObservedRound, at: int, rank: int | None) -> RankedObservation:
    """A piece of the account with another rank."""
    return account.pieces[at]._replace(rank=rank)


def _boxes_swapped(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """Two boxes were served in the wrong order."""
    boxes = len(account.wagers)
    for one in range(boxes):
        for other in range(one + 1, boxes):
            order = list(range(boxes))
            order[one], order[other] = other, one
            where = f"spots {account.spots[one]} and {account.spots[other]}"
            wagers = tuple(account.wagers[box] for box in order)
            yield FaultHypothesis(f"{{}} {WRONG_ORDER}", where, partial(_renamed, account, order, wagers))


def _undeclared(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """A box without chips that was not declared. Its wager matters to no other box; one cent stands for it."""
    boxes = len(account.wagers)
    for at in range(boxes + 1 if boxes < account.rules.boxes else 0):
        before, after = account.spots[at - 1] if at else 0, account.spots[at] if at < boxes else account.rules.boxes + 1
        if after - before < 2:
            continue
        wagers = (*account.wagers[:at], 1, *account.wagers[at:])
        names = [box + (box >= at) for box in range(boxes)]
        where = f"after spot {before}" if before else f"before spot {after}"
        made = partial(_renamed, account, names, wagers, {(at, "main"): 0})
        yield FaultHypothesis("a box nobody declared was dealt in {}", where, made)


def _renamed(
    account: ObservedRound, names: list[int], wagers: tuple[int, ...], lying: dict[tuple[int, str], int] | None = None
) -> ObservedRound:
    """The account with box ``b`` called ``names[b]``, and with more of what is ``lying`` in zones."""
    return account._replace(
        wagers=wagers,
        lying={**{(names[box], zone): cents for (box, zone), cents in account.lying.items()}, **(lying or {})},
        pieces=tuple(_renamed_piece(piece, names) for piece in account.pieces),
        answers=tuple(replace(answer, box=names[answer.box]) for answer in account.answers),
    )


def _renamed_piece(piece: RankedObservation, names: list[int]) -> RankedObservation:
    """A piece with its box called otherwise."""
    item = piece.dated.item
    if isinstance(item, ChipsObserved) or (isinstance(item, KeyObserved) and item.box is not None):
        assert item.box is not None
        return piece._replace(dated=replace(piece.dated, item=replace(item, box=names[item.box])))
    return piece


def _misread(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """One card had another rank."""
    for name, at in zip(account.names, cards_of(account), strict=True):
        read = account.pieces[at].rank
        for rank in _ranks(account):
            if read and rank not in {read, min(read, _ranks(account)[-1])}:
                made = partial(_put, account, at, at + 1, _ranked(account, at, rank))
                yield FaultHypothesis("{} was misread", f"card {name}", made, at)


def _ranks(account: ObservedRound) -> range:
    """The ranks that make a difference: where pairs are made by points, a ten stands for every face card."""
    return _RANKS if account.rules.split_by == "rank" else _RANKS[:10]


def _missed(account: ObservedRound) -> Iterator[FaultHypothesis]:
    """A card that was not read, between any two."""
    places = cards_of(account)
    for count in range(len(places) + account.closed):
        at = places[count - 1] + 1 if count else 0
        first = account.pieces[at - 1].dated.last_ns if count else 0
        last = account.pieces[places[count]].dated.first_ns if count < len(places) else _max_ns(account) + 1
        where = f"after card {account.names[count - 1]}" if count else f"before card {account.names[0]}"
        if count == len(places):
            where = f"{_LAST}{where}"
        for rank in _ranks(account):
            piece = RankedObservation(DatedObservation(min(first, last), last, CardObserved(0)), rank)
            yield FaultHypothesis(_MISSED, where, partial(_put, account, at, at, piece), at)


def _max_ns(account: ObservedRound) -> int:
    """The last moment of the evidence."""
    return max((piece.dated.last_ns for piece in account.pieces), default=0)
