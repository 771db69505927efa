"""``tableside home-assistant``: tell a Home Assistant at the broker where it finds the tables."""

from __future__ import annotations

import re
from typing import Any, Final

import click

from controller.commands.client import broker_of, with_broker
from controller.commands.terminal import AS_JSON, refuse, say, say_json

TOPIC: Final = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*")
CURRENCY: Final = re.compile(r"[A-Z]{3}")


@click.command("home-assistant")
@with_broker
@click.option("--prefix", default="homeassistant", show_default=True, help="Home Assistant's discovery prefix.")
@click.option("--currency", default="USD", show_default=True, help="The meters' currency, three letters (ISO 4217).")
@click.option("--remove", is_flag=True, help="Remove the messages about these tables.")
@AS_JSON
@click.argument("tables", default="+/+", metavar="[TABLES]")
def command(
    *,
    tables: str,
    prefix: str,
    currency: str,
    remove: bool,
    as_json: bool,
    **broker_options: Any,  # noqa: ANN401 - as click hands them over
) -> None:
    """Publish the messages with which Home Assistant finds TABLES (SITE/TABLE, + for any; default all).

    Run it again after a device or a meter is added; messages about what no longer exists are removed. No table is
    contacted.

    Exit status: 0 published, 2 no broker, or it refuses these messages.
    """
    import asyncio

    from controller.formats.text.error_words import error_words
    from controller.io.mqtt.connection import ConnectionLost, PublishRefused
    from controller.metrics.announcer import AnnouncementOptions, announce

    broker = broker_of(broker_options)
    if tables.count("/") != 1 or not all(tables.split("/")) or "#" in tables:
        raise click.UsageError(f"TABLES: expected SITE/TABLE, such as harbour/bj-1 or harbour/+, got {tables!r}")
    if not TOPIC.fullmatch(prefix):
        raise click.UsageError(f"--prefix: expected a topic such as homeassistant, got {prefix!r}")
    if not CURRENCY.fullmatch(currency):
        raise click.UsageError(f"--currency: expected three letters such as USD, got {currency!r}")
    try:
        said = asyncio.run(announce(broker, AnnouncementOptions(tables, prefix, currency, remove)))
    except (ConnectionLost, PublishRefused, OSError) as error:
        refuse(f"broker {broker.host}:{broker.port}: {error_words(error)}")
    if as_json:
        say_json(said)
        return
    for topic in said:
        say(topic)
    if not said:
        say("no table has said at this broker what it is" if not remove else "nothing was published about these tables")
