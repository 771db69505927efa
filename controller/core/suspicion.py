"""What may have gone wrong in a round that no legal play explains: one irregularity at a time, never settled from.

Tried are a missed card, a misread rank, a card that was none of the round's (a burn nobody announced, a dealer who drew
on 17), two cards taken out of turn, a box nobody declared, and two boxes served in the wrong order. If exactly one of
these kinds explains everything it is told to people as the likely cause, with every card or box it may be about; no
wager is ever settled from it.

A hole card that has not been turned is unknown here too, so that nothing that is told depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.dated import Dated
from controller.core.hand import FACE_RANKS, points_of
from controller.core.moves import CardCame, ChipsMoved, KeySpoke
from controller.core.reconstruction import Answer, Reconstruction
from controller.core.rules import Rules
from controller.core.state import Round
from controller.core.weighing import Memory, observed

EFFORT_LIMIT: Final = 3_000
"""Pieces of evidence weighed in one search: a tenth of a second in most rounds, up to one and a half where seven
boxes leave many plays open. Beyond it nothing is called likely."""

OUT_OF_TURN: Final = "were taken out of turn"
WRONG_ORDER: Final = "were served in the wrong order"
MISSED: Final = "a card was missed {}"
LAST: Final = "at last "
"""Before where a card was missed: after the last of a round that was closed."""

STRAY: Final = "was no card of the round: a burn nobody announced, or drawn on 17 or more"
STOOD: Final = "or the dealer stood on 16 or less"

DEALERS_RULE: Final = "the dealer's cards do not fit the dealer's rule"
"""Why a round is irregular whose dealer drew or stood against the rule."""

CLOSED_EARLY: Final = "the round was closed before it could end"
"""Why a round is irregular that was closed while no legal play could be over."""

RANKS: Final = range(1, 14)
UNKNOWN: Final = 0
"""The rank of a card that nobody may know yet, or could read."""


class Piece(NamedTuple):
    """A piece of evidence; of a card also its rank (None: it is no card)."""

    dated: Dated
    rank: int | None = None


class Account(NamedTuple):
    """A round as it was told."""

    rules: Rules
    wagers: tuple[int, ...]
    lying: dict[tuple[int, str], int]
    pieces: tuple[Piece, ...]
    names: tuple[str, ...]
    """What people call the cards, in order."""
    spots: tuple[int, ...]
    turned: bool
    closed: bool
    answers: tuple[Answer, ...] = ()


class Exhausted(Exception):  # noqa: N818 - a limit, caught where the search began
    """The search has weighed ``EFFORT_LIMIT`` pieces of evidence."""


class Stem(NamedTuple):
    """How far an account has been weighed."""

    found: Reconstruction
    place: int = 0
    """Cards so far."""
    hole: int = UNKNOWN


class Change(NamedTuple):
    """One irregularity put right."""

    kind: str
    """Which: a sentence about ``where``."""
    where: str
    account: Account
    at: int = 0
    """The first piece of evidence that is not as it was told; 0 also where everything is another."""

    @property
    def text(self) -> str:
        """The irregularity in words."""
        return sentence(self.kind, [self.where])


class Search:
    """Weighs accounts until it has spent its effort; what a ``memory`` holds costs effort too, but no time."""

    def __init__(self, effort: int = EFFORT_LIMIT, memory: Memory | None = None) -> None:
        self.left = effort
        self.memory = memory
        if memory is not None:
            memory.next_search()

    def explains(self, account: Account, stem: Stem | None = None, at: int = 0) -> bool:
        """Whether some legal play explains an account; ``stem`` is how it stands before its piece ``at``.

        Raises:
            Exhausted: the effort is spent.
        """
        stem = self.beginning(account) if stem is None else stem
        for index in range(at, len(account.pieces)):
            after = self.weighed(account, stem, index)
            if after is None:
                return False
            stem = after
        dealt = stem.place >= stem.found.play().deal_cards
        return self.ended(account, stem.found, stem.hole if account.turned else UNKNOWN, dealt)

    def beginning(self, account: Account) -> Stem:
        """An account before its first piece of evidence."""
        begin = Reconstruction.begin if self.memory is None else self.memory.begun
        return Stem(begin(account.rules, account.wagers, account.lying, account.answers))

    def stems(self, account: Account) -> list[Stem]:
        """How an account stands before each of its pieces, up to the one that no play explains."""
        stems = [self.beginning(account)]
        for index in range(len(account.pieces)):
            after = self.weighed(account, stems[-1], index)
            if after is None:
                break
            stems.append(after)
        return stems

    def weighed(self, account: Account, stem: Stem, index: int) -> Stem | None:
        """An account with one more piece of evidence; None if no play can explain it any more."""
        found, place, hole = stem
        dated, rank = account.pieces[index]
        if rank is not None:
            hidden = place == hole_place(account)
            if hidden:
                hole = rank
            elif rank == UNKNOWN:
                return None
            dated = replace(dated, item=CardCame(place << 4 | (0 if hidden else rank)))
            place += 1
        after = self.observed(found, dated)
        if after is None:
            return None
        if not after.frontier and found.frontier and isinstance(dated.item, ChipsMoved):
            # What no play explains is left out of the account.
            return stem
        return Stem(after, place, hole) if after.frontier or told_late(account, index) else None

    def observed(self, found: Reconstruction, dated: Dated) -> Reconstruction | None:
        """One more piece of evidence; None if too much is left open."""
        self.left -= 1
        if self.left < 0:
            raise Exhausted
        return observed(found, dated) if self.memory is None else self.memory.observed(found, dated)

    def ended(self, account: Account, found: Reconstruction, hole: int, dealt: bool) -> bool:  # noqa: FBT001 - a fact
        """Whether the account holds to its end."""
        if account.closed:
            if account.rules.hole_card == "none":
                return dealt and bool(found.ends(None))
            points = [points_of(hole)] if hole else list(range(1, 11))
            return dealt and any(found.ends(one) for one in points)
        return any(not hole or node.hole >> points_of(hole) & 1 for node in found.frontier)


def hole_place(account: Account) -> int:
    """The place of the hole card among the cards; -1 where none is dealt."""
    return 2 * len(account.wagers) + 1 if account.rules.hole_card == "dealt" else -1


def told_late(account: Account, index: int) -> bool:
    """Whether chips told later may have moved before a piece of evidence and so explain it."""
    last_ns = account.pieces[index].dated.last_ns
    later = (piece.dated for piece in account.pieces[index + 1 :])
    return any(isinstance(dated.item, ChipsMoved) and dated.first_ns <= last_ns for dated in later)


def suspect(account: Account, search: Search) -> str:
    """The one kind of irregularity that explains everything, and where; empty if there is none, or more than one.

    Empty too if there is too much to try. Of one kind several cards or boxes may be meant; all of them are named.
    """
    kind, places = "", list[str]()
    try:
        stems = search.stems(account)
        for change in irregularities(account):
            known = change.kind == kind and change.where in places
            # Beyond the piece that nothing explains, every change comes too late.
            if (
                known
                or change.at >= len(stems)
                or not search.explains(change.account, stem_of(stems, change), change.at)
            ):
                continue
            if kind not in {"", change.kind}:
                return ""
            kind = change.kind
            places.append(change.where)
    except Exhausted:
        return ""
    return sentence(kind, places) if places else ""


def stem_of(stems: list[Stem], change: Change) -> Stem | None:
    """How the account stands before what was changed; None: from the beginning."""
    return stems[change.at] if change.at else None


def sentence(kind: str, places: list[str]) -> str:
    """An irregularity in words."""
    where = places[0] if len(places) == 1 else f"{', '.join(places[:-1])} or {places[-1]}"
    if kind == MISSED and where.startswith(LAST):
        return f"{kind.format(where.removeprefix(LAST))}, {STOOD}"
    return kind.format(where.replace(LAST, ""))


def irregularities(account: Account) -> Iterator[Change]:
    """Every account with one irregularity put right; those that need least trying first."""
    yield from strays(account)
    yield from out_of_turn(account)
    yield from boxes_swapped(account)
    yield from undeclared(account)
    yield from misread(account)
    yield from missed(account)


def cards_of(account: Account) -> list[int]:
    """Where the cards stand among the pieces."""
    return [at for at, piece in enumerate(account.pieces) if piece.rank is not None]


def strays(account: Account) -> Iterator[Change]:
    """One card that was none of the round's."""
    for name, at in zip(account.names, cards_of(account), strict=True):
        without = account._replace(pieces=(*account.pieces[:at], *account.pieces[at + 1 :]))
        yield Change(f"{{}} {STRAY}", f"card {name}", without, at)


