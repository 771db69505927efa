"""``tableside devices``: what is plugged in, and how a table file would name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from controller.commands.terminal import AS_JSON, say, say_json

if TYPE_CHECKING:
    from controller.formats.text.usb_names import SerialPort
    from controller.io.lines.identify import DeviceIdentity

NOT_WANTED: Final = "--no-ask"
"""Why nobody was asked at a port that is free."""


@click.command("devices")
@click.argument("ports", nargs=-1)
@click.option("--ask/--no-ask", default=True, show_default=True, help="Ask each device to identify itself.")
@AS_JSON
def command(ports: tuple[str, ...], *, ask: bool, as_json: bool) -> None:
    """List the serial ports, identify the devices on them, and print the lines a table file needs.

    With PORTS, only those. A port that the daemon has open is not disturbed and not identified.

    Exit status: 0.
    """
    import asyncio

    from controller.formats.text.usb_names import SerialPort
    from controller.io.lines.ports import plugged_in
    from controller.io.system.log import configure_log

    configure_log("console", level="error")
    found = tuple(SerialPort(port) for port in ports) or plugged_in()
    if as_json:
        say_json([data_of(asyncio.run(looked_at(port, ask=ask))) for port in found])
        return
    if not found:
        say("no serial ports")
    for port in found:
        for line in lines_of(asyncio.run(looked_at(port, ask=ask))):
            say(line)


class ProbedPort(NamedTuple):
    """A port, who answered at it, and why nobody was asked."""

    port: SerialPort
    identified: DeviceIdentity | None = None
    not_asked: str = ""


async def looked_at(port: SerialPort, *, ask: bool, answer_seconds: float | None = None) -> ProbedPort:
    """Ask what is behind a port."""
    from controller.formats.text.error_words import error_words
    from controller.io.lines.identify import ANSWER_SECONDS, identify, questions
    from controller.io.lines.ports import serial_opener

    if not ask:
        return ProbedPort(port, not_asked=NOT_WANTED)
    try:
        openers = {codec.line: serial_opener(port.path, codec.line) for _, codec, _ in questions()}
        return ProbedPort(port, await identify(openers, ANSWER_SECONDS if answer_seconds is None else answer_seconds))
    except (OSError, ValueError) as error:
        return ProbedPort(port, not_asked=error_words(error))


def data_of(found: ProbedPort) -> dict[str, Any]:
    """A port for programs."""
    from dataclasses import asdict

    port, identified = found.port, found.identified
    return {
        **{name: getattr(port, name) for name in ("path", "product", "location", "links")},
        "usb_name": port.usb_name(),
        "not_asked": found.not_asked,
        "identified": None if identified is None else asdict(identified),
        "lines": pasted(port, identified) if found.not_asked in {"", NOT_WANTED} else (),
    }


def lines_of(found: ProbedPort) -> list[str]:
    """A port in words, and ready to paste."""
    port, identified = found.port, found.identified
    words = [port.usb_name(), port.product, f"in socket {port.location}" if port.location else ""]
    lines = ["  ".join(word for word in (port.path, *words) if word)]
    lines += [f"    also {link}" for link in port.links]
    if found.not_asked and found.not_asked != NOT_WANTED:
        return [*lines, f"    not asked: {found.not_asked}", ""]
    if identified is not None:
        lines.append(f"    {identified.kind} {identified.protocol}: {identified.text}")
    elif not found.not_asked:
        lines.append("    did not identify itself: nothing is connected, or the device only sends")
    return [*lines, "", *[f"    {line}".rstrip() for line in pasted(port, identified)], ""]


def pasted(port: SerialPort, identified: DeviceIdentity | None) -> Sequence[str]:
    """What a table file needs."""
    name = best_name(port)
    if identified is None:
        return (f'port = "{name}"',)
    head = "[[bet_spots]]" if identified.kind == "bet_spots" else f"[{identified.kind}]"
    lines = [head, f'protocol = "{identified.protocol}"', f'port = "{name}"']
    if identified.addresses:
        spots = ", ".join(str(address) for address in identified.addresses)
        lines += [f"spots = [{spots}]", "antennas = {main = 1}"]
    return lines


def best_name(port: SerialPort) -> str:
    """The name that stays the longest: ours from udev, its own serial number, its socket, its path."""
    ours = next((link for link in port.links if link.startswith("/dev/tableside/")), "")
    own = port.usb_name() if port.serial else ""
    by_socket = next((link for link in port.links if link.startswith("/dev/serial/by-path/")), "")
    return ours or own or by_socket or port.path
