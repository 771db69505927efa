"""Pay advice: what the dealer takes and pays, spot by spot, in the order it is done, in chips of the table's rack.

It says nothing that a settlement has not said in the same step, and settlements are published only once they may be
whatever the hole card is. Insurance comes first, then the spots from the dealer's right to the left, the highest number
first, split hands from right to left, each spot's side wagers after its main wager.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from math import gcd
from typing import Final

from controller.core.game.hand import PlayedHand, best, is_natural, seen
from controller.core.game.rules import Rules
from controller.core.game.settlement import NATURAL, DealerEnd, hand_net
from controller.core.game.wager import Basis
from controller.core.messages.advice import Advice, AdviceLine, DealerAction, PaymentAdvised, Stack
from controller.core.messages.events import BettingClosed, CardDealt, CardOpened, Event, HandCompleted, WagerSettled
from controller.core.table.round_state import Round
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction

_EXACT_LIMIT: Final = 4000
"""Units (the common measure of all chips) up to which chips are sought that make an amount the largest first do not."""

_INSURANCE: Final = "insurance"


def _order(line: AdviceLine) -> tuple[bool, int, bool, int, str]:
    """Where a line stands among those that can be said at once."""
    return (line.bet != _INSURANCE, -line.spot, line.bet != "main", 0 if line.hand is None else -line.hand, line.bet)


def _lines_of(
    rules: Rules,
    settled: Iterable[WagerSettled],
    events: Sequence[Event],
    faces: dict[int, int],
    chips: tuple[int, ...],
) -> tuple[AdviceLine, ...]:
    """What is to be done about settled wagers. ``events`` are the round's facts, ``faces`` its open cards by number."""
    found: list[AdviceLine] = []
    for event in settled:
        hands = _by_hand(rules, event, events, faces) if event.bet == "main" else ()
        if hands:
            found += [_line(event, place, cents, chips) for place, cents in hands]
        else:
            found.append(_line(event, None, event.net_cents, chips))
    return tuple(sorted(found, key=_order))


def _line(event: WagerSettled, hand: int | None, cents: int, chips: tuple[int, ...]) -> AdviceLine:
    """One thing to do: ``cents`` is the player's net."""
    move = DealerAction.PAY if cents > 0 else DealerAction.TAKE if cents < 0 else DealerAction.LEAVE
    stacks, short = in_chips(abs(cents), chips)
    return AdviceLine(event.spot, event.bet, hand, move, abs(cents), stacks, short)


def _by_hand(
    rules: Rules, event: WagerSettled, events: Sequence[Event], faces: dict[int, int]
) -> tuple[tuple[int, int], ...]:
    """The nets of a split spot's hands, left to right; empty where there is one hand, or not every hand is known."""
    hands = [one for one in events if isinstance(one, HandCompleted) and one.spot == event.spot]
    dealer = [faces[one.card] for one in events if isinstance(one, CardDealt) and not one.spot and one.card in faces]
    if len(hands) < 2:
        return ()
    end = _dealer_end(tuple(dealer))
    nets: list[tuple[int, int]] = []
    for one in sorted(hands, key=lambda hand: hand.hand):
        if any(card not in faces for card in one.cards):
            return ()
        played = PlayedHand(tuple(faces[card] for card in one.cards), one.stake_cents, 0)
        nets.append((one.hand, hand_net(rules, played, end).cents))
    # A natural of the dealer's takes less than the stakes, and hands that are not published yet may be missing.
    return tuple(nets) if sum(cents for _, cents in nets) == event.net_cents else ()


def _dealer_end(cards: tuple[int, ...]) -> DealerEnd:
    """How the dealer's hand ended."""
    if len(cards) == 2 and is_natural(*cards):
        return NATURAL
    return DealerEnd(natural=False, total=min(best(cards), 22))


def in_chips(cents: int, values: tuple[int, ...]) -> tuple[tuple[Stack, ...], int]:
    """The fewest chips of these values that make an amount, highest first, and what no chips make of it."""
    counts = _fewest(cents, tuple(sorted(values, reverse=True)))
    stacks = tuple(Stack(value, count) for value, count in counts if count)
    return stacks, cents - sum(stack.value_cents * stack.count for stack in stacks)


