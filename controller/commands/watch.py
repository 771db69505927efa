"""``tableside watch``: follow the tables of a broker."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.client import broker_of, tables, with_broker
from controller.commands.request import lacking_certificate
from controller.commands.terminal import AS_JSON, say

if TYPE_CHECKING:
    from controller.io.mqtt.connection import Broker

STORAGE_FAILED: Final = 70
"""Exit status: the disk failed; what was acknowledged is on it."""


@click.command("watch")
@with_broker
@click.option("--durable", type=click.Path(dir_okay=False, path_type=Path), help="Keep every event in this file.")
@click.option("--consumer", default="surveillance", show_default=True, help="With --durable: the consumer's name.")
@AS_JSON
@click.argument("table", default="+/+", shell_complete=tables)
def command(table: str, durable: Path | None, consumer: str, *, as_json: bool, **broker_options: Any) -> None:  # noqa: ANN401 - as click hands them over
    """Print what TABLE (site/name; default: all tables) publishes, and report errors in the stream.

    With --durable, every event is written to a file, once and in order, and synced before it is acknowledged. Missing
    events are requested again, and a lost broker is waited for.

    Errors go to standard error. Exit status: 0 when interrupted, 2 if there is no broker or the file cannot be
    used, 70 if the disk failed.
    """
    from controller.consumer.watch import run_watch
    from controller.formats.text.error_words import error_words
    from controller.io.mqtt.connection import ConnectionLost

    broker = broker_of(broker_options)
    if table.count("/") != 1 or not all(table.split("/")) or "#" in table:
        raise click.UsageError(f"TABLE: expected SITE/TABLE, such as harbour/bj-1 or harbour/+, got {table!r}")
    if as_json and durable is not None:
        raise click.UsageError("--json: the file of --durable holds the events as JSON")
    if durable is not None:
        keep(broker, table, consumer, durable)
        return
    try:
        run_watch(broker, f"tableside/v1/{table}/#", say, _complain, as_json=as_json)
    except (ConnectionLost, OSError) as error:
        say(
            f"tableside: broker {broker.host}:{broker.port}: {error_words(error)}{lacking_certificate(broker)}",
            err=True,
        )
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(0)


def keep(broker: Broker, table: str, consumer: str, path: Path) -> None:
    """Follow one table into a file until interrupted."""
    import asyncio

    from controller.consumer.durable import ConsumerOutput, follow
    from controller.formats.journal.stream import CONSUMER
    from controller.formats.mqtt.envelope import Topics
    from controller.io.mqtt.durable_file import DurableRefused

    site, _, name = table.partition("/")
    if not (CONSUMER.fullmatch(site) and CONSUMER.fullmatch(name) and CONSUMER.fullmatch(consumer)):
        say("tableside: --durable needs one table, SITE/NAME, and a consumer's name in lower case", err=True)
        sys.exit(2)
    try:
        asyncio.run(follow(broker, Topics(site, name), consumer, path, ConsumerOutput(say, _complain)))
    except DurableRefused as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        say(f"tableside: {path}: {error}", err=True)
        sys.exit(STORAGE_FAILED)
    except KeyboardInterrupt:
        sys.exit(0)


def _complain(text: str) -> None:
    say(f"!! {text}", err=True, style="bad")