def out_of_turn(account: Account) -> Iterator[Change]:
    """Two cards that follow each other were taken in the wrong order."""
    places = cards_of(account)
    for name, next_name, at, then in zip(account.names, account.names[1:], places, places[1:], strict=False):
        one, other = account.pieces[at].rank, account.pieces[then].rank
        if one != other:
            swapped = put(put(account.pieces, at, other), then, one)
            where = f"cards {name} and {next_name}"
            yield Change(f"{{}} {OUT_OF_TURN}", where, account._replace(pieces=swapped), at)


def put(pieces: tuple[Piece, ...], at: int, rank: int | None) -> tuple[Piece, ...]:
    """The pieces with another rank at one place."""
    return (*pieces[:at], pieces[at]._replace(rank=rank), *pieces[at + 1 :])


def boxes_swapped(account: Account) -> Iterator[Change]:
    """Two boxes were served in the wrong order."""
    boxes = len(account.wagers)
    for one in range(boxes):
        for other in range(one + 1, boxes):
            order = list(range(boxes))
            order[one], order[other] = other, one
            where = f"spots {account.spots[one]} and {account.spots[other]}"
            swapped = renamed(account, order, tuple(account.wagers[box] for box in order))
            yield Change(f"{{}} {WRONG_ORDER}", where, swapped)


