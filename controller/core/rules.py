"""A house's rules as named values. A rule may choose, count or price; it never computes.

Sources of the defaults are the ``[sources]`` of each profile in ``controller/profiles``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from firmware_protocols.values import Value


class Options(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """What a table does by procedure, whatever its card says: how things are shown and in which units they are paid."""

    stand_key: Literal["sometimes", "always"] = "sometimes"
    """``always``: stopping below 21 without the stand key is no legal reading."""
    busts_taken: Literal["sometimes", "at_once"] = "sometimes"
    """``at_once``: a spot whose hands all broke is emptied before the next card or the turn of the hole card."""
    surrender_shown: Literal["always", "sometimes"] = "always"
    """``always``: a surrender is shown by chips, key or answer."""
    even_money_shown: Literal["key", "chips"] = "key"
    """``chips``: a natural's wager that rises by itself against an ace may be even money."""
    new_shoe_burns: int = 1
    """Cards burned when a new shoe begins, counted only when the burn key says so."""
    payout_unit_cents: int = 1
    """Payouts of naturals and returned surrender halves are rounded down to this."""
    chip_unit_cents: int = 1
    """The table's smallest chip."""


class Rules(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """The game: every dimension on which rule cards differ."""

    name: str
    soft_17: Literal["stand", "hit"] = "stand"
    max_hands: int = 4
    resplit_aces: bool = False
    split_by: Literal["value", "rank"] = "value"
    double_on: Literal["any", "any_but_21", "nine_to_eleven"] = "any_but_21"
    double_for_less: bool = True
    double_after_split: bool = True
    surrender: Literal["none", "late"] = "none"
    insurance: bool = True
    insurance_cap: Literal["half", "half_up_to_next_chip"] = "half"
    even_money: bool = False
    natural_pays: tuple[int, int] = (3, 2)
    insurance_pays: tuple[int, int] = (2, 1)
    extra_wagers_against_natural: Literal["original_only", "all"] = "original_only"
    side_bets: tuple[str, ...] = ()
    """Names of the side wagers whose zones may hold chips."""
    options: Options = Options()

    def insurance_cap_cents(self, wager_cents: int) -> int:
        """The most that counts as insurance on a main wager (58 Pa. Code 633a.8; Perryville's card rounds up)."""
        unit = self.options.chip_unit_cents
        if self.insurance_cap == "half" or wager_cents % (2 * unit) == 0:
            return wager_cents // 2
        return -(-wager_cents // (2 * unit)) * unit


class House(Value, frozen=True, tag=False):
    """Everything fixed while the daemon runs: the rules, the chips that exist, the keys' meanings."""

    rules: Rules
    chips: dict[str, int]
    """Value in cents of each chip id."""
    keys: dict[str, str]
    """Meaning of each key ``A`` to ``Y`` (see ``controller.core.keypad``)."""
    profile_hash: str
    """SHA-256 of the rules and options in force, in hex."""
    readers: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The spots each bet-spot reader watches, by device name."""
    shoe_numbers_cards: bool = False
    """Whether the shoe numbers its draws; if not, an outage may hide cards."""
