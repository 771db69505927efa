"""What a wager's rules could give at the most and at the least: beyond it no round of cards accounts for a due."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.core.game.rules import Rules
from controller.core.game.side_bet import fixed_net_cents, terms_of
from controller.core.meters.state import Progressives


class _NetBounds(NamedTuple):
    """The player's least and largest net in cents."""

    least: int
    most: int

    def hold(self, net_cents: int) -> bool:
        """Whether a net lies within them."""
        return self.least <= net_cents <= self.most


def net_bounds(rules: Rules, bet: str, wager_cents: int, main_cents: int, progressives: Progressives) -> _NetBounds:
    """The bounds of one wager.

    ``wager_cents`` is what was staked on ``bet``, 0 where the amount was not seen; ``main_cents`` is the spot's main
    wager, which bounds insurance then.
    """
    match bet:
        case "main":
            return _main_bounds(rules, wager_cents)
        case "insurance":
            staked = wager_cents or rules.insurance_cap_cents(main_cents)
            return _NetBounds(-staked, _won(rules.insurance_pays, staked))
        case _:
            return _side_bounds(rules, bet, wager_cents, progressives)


def _main_bounds(rules: Rules, wager_cents: int) -> _NetBounds:
    """Of a main wager: every hand it may be split into doubled, all won or all lost; or a natural."""
    doubled = 2 * wager_cents
    hands = rules.max_hands * (doubled if rules.double_after_split else wager_cents)
    staked = max(doubled, hands)
    return _NetBounds(-staked, max(_won(rules.win_pays, staked), _won(rules.natural_pays, wager_cents)))


def _side_bounds(rules: Rules, bet: str, wager_cents: int, progressives: Progressives) -> _NetBounds:
    """Of a side wager: its best row at fixed odds or as an award, or all that the meters hold."""
    terms = terms_of(rules, bet)
    rows = (*terms.pays, *terms.awards_cents)
    fixed = [net for row in rows if (net := fixed_net_cents(terms, row, wager_cents)) is not None]
    meters = _meter_cents(progressives) if terms.meter_shares or bet in rules.mystery_fed_by else 0
    return _NetBounds(-wager_cents, max([0, *fixed]) + meters)


def _meter_cents(progressives: Progressives) -> int:
    """All that the table's meters and its pools hold, and what of it has been awarded and is not yet paid."""
    stand: Iterable[int] = (
        *(meter.shown_cents() for meter in progressives.meters),
        *(linked.shown_cents or 0 for linked in progressives.linked),
        *(jackpot.cents for jackpot in progressives.jackpots),
    )
    return sum(stand)


def _won(odds: tuple[int, int], staked_cents: int) -> int:
    """What odds pay on a stake, rounded up to the cent: no house pays more."""
    ahead, to = odds
    return -(-staked_cents * ahead // to)
