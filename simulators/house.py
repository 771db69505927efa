"""The rules of a house as the simulated dealer knows them, read from a profile's plain data.

The dealer knows the truth and so shares no rule with the controller that judges it: these few rules are a second,
independent reading of the same profile.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd, lcm
from typing import Any, Final, Literal, get_args

from firmware_protocols.values import Value

SMALLEST_CHIP_CENTS: Final = 50
"""Every amount on the felt is a multiple of this."""

Soft17 = Literal["stand", "hit"]
SplitBy = Literal["value", "rank"]
DoubleOn = Literal["any_but_21", "any", "nine_to_eleven"]
Surrender = Literal["none", "late"]
InsuranceCap = Literal["half", "half_up_to_next_chip"]
HoleCard = Literal["dealt", "none"]


class House(Value, frozen=True):
    """A house's rules; the defaults are Hollywood Casino at Penn National's.

    ``natural_pays`` and ``insurance_pays`` are (won, staked): (3, 2) pays three for each two staked.
    ``chip_unit_cents`` is the chip to which ``half_up_to_next_chip`` rounds; ``payout_unit_cents`` is the unit to which
    payments of naturals and returned halves are rounded down.
    """

    soft_17: Soft17 = "stand"
    max_hands: int = 3
    resplit_aces: bool = False
    split_by: SplitBy = "value"
    double_on: DoubleOn = "any_but_21"
    double_for_less: bool = True
    double_after_split: bool = True
    surrender: Surrender = "late"
    even_money: bool = False
    insurance: bool = True
    insurance_cap: InsuranceCap = "half"
    natural_pays: tuple[int, int] = (3, 2)
    insurance_pays: tuple[int, int] = (2, 1)
    hole_card: HoleCard = "dealt"
    chip_unit_cents: int = 1
    payout_unit_cents: int = 1

    @property
    def wager_unit_cents(self) -> int:
        """Main wagers laid in multiples of this can be paid, halved and insured in chips without a rest."""
        won, staked = self.natural_pays
        return lcm(SMALLEST_CHIP_CENTS * staked // gcd(won, staked), 2 * SMALLEST_CHIP_CENTS)

    @property
    def insurance_unit_cents(self) -> int:
        """Insurance laid in multiples of this can be paid in chips without a rest."""
        won, staked = self.insurance_pays
        return SMALLEST_CHIP_CENTS * staked // gcd(won, staked)

    def insurance_cap_cents(self, wager_cents: int) -> int:
        """The highest insurance on a main wager: half, or half rounded up to a chip where half cannot be laid."""
        if self.insurance_cap == "half":
            return wager_cents // 2
        return -(-wager_cents // (2 * self.chip_unit_cents)) * self.chip_unit_cents

    def natural_payment_cents(self, wager_cents: int) -> int:
        """What a winning natural wins, rounded down to the payout unit."""
        won, staked = self.natural_pays
        return wager_cents * won // (staked * self.payout_unit_cents) * self.payout_unit_cents

    def insurance_payment_cents(self, insurance_cents: int) -> int:
        """What a winning insurance wager wins, rounded down to a cent."""
        won, staked = self.insurance_pays
        return insurance_cents * won // staked

    def returned_half_cents(self, wager_cents: int) -> int:
        """What a surrendered wager gives back, rounded down to the payout unit."""
        return wager_cents // (2 * self.payout_unit_cents) * self.payout_unit_cents


def house_from(profile: Mapping[str, Any]) -> House:
    """The house of a profile's plain data: its tables ``rules`` and ``options``; a missing key takes the default.

    Keys that are not the dealer's business are passed over: refusing unknown keys is the controller's work. Raises
    ``ValueError`` naming the key whose value is none of those allowed.
    """
    rules: Mapping[str, Any] = {**profile.get("options", {}), **profile.get("rules", {})}
    usual = House()
    return House(
        soft_17=_one_of("soft_17", rules, usual.soft_17, Soft17),
        max_hands=_count("max_hands", rules, usual.max_hands),
        resplit_aces=_flag("resplit_aces", rules, preset=usual.resplit_aces),
        split_by=_one_of("split_by", rules, usual.split_by, SplitBy),
        double_on=_one_of("double_on", rules, usual.double_on, DoubleOn),
        double_for_less=_flag("double_for_less", rules, preset=usual.double_for_less),
        double_after_split=_flag("double_after_split", rules, preset=usual.double_after_split),
        surrender=_one_of("surrender", rules, usual.surrender, Surrender),
        even_money=_flag("even_money", rules, preset=usual.even_money),
        insurance=_flag("insurance", rules, preset=usual.insurance),
        insurance_cap=_one_of("insurance_cap", rules, usual.insurance_cap, InsuranceCap),
        natural_pays=_ratio("natural_pays", rules, usual.natural_pays),
        insurance_pays=_ratio("insurance_pays", rules, usual.insurance_pays),
        hole_card=_one_of("hole_card", rules, usual.hole_card, HoleCard),
        chip_unit_cents=_count("chip_unit_cents", rules, usual.chip_unit_cents),
        payout_unit_cents=_count("payout_unit_cents", rules, usual.payout_unit_cents),
    )


def _one_of(key: str, rules: Mapping[str, Any], preset: str, allowed: object) -> Any:  # noqa: ANN401  a Literal
    value = rules.get(key, preset)
    if value not in get_args(allowed):
        raise ValueError(f"{key}: {value!r} is none of {', '.join(get_args(allowed))}")
    return value


def _flag(key: str, rules: Mapping[str, Any], *, preset: bool) -> bool:
    value = rules.get(key, preset)
    if not isinstance(value, bool):
        raise ValueError(f"{key}: {value!r} is neither true nor false")  # noqa: TRY004  data, not a caller's slip
    return value


def _count(key: str, rules: Mapping[str, Any], preset: int) -> int:
    value = rules.get(key, preset)
    if not _is_positive(value):
        raise ValueError(f"{key}: {value!r} is no whole number above zero")
    return int(value)


def _ratio(key: str, rules: Mapping[str, Any], preset: tuple[int, int]) -> tuple[int, int]:
    value = rules.get(key, preset)
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(_is_positive(part) for part in value):
        raise ValueError(f"{key}: {value!r} is no pair of whole numbers above zero")
    return (value[0], value[1])


def _is_positive(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
