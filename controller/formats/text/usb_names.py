"""A serial port named by what is plugged in: ``usb:VID:PID[:SERIAL][:INTERFACE]``.

VID and PID are four hex digits; SERIAL is the adapter's own (may be left empty: ``usb:0403:6011::2``); INTERFACE is the
number of the port on an adapter that has several, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SCHEME: Final = "usb:"
PATTERN: Final = r"usb:[0-9a-fA-F]{4}:[0-9a-fA-F]{4}(:[^:\s]*(:[0-9]{1,2})?)?"


class NotPluggedIn(LookupError):  # noqa: N818 - named for what is the case
    """No port, or more than one, is what was named; the text says what there is."""


@dataclass(frozen=True)
class SerialPort:
    """A serial port that is there.

    ``vid`` and ``pid`` are None for a port that is not on USB, ``interface`` for the only port of its adapter.
    """

    path: str
    vid: int | None = None
    pid: int | None = None
    serial: str = ""
    interface: int | None = None
    product: str = ""
    location: str = ""
    links: tuple[str, ...] = ()

    def usb_name(self) -> str:
        """How a table file may name it, as far as it is known; empty for a port that is not on USB."""
        if self.vid is None or self.pid is None:
            return ""
        name = f"{SCHEME}{self.vid:04x}:{self.pid:04x}"
        usable = re.fullmatch(r"[^:\s]*", self.serial) is not None
        if usable and self.serial:
            name += f":{self.serial}"
        if self.interface is None:
            return name
        return f"{name}{'' if usable and self.serial else ':'}:{self.interface}"


def choose(name: str, ports: Sequence[SerialPort]) -> SerialPort:
    """The one port that ``name`` means.

    Raises:
        NotPluggedIn: there is none, or more than one.
        ValueError: ``name`` is no such name.
    """
    if re.fullmatch(PATTERN, name) is None:
        raise ValueError(f"expected usb:VID:PID[:SERIAL][:INTERFACE], got {name}")
    parts = name.removeprefix(SCHEME).split(":")
    vid, pid = int(parts[0], 16), int(parts[1], 16)
    serial = parts[2] if len(parts) > 2 else ""
    interface = int(parts[3]) if len(parts) > 3 else None
    found = [
        port
        for port in ports
        if (port.vid, port.pid) == (vid, pid)
        and (not serial or port.serial == serial)
        and (interface is None or (port.interface or 0) == interface)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotPluggedIn(f"{name}: {', '.join(sorted(one.path for one in found))} are all that; name one of them")
    there = ", ".join(sorted(one.usb_name() for one in ports if one.usb_name())) or "no USB adapter"
    raise NotPluggedIn(f"{name}: not plugged in; there is {there}")