def undeclared(account: Account) -> Iterator[Change]:
    """A box without chips that nobody declared. Its wager matters to nobody else; one cent stands for it."""
    boxes = len(account.wagers)
    for at in range(boxes + 1 if boxes < account.rules.boxes else 0):
        before, after = account.spots[at - 1] if at else 0, account.spots[at] if at < boxes else account.rules.boxes + 1
        if after - before < 2:
            continue
        wagers = (*account.wagers[:at], 1, *account.wagers[at:])
        shifted = renamed(account, [box + (box >= at) for box in range(boxes)], wagers)
        where = f"after spot {before}" if before else f"before spot {after}"
        with_box = shifted._replace(lying={**shifted.lying, (at, "main"): 0})
        yield Change("a box nobody declared was dealt in {}", where, with_box)


def renamed(account: Account, names: list[int], wagers: tuple[int, ...]) -> Account:
    """The account with box ``b`` called ``names[b]``."""
    return account._replace(
        wagers=wagers,
        lying={(names[box], zone): cents for (box, zone), cents in account.lying.items()},
        pieces=tuple(renamed_piece(piece, names) for piece in account.pieces),
        answers=tuple(replace(answer, box=names[answer.box]) for answer in account.answers),
    )


def renamed_piece(piece: Piece, names: list[int]) -> Piece:
    """A piece with its box called otherwise."""
    item = piece.dated.item
    if isinstance(item, ChipsMoved) or (isinstance(item, KeySpoke) and item.box is not None):
        assert item.box is not None
        return piece._replace(dated=replace(piece.dated, item=replace(item, box=names[item.box])))
    return piece


def misread(account: Account) -> Iterator[Change]:
    """One card had another rank."""
    for name, at in zip(account.names, cards_of(account), strict=True):
        read = account.pieces[at].rank
        for rank in ranks(account):
            if read and rank not in {read, min(read, ranks(account)[-1])}:
                yield Change(
                    "{} was misread", f"card {name}", account._replace(pieces=put(account.pieces, at, rank)), at
                )


def ranks(account: Account) -> range:
    """The ranks that make a difference: where pairs are made by points, a ten stands for every face card."""
    return RANKS if account.rules.split_by == "rank" else RANKS[:10]


def missed(account: Account) -> Iterator[Change]:
    """A card nobody read, between any two."""
    places = cards_of(account)
    for count in range(len(places) + account.closed):
        at = places[count - 1] + 1 if count else 0
        first = account.pieces[at - 1].dated.last_ns if count else 0
        last = account.pieces[places[count]].dated.first_ns if count < len(places) else max_ns(account) + 1
        where = f"after card {account.names[count - 1]}" if count else f"before card {account.names[0]}"
        if count == len(places):
            where = f"{LAST}{where}"
        for rank in ranks(account):
            piece = Piece(Dated(min(first, last), last, CardCame(0)), rank)
            yield Change(
                MISSED, where, account._replace(pieces=(*account.pieces[:at], piece, *account.pieces[at:])), at
            )


def max_ns(account: Account) -> int:
    """The last moment of the evidence."""
    return max((piece.dated.last_ns for piece in account.pieces), default=0)


def likely(rules: Rules, round_now: Round, *, closed: bool = False) -> str:
    """The likely cause of an irregular round, in words; empty if nothing stands out."""
    if round_now.silences or any(card.unread for card in round_now.cards):
        return ""
    hidden = -1 if round_now.turned else round_now.hole_place()
    pieces: list[Piece] = []
    place = 0
    for dated in round_now.evidence:
        if not isinstance(dated.item, CardCame):
            pieces.append(Piece(dated))
            continue
        face = round_now.cards[place].shown()
        pieces.append(Piece(dated, UNKNOWN if face is None or place == hidden else FACE_RANKS[face]))
        place += 1
    lying = {(round_now.spots.index(spot), "main"): 0 for spot in round_now.declared}
    names = tuple(str(card.number) for card in round_now.cards[:place])
    fields = (rules, round_now.main_wagers(), lying, tuple(pieces), names, round_now.spots)
    said = tuple(answer for answer in round_now.answers if answer.holds is None and answer.lacks is None)
    return suspect(Account(*fields, round_now.turned, closed, said), Search())
