"""All readings of a round's evidence, found by trying everything: slow, plain, and strange to the code it judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.house import House
from tests.oracle.lines import EVER, Round, read
from tests.oracle.money import box_nets, dealer_ends, ways_to_end
from tests.oracle.position import Position
from tests.oracle.search import Search
from tests.oracle.side_wagers import nets as side_nets

Net = int | None


@dataclass
class Answer:
    """What all readings agree on. ``dropped`` are the numbers of the lines no reading explained (header is 0)."""

    plays: int
    hands: dict[str, list[list[str]] | None] = field(default_factory=dict)
    stakes: dict[str, list[int] | None] = field(default_factory=dict)
    dealer: list[str] | None = None
    due_cents: dict[str, dict[str, Net]] = field(default_factory=dict)
    possible_cents: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    dropped: tuple[int, ...] = ()


def readings(lines: list[dict[str, Any]], *, blind: bool = False, doubts: frozenset[str] = frozenset()) -> Answer:
    """The answer to the lines of one round (header first). ``blind``: for every hole card, not the one that was read.

    ``doubts`` (of ``house.DOUBTS``): what to take otherwise than by the page's plain words.

    Raises ``ValueError`` or ``KeyError`` on lines that are not of the format.
    """
    whole = read(lines, doubts)
    dropped = dropped_lines(lines, doubts, blind=blind)
    found = Search(whole, whole.pieces, dropped, close=whole.close, blind=blind)
    ends = list(set(found.readings()))
    answer = summed_up(whole, ends, hidden=blind)
    answer.plays = len({play_of(whole, position, blind=blind) for position in ends})
    answer.dropped = tuple(sorted(dropped))
    return answer


def plays(lines: list[dict[str, Any]], dropped: frozenset[int] | None = None) -> set[tuple[Any, ...]]:
    """The plays the lines leave; ``dropped``: which changes to leave out instead of those nothing explains."""
    whole = read(lines)
    left_out = dropped_lines(lines) if dropped is None else dropped
    found = Search(whole, whole.pieces, left_out, close=whole.close)
    return {play_of(whole, position, blind=False) for position in found.readings()}


def dropped_lines(
    lines: list[dict[str, Any]], doubts: frozenset[str] = frozenset(), *, blind: bool = False
) -> frozenset[int]:
    """The changes no reading of the evidence up to them, in order of arrival, explains.

    Evidence that was without a reading before may wait for chips that are reported late: then none is dropped.
    """
    dropped: set[int] = set()

    def explained(upto: int) -> bool:
        before = read(lines[:upto], doubts, later=lines[upto:])
        kept = Search(before, before.pieces, frozenset(dropped), close=False, blind=blind)
        return next(kept.readings(), None) is not None

    for number in [piece.line for piece in read(lines).pieces if piece.kind == "chips"]:
        if not explained(number + 1) and explained(number):
            dropped.add(number)
    return frozenset(dropped)


def play_of(whole: Round, position: Position, *, blind: bool) -> tuple[Any, ...]:
    """What makes one play differ from another."""
    boxes = tuple(
        (
            box.surrendered,
            box.even,
            min(box.offered, whole.house.insurance_cap(box.wager)) if position.offers else box.insured,
            box.bust_offered if position.offers else box.bust_bet,
            tuple((hand.cards, hand.base, hand.extra) for hand in box.hands),
        )
        for box in position.boxes
    )
    faces = [piece.what for piece in whole.pieces if piece.kind == "card"]
    hidden = position.dealer[1] if blind and len(position.dealer) > 1 else -1
    taken = tuple(position.faces[place] for place, face in enumerate(faces) if face == "??" and place != hidden)
    return boxes, position.dealer, taken, ""


def is_turned(lines: list[dict[str, Any]], doubts: frozenset[str] = frozenset()) -> bool:
    """Whether the hole card may be known to others after these lines: by its key, or because all have played.

    As long as a wager may still be made that the hole card would decide (insurance, even money) it is not.
    """
    whole = read(lines, doubts)
    found = Search(whole, whole.pieces, dropped_lines(lines, doubts, blind=True), close=whole.close, blind=True)
    ends = list(found.readings())
    return bool(ends) and all(
        position.turned or (position.played(whole.house) and not waits(whole.house, position)) for position in ends
    )


def waits(house: House, position: Position) -> bool:
    """Something is still offered that people would take or leave otherwise if they knew the hole card."""
    return position.offers and (position.up() == "A" or (house.ez_bust and position.up() in "23456"))


def each(lines: list[dict[str, Any]], doubts: frozenset[str] = frozenset()) -> list[Answer]:
    """The answer after every line, as the outside may see it: hole-blind until the hole card is turned."""
    turned, answers = False, []
    for number in range(1, len(lines)):
        so_far = lines[: number + 1]
        turned = turned or "close" in lines[number] or is_turned(so_far, doubts)
        answers.append(readings(so_far, blind=not turned, doubts=doubts))
    return answers


def summed_up(whole: Round, ends: list[Position], *, hidden: bool) -> Answer:
    """What the positions agree on."""
    answer = Answer(len(ends))
    printed = [piece.what for piece in whole.pieces if piece.kind == "card"]
    for index, box in enumerate(whole.boxes()):
        spot = str(box.spot)
        hands = {tuple(faces_of(printed, hand.cards) for hand in position.boxes[index].hands) for position in ends}
        one = hands.pop() if len(hands) == 1 else None
        answer.hands[spot] = None if one is None else [list(hand) for hand in one]
        stakes = {tuple(hand.base + hand.extra for hand in position.boxes[index].hands) for position in ends}
        answer.stakes[spot] = list(stakes.pop()) if len(stakes) == 1 else None
    hole = 2 * len(whole.boxes()) + 1 if whole.house.hole_card == "dealt" else -1
    open_faces = ["??" if hidden and place == hole else face for place, face in enumerate(printed)]
    dealers = {faces_of(open_faces, position.dealer) for position in ends}
    answer.dealer = list(dealers.pop()) if len(dealers) == 1 else None
    sums(whole, ends, answer)
    return answer


def faces_of(printed: list[str], places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(printed[place] for place in places)


def sums(whole: Round, ends: list[Position], answer: Answer) -> None:
    """The nets that remain for each bet, and the one they agree on."""
    remain: dict[tuple[str, str], set[Net]] = {}
    for position in ends:
        settled = position.offers_closed(whole.house)
        hands = ways_to_end(whole.house, settled)
        wagers = [whole.side_wagers(box.spot) for box in settled.boxes]
        further = further_wagers(whole, position)
        # With a wager that may still be laid the dealer may yet play who otherwise would not.
        ends_met = list(dealer_ends(whole.house, settled)) if further and position.offers and not whole.close else hands
        sides = side_nets(whole.house, settled, wagers, ends_met, further=further)
        for index, box in enumerate(settled.boxes):
            nets = box_nets(whole.house, settled, box, hands)
            nets |= {bet: values for (at, bet), values in sides.items() if at == index}
            for bet in () if whole.close else still_offered(whole.house, position, box.spot):
                nets[bet] = {None}
            for bet, values in nets.items():
                exact = values if len(values) == 1 else {None}
                remain.setdefault((str(box.spot), bet), set()).update(exact)
    for (spot, bet), values in remain.items():
        if bet in ("insurance", "ez_bust") and values <= {0, None} and not had(ends, spot, bet):
            continue
        known = [] if None in values else sorted(value for value in values if value is not None)
        agreed = len(values) == 1 and len(known) == 1
        answer.due_cents.setdefault(spot, {})[bet] = known[0] if agreed else None
        answer.possible_cents.setdefault(spot, {})[bet] = known


def still_offered(house: House, position: Position, spot: int) -> Iterator[str]:
    """The bets of a box that people may still change: nothing is due of them yet."""
    box = next(box for box in position.boxes if box.spot == spot)
    if not position.dealt(house):
        return
    if position.offers:
        yield from ("insurance", "ez_bust")
    unturned = (
        not position.turned and not position.paying and len(position.dealer) <= (2 if house.hole_card == "dealt" else 1)
    )
    taken = position.offers if house.even_money == "key" else unturned
    if house.even_money_offered and position.up() == "A" and position.natural(box) and not box.even and taken:
        yield "main"


def further_wagers(whole: Round, position: Position) -> bool:
    """EZ Bust may still be laid, or a reader that was lost may have missed it."""
    if not whole.house.ez_bust or len(position.dealer) == 0 or position.up() not in "23456":
        return False
    boxes = {box.spot for box in position.boxes}
    # The first card of a hand ends the offer: a reader that is back by then shows what was wagered.
    cards = [piece for piece in whole.pieces if piece.kind == "card"]
    in_play = cards[2 * len(boxes) + (2 if whole.house.hole_card == "dealt" else 1) :]
    first_ns, last_ns = (in_play[0].first, in_play[0].last) if in_play else (EVER, EVER)
    missed = any(spot in boxes and start_ns <= last_ns and end_ns >= first_ns for spot, start_ns, end_ns in whole.dead)
    return (position.offers and not whole.close) or missed


def had(ends: list[Position], spot: str, bet: str) -> bool:
    """Some play has this wager."""
    boxes = [box for position in ends for box in position.boxes if str(box.spot) == spot]
    if bet == "insurance":
        return any(box.insured or box.offered for box in boxes)
    return any(box.bust_bet or box.bust_offered for box in boxes)
