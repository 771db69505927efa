"""Lines named on a command line: what a technician says of a port, and what passes there put into words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from controller.io.lines.line_tools import OnBytes
    from controller.io.lines.ports import Opener
    from controller.io.system.clock import Clock
    from devices.session import Session
    from firmware_protocols.codec import Line
    from firmware_protocols.readings import Reading

SHOWN_BYTES: Final = 16
"""Bytes on one line: as wide as a terminal takes, with their letters."""


@dataclass(frozen=True)
class ProbedDevice:
    """What is said to be behind a port."""

    kind: str
    protocol: str

    @property
    def line(self) -> Line:
        """How its line is set."""
        from firmware_protocols import discovery

        return discovery.find(self.kind, self.protocol).line


def _as_device(_: click.Context, __: click.Parameter, value: str | None) -> ProbedDevice | None:
    """``KIND/PROTOCOL``, such as ``shoe/bee_tek``, as an option's callback.

    Raises:
        click.BadParameter: there is none; the message lists what there is.
    """
    from firmware_protocols import discovery

    if value is None:
        return None
    kind, slash, protocol = value.partition("/")
    if not slash and kind in discovery.codecs():
        choices = ", ".join(f"{kind}/{one}" for one in discovery.codecs()[kind])
        raise click.BadParameter(f"expected KIND/PROTOCOL; of a {kind} there are: {choices}")
    try:
        discovery.find(kind, protocol)
    except discovery.UnknownCodecError as error:
        raise click.BadParameter(f"expected KIND/PROTOCOL such as shoe/bee_tek: {error}") from error
    except discovery.BrokenCodecError as error:
        raise click.BadParameter(str(error)) from error
    return ProbedDevice(kind, protocol)


AS_DEVICE: Final = click.option(
    "--as",
    "device",
    metavar="KIND/PROTOCOL",
    callback=_as_device,
    help="Drive the device as the daemon would. Default: only listen.",
)
SPOTS: Final = click.option(
    "--spots", default="1", show_default=True, help="Spots whose readers are asked, such as 1,2,3."
)
BAUD: Final = click.option(
    "--baud", default=9600, show_default=True, type=click.IntRange(50, 4_000_000), help="Without --as."
)


SERVED: Final = ("shoe", "keypad", "bet_spots")
"""Kinds of device that are served on a line alone."""


def refuse_unserved(device: ProbedDevice) -> None:
    """End with the usage if nothing serves a device of this kind on a line alone.

    Raises:
        click.BadParameter: so it is.
    """
    if device.kind not in SERVED:
        raise click.BadParameter(
            f"expected one of {', '.join(SERVED)}: nothing serves {device.kind} alone", param_hint="--as"
        )


LISTED: Final = "tableside devices lists the ports there are"
"""What to do for the name of a port."""


def refuse_misnamed(port: str) -> None:
    """End with the usage if a port's name is no path, no adapter's and no device server's.

    Raises:
        click.BadParameter: so it is.
    """
    import re
    from pathlib import Path

    from controller.formats.text.toml_schema import SERVER_PATTERN, SERVERS
    from controller.formats.text.usb_names import PATTERN, SCHEME

    if port.startswith(SCHEME) and re.fullmatch(PATTERN, port) is None:
        raise click.BadParameter("expected usb:VID:PID[:SERIAL][:INTERFACE]", param_hint="PORT")
    if port.startswith(SERVERS) and re.fullmatch(SERVER_PATTERN, port) is None:
        raise click.BadParameter("expected socket://HOST:PORT or rfc2217://HOST:PORT", param_hint="PORT")
    # A port of Windows (COM3), or the last part of a path.
    if not port or ("/" not in port and not port.startswith(SCHEME) and not Path(port).exists()):
        meant = f" (did you mean /dev/{port}?)" if port and Path("/dev", port).exists() else ""
        said = f"expected a path such as /dev/ttyUSB0, or usb:VID:PID, got {port!r}{meant}; {LISTED}"
        raise click.BadParameter(said, param_hint="PORT")


def line_words(port: str, error: OSError) -> str:
    """Why ``port`` could not be opened or was lost, and what to do about it, in one line."""
    import errno
    import os

    from controller.formats.text.error_words import error_words
    from controller.formats.text.toml_schema import SERVERS

    if error.filename not in {None, port}:
        # The far end of a pseudo-terminal.
        return f"{error.filename}: {error.strerror}; name a path where nothing is, in a folder that you may write"
    words = error_words(error)
    if error.errno == errno.ENOSPC:
        return words
    named = words if port in words else f"{port}: {words}"
    if port.startswith(SERVERS):
        # asyncio names the address there, and not what came of it.
        said = f"{port}: {os.strerror(error.errno)}" if error.errno is not None and error.errno > 0 else named
        return f"{said}; see that the device server is on, and that its address is right"
    match error.errno:
        case errno.ENOENT | errno.ENOTTY | errno.EISDIR:
            return f"{named}; {LISTED}"
        case errno.EACCES | errno.EPERM:
            return f"{named}; only root and the port's group may open it (ls -lL {port} names the group)"
        case _:
            return named


def session_of(device: ProbedDevice, spots: tuple[int, ...]) -> Session:
    """The session that would serve ``device``; readers have their spot's number as address, and antenna 1.

    Raises:
        ValueError: there is no session for this kind.
    """
    from controller.daemon.wiring import bet_spots
    from controller.formats.config.table_file import BetSpotsSection
    from devices.keypad import KeypadSession
    from devices.shoes.shoe import ShoeSession
    from firmware_protocols import discovery

    match device.kind:
        case "shoe":
            return ShoeSession(discovery.find(device.kind, device.protocol), looking=True)
        case "keypad":
            return KeypadSession(discovery.find(device.kind, device.protocol))
        case "bet_spots":
            section = BetSpotsSection(protocol=device.protocol, port="/", spots=spots, antennas={"main": 1})
            return bet_spots(section, "bet_spots")
        case other:
            raise ValueError(f"nothing serves a {other} yet")


async def drive(
    opener: Opener,
    device: ProbedDevice,
    spots: tuple[int, ...],
    *,
    tap: OnBytes,
    show: Callable[[Reading], None],
    clock: Clock,
) -> None:
    """Serve the device on a line as the daemon would, with ``tap`` given what passes, until the line is lost.

    What a session concludes from the loss is not shown: the error says it.

    Raises:
        OSError: the line could not be opened, or how it was lost.
    """
    import asyncio
    import random

    from controller.daemon.wiring import liveness_ns
    from controller.io.lines.line_tools import tapped, watched
    from controller.io.lines.serial import LineLost
    from controller.io.lines.supervisor import LineSupervisor

    lost: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def on_loss(error: Exception) -> None:
        if not lost.done():
            lost.set_result(error)

    def deliver(reading: Reading) -> None:
        if not lost.done():
            show(reading)

    supervisor = LineSupervisor(
        device.kind,
        watched(tapped(opener, tap), on_loss),
        session_of(device, spots),
        clock=clock,
        chance=random.Random(0),  # noqa: S311 - nobody to keep out of step with
        deliver=deliver,
        liveness_ns=liveness_ns(device.kind, device.protocol),
    )
    serving = asyncio.ensure_future(supervisor.run())
    try:
        await asyncio.wait((serving, lost), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            return serving.result()
    finally:
        serving.cancel()
        await asyncio.wait((serving,))
    error = lost.result()
    raise error if isinstance(error, OSError) else LineLost(str(error))


def listening(port: str, device: ProbedDevice | None, baud: int) -> tuple[Line, Opener]:
    """How to open ``port`` as ``device``, or at ``baud`` 8N1 where nobody says what it is."""
    from controller.io.lines.ports import serial_opener
    from firmware_protocols.codec import Line

    line = device.line if device is not None else Line(baud)
    return line, serial_opener(port, line)


def bytes_lines(at_ns: int, from_device: bool, data: bytes) -> list[str]:  # noqa: FBT001 - as a tap receives it
    """Bytes for people: time in seconds, direction, hex, letters."""
    lines = []
    for place in range(0, len(data), SHOWN_BYTES):
        part = data[place : place + SHOWN_BYTES]
        letters = "".join(chr(one) if 32 <= one < 127 else "." for one in part)
        arrow = "<" if from_device else ">"
        lines.append(f"{at_ns / 1e9:10.6f} {arrow} {part.hex(' '):{3 * SHOWN_BYTES - 1}}  {letters}")
    return lines


def reading_line(at_ns: int, reading: Reading) -> str:
    """A reading for people."""
    import msgspec

    fields = msgspec.to_builtins(reading)
    words = " ".join(f"{key}={value}" for key, value in fields.items() if key != "type" and not key.endswith("_ns"))
    return f"{at_ns / 1e9:10.6f} = {type(reading).__name__} {words}"
