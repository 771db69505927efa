"""``tableside collect``: the events of all tables of a broker in one PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.logged import logged
from controller.commands.terminal import AS_JSON, refuse, say, say_json
from controller.commands.until_stopped import until_stopped

if TYPE_CHECKING:
    from datetime import datetime

    from controller.formats.config.collect_file import CollectConfig
    from controller.formats.config.table_file import BrokerSection
    from controller.io.mqtt.connection import Broker

DATABASE_FAILED: Final = 70
"""Exit status: the database does not answer."""

KINDS: Final = (
    "tables",
    "events",
    "rounds",
    "hands",
    "wagers",
    "alerts",
    "meters",
    "meter_events",
    "inventory",
    "rulings",
    "restatements",
    "hold",
)
"""The views; named here too, so that help needs no database's library."""

DAY: Final = click.DateTime(["%Y-%m-%d"])

CONFIG: Final = click.argument("config", type=click.Path(path_type=Path))


@click.group("collect")
def command() -> None:
    """Collect the events of all tables of a broker in one PostgreSQL database, each event once.

    Exit status of all: 0 done, 2 refused, 70 the database failed.
    """


@command.command("run")
@CONFIG
@logged
def run(config: Path) -> None:
    """Collect as CONFIG says until stopped (SIGTERM or Ctrl-C)."""
    import asyncio

    from controller.io.system.privacy import keep_private

    keep_private()
    with _errors_reported():
        asyncio.run(_collect(config))


@command.command("prepare")
@click.argument("owner", metavar="DATABASE")
def prepare_command(owner: str) -> None:
    """Make the schemas, tables, views and roles in DATABASE (as libpq names one), or bring them up to this program.

    Run it as the owner of the database, who may make roles. No data is lost, and a collector may be running.
    """
    with _errors_reported():
        from controller.collector.store import prepare

        before, now = prepare(owner)
        say(f"layout {now}" + (", as before" if before == now else f", was {before}"))


@command.command("export")
@CONFIG
@click.option("--rows", "kind", required=True, type=click.Choice(KINDS), help="Which rows.")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
@click.option("--since", type=DAY, help="The first gaming day, such as 2026-11-21.")
@click.option("--until", type=DAY, help="The last gaming day.")
@click.option("--table", help="One table, SITE/NAME; without it all.")
@click.option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
def export_command(
    *,
    config: Path,
    kind: str,
    form: str,
    since: datetime | None,
    until: datetime | None,
    table: str | None,
    output: Path,
) -> None:
    """Write rows of CONFIG's database to a file, which appears only when it is complete.

    Amounts are whole cents. Parquet needs the extra `parquet` (pyarrow); CSV needs nothing.
    """
    with _errors_reported():
        from controller.collector import extract

        site, _, name = (table or "").partition("/")
        if table is not None and not (site and name):
            raise click.UsageError(f"--table: expected SITE/NAME, such as harbour/bj-1, got {table!r}")
        first, last = (None if one is None else one.date() for one in (since, until))
        wanted = extract.RowQuery(kind, first, last, (site, name) if table else None)
        write = extract.write_csv if form == "csv" else extract.write_parquet
        part = output.with_name(f"{output.name}.part")
        try:
            with part.open("wb") as file:
                count = write(load(config).collect.postgresql, wanted, file)
            part.rename(output)
        except extract.NoParquet as error:
            refuse(str(error))
        finally:
            part.unlink(missing_ok=True)
        say(f"{output}: {count} rows")


@command.command("status")
@CONFIG
@AS_JSON
def status_command(config: Path, *, as_json: bool) -> None:
    """Show what is held of each table, and contradictions between events."""
    with _errors_reported():
        from controller.collector.holdings import holdings

        found = holdings(load(config).collect.postgresql)
        if as_json:
            say_json(found)
            return
        for one in found.tables:
            wrong = f", {one.cards_wrong} CARDS WRONG" if one.cards_wrong else ""
            aside = " (put aside)" if one.is_aside else ""
            opened = f"{one.cards_opened} of {one.cards_drawn} cards opened"
            held = f"{one.events} events to {one.time}, {opened}" if one.events else "no event yet"
            say(f"{one.site}/{one.name} epoch {one.epoch}{aside}: {held}{wrong}")
        for complaint in found.complaints:
            say(f"!! {complaint.time} {complaint.site}/{complaint.name}: {complaint.text}", style="bad")


async def _collect(path: Path) -> None:
    import asyncio
    import random

    import structlog

    from controller.collector.service import CollectionScope, CollectorService
    from controller.collector.store import Store
    from controller.io.system.clock import SystemClock
    from controller.io.system.notify import Notifier
    from controller.io.system.watchdog import Watchdog

    log = structlog.get_logger(__name__)
    config = load(path)
    store = Store(config.collect.postgresql, config.collect.consumer)
    chance = random.Random()  # noqa: S311 - spreads retries, decides nothing
    collected = CollectionScope(broker_of(config, path), config.collect.tables, config.collect.consumer)
    service = CollectorService(collected, store, chance)
    notifier = Notifier(os.environ)
    watchdog = Watchdog(notifier, SystemClock(), [], [], service.status)

    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(service.run())
            group.create_task(watchdog.run())

    try:
        await until_stopped(work())
        log.info("collector stops", events=service.written)
    finally:
        notifier.stopping()
        store.close()


def load(path: Path) -> CollectConfig:
    """A collector's file.

    Raises:
        ConfigError: it cannot be read, or has mistakes.
    """
    from controller.formats.config.collect_file import read_collect_config
    from controller.io.files.config_files import text_of

    return read_collect_config(text_of(path), str(path), path.parent)


def broker_of(config: CollectConfig, path: Path) -> Broker:
    """The broker that the file names, with the secrets that the service manager keeps.

    Raises:
        ConfigError: a credential that nobody keeps, or a secret that cannot be used.
    """
    import msgspec

    from controller.formats.config.table_file import is_credential
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.config_files import kept_path
    from controller.io.mqtt.connection import Broker

    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    section: BrokerSection = config.broker
    named = {key: value for key, value in msgspec.structs.asdict(section).items() if is_credential(value)}
    found: dict[str, Any] = {
        key: str(kept_path(value, credentials, f"{path}: [broker] {key}")[0]) for key, value in named.items()
    }
    try:
        return Broker.from_section(msgspec.structs.replace(section, **found), credentials)
    except OSError as error:
        raise ConfigError((f"{path}: {error}",)) from error


@contextlib.contextmanager
def _errors_reported() -> Iterator[None]:
    """Report errors as lines for people, and exit with their status."""
    from controller.formats.text.toml_schema import ConfigError

    try:
        from controller.collector.store import StoreFailed, StoreRefused
    except ImportError:
        from controller.io.files.extras import how_to_get

        refuse(f"tableside collect needs psycopg; {how_to_get('collect')}")
    try:
        yield
    except ConfigError as error:
        refuse(*error.lines)
    except (StoreRefused, OSError) as error:
        refuse(str(error))
    except StoreFailed as error:
        say(f"tableside: {error}", err=True)
        sys.exit(DATABASE_FAILED)
