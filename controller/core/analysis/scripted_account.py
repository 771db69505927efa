"""The account of a scripted round: what every wager comes to, side wagers and meters included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.analysis.scripted_round import ScriptedEnding, ScriptedRound, ScriptError
from controller.core.analysis.stated_meters import StatedMeters, linked_awards, mystery_awards
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Rules
from controller.core.game.settlement import Net, breakage_cents, hand_nets, insurance_net, limited_cents, main_net
from controller.core.game.side_bet import SideNet, View, find, fixed_net_cents, meter_winners, terms_of
from controller.core.meters.awards import Winner
from firmware_protocols.cards import Card

_SideWagers = Mapping[int, Mapping[str, int]]
"""Cents by spot and side wager."""

_MYSTERY_ROW: Final = "must_hit_by_mystery"
"""The row of a wager that took the must-hit-by meter over its number."""


class ScriptedAccount(NamedTuple):
    """What a round comes to."""

    nets: dict[int, dict[str, Net | SideNet]]
    """By spot and bet; what explains each net is said only when asked."""
    hands: dict[int, tuple[Net, ...]]
    """By spot, the net of each hand that played; one entry for a natural or a surrender."""
    meters: StatedMeters
    breakage_cents: int
    """What rounding to the payout unit kept back."""


def refused_side_bet(rules: Rules, bet: str, cents: int) -> Refusal | None:
    """Why a side wager laid before the first card is returned; None: it stands."""
    if rules.side_wagers == "prohibited":
        return Refusal("side_wagers", "side wagers are prohibited at this table")
    if bet not in rules.side_bets:
        return Refusal("side_bets", f"{bet} is not offered at this table")
    terms = terms_of(rules, bet)
    if find(bet).placed == "after_deal":
        return Refusal(f"{bet}.up_cards", f"{bet} is made once the up card lies there, not before the deal")
    if terms.stake_cents not in {0, cents}:
        return Refusal(f"{bet}.stake_cents", f"{bet} is made for {terms.stake_cents} cents, not {cents}")
    if rules.decks < terms.least_decks:
        return Refusal(f"{bet}.least_decks", f"{bet} needs {terms.least_decks} decks, the shoe has {rules.decks}")
    return None


def account(
    scripted: ScriptedRound, ended: ScriptedEnding, sides: _SideWagers, meters: StatedMeters
) -> ScriptedAccount:
    """The account of a scripted round at its end. ``sides`` are the side wagers that stand.

    Raises:
        TellingError: a meter pays and was not given.
    """
    nets: dict[int, dict[str, Net | SideNet]] = {}
    hands: dict[int, tuple[Net, ...]] = {}
    kept_cents = 0
    insured = scripted.play.insurance_offered()
    for box, spot in enumerate(scripted.spots):
        outcome = ended.outcomes[box]
        main = main_net(scripted.rules, outcome, ended.end, even_money=ended.even_money[box])
        nets[spot] = {"main": main}
        hands[spot] = hand_nets(scripted.rules, outcome, ended.end) if outcome.how == "played" else (main,)
        kept_cents += breakage_cents(scripted.rules, outcome, ended.end, main)
        if insured and ended.offered[box]:
            nets[spot]["insurance"] = insurance_net(
                scripted.rules, ended.offered[box], dealer_natural=ended.end.natural
            )
    meters = _settle_sides(scripted, ended, sides, meters, nets)
    return ScriptedAccount(nets, hands, meters, kept_cents)


def _settle_sides(
    scripted: ScriptedRound,
    ended: ScriptedEnding,
    sides: _SideWagers,
    meters: StatedMeters,
    nets: dict[int, dict[str, Net | SideNet]],
) -> StatedMeters:
    """Add the side wagers' nets, and tell where the meters stand after them."""
    views = _views_of(scripted, ended)
    winners: dict[int, Winner] = {}
    for spot, bet, cents in _wagers_in_order(scripted, ended, sides):
        known, terms = find(bet), terms_of(scripted.rules, bet)
        row = known.row(terms, views[scripted.box_of[spot]])
        assert row is not None, "a complete round decides every side wager"
        net = fixed_net_cents(terms, row, cents)
        if net is None:
            winners[spot] = Winner(spot, terms.meter_shares[row])
        # Of a row the meter pays the stake is gone; the award is added below.
        nets[spot][bet] = SideNet(-cents if net is None else net, bet, row)
    apply_aggregate_limit(scripted.rules, nets)
    if winners:
        meters = _pay_linked(scripted.rules, winners, meters, nets)
    return _raise_mystery(scripted.rules, sides, meters, nets)


