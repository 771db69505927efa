"""What a wager is due once its hands and the dealer's are known. Pure arithmetic in cents.

A net says by which rule it came about; the sentence for people is made only when somebody reads it.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.game.hand import Outcome, PlayedHand, best
from controller.core.game.rules import Rules

_Reason = tuple[str | int, ...]
"""What decided a net: a name out of ``_SENTENCES`` and the numbers its sentence needs."""


class DealerEnd(msgspec.Struct, frozen=True, cache_hash=True):
    """How the dealer's hand ended: a natural, or a total (22 stands for any broken hand)."""

    natural: bool
    total: int


NATURAL: Final = DealerEnd(natural=True, total=21)
DRAWN: Final = tuple(DealerEnd(natural=False, total=points) for points in range(17, 23))
"""Every way a dealer who plays out may end."""

_SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "even_money": ("even_money", "even money: a natural against an ace paid 1 to 1 whatever the hole card"),
    "naturals_push": ("natural_against_natural", "natural against the dealer's natural: push"),
    "naturals_lose": ("natural_against_natural", "natural against the dealer's natural: the wager is forfeited"),
    "natural_pays": ("natural_pays", "natural pays {} to {}"),
    "natural_pushes": ("natural_against_drawn_21", "natural pushes against the dealer's drawn 21"),
    "original_only": ("extra_wagers_against_natural", "dealer's natural: the original wager only is lost"),
    "broke_first": (
        "busted_bets_lost",
        "dealer's natural: hands already broken lose their whole stake, of the others the original wager only is lost",
    ),
    "extra_returned": ("extra_wagers_against_natural", "dealer's natural: the added wager is returned"),
    "drawn_21_pushes_natural": ("drawn_21_against_natural", "21 pushes against the dealer's natural"),
    "surrendered_all": (
        "surrender_against_natural",
        "surrendered against the dealer's natural: the entire wager is lost",
    ),
    "surrendered": ("surrender", "surrendered: half the wager is lost"),
    "broke": ("win_pays", "{} broke"),
    "loses_to_natural": ("drawn_21_against_natural", "{} loses to the dealer's natural"),
    "dealer_broke": ("win_pays", "{} wins, the dealer broke"),
    "pushes": ("tie", "{} pushes"),
    "tie_loses": ("tie", "{} loses the tie"),
    "split_21": ("split_21", "21 in two cards after a split beats 21 drawn"),
    "drawn_21_pushes": ("drawn_21", "a drawn 21 pushes against {}"),
    "beats": ("win_pays", "{} beats {}"),
    "loses": ("win_pays", "{} loses to {}"),
    "insurance_loses": ("insurance", "insurance loses: the dealer has no natural"),
    "insurance_pays": ("insurance_pays", "insurance pays {} to {}: the dealer has a natural"),
    "agreed_few": ("win_pays", "{}"),
    "agreed": ("win_pays", "every legal play comes to this due, each in its own way"),
    "no_insurance": ("insurance", "no insurance was made"),
}
"""For each reason the key of the rules that decides it, and its sentence."""


class Net(msgspec.Struct, frozen=True, cache_hash=True):
    """A player's net in cents and what explains it."""

    cents: int
    reasons: tuple[_Reason, ...]

    @property
    def why(self) -> str:
        """The sentence for people."""
        return "; ".join(_SENTENCES[str(name)][1].format(*numbers) for name, *numbers in self.reasons)

    @property
    def rule(self) -> str:
        """The key of the rules that decided; of several hands the first hand's."""
        return _SENTENCES[str(self.reasons[0][0])][0]


def main_net(rules: Rules, outcome: Outcome, dealer: DealerEnd, *, even_money: bool = False) -> Net:
    """The net of a spot's main wager, all its hands, doubles and splits together."""
    if even_money:
        return Net(outcome.hands[0].base_cents, (("even_money",),))
    if outcome.how == "natural":
        return _natural_net(rules, outcome.hands[0].base_cents, dealer)
    if outcome.how == "surrendered":
        return _surrender_net(rules, outcome.hands[0].base_cents, dealer)
    nets = hand_nets(rules, outcome, dealer)
    cents = sum(net.cents for net in nets)
    if dealer.natural and rules.extra_wagers_against_natural == "original_only":
        # One sentence for the box: which of its hands the original wager lay on is of no interest.
        return Net(cents, nets[0].reasons)
    return Net(cents, tuple(reason for net in nets for reason in net.reasons))


def hand_nets(rules: Rules, outcome: Outcome, dealer: DealerEnd) -> tuple[Net, ...]:
    """The net of each hand of a box that played, left to right."""
    if dealer.natural and rules.extra_wagers_against_natural == "original_only":
        return _original_only(rules, outcome, dealer)
    return tuple(hand_net(rules, hand, dealer) for hand in outcome.hands)


