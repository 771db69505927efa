"""Wagers that may or may not have lain there at the lock.

A change that a reader tells in an interval which holds the first card may have come before it or after. Of a side
wager that leaves the round as it is: its amount stays open between what lay there before and after, and the player who
moved the chips is accused of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from controller.core.certainty.reader_zones import spot_and_zone
from controller.core.game.side_bet import SideNet, find
from controller.core.inference.aggregate_limit import side_dues
from controller.core.inference.observation import NEVER_ENDS, CardObserved
from controller.core.inference.side_dues import SideEvidence
from controller.core.messages.alerts import WagerUncertain
from controller.core.messages.events import WagerUnresolved
from controller.core.table.layout import ZoneChange, zone_name
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_COMBINED: Final = 16
"""Ways in which uncertain wagers may lie together that are gone through where a limit binds all wins to one another."""

_Wager = tuple[int, str]


def in_time(round_now: Round, first_ns: int, last_ns: int) -> bool:
    """Whether a change counts as before the lock: it may have been, and it was before the first card."""
    return last_ns <= round_now.bets.lock_ns or (
        first_ns < round_now.bets.lock_ns and last_ns <= _first_card_ns(round_now)
    )


def holds_first_card(round_now: Round, first_ns: int, last_ns: int) -> bool:
    """Whether a change may have been before the lock, or after the first card."""
    return first_ns < round_now.bets.lock_ns and last_ns > _first_card_ns(round_now)


def may_be_play(round_now: Round, change: ZoneChange, last_ns: int) -> bool:
    """Whether a change that holds the first card may be the play of a hand: chips lay there, and the deal was done."""
    cards = [known.first_ns for known in round_now.evidence.observations if isinstance(known.item, CardObserved)]
    return bool(change.before) and round_now.is_dealt() and cards[round_now.deal_cards() - 1] < last_ns


def unseen_at_lock(round_now: Round, change: ZoneChange, first_ns: int) -> bool:
    """Whether a zone's reader was lost at the lock, and a change since it looked last may have been before that."""
    lost = not {str(change.spot), zone_name(change.spot, change.zone)}.isdisjoint(round_now.bets.lost_at_lock)
    return lost and first_ns < round_now.bets.lock_ns


def drop_known_zones(transaction: Transaction) -> None:
    """A reader that is back has reported what lies at its spots: what lay there at the lock is known or uncertain."""
    round_now, state = transaction.round(), transaction.state
    if round_now.bets.lost_zones:
        lost = (
            name
            for name in round_now.bets.lost_zones
            if state.known_until_ns(*spot_and_zone(name)) < round_now.bets.lock_ns
        )
        transaction.change_bets(lost_zones=tuple(lost))


def _first_card_ns(round_now: Round) -> int:
    """When the first card left the shoe; after everything while none has."""
    cards = (known.first_ns for known in round_now.evidence.observations if isinstance(known.item, CardObserved))
    return next(cards, NEVER_ENDS)


def is_before_deal_zone(transaction: Transaction, zone: str) -> bool:
    """Whether a zone is that of a side wager made before the deal."""
    return zone in transaction.rules.side_bets and find(zone).placed == "before_deal"


def note_possible_amounts(transaction: Transaction, change: ZoneChange) -> None:
    """A zone's content at the lock is what it was before a change or what it is after it."""
    name, known = zone_name(change.spot, change.zone), transaction.round().bets.uncertain
    amounts = {*known.get(name, ()), change.before, change.after}
    transaction.change_bets(uncertain={**known, name: tuple(sorted(amounts))})


def uncertain_wagers(round_now: Round) -> Iterator[tuple[_Wager, tuple[int, ...]]]:
    """The uncertain wagers at the round's boxes, with what they may be; without a main wager they are none."""
    for name, amounts in sorted(round_now.bets.uncertain.items()):
        spot, _, bet = name.partition("/")
        if int(spot) in round_now.bets.spots:
            yield (int(spot), bet), amounts


def events_at_lock(round_now: Round) -> Iterator[WagerUncertain]:
    """The uncertain wagers as the lock tells them."""
    for (spot, bet), amounts in uncertain_wagers(round_now):
        yield WagerUncertain(round_now.number, spot, bet, amounts)


def events_after_lock(round_now: Round, change: ZoneChange) -> Iterator[WagerUncertain]:
    """An uncertain wager on which a reader has reported after the lock was published."""
    name = zone_name(change.spot, change.zone)
    if change.spot in round_now.bets.spots and (change.spot, change.zone) not in round_now.ending.settled:
        yield WagerUncertain(round_now.number, change.spot, change.zone, round_now.bets.uncertain[name])


def unresolved_at_end(transaction: Transaction, felt: SideEvidence) -> Iterator[WagerUnresolved]:
    """The uncertain wagers at the end of their round: open, unless the floor has ruled."""
    round_now = transaction.round()
    for (spot, bet), amounts in uncertain_wagers(round_now):
        if (spot, bet) in round_now.ending.settled:
            continue
        dues = (felt.side_due(round_now.bets.spots.index(spot), bet, cents) for cents in amounts if cents)
        nets = {net.cents for found in dues for net in found or () if net is not None} | ({0} & {*amounts})
        yield WagerUnresolved(round_now.number, spot, bet, max(amounts), tuple(sorted(nets)))


def dues_together(
    transaction: Transaction, felt: SideEvidence, staked: Mapping[_Wager, int]
) -> dict[_Wager, set[SideNet | None]]:
    """What side wagers may come to; where a limit binds them together, for all that uncertain wagers may be."""
    round_now = transaction.round()
    uncertain = {
        (round_now.bets.spots.index(spot), bet): amounts for (spot, bet), amounts in uncertain_wagers(round_now)
    }
    found = side_dues(felt, staked)
    if not uncertain or not transaction.rules.aggregate_limit_cents:
        return found
    for at, cents in enumerate(product(*uncertain.values())):
        if at == _COMBINED:
            return {wager: {*nets, None} for wager, nets in found.items()}
        more = side_dues(felt, {**staked, **{one: paid for one, paid in zip(uncertain, cents, strict=True) if paid}})
        found = {wager: nets | more[wager] for wager, nets in found.items()}
    return found
