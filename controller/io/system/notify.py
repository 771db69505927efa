"""What the service manager is sent: the notify protocol, one datagram a message.

https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Final

STATUS_LIMIT: Final = 400
"""Characters of a status line; it is shown on one."""


class Notifier:
    """Talks to the service manager that started us, if one did. Never raises: a table does not stop for its watcher."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        self.watchdog_seconds = _watchdog_seconds(environment)
        """How long the manager waits for a sign of life; None: it does not."""

    def ready(self, status: str) -> None:
        """The table has started."""
        self._send("READY=1", f"STATUS={_one_line(status)}")

    def alive(self, status: str) -> None:
        """A sign of life, and how the table is."""
        self._send("WATCHDOG=1", f"STATUS={_one_line(status)}")

    def status(self, text: str) -> None:
        """How the table is, for people, and no sign of life."""
        self._send(f"STATUS={_one_line(text)}")

    def extend(self, seconds: float, status: str) -> None:
        """The start takes longer: do not give it up for this number of seconds from now."""
        self._send(f"EXTEND_TIMEOUT_USEC={round(seconds * 1_000_000)}", f"STATUS={_one_line(status)}")

    def stopping(self) -> None:
        """The table is about to stop."""
        self._send("STOPPING=1")

    def _send(self, *lines: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        # A leading @ stands for the NUL byte of an abstract address.
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
                out.setblocking(False)  # noqa: FBT003 - the socket's own signature
                out.sendto("\n".join(lines).encode(), address)
        except OSError:
            return


def _one_line(text: str) -> str:
    return " ".join(text.split())[:STATUS_LIMIT]


def _watchdog_seconds(environment: Mapping[str, str]) -> float | None:
    ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    text = environment.get("WATCHDOG_USEC", "")
    return int(text) / 1_000_000 if ours and text.isdigit() and int(text) else None