def _wagers_in_order(
    scripted: ScriptedRound, ended: ScriptedEnding, sides: _SideWagers
) -> Iterable[tuple[int, str, int]]:
    """Spot, bet and cents of every side wager; the one made after the deal comes last."""
    zone = scripted.play.offered_zone
    after_deal = ended.offered if zone != "insurance" else ()
    for box, spot in enumerate(scripted.spots):
        for bet, cents in sides.get(spot, {}).items():
            yield spot, bet, cents
        if after_deal and after_deal[box]:
            yield spot, zone, after_deal[box]


def _views_of(scripted: ScriptedRound, ended: ScriptedEnding) -> tuple[View, ...]:
    """What each box's side wagers look at."""
    shoe, boxes, all_broke = scripted.shoe, len(scripted.spots), ended.all_broke()
    dealer = faces(scripted, ended.dealer)
    return tuple(
        View(shoe[box], shoe[box + boxes + 1], shoe[boxes], dealer, complete=True, all_broke=all_broke)
        for box in range(boxes)
    )


def faces(scripted: ScriptedRound, cards: Iterable[int]) -> tuple[Card, ...]:
    """The faces of remembered cards."""
    return tuple(scripted.shoe[card >> 4] for card in cards)


def apply_aggregate_limit(rules: Rules, nets: dict[int, dict[str, Net | SideNet]]) -> None:
    """Hold the wins of side wagers at fixed odds to the aggregate limit (A35)."""
    wins = [net.cents for row in nets.values() for net in row.values() if isinstance(net, SideNet) and net.cents > 0]
    for row in nets.values():
        for bet, net in row.items():
            if isinstance(net, SideNet) and net.cents > 0:
                row[bet] = net.lowered(limited_cents(net.cents, sum(wins), rules.aggregate_limit_cents))


def _pay_linked(
    rules: Rules, winners: dict[int, Winner], meters: StatedMeters, nets: dict[int, dict[str, Net | SideNet]]
) -> StatedMeters:
    """Add the awards of the linked meter."""
    if meters.linked is None:
        raise ScriptError("blazing_meter_cents", "the linked meter pays in this round: expected what it stands at")
    bet = next(bet for bet in rules.side_bets if terms_of(rules, bet).meter_shares)
    shared = meter_winners(rules, bet) == "share"
    awards, after = linked_awards(meters.linked, winners.values(), shared=shared)
    for spot, cents in awards.items():
        net = nets[spot][bet]
        nets[spot][bet] = replace(net, cents=net.cents + cents)
    return meters._replace(linked=after)


def _raise_mystery(
    rules: Rules, sides: _SideWagers, meters: StatedMeters, nets: dict[int, dict[str, Net | SideNet]]
) -> StatedMeters:
    """Let the wagers that feed the must-hit-by meter raise it in spot order, and pay who takes it over its number."""
    if meters.mystery is None:
        return meters
    feeding = [(spot, bet) for spot in sides for bet in sides[spot] if bet in rules.mystery_fed_by]
    awards, after = mystery_awards(rules, meters.mystery, feeding)
    for (spot, bet), cents in awards.items():
        nets[spot][bet] = SideNet(nets[spot][bet].cents + cents, bet, _MYSTERY_ROW)
    return meters._replace(mystery=after)