@lru_cache(maxsize=4096)
def _fewest(cents: int, values: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """How many of each value: the largest first, as dealers cut chips out; else any that make most of the amount."""
    counts = _largest_first(cents, values)
    if not values or sum(value * count for value, count in counts) == cents:
        return counts
    unit = gcd(*values)
    if cents // unit > _EXACT_LIMIT:
        return counts
    return _exactly(cents // unit, unit, values)


def _largest_first(cents: int, values: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """As many as go of the largest, then of the next."""
    counts: list[tuple[int, int]] = []
    for value in values:
        count, cents = divmod(cents, value)
        counts.append((value, count))
    return tuple(counts)


def _exactly(units: int, unit: int, values: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The fewest chips that make the highest amount up to ``units`` units which any chips make."""
    last: list[int] = [0] * (units + 1)
    chips: list[int] = [0] + [units + 1] * units
    for amount in range(1, units + 1):
        for value in values:
            before = amount - value // unit
            if before >= 0 and chips[before] + 1 < chips[amount]:
                chips[amount], last[amount] = chips[before] + 1, value
    amount = max(one for one in range(units + 1) if chips[one] <= units)
    counts = dict.fromkeys(values, 0)
    while amount:
        counts[last[amount]] += 1
        amount -= last[amount] // unit
    return tuple(counts.items())


_DISPLAY_LIMIT = 80
"""Characters that a keypad's display takes (``ShowText``)."""

_DONE = "take and pay"


def advise(before: Table, transaction: Transaction) -> None:
    """What this step has settled, as things to do.

    What was settled as it had been paid needs doing no more, nor does a wager that was taken before the next bet came.
    """
    settled: list[WagerSettled] = []
    for event in transaction.events:
        if type(event) is BettingClosed:
            transaction.change(advice=Advice())
        elif type(event) is WagerSettled and event.basis is not Basis.PAID:
            settled.append(event)
    if not settled:
        return
    for number in sorted({event.round for event in settled}):
        faces, events = _known_of(before, transaction, number)
        ahead = _spots_betting_ahead(before, transaction, number)
        of_round = [one for one in settled if one.round == number and (one.bet != "main" or one.spot not in ahead)]
        lines = _lines_of(transaction.rules, of_round, events, faces, transaction.house.denominations)
        if lines:
            transaction.emit(PaymentAdvised(number, lines))
        if transaction.state.advice.round in {0, number}:
            everything = tuple(sorted((*transaction.state.advice.lines, *lines), key=_order))
            transaction.change(advice=Advice(number, everything))


def _spots_betting_ahead(before: Table, transaction: Transaction, number: int) -> frozenset[int]:
    """Spots where the wager of a round is gone in every play and the next bet lies: there is nothing to take.

    None where cards that lie closed would decide it: where the floor has settled the wager before they were shown.
    """
    known = transaction.round_known(number)
    if transaction.house.turns_keyed and known is not None and known.hides_faces():
        return frozenset()
    table = transaction.table() if transaction.state.open_round() == number else before
    round_now, lattice = table.state.round, table.lattice
    if round_now is None or round_now.number != number or lattice is None:
        return frozenset()
    return frozenset(spot for box, spot in enumerate(round_now.bets.spots) if lattice.bets_ahead(box))


def _known_of(before: Table, transaction: Transaction, number: int) -> tuple[dict[int, int], tuple[Event, ...]]:
    """A round's open cards by number, and the facts published of its hands and the dealer's."""
    states = (transaction.state, before.state)
    rounds = [one for state in states for one in (state.round, *state.waiting) if one is not None]
    round_now = next((one for one in rounds if one.number == number), None)
    if round_now is None:
        return {}, ()
    published = (*round_now.evidence.published, *transaction.events)
    events = [one for one in published if isinstance(one, (HandCompleted, CardDealt))]
    # What this step has opened counts; what it has not stays closed, even where the round is over: one that is voided
    # before the turn opens no hole card.
    just = {one.card for one in transaction.events if isinstance(one, CardOpened)}
    return dict(_open_cards(round_now, just)), tuple(dict.fromkeys(one for one in events if one.round == number))


def _open_cards(round_now: Round, just_opened: Container[int]) -> Iterator[tuple[int, int]]:
    """The cards that lie face up, as plays remember them, by number."""
    for place, card in enumerate(round_now.cards.drawn):
        face = card.shown()
        if face is not None and (card.opened or card.number in just_opened):
            yield card.number, seen(place, face)


def display_text(given: Advice) -> str:
    """The advice in a line for the keypad: ``7 +37.50 5 -25 3 = take and pay``; empty where it does not fit."""
    words = [_word(line) for line in given.lines]
    text = " ".join([*words, _DONE])
    return text if words and len(text) <= _DISPLAY_LIMIT else ""


def _word(line: AdviceLine) -> str:
    """One line as a dealer reads it: spot, hand or side wager, and what to do."""
    where = f"{line.spot}" if line.hand is None else f"{line.spot}.{line.hand + 1}"
    what = "" if line.bet == "main" else f" {line.bet}"
    whole, part = divmod(line.cents, 100)
    amount = f"{whole}.{part:02}" if part else f"{whole}"
    sign = {DealerAction.PAY: f"+{amount}", DealerAction.TAKE: f"-{amount}", DealerAction.LEAVE: "="}[line.move]
    return f"{where}{what} {sign}"
