"""``tableside link``: one pool for many tables."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, assert_never

import click

from controller.commands.logged import logged
from controller.commands.terminal import AS_JSON, refuse, say
from controller.commands.until_stopped import STORAGE_FAILED, until_stopped
from controller.core.meters.meter import ROSE

if TYPE_CHECKING:
    from controller.formats.config.pool_file import LinkConfig
    from controller.pool.comparison import PostingComparison
    from controller.pool.ledger import Database, Ledger
    from controller.pool.members import Member
    from controller.pool.postings import ChangePosting
    from controller.pool.reconciliation import Reconciliation

DOES_NOT_ADD_UP: Final = 3
"""Exit status: the ledger does not agree with itself."""

F = TypeVar("F", bound=Callable[..., Any])
CONFIG: Final = click.argument("config", type=click.Path(path_type=Path))


def _as_written(ctx: click.Context, param: click.Parameter, text: str) -> str:
    """A name or a reason, which stands in the ledger for years.

    Raises:
        click.BadParameter: it may be read as something else than it is.
    """
    from controller.formats.text.printable import misread_reason

    if wrong := misread_reason(text):
        raise click.BadParameter(wrong, ctx, param)
    return text


def _by_two(work: F) -> F:
    who = click.option("--who", required=True, callback=_as_written, metavar="NAME", help="who orders it")
    more = "another person, who approves it"
    second = click.option("--second", required=True, callback=_as_written, metavar="NAME", help=more)
    return CONFIG(who(second(work)))


@click.group("link")
def command() -> None:
    """Run the pool that many tables share; begin, move and audit its ledger.

    Exit status of all: 0 done, 2 refused, 3 the ledger does not add up, 70 the database failed.
    """


@command.command("run")
@CONFIG
@logged
def run(config: Path) -> None:
    """Serve the pool of CONFIG to its tables until stopped (SIGTERM or Ctrl-C)."""
    import asyncio

    from controller.io.system.privacy import keep_private

    keep_private()
    with _errors_reported():
        asyncio.run(_serve(config))


@command.command("begin")
@_by_two
def begin(config: Path, who: str, second: str) -> None:
    """Begin the pool of CONFIG at its base value, once. It takes two people."""
    from controller.core.meters.meter import UNITS

    _two(who, second)
    with _errors_reported(), _ledger(_load(config), create=True) as ledger:
        ledger.open(_load(config).meter)
        say(f"pool {ledger.pool}: begun at {_money(ledger.standing().shown_cents * UNITS)} by {who} and {second}")


@command.command("reconcile")
@CONFIG
@AS_JSON
@click.option("--refold", "again", is_flag=True, help="step every entry again from the opening, too")
@click.option(
    "--journal",
    "journals",
    multiple=True,
    type=click.Path(path_type=Path),
    help="hold this table's journal (or a copy) against the ledger, too; may be given for each table",
)
def reconcile_command(config: Path, *, as_json: bool, again: bool, journals: tuple[Path, ...]) -> None:
    """Add the ledger up, entry by entry: paid + shown + reserved = contributed + funded. May run beside the link."""
    import json

    from controller.pool.ledger_replay import refold
    from controller.pool.reconciliation import reconcile
    from controller.pool.service import DoesNotAddUp

    with _errors_reported(), _ledger(_load(config)) as ledger:
        found = reconcile(ledger)
        if again:
            found = found._replace(mistakes=(*found.mistakes, *refold(ledger)))
        tables = [_held_against(ledger, journal) for journal in journals]
        found = found._replace(mistakes=(*found.mistakes, *(text for _, one in tables for text in one.mistakes)))
        for line in [json.dumps(_as_data(found))] if as_json else _account(ledger.pool, found):
            say(line)
        for name, one in () if as_json else tables:
            say(f"{name}: {one.posted} postings in its journal, {one.entered} answered, {len(one.mistakes)} differ")
        if found.mistakes:
            raise DoesNotAddUp(found.mistakes)


@command.command("status")
@CONFIG
@AS_JSON
def status(config: Path, *, as_json: bool) -> None:
    """Show the pool's amounts and the last posting of each table."""
    import json

    from controller.core.meters.meter import UNITS
    from controller.formats.text.printable import many
    from controller.pool.postings import HOUSE

    with _errors_reported(), _ledger(_load(config)) as ledger:
        books = ledger.books()
        tables = {name: (one.epoch, one.seq) for name, one in books.accounts.items() if name != HOUSE}
        shown = books.meter.shown_cents()
        if as_json:
            found = {"pool": ledger.pool, "shown_cents": shown, "entries": books.entries, "awards": books.hits}
            say(json.dumps({**found, "tables": {name: {"epoch": e, "seq": s} for name, (e, s) in tables.items()}}))
            return
        entries = many(books.entries, "entry", "entries")
        say(f"{ledger.pool}: {_money(shown * UNITS)} after {entries}, {many(books.hits, 'award')}")
        for name, (epoch, seq) in tables.items():
            say(f"  {name}: posted {seq} in epoch {epoch}")


