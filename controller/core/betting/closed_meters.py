"""Wagers laid while a meter they feed is closed: who is informed of them, and whether they count.

Whether a meter is closed is asked at the lock, for that is when a wager is made. By the table file's ``while_closed``
such a wager stands, contributes and may win when link or trigger box answer; or it is refused like any other that the
card does not allow. Chips never decide it: a stake that is not returned is collected before the deal (A22), and looks
then as if it had been handed back. Who wants to hand a standing one back takes back the lock first (key *undo*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from controller.core.game.refusals import Refusal
from controller.core.messages.house import House
from controller.core.messages.raised_alerts import AlertKind
from controller.core.meters.pooled_meter import PooledTerms
from controller.core.meters.state import MeterTerms
from controller.core.table.alert_list import money, raise_alert
from controller.core.table.state import State
from controller.core.table.transaction import Transaction


def closed_meters(state: State) -> dict[str, str]:
    """Why each meter is closed that is, by name, as last reported."""
    return {name: why for name, why in state.progressives.closed.items() if why}


def _feeding(house: House, closed: Mapping[str, str], bet: str) -> Iterator[MeterTerms | PooledTerms]:
    """The closed meters that a side wager feeds."""
    every: list[MeterTerms | PooledTerms] = [*house.meters, *house.linked]
    yield from (terms for terms in every if bet in terms.fed_by and terms.name in closed)


def refusal_while_closed(house: House, closed: Mapping[str, str], bet: str) -> Refusal | None:
    """Why a side wager is none while these meters are closed; None: it is one."""
    for terms in _feeding(house, closed, bet):
        if terms.while_closed == "refuse":
            return Refusal(f"{bet}.while_closed", f"{terms.name} is closed: {closed[terms.name]}")
    return None


def raise_standing(transaction: Transaction) -> None:
    """Raise each wager of the round that was laid while a meter it feeds was closed, if that is closed still."""
    round_now, still = transaction.round(), closed_meters(transaction.state)
    closed = {name: why for name, why in round_now.bets.closed_meters.items() if name in still}
    for wager in round_now.bets.wagers:
        for terms in _feeding(transaction.house, closed, wager.bet):
            laid = f"a wager of {money(wager.cents)} while {terms.name} is closed: {closed[terms.name]}"
            where = {"round": round_now.number, "spot": wager.spot, "zone": wager.bet, "after_cents": wager.cents}
            text = f"spot {wager.spot} {wager.bet}: {laid}; dealt to, it stands"
            raise_alert(transaction, AlertKind.METER_CLOSED_AT_LOCK, text, **where)


def returnable_wagers(house: House, state: State) -> tuple[tuple[str, int], ...]:
    """Bet and spot of each wager on a closed meter that can still be handed back, for no card has come."""
    round_now = state.round
    if round_now is not None and round_now.cards.drawn:
        return ()
    if round_now is not None:
        closed = round_now.bets.closed_meters
        there = [(wager.bet, wager.spot) for wager in (*round_now.bets.wagers, *round_now.bets.refused)]
    else:
        closed = closed_meters(state)
        there = [(zone.name, zone.spot) for zone in state.felt.values() if zone.cents]
        there += [(bet, spot) for bet, unit in house.counted.items() for spot in _live(state, bet, unit.spots)]
    return tuple(sorted({(bet, spot) for bet, spot in there if any(_feeding(house, closed, bet))}))


def _live(state: State, bet: str, spots: Iterable[int]) -> set[int]:
    """The spots, of those that only sensors see, where a chip lies on the sensor."""
    sensed = state.sensed.get(bet)
    return set() if sensed is None else set(sensed.live).intersection(spots)


def display_text(house: House, state: State) -> str:
    """What the dealer reads: ``Meter closed: blazing7s 1,3``. Empty: no such wager lies there."""
    spots: dict[str, list[str]] = {}
    for bet, spot in returnable_wagers(house, state):
        spots.setdefault(bet, []).append(str(spot))
    return "Meter closed: " + "; ".join(f"{bet} {','.join(at)}" for bet, at in spots.items()) if spots else ""
