"""The journal's head given to the trigger box, and what the table says of a box that keeps none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from controller.daemon.daemon import Daemon
from controller.daemon.wiring import Devices
from controller.io.journal.box_anchor import BoxAnchor
from controller.io.system.supervision import Service

NO_HEAD: Final = "the trigger box keeps no head of the journal (its program is an earlier one)"
"""That a journal was set back does not show then at the box."""


def box_anchored(devices: Devices, daemon: Daemon) -> Iterator[Service]:
    """What has the trigger box keep the journal's head, where there is a box."""
    sealing, trigger = daemon.parts.journal.sealing, devices.trigger
    if trigger is None or sealing is None:
        return
    notice = partial(daemon.consumers.notices.__setitem__, "trigger box")
    anchor = BoxAnchor(daemon.anchors, sealing, daemon.identity.epoch, devices.keep_head, notice)
    trigger.head_shown = anchor.shown
    yield "trigger box's head", anchor.run


def box_remarks(devices: Devices) -> tuple[str, ...]:
    """A line if the trigger box keeps no head of the journal."""
    trigger = devices.trigger
    return (NO_HEAD,) if trigger is not None and trigger.keeps_no_head else ()