@command.command("adjust")
@_by_two
@click.option("--why", required=True, callback=_as_written)
@click.option("--pool", type=click.Choice(["meter", "reserve"]), default="meter", show_default=True)
@click.argument("units", type=int)
@click.argument("reason", type=click.Choice(sorted({*ROSE, "over_limit_correction", "seed_recovery"})))
def adjust(config: Path, *, who: str, second: str, why: str, pool: Any, units: int, reason: Any) -> None:  # noqa: ANN401
    """Move the pool by UNITS of 1/10,000 cent for a REASON of the closed list (after `--` if UNITS is negative)."""
    from controller.core.meters.state import Adjustment
    from controller.pool.postings import ChangePosting

    with _errors_reported(), _ledger(_load(config)) as ledger:
        _move(ledger, ChangePosting(Adjustment(pool, units, reason), who, second, why))


@command.command("change")
@_by_two
@click.option("--why", required=True, callback=_as_written)
def change(config: Path, who: str, second: str, why: str) -> None:
    """Put the pool on the parameters of CONFIG: at once if nothing happened since its reset, else with the next one."""
    from controller.core.meters.state import NewParameters
    from controller.pool.postings import ChangePosting

    with _errors_reported(), _ledger(_load(config)) as ledger:
        _move(ledger, ChangePosting(NewParameters(_load(config).meter), who, second, why))


def _held_against(ledger: Ledger, journal: Path) -> tuple[str, PostingComparison]:
    from controller.formats.mqtt.envelope import PayloadRefused, own_event
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.reader import JournalReader
    from controller.io.journal.stream import every_checked_event
    from controller.pool.comparison import compare

    try:
        with JournalReader(journal) as reader:
            identity = reader.identity
            events = [own_event(row.body).event for row in every_checked_event(reader)]
    except (NotAJournal, JournalDamaged, PayloadRefused, OSError) as error:
        refuse(f"{journal}: {error}")
        raise AssertionError from error
    return f"{identity.site}/{identity.table}", compare(ledger, identity, events)


def _move(ledger: Ledger, moved: ChangePosting) -> None:
    from controller.core.meters.meter import UNITS
    from controller.core.meters.pool_postings import DeclinedOutcome
    from controller.pool.ledger import TableAccount
    from controller.pool.postings import HOUSE, LedgerEntry, OutOfOrder, Posting

    last = ledger.books().accounts.get(HOUSE, TableAccount())
    (answer,) = ledger.post([Posting(HOUSE, max(last.epoch, 1), last.seq + 1, moved)])
    match answer:
        case LedgerEntry(number, shown_cents, DeclinedOutcome(reason)):
            refuse(f"pool {ledger.pool}: {reason} (entry {number}; it shows {_money(shown_cents * UNITS)})")
        case LedgerEntry(number, shown_cents, outcome):
            queued = getattr(outcome, "queued", False)
            said = "waits for the next reset" if queued else f"it shows {_money(shown_cents * UNITS)}"
            say(f"pool {ledger.pool}: entry {number}; {said}")
        case OutOfOrder(_, _, reason):
            refuse(f"pool {ledger.pool}: somebody else moved it at the same moment: {reason}")
        case _:
            assert_never(answer)


async def _serve(path: Path) -> None:
    import asyncio
    import random

    import structlog

    from controller.io.system.clock import SystemClock
    from controller.io.system.notify import Notifier
    from controller.io.system.watchdog import Watchdog
    from controller.pool.service import LinkEndpoint, LinkService

    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    config = _load(path)
    where = LinkEndpoint(config.link.listen, _key(config, path, credentials), config.tables())
    notifier = Notifier(os.environ)
    log = structlog.get_logger(__name__)
    with _ledger(config) as ledger, _ledger(config) as audit:
        clock = SystemClock()
        chance = random.Random()  # noqa: S311 - spreads pauses, decides nothing
        service = LinkService(where, ledger, audit, clock=clock, chance=chance)
        if ledger.books().meter.parameters != config.meter:
            log.warning("the file has other parameters than the pool; `tableside link change` puts them in force")
        log.info("link starts", pool=ledger.pool, tables=len(config.table))
        watchdog = Watchdog(notifier, clock, [], [], service.status)

        async def work() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(service.run())
                await service.bound.wait()
                log.info("tables reach it at", address=config.link.listen, port=service.port)
                group.create_task(watchdog.run())

        try:
            await until_stopped(work())
            log.info("link stops")
        finally:
            notifier.stopping()


