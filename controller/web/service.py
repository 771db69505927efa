"""The program: listens to the broker and serves the pages, each for as long as it runs."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import structlog

from controller.formats.journal.signed_note import Verifier
from controller.formats.orders.operators import ChannelUser
from controller.formats.text.printable import many
from controller.io.mqtt.connection import Broker
from controller.io.system.clock import Clock
from controller.io.system.notify import Notifier
from controller.io.system.watchdog import NANOSECONDS, Watchdog
from controller.web.accounts import Accounts
from controller.web.admission import HostNames, Tickets
from controller.web.floor_view import FloorView
from controller.web.journals import Journals
from controller.web.order_relay import OrderRelay, over
from controller.web.server import PARTS, ServerAddress, application, serving
from controller.web.sign_in import SignIn
from controller.web.subscription import Subscription
from controller.web.whole_floor import ReadFloor, WholeFloor

log = structlog.get_logger(__name__)


class Source(NamedTuple):
    """Where tables are heard: a broker, and which of its tables (``SITE/TABLE``; ``+`` stands for any)."""

    broker: Broker
    tables: str
    journals: tuple[Path, ...] = ()
    """Journals that pages may look into."""
    signers: Mapping[str, ChannelUser] | None = None
    """Who may sign in, by signing key; None: no sign-in is needed."""
    texts: Path | None = None
    """The folder with the pages' words in other languages."""
    read_floor: ReadFloor | None = None
    """A gaming day of the whole floor; None: no database of it was named."""
    verifiers: tuple[Verifier, ...] = ()
    """What the heads of journals are held against."""


class WebParts(NamedTuple):
    """Time, chance and the service manager, handed in."""

    clock: Clock
    chance: random.Random
    notifier: Notifier


async def serve(source: Source, address: ServerAddress, around: WebParts, say: Callable[[str], None]) -> None:
    """Serve the pages of a broker's tables until cancelled; ``say`` receives the address once it is served.

    Raises:
        ConfigError: a file of words in another language has mistakes.
        OSError: the address cannot be served.
    """
    clock, chance, notifier = around
    floor = FloorView(clock)

    def seconds() -> float:
        return clock.monotonic_ns() / NANOSECONDS

    app = application(
        floor,
        HostNames(address.names, address.port),
        Tickets(seconds),
        Journals(source.journals, source.verifiers),
        Accounts(source.journals, seconds),
        sign_in=SignIn(source.signers, seconds),
        orders=OrderRelay(over(source.broker)),
        whole_floor=WholeFloor(source.read_floor, seconds),
        texts=source.texts,
    )

    def status() -> str:
        link = "" if floor.is_linked else "; no broker"
        return f"{many(len(floor.tables), 'table')}, {many(len(app[PARTS].sockets), 'page')} open{link}"

    async with serving(app, address) as port, asyncio.TaskGroup() as group:
        say(f"{'http' if address.tls is None else 'https'}://{shown_host(address)}:{port}/")
        group.create_task(Subscription(source.broker, source.tables, floor, chance).run())
        group.create_task(Watchdog(notifier, clock, [], [], status).run())


def shown_host(address: ServerAddress) -> str:
    """The host as it stands in an address bar."""
    if address.names:
        return address.names[0]
    return f"[{address.host}]" if ":" in address.host else address.host
