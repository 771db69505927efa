"""What a wager is due once its hands and the dealer's are known. Pure arithmetic in cents."""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.core.hand import Outcome, PlayedHand, best
from controller.core.rules import Rules


class DealerEnd(NamedTuple):
    """How the dealer's hand ended: a natural, or a total (22 stands for any broken hand)."""

    natural: bool
    total: int


NATURAL: Final = DealerEnd(natural=True, total=21)
DRAWN: Final = tuple(DealerEnd(natural=False, total=points) for points in range(17, 23))
"""Every way a dealer who plays out may end."""


class Net(NamedTuple):
    """A player's net in cents and the sentence that explains it."""

    cents: int
    why: str


def main_net(rules: Rules, outcome: Outcome, dealer: DealerEnd, *, even_money: bool = False) -> Net:
    """The net of a spot's main wager, all its hands, doubles and splits together."""
    wager = outcome.hands[0].base_cents
    if even_money:
        return Net(wager, "even money: a natural against an ace paid 1 to 1 whatever the hole card")
    if outcome.how == "natural":
        if dealer.natural:
            return Net(0, "natural against the dealer's natural: push")
        ahead, to = rules.natural_pays
        unit = rules.options.payout_unit_cents
        return Net(wager * ahead // to // unit * unit, f"natural pays {ahead} to {to}")
    if outcome.how == "surrendered":
        return surrender_net(rules, wager, dealer)
    if dealer.natural and rules.extra_wagers_against_natural == "original_only":
        return Net(-wager, "dealer's natural: the original wager only is lost")
    nets = [hand_net(hand, dealer) for hand in outcome.hands]
    return Net(sum(net.cents for net in nets), "; ".join(net.why for net in nets))


def surrender_net(rules: Rules, wager_cents: int, dealer: DealerEnd) -> Net:
    """Late surrender: half, rounded in the house's favour to the payout unit; all against a dealer's natural."""
    if dealer.natural:
        return Net(-wager_cents, "surrendered against the dealer's natural: the entire wager is lost")
    unit = rules.options.payout_unit_cents
    returned = wager_cents // 2 // unit * unit
    return Net(returned - wager_cents, "surrendered: half the wager is lost")


def hand_net(hand: PlayedHand, dealer: DealerEnd) -> Net:
    """The net of one hand that was played out."""
    stake, points = hand.stake_cents(), best(hand.cards)
    if points > 21:
        return Net(-stake, f"{points} broke")
    if dealer.natural:
        return Net(-stake, f"{points} loses to the dealer's natural")
    if dealer.total > 21:
        return Net(stake, f"{points} wins, the dealer broke")
    if points == dealer.total:
        return Net(0, f"{points} pushes")
    if points > dealer.total:
        return Net(stake, f"{points} beats {dealer.total}")
    return Net(-stake, f"{points} loses to {dealer.total}")


def insurance_net(rules: Rules, insured_cents: int, *, dealer_natural: bool) -> Net:
    """Insurance pays 2 to 1 against a dealer's natural with an ace up, else it is lost."""
    if not dealer_natural:
        return Net(-insured_cents, "insurance loses: the dealer has no natural")
    ahead, to = rules.insurance_pays
    return Net(insured_cents * ahead // to, f"insurance pays {ahead} to {to}: the dealer has a natural")