def _load(path: Path) -> LinkConfig:
    from controller.formats.config.pool_file import read_link_config
    from controller.io.files.config_files import text_of

    return read_link_config(text_of(path), str(path), path.parent)


def _key(config: LinkConfig, path: Path, credentials: str | None) -> bytes:
    from controller.io.files.config_files import kept_path
    from controller.io.files.secret_files import read_curve_secret

    file, kept = kept_path(config.link.key_file, credentials, f"{path}: [link] key_file")
    return read_curve_secret(file, kept_by_service=kept)


@contextlib.contextmanager
def _ledger(config: LinkConfig, *, create: bool = False) -> Iterator[Ledger]:
    from controller.pool.ledger import Ledger

    database = _database(config, create=create)
    try:
        yield Ledger(database, config.link.pool, members(config))
    finally:
        database.close()


def members(config: LinkConfig) -> dict[str, Member]:
    """What each table of the file may post."""
    from controller.pool.members import Member

    return {
        table.name: Member({bet: frozenset(shares) for bet, shares in table.bets.items()}, table.spots)
        for table in config.table
    }


def _database(config: LinkConfig, *, create: bool) -> Database:
    from controller.io.files.extras import how_to_get
    from controller.pool.ledger import LedgerRefused
    from controller.pool.sqlite import SqliteDatabase

    link = config.link
    if link.postgresql is None:
        return SqliteDatabase(Path(link.sqlite or ""), create=create)
    try:
        from controller.pool.postgresql import PostgresqlDatabase
    except ImportError:
        raise LedgerRefused(f"[link] postgresql: needs psycopg; {how_to_get('link-postgresql')}") from None
    return PostgresqlDatabase(link.postgresql, create=create)


@contextlib.contextmanager
def _errors_reported() -> Iterator[None]:
    """Report errors as lines for people, and exit with their status."""
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.secret_files import SecretRefused
    from controller.pool.ledger import LedgerFailed, LedgerRefused
    from controller.pool.service import DoesNotAddUp, LinkFailed

    try:
        yield
    except ConfigError as error:
        refuse(*error.lines)
    except (LedgerRefused, SecretRefused, LinkFailed) as error:
        refuse(str(error))
    except DoesNotAddUp as error:
        for mistake in error.mistakes:
            say(f"tableside: ALARM: {mistake}", err=True)
        sys.exit(DOES_NOT_ADD_UP)
    except LedgerFailed as error:
        say(f"tableside: {error}", err=True)
        sys.exit(STORAGE_FAILED)


def _two(who: str, second: str) -> None:
    from controller.core.persons import same_person

    if not who.strip() or not second.strip() or same_person(who, second):
        refuse("two people are needed: --who and --second name one each")


def _money(units: int) -> str:
    from controller.core.meters.meter import UNITS

    cents, part = divmod(units, UNITS)
    return f"{cents // 100:,}.{cents % 100:02}" + (f" and {part}/10,000 cent" if part else "")


def _account(pool: str, found: Reconciliation) -> Iterator[str]:
    from controller.pool.service import totals

    yield f"{pool}, units of 1/10,000 cent"
    for name, value in totals(found).items():
        yield f"  {name:12} {value:>24,}"
    yield f"  {'paid + shown + reserved':38} {found.left():>24,}"
    yield f"  {'contributed + funded':38} {found.right():>24,}"
    for name, sums in sorted(found.tables.items()):
        yield f"  {name}: contributed {sums.contributed:,}, paid {sums.paid:,}, reserved {sums.reserved:,}"
    yield "reconciled" if not found.mistakes else "NOT RECONCILED"


def _as_data(found: Reconciliation) -> dict[str, object]:
    from controller.pool.service import totals

    tables = {name: sums._asdict() for name, sums in found.tables.items()}
    return {**totals(found), "tables": tables, "mistakes": list(found.mistakes)}
