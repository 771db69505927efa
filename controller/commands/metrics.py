"""``tableside metrics``: figures of all tables of a broker in OpenMetrics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from controller.commands.client import broker_address, broker_of, given_by, with_broker
from controller.commands.logged import logged
from controller.commands.terminal import refuse, refuse_address, say
from controller.commands.until_stopped import until_stopped

PORT: Final = 9464


@click.command("metrics")
@with_broker
@click.option("--listen", envvar="TABLESIDE_METRICS_LISTEN", default=f"127.0.0.1:{PORT}", show_default=True)
@click.option(
    "--disk",
    "disks",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also report the free space on the disk of this path; may be repeated.",
)
@logged
@click.argument("tables", default="+/+", metavar="[TABLES]")
def command(tables: str, listen: str, disks: tuple[Path, ...], **broker_options: Any) -> None:  # noqa: ANN401
    """Serve figures of TABLES (SITE/TABLE, + for any; default all) of a broker at /metrics until stopped.

    It only reads the retained topics of tables: no table depends on it.

    Exit status: 0 when stopped, 2 it cannot be served.
    """
    import asyncio
    import random

    from controller.io.system.clock import SystemClock
    from controller.io.system.notify import Notifier
    from controller.io.system.privacy import keep_private

    broker = broker_of(broker_options)
    if tables.count("/") != 1 or not all(tables.split("/")) or "#" in tables:
        raise click.UsageError(f"TABLES: expected SITE/TABLE, such as harbour/bj-1 or harbour/+, got {tables!r}")
    address = broker_address(listen, PORT, given_by("listen", "--listen"))
    try:
        from controller.metrics.endpoint import FigureCollector, serve
    except ImportError:
        from controller.io.files.extras import how_to_get

        refuse(f"tableside metrics needs prometheus_client; {how_to_get('metrics')}")
    for line in not_there(disks):
        say(f"tableside: warning: {line}", err=True)
    keep_private()
    notifier = Notifier(os.environ)
    chance = random.Random()  # noqa: S311 - spreads pauses, decides nothing

    async def work() -> None:
        notifier.ready("serves figures")
        await serve(broker, tables, address, FigureCollector(SystemClock(), disks), chance)

    try:
        asyncio.run(until_stopped(work()))
    except OSError as error:
        refuse_address(listen, error)
    finally:
        notifier.stopping()


def not_there(disks: Iterable[Path]) -> Iterator[str]:
    """A line for each path whose disk cannot be looked at now: it may be mounted later, and then its space is told."""
    for path in disks:
        try:
            os.statvfs(path)
        except OSError as error:
            yield f"--disk {path}: {error.strerror}; its space is told once it can be looked at"
