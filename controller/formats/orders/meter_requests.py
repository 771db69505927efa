"""What people may ask for about meters and jackpots over MQTT; see ``requests.py`` for the form of all requests."""

from __future__ import annotations

from typing import Any, Final, assert_never

import msgspec

from controller.core.messages.inputs import (
    ApproveOrder,
    MeterRuling,
    PayJackpot,
    ProposeMove,
    ReopenMeter,
    VerifyJackpot,
    WithdrawOrder,
)
from controller.core.meters.state import MeterChange
from controller.core.persons import Authentication


class VerifyWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/verify-jackpot``: an award is in order."""

    jackpot: int
    who: str
    why: str
    transaction: Any = None


class PayWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/pay-jackpot``: an award was paid."""

    jackpot: int
    who: str
    why: str
    transaction: Any = None


class OrderWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/order-move``: a proposal that another person must approve; ``move`` as in ``meter_change_proposed``."""

    meter: str
    move: MeterChange
    who: str
    why: str
    transaction: Any = None


class ApproveWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/approve-order``: carry a proposal out."""

    order: int
    who: str
    transaction: Any = None


class WithdrawWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/withdraw-order``: take a proposal back."""

    order: int
    who: str
    why: str
    transaction: Any = None


class ReopenWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/reopen-meter``: a linked meter may be won again after a long outage."""

    meter: str
    who: str
    why: str
    transaction: Any = None


MeterWanted = VerifyWanted | PayWanted | OrderWanted | ApproveWanted | WithdrawWanted | ReopenWanted

METER_VERBS: Final[dict[str, tuple[type[MeterWanted], str]]] = {
    "verify-jackpot": (VerifyWanted, '{"jackpot": 1, "who": "name", "why": "cards seen"}'),
    "pay-jackpot": (PayWanted, '{"jackpot": 1, "who": "another name", "why": "hand pay slip 12"}'),
    "order-move": (
        OrderWanted,
        (
            '{"meter": "sevens", "move": {"type": "adjustment", "pool": "meter", "units": -700000,'
            ' "reason": "equipment_correction"}, "who": "name", "why": "counted"}'
        ),
    ),
    "approve-order": (ApproveWanted, '{"order": 1, "who": "another name"}'),
    "withdraw-order": (WithdrawWanted, '{"order": 1, "who": "name", "why": "counted again"}'),
    "reopen-meter": (ReopenWanted, '{"meter": "pit_sevens", "who": "name", "why": "sign and link agree"}'),
}
"""What each verb asks for, and an example of it."""


def meter_input(wanted: MeterWanted, at_ns: int, vouched: Authentication) -> MeterRuling:
    """What the table is given; ``vouched``: how the channel knows who asks."""
    match wanted:
        case VerifyWanted(jackpot, who, why):
            return VerifyJackpot(at_ns, jackpot, who, why, vouched)
        case PayWanted(jackpot, who, why):
            return PayJackpot(at_ns, jackpot, who, why, vouched)
        case OrderWanted(meter, move, who, why):
            return ProposeMove(at_ns, meter, move, who, why, vouched)
        case ApproveWanted(order, who):
            return ApproveOrder(at_ns, order, who, vouched)
        case WithdrawWanted(order, who, why):
            return WithdrawOrder(at_ns, order, who, why)
        case ReopenWanted(meter, who, why):
            return ReopenMeter(at_ns, meter, who, why)
        case _:
            assert_never(wanted)
