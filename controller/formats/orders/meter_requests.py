"""What people may ask for about meters and jackpots over MQTT; see ``requests.py`` for the form of all requests."""

from __future__ import annotations

from typing import Any, Final, assert_never

import msgspec

from controller.core.messages.inputs import (
    ApproveOrder,
    MeterRuling,
    PayJackpot,
    ProposeMeterChange,
    ReopenMeter,
    VerifyJackpot,
    WithdrawOrder,
)
from controller.core.meters.state import MeterChange
from controller.core.persons import Authentication


class VerifyRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/verify-jackpot``: an award is in order."""

    jackpot: int
    who: str
    why: str
    transaction: Any = None


class PayRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/pay-jackpot``: an award was paid."""

    jackpot: int
    who: str
    why: str
    transaction: Any = None


class MeterChangeRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/order-move``: a proposal that another person must approve; ``move`` as in ``meter_change_proposed``."""

    meter: str
    move: MeterChange
    who: str
    why: str
    transaction: Any = None


class ApproveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/approve-order``: carry a proposal out."""

    order: int
    who: str
    transaction: Any = None


class WithdrawRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/withdraw-order``: take a proposal back."""

    order: int
    who: str
    why: str
    transaction: Any = None


class ReopenRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/reopen-meter``: a linked meter may be won again after a long outage."""

    meter: str
    who: str
    why: str
    transaction: Any = None


MeterRequest = VerifyRequest | PayRequest | MeterChangeRequest | ApproveRequest | WithdrawRequest | ReopenRequest

METER_VERBS: Final[dict[str, tuple[type[MeterRequest], str]]] = {
    "verify-jackpot": (VerifyRequest, '{"jackpot": 1, "who": "name", "why": "cards seen"}'),
    "pay-jackpot": (PayRequest, '{"jackpot": 1, "who": "another name", "why": "hand pay slip 12"}'),
    "order-move": (
        MeterChangeRequest,
        (
            '{"meter": "sevens", "move": {"type": "adjustment", "pool": "meter", "units": -700000,'
            ' "reason": "equipment_correction"}, "who": "name", "why": "counted"}'
        ),
    ),
    "approve-order": (ApproveRequest, '{"order": 1, "who": "another name"}'),
    "withdraw-order": (WithdrawRequest, '{"order": 1, "who": "name", "why": "counted again"}'),
    "reopen-meter": (ReopenRequest, '{"meter": "pit_sevens", "who": "name", "why": "sign and link agree"}'),
}
"""What each verb asks for, and an example of it."""


def meter_input(wanted: MeterRequest, at_ns: int, vouched: Authentication) -> MeterRuling:
    """What the table is given; ``vouched``: how the channel knows who asks."""
    match wanted:
        case VerifyRequest(jackpot, who, why):
            return VerifyJackpot(at_ns, jackpot, who, why, vouched)
        case PayRequest(jackpot, who, why):
            return PayJackpot(at_ns, jackpot, who, why, vouched)
        case MeterChangeRequest(meter, move, who, why):
            return ProposeMeterChange(at_ns, meter, move, who, why, vouched)
        case ApproveRequest(order, who):
            return ApproveOrder(at_ns, order, who, vouched)
        case WithdrawRequest(order, who, why):
            return WithdrawOrder(at_ns, order, who, why, vouched)
        case ReopenRequest(meter, who, why):
            return ReopenMeter(at_ns, meter, who, why, vouched)
        case _:
            assert_never(wanted)