def _original_only(rules: Rules, outcome: Outcome, dealer: DealerEnd) -> tuple[Net, ...]:
    """A played box against the dealer's natural: only the wager of its first hand is at stake (58 Pa. Code 633a.11(d)).

    What was added by doubling and splitting goes back, also from hands that broke unless ``busted_bets_lost`` (A6).
    """
    nets = []
    any_broke = any(hand.broke() for hand in outcome.hands)
    named: _Reason = ("broke_first",) if any_broke and rules.busted_bets_lost else ("original_only",)
    for index, hand in enumerate(outcome.hands):
        if hand.broke() and rules.busted_bets_lost:
            nets.append(Net(-hand.stake_cents(), (named,)))
        elif index > 0:
            nets.append(Net(0, (("extra_returned",),)))
        elif hand.gave_up:
            nets.append(_surrender_net(rules, hand.base_cents, dealer))
        elif best(hand.cards) == 21 and rules.drawn_21_against_natural == "pushes":
            nets.append(Net(0, (("drawn_21_pushes_natural",),)))
        else:
            nets.append(Net(-hand.base_cents, (named,)))
    return tuple(nets)


def _natural_net(rules: Rules, wager_cents: int, dealer: DealerEnd) -> Net:
    """A natural: returned against the dealer's (A4), else paid, rounded down to the payout unit (A30)."""
    if dealer.natural:
        if rules.natural_against_natural == "push":
            return Net(0, (("naturals_push",),))
        return Net(-wager_cents, (("naturals_lose",),))
    if dealer.total == 21 and rules.natural_against_drawn_21 == "pushes":
        return Net(0, (("natural_pushes",),))
    ahead, to = rules.natural_pays
    unit = rules.options.payout_unit_cents
    return Net(wager_cents * ahead // (to * unit) * unit, (("natural_pays", ahead, to),))


def _surrender_net(rules: Rules, wager_cents: int, dealer: DealerEnd) -> Net:
    """Late surrender: half, rounded in the house's favour to the payout unit; all against a dealer's natural."""
    if dealer.natural and rules.surrender_against_natural == "all":
        return Net(-wager_cents, (("surrendered_all",),))
    unit = rules.options.payout_unit_cents
    returned = wager_cents // (2 * unit) * unit
    return Net(returned - wager_cents, (("surrendered",),))


def hand_net(rules: Rules, hand: PlayedHand, dealer: DealerEnd) -> Net:
    """The net of one hand that was played out: its 21 in two cards was made by a split, else it were a natural."""
    stake, points = hand.stake_cents(), best(hand.cards)
    if points > 21:
        return Net(-stake, (("broke", points),))
    if hand.gave_up:
        return _surrender_net(rules, hand.base_cents, dealer)
    if dealer.natural:
        if points == 21 and rules.drawn_21_against_natural == "pushes":
            return Net(0, (("drawn_21_pushes_natural",),))
        return Net(-stake, (("loses_to_natural", points),))
    ahead, to = rules.win_pays
    won = stake * ahead // to
    if dealer.total > 21:
        return Net(won, (("dealer_broke", points),))
    if points == dealer.total:
        if points == 21 and len(hand.cards) == 2 and rules.split_21 == "beats_drawn_21":
            return Net(won, (("split_21",),))
        return Net(0, (("pushes", points),)) if rules.tie == "push" else Net(-stake, (("tie_loses", points),))
    if points > dealer.total:
        if points == 21 and len(hand.cards) > 2 and rules.drawn_21 == "pushes":
            return Net(0, (("drawn_21_pushes", dealer.total),))
        return Net(won, (("beats", points, dealer.total),))
    return Net(-stake, (("loses", points, dealer.total),))


def insurance_net(rules: Rules, insured_cents: int, *, dealer_natural: bool) -> Net:
    """Insurance pays 2 to 1 against a dealer's natural with an ace up, else it is lost."""
    if not dealer_natural:
        return Net(-insured_cents, (("insurance_loses",),))
    ahead, to = rules.insurance_pays
    return Net(insured_cents * ahead // to, (("insurance_pays", ahead, to),))


def limited_cents(win_cents: int, wins_cents: int, most_cents: int) -> int:
    """A side wager's win once all such wins of the round, ``wins_cents``, are limited to ``most_cents`` (0: no limit).

    Each is lowered in proportion and rounded down to the cent (A35).
    """
    if not most_cents or wins_cents <= most_cents:
        return win_cents
    return win_cents * most_cents // wins_cents


def breakage_cents(rules: Rules, outcome: Outcome, dealer: DealerEnd, net: Net) -> int:
    """What rounding to the payout unit kept back from a box's main wager, in whole cents (A30).

    A part of a cent that 3 to 2 of an odd amount would give is not paid.
    """
    if rules.options.payout_unit_cents == 1 or net.reasons == (("even_money",),):
        return 0
    exact = replace(rules, options=replace(rules.options, payout_unit_cents=1))
    return main_net(exact, outcome, dealer).cents - net.cents
