"""What the devices should be sent, a function of the table: sent again whenever a device comes back."""

from __future__ import annotations

import msgspec

from controller.core.meters.pooled_meter import PostingBacklog
from firmware_protocols.trigger_messages import TriggerWish
from firmware_protocols.values import Value


class MeterShown(Value, frozen=True, tag=False):
    """What a sign shows of a meter; ``cents`` None: it is closed."""

    meter: str
    cents: int | None


class Desired(Value, frozen=True, tag="desired"):
    """What the devices should be sent now; a function of the table, sent again whenever a device comes back."""

    display: str = ""
    """The line on the dealer's keypad."""
    confirm_ns: int = 0
    """Ask the readers to confirm the layout up to this moment of the machine's monotonic clock; 0: no need."""
    watched: tuple[str, ...] = ()
    """Zones whose changes may tell how the round is played, to be polled before all others; empty: every zone."""
    meters: tuple[MeterShown, ...] = ()
    """What signs show, by meter."""
    notice: str = ""
    """A jackpot that has not been verified yet, for all to see; empty: no such jackpot."""
    trigger: TriggerWish = TriggerWish()
    """What the mystery trigger box is sent."""
    owing: tuple[PostingBacklog, ...] = ()
    """What the pools of linked meters are owed."""
    lock: int = 0
    """The round for which bet sensors are locked; 0: they are open."""
    lamps: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The spots where bet sensors light a lamp, by side bet: the wagers accepted."""
    deadline_ns: int = 0
    """When the clock is to say that nothing more has come, in the machine's monotonic time; 0: no need."""
