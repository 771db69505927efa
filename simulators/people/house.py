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
SurrenderTurn = Literal["own", "any"]
InsuranceCap = Literal["half", "half_up_to_next_chip"]
HoleCard = Literal["dealt", "none"]
HoleCheck = Literal["none", "device"]
PlayerCards = Literal["face_up", "face_down"]
MidShoeEntry = Literal["allowed", "refused"]
Tie = Literal["push", "loses"]
Drawn21 = Literal["wins", "pushes"]
Drawn21AgainstNatural = Literal["loses", "pushes"]
Split21 = Literal["ordinary", "beats_drawn_21"]
NaturalsPaid = Literal["at_once", "after_play"]
SurrenderAgainstNatural = Literal["all", "half"]
DoubleCount = Literal["best", "hard_or_best"]
ResplitOn = Literal["any_hand", "third_card"]
SplitAceCards = Literal["one", "any"]
ExtraWagers = Literal["original_only", "all"]


class House(Value, frozen=True, tag="house"):
    """A house's rules; the defaults are Hollywood Casino at Penn National's.

    ``natural_pays`` and ``insurance_pays`` are (won, staked): (3, 2) pays three for each two staked.
    ``chip_unit_cents`` is the chip to which ``half_up_to_next_chip`` rounds; ``payout_unit_cents`` is the unit to which
    payments of naturals and returned halves are rounded down.
    """

    decks: int = 8
    boxes: int = 7
    mid_shoe_entry: MidShoeEntry = "allowed"
    player_cards: PlayerCards = "face_up"
    soft_17: Soft17 = "stand"
    win_pays: tuple[int, int] = (1, 1)
    tie: Tie = "push"
    drawn_21: Drawn21 = "wins"
    naturals_paid: NaturalsPaid = "at_once"
    natural_against_natural: Tie = "push"
    natural_against_drawn_21: Drawn21 = "wins"
    drawn_21_against_natural: Drawn21AgainstNatural = "loses"
    split_21: Split21 = "ordinary"
    extra_wagers_against_natural: ExtraWagers = "original_only"
    busted_bets_lost: bool = False
    max_hands: int = 3
    resplit_on: ResplitOn = "any_hand"
    split_ace_cards: SplitAceCards = "one"
    double_split_aces: bool = False
    double_count: DoubleCount = "best"
    surrender_against_natural: SurrenderAgainstNatural = "all"
    hole_check: HoleCheck = "none"
    resplit_aces: bool = False
    split_by: SplitBy = "value"
    double_on: DoubleOn = "any_but_21"
    double_for_less: bool = True
    double_after_split: bool = True
    surrender: Surrender = "late"
    surrender_turn: SurrenderTurn = "any"
    even_money: bool = False
    insurance: bool = True
    insurance_cap: InsuranceCap = "half"
    natural_pays: tuple[int, int] = (3, 2)
    insurance_pays: tuple[int, int] = (2, 1)
    hole_card: HoleCard = "dealt"
    chip_unit_cents: int = 1
    payout_unit_cents: int = 1
    bust_up_cards: tuple[int, ...] = ()
    """Points of the up cards against which EZ Bust is offered; none where the house has no such wager."""
    new_shoe_burns: int = 1

    @property
    def wager_unit_cents(self) -> int:
        """Main wagers laid in multiples of this can be paid, halved and insured in chips without a rest."""
        units = [SMALLEST_CHIP_CENTS * staked // gcd(won, staked) for won, staked in (self.natural_pays, self.win_pays)]
        return lcm(*units, 2 * SMALLEST_CHIP_CENTS)

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

    def win_payment_cents(self, stake_cents: int) -> int:
        """What a winning hand that is no natural wins, rounded down to a cent."""
        won, staked = self.win_pays
        return stake_cents * won // staked

    def insurance_payment_cents(self, insurance_cents: int) -> int:
        """What a winning insurance wager wins, rounded down to a cent."""
        won, staked = self.insurance_pays
        return insurance_cents * won // staked

    def returned_half_cents(self, wager_cents: int) -> int:
        """What a surrendered wager gives back, rounded down to the payout unit."""
        return wager_cents // (2 * self.payout_unit_cents) * self.payout_unit_cents


CHOICES: Final[dict[str, object]] = {
    "mid_shoe_entry": MidShoeEntry,
    "player_cards": PlayerCards,
    "soft_17": Soft17,
    "tie": Tie,
    "drawn_21": Drawn21,
    "naturals_paid": NaturalsPaid,
    "natural_against_natural": Tie,
    "natural_against_drawn_21": Drawn21,
    "drawn_21_against_natural": Drawn21AgainstNatural,
    "split_21": Split21,
    "extra_wagers_against_natural": ExtraWagers,
    "split_by": SplitBy,
    "resplit_on": ResplitOn,
    "split_ace_cards": SplitAceCards,
    "double_on": DoubleOn,
    "double_count": DoubleCount,
    "surrender": Surrender,
    "surrender_turn": SurrenderTurn,
    "surrender_against_natural": SurrenderAgainstNatural,
    "insurance_cap": InsuranceCap,
    "hole_card": HoleCard,
    "hole_check": HoleCheck,
}
FLAGS: Final = (
    "busted_bets_lost",
    "double_split_aces",
    "resplit_aces",
    "double_for_less",
    "double_after_split",
    "even_money",
    "insurance",
)
COUNTS: Final = ("decks", "boxes", "max_hands", "chip_unit_cents", "payout_unit_cents")
RATIOS: Final = ("win_pays", "natural_pays", "insurance_pays")
"""The rules the dealer knows, by what they may be."""


def house_from(profile: Mapping[str, Any]) -> House:
    """The house of a profile's plain data: its tables ``rules`` and ``options``; a missing key takes the default.

    Keys that are not the dealer's business are passed over: refusing unknown keys is the controller's work. Raises
    ``ValueError`` naming the key whose value is none of those allowed.
    """
    rules: Mapping[str, Any] = {**profile.get("options", {}), **profile.get("rules", {})}
    usual = House()
    found: dict[str, Any] = {key: _one_of(key, rules, getattr(usual, key), allowed) for key, allowed in CHOICES.items()}
    found |= {key: _flag(key, rules, preset=getattr(usual, key)) for key in FLAGS}
    found |= {key: _count(key, rules, getattr(usual, key)) for key in COUNTS}
    found |= {key: _ratio(key, rules, getattr(usual, key)) for key in RATIOS}
    if rules.get("new_shoe_burns", 1) != 0:
        # The dealer tells of a new shoe by burning, so where the house burns none he still burns one.
        found["new_shoe_burns"] = _count("new_shoe_burns", rules, usual.new_shoe_burns)
    bust: Mapping[str, Any] = profile.get("side_bets", {}).get("ez_bust", {})
    return House(**found, bust_up_cards=tuple(bust.get("up_cards", ())))


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
