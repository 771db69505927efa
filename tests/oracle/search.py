"""Every order the times allow, every meaning of every piece, every silent move at every moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from firmware_protocols.cards import DECK
from tests.oracle.cards_and_chips import Change, card, chips, raised
from tests.oracle.keys_and_silence import key, silent, unseen
from tests.oracle.lines import Piece, Round
from tests.oracle.position import Box, Position

Visited = tuple[Position, int, int]

WIDEST: Final = 250_000
"""Positions of one walk, of about two kilobytes each. A reader lost among doubles and splits leaves millions."""


class TooWide(Exception):  # noqa: N818 - a limit, raised instead of an answer
    """The evidence leaves more positions than are walked here."""


@dataclass
class Search:
    """One walk over all readings of ``pieces``; those in ``dropped`` (line numbers) only move chips about."""

    round: Round
    pieces: list[Piece]
    dropped: frozenset[int]
    close: bool
    blind: bool = False
    widest: int = WIDEST
    seen: set[Visited] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.house = self.round.house
        self.boxes = {box.spot: index for index, box in enumerate(self.round.start().boxes)}
        self.answered = frozenset(a["spot"] for a in self.round.answers if a.get("surrendered"))
        self.everything = (1 << len(self.pieces)) - 1
        self.pieces = [*self.pieces, *self.edges()]
        self.after = [
            sum(1 << j for j in range(i) if self.pieces[j].lane == piece.lane) for i, piece in enumerate(self.pieces)
        ]

    def edges(self) -> Iterator[Piece]:
        """When the readers of the boxes in play were lost and when they were back, as pieces of evidence."""
        for number, (spot, start, end) in enumerate(self.round.dead):
            if spot in self.boxes:
                for kind, moment in (("lost", start), ("back", end)):
                    yield Piece(-1, moment, moment, kind, str(number), spot, lane=f"silence {number}")

    def readings(self) -> Iterator[Position]:
        """Every position after all the pieces (one may come more than once)."""
        yield from self.walk(self.round.start(), 0, 0)

    def walk(self, position: Position, done: int, now: int) -> Iterator[Position]:
        if not self.is_new((position, done, now)):
            return
        if done & self.everything == self.everything:
            if (not self.close or position.complete(self.house)) and self.whole(position):
                yield position.offers_closed(self.house) if self.close else position
            if not self.close:
                return
        latest = min((p.last for i, p in enumerate(self.pieces) if not done >> i & 1), default=10**19)
        for i, piece in enumerate(self.pieces):
            if done >> i & 1 or self.after[i] & ~done:
                continue
            moment = max(now, piece.first)
            if moment <= latest:
                for after in self.meanings(position, piece, done):
                    yield from self.walk(after, done | 1 << i, moment)
        for after in silent(self.house, position, self.answered):
            yield from self.walk(after, done, now)
        for spot in self.lost(done) if position.dealt(self.house) else ():
            for after in self.unobserved(position, self.boxes[spot], done):
                # The next bet is not the old wager.
                if not after.boxes[self.boxes[spot]].next_bet:
                    yield from self.walk(after, done, now)

    def unobserved(self, position: Position, index: int, done: int) -> Iterator[Position]:
        """What may have come to lie at a box whose reader is lost."""
        for zone, content in set(unseen(self.house, position, index)):
            for after in self.changed(position, index, zone, content):
                if meaningful(after.boxes[index]) != meaningful(position.boxes[index]):
                    yield after
        yield from self.raised_further(position, index, done)
        # Whatever may have come to lie there, the reader sees on its return what it reported last.
        yield from self.changed(position, index, "main", self.last_content(index, "main", done))

    def raised_further(self, position: Position, index: int, done: int) -> Iterator[Position]:
        """The rest of a double whose first part the reader reported: two movements, before its card.

        All of it or, where the reader is back in the end, one or two of the smallest chip: what stands for any less.
        """
        box, turn, unit = position.boxes[index], position.in_play(self.house), self.house.chip_unit_cents
        if turn is None or turn[0] != index or box.main != self.last_content(index, "main", done):
            return
        hand = box.hands[turn[1]]
        if not hand.extra or len(hand.cards) != 2:
            return
        rest = hand.base - hand.extra
        for more in {rest, *range(unit, rest, unit)[:2]} - {0}:
            yield from raised(self.house, laid(position, index, "main", box.main + more), index, more)

    def lost(self, done: int) -> set[int]:
        """The spots whose reader is lost once the pieces ``done`` have happened and no more."""
        begun = [(p.what, p.spot) for i, p in enumerate(self.pieces) if done >> i & 1 and p.kind == "lost"]
        ended = {p.what for i, p in enumerate(self.pieces) if done >> i & 1 and p.kind == "back"}
        return {spot for number, spot in begun if number not in ended and spot is not None}

    def is_new(self, state: Visited) -> bool:
        """Whether the walk comes here for the first time. Raises ``TooWide`` where it has been in too many places."""
        known = len(self.seen)
        self.seen.add(state)
        if len(self.seen) > self.widest:
            raise TooWide
        return len(self.seen) > known

    def seen_again(self, position: Position, done: int, back: Piece) -> bool:
        """A reader that is back sees what lies there: what it reported last, or reports late of its absence."""
        spot, done = back.spot, done | 1 << self.pieces.index(back)
        if spot is None or spot in self.lost(done):
            return True
        box = position.boxes[self.boxes[spot]]
        left = [p for i, p in enumerate(self.pieces) if not done >> i & 1]
        late = {p.what for p in left if p.spot == spot and p.first <= back.first}
        return all(
            self.last_content(self.boxes[spot], zone, done) == content or zone in late
            for zone, content in (("main", box.main), ("insurance", box.insurance))
        )

    def last_content(self, index: int, zone: str, done: int) -> int:
        """What the reader reported last of a zone, once the pieces ``done`` have happened."""
        box = self.round.start().boxes[index]
        lines = [p.after for i, p in enumerate(self.pieces) if done >> i & 1 and p.spot == box.spot and p.what == zone]
        return lines[-1] if lines else box.main * (zone == "main")

    def whole(self, position: Position) -> bool:
        """The round may end here: nothing keyed is left undone, nothing needed left unshown, no answer contradicted."""
        for box in position.boxes:
            shown = box.shown or self.house.surrender_shown == "sometimes" or box.spot in self.answered
            if box.surrendered and not shown:
                return False
        return all(self.fits(position, answer) for answer in self.round.answers)

    def fits(self, position: Position, answer: dict[str, Any]) -> bool:
        if answer["spot"] not in self.boxes:
            return False
        box = position.boxes[self.boxes[answer["spot"]]]
        if not (self.close or (position.dealt(self.house) and all(hand.over for hand in box.hands))):
            return True
        if "surrendered" in answer and answer["surrendered"] != box.surrendered:
            return False
        if "hands" in answer and answer["hands"] != len(box.hands):
            return False
        if "doubled" in answer:
            hands = [box.hands[answer["hand"]]] if "hand" in answer else box.hands
            if answer["doubled"] != any(hand.extra for hand in hands):
                return False
        if "cards" in answer:
            number = answer.get("hand", 0)
            return number < len(box.hands) and bool(len(box.hands[number].cards) == answer["cards"])
        return True

    def meanings(self, position: Position, piece: Piece, done: int) -> Iterator[Position]:
        if piece.kind in {"lost", "back"}:
            if piece.kind == "lost" or self.seen_again(position, done, piece):
                yield position
        elif piece.kind == "card":
            hole = len(position.faces) == 2 * len(position.boxes) + 1 and self.house.hole_card == "dealt"
            faces = DECK if piece.what == "??" else (piece.what,)
            if hole and self.blind:
                faces = DECK[::4]
            for face in faces:
                yield from card(self.house, position, str(face), self.answered)
        elif piece.kind == "key":
            if piece.spot is None or piece.spot in self.boxes:
                index = None if piece.spot is None else self.boxes[piece.spot]
                yield from key(self.house, position, piece.what, index)
        elif piece.spot in self.boxes:
            index = self.boxes[piece.spot]
            if piece.line in self.dropped:
                yield laid(position, index, piece.what, piece.after)
            else:
                yield from self.changed(position, index, piece.what, piece.after)
        elif piece.line in self.dropped:
            yield position

    def changed(self, position: Position, index: int, zone: str, after: int) -> Iterator[Position]:
        """The zone's content becomes ``after``; it may have come to it unseen before."""
        box = position.boxes[index]
        if after == {"main": box.main, "insurance": box.insurance, "ez_bust": box.ez_bust}[zone]:
            yield position
        else:
            yield from chips(self.house, position, Change(index, zone, after), self.answered)


def meaningful(box: Box) -> tuple[object, ...]:
    """What an unseen change must change to be worth a position of its own; unseen payments are not.

    Where a broken hand is gone the next bet may lie.
    """
    return box.hands, box.surrendered, box.shown, box.even, box.must_empty, box.offered, not box.main


def laid(position: Position, index: int, zone: str, content: int) -> Position:
    """Chips that mean nothing lie in a zone now. What counts as insurance or EZ Bust is not touched by them."""
    box = position.boxes[index]
    match zone:
        case "main":
            box = replace(box, main=content)
        case "insurance":
            box = replace(box, insurance=content)
        case _:
            box = replace(box, ez_bust=content)
    return position.with_box(index, box)
