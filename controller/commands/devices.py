"""``tableside devices``: what is plugged in, and how a table file would name it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from controller.commands.terminal import say
from controller.formats.usb_names import Plugged
from controller.io.identify import ANSWER_SECONDS, Identified, identify, questions
from controller.io.log import configure_log
from controller.io.ports import plugged_in, serial_opener


@click.command("devices")
@click.argument("ports", nargs=-1)
@click.option("--ask/--no-ask", default=True, show_default=True, help="Ask each device who it is.")
def command(ports: tuple[str, ...], *, ask: bool) -> None:
    """List the serial ports, ask what is behind them, and print the lines a table file needs.

    With PORTS only those. A port that the daemon has is not disturbed, and not identified either.

    Exit status: 0.
    """
    configure_log("console", level="error")
    found = tuple(Plugged(port) for port in ports) or plugged_in()
    if not found:
        say("no serial ports")
    for port in found:
        for line in asyncio.run(described(port, ask=ask)):
            say(line)


async def described(port: Plugged, *, ask: bool, answer_seconds: float = ANSWER_SECONDS) -> list[str]:
    """A port in words, and ready to paste."""
    words = [port.usb_name(), port.product, f"in socket {port.location}" if port.location else ""]
    lines = ["  ".join(word for word in (port.path, *words) if word)]
    lines += [f"    also {link}" for link in port.links]
    identified: Identified | None = None
    if ask:
        try:
            openers = {codec.line: serial_opener(port.path, codec.line) for _, codec, _ in questions()}
            identified = await identify(openers, answer_seconds)
        except (OSError, ValueError) as error:
            return [*lines, f"    not asked: {error}", ""]
        if identified is None:
            lines.append("    does not say who it is: nothing there, or a device that only speaks")
        else:
            lines.append(f"    {identified.kind} {identified.protocol}: {identified.text}")
    return [*lines, "", *[f"    {line}".rstrip() for line in pasted(port, identified)], ""]


def pasted(port: Plugged, identified: Identified | None) -> Sequence[str]:
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


def best_name(port: Plugged) -> str:
    """The name that stays the longest: ours from udev, its own serial number, its socket, its path."""
    ours = next((link for link in port.links if link.startswith("/dev/tableside/")), "")
    own = port.usb_name() if port.serial else ""
    by_socket = next((link for link in port.links if link.startswith("/dev/serial/by-path/")), "")
    return ours or own or by_socket or port.path
