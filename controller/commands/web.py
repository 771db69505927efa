"""``tableside web``: the pages that people look at in a browser."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.client import broker_of, given_by, with_broker
from controller.commands.logged import logged
from controller.commands.terminal import refuse, refuse_address, say
from controller.commands.until_stopped import until_stopped

if TYPE_CHECKING:
    import ssl

    from controller.formats.journal.signed_note import Verifier
    from controller.formats.orders.operators import ChannelUser
    from controller.reports.floor_day import FloorDay
    from controller.web.whole_floor import ReadFloor

LISTEN: Final = "127.0.0.1:8021"


@click.command("web")
@with_broker
@click.option("--listen", envvar="TABLESIDE_WEB_LISTEN", default=LISTEN, show_default=True, help="HOST:PORT to serve.")
@click.option(
    "--name",
    "names",
    multiple=True,
    envvar="TABLESIDE_WEB_NAMES",
    metavar="HOST",
    help="By which name browsers come, where it is not this machine's own; may be given several times.",
)
@click.option(
    "--certificate",
    envvar="TABLESIDE_WEB_CERTIFICATE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Serve over HTTPS with this certificate; with --certificate-key.",
)
@click.option(
    "--certificate-key",
    envvar="TABLESIDE_WEB_CERTIFICATE_KEY",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Its key.",
)
@click.option(
    "--journal",
    "journals",
    multiple=True,
    envvar="TABLESIDE_WEB_JOURNALS",
    type=click.Path(path_type=Path),
    help="A journal whose rounds are shown; it is only read. May be repeated.",
)
@click.option(
    "--verifier",
    "verifiers",
    multiple=True,
    envvar="TABLESIDE_WEB_VERIFIERS",
    metavar="KEY",
    help="A table's verifier key, as tableside verify --key prints it: who signed its journals. May be repeated.",
)
@click.option(
    "--operators",
    envvar="TABLESIDE_WEB_OPERATORS",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The tables' file of operators: who signs in with a key of it sees what their roles may.",
)
@click.option(
    "--texts",
    envvar="TABLESIDE_WEB_TEXTS",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with the pages' words in other languages: texts.de.json and so on.",
)
@click.option(
    "--collected",
    envvar="TABLESIDE_WEB_COLLECTED",
    metavar="DATABASE",
    default="",
    help="The PostgreSQL that `tableside collect` fills, as libpq names one: the whole floor is shown out of it.",
)
@logged
@click.argument("tables", default="+/+", metavar="[TABLES]")
def command(
    *,
    tables: str,
    listen: str,
    names: tuple[str, ...],
    certificate: Path | None,
    certificate_key: Path | None,
    journals: tuple[Path, ...],
    verifiers: tuple[str, ...],
    operators: Path | None,
    texts: Path | None,
    collected: str,
    **broker_options: Any,  # noqa: ANN401 - as click hands them over
) -> None:
    """Serve the browser pages of TABLES (SITE/TABLE, + for any; default all) of a broker until stopped.

    No table depends on it. It serves this machine alone unless --listen says otherwise.

    Exit status: 0 when stopped, 2 it cannot be served.
    """
    import asyncio
    import random

    from controller.formats.text.toml_schema import ConfigError
    from controller.io.system.clock import SystemClock
    from controller.io.system.notify import Notifier
    from controller.io.system.privacy import keep_private

    broker = broker_of(broker_options)
    if tables.count("/") != 1 or not all(tables.split("/")) or "#" in tables:
        raise click.UsageError(f"TABLES: expected SITE/TABLE, such as harbour/bj-1 or harbour/+, got {tables!r}")
    host, port = address_of(listen)
    tls = tls_of(certificate, certificate_key)
    signers = signers_of(operators)
    checked_by = verifiers_of(verifiers)
    keep_private()
    for line in not_there(journals):
        say(f"tableside: warning: {line}", err=True)
    try:
        from controller.web.server import ServerAddress
        from controller.web.service import Source, WebParts, serve
    except ImportError:
        from controller.io.files.extras import how_to_get

        refuse(f"the pages need aiohttp; {how_to_get('web')}")
    notifier = Notifier(os.environ)
    chance = random.Random()  # noqa: S311 - spreads pauses, decides nothing
    around = WebParts(SystemClock(), chance, notifier)
    address = ServerAddress(host, port, names, tls)
    try:
        source = Source(broker, tables, journals, signers, texts, reader_of(collected), checked_by)
        asyncio.run(until_stopped(serve(source, address, around, lambda url: say(f"pages at {url}"))))
    except ConfigError as error:
        refuse(*error.lines)
    except OSError as error:
        refuse_address(listen, error)
    finally:
        notifier.stopping()


def reader_of(where: str, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> ReadFloor | None:
    """What reads a gaming day of the whole floor out of the database of this name; None: none was named."""
    from controller import version
    from controller.web.whole_floor import FloorUnread

    if not where:
        return None
    try:
        from controller.collector.floor_rows import check_name, floor_day
        from controller.collector.store import StoreFailed, StoreRefused
    except ImportError:
        from controller.io.files.extras import how_to_get

        refuse(f"--collected needs psycopg; {how_to_get('collect')}")
    try:
        check_name(where)
    except StoreRefused as error:
        refuse(f"{given_by('collected', '--collected')}: {error}")

    def read(day: str) -> FloorDay:
        try:
            return floor_day(where, day, now(), version())
        except (StoreRefused, StoreFailed) as error:
            raise FloorUnread(str(error)) from error

    return read


def not_there(journals: Iterable[Path]) -> Iterator[str]:
    """A line for each journal that cannot be opened now: its table may begin it later, and then it is shown."""
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.reader import JournalReader

    for path in journals:
        try:
            JournalReader(path).close()
        except (NotAJournal, JournalDamaged) as error:
            yield f"--journal {error}; its rounds are shown once it can be read"


def address_of(text: str) -> tuple[str, int]:
    """``HOST:PORT`` or ``[IPv6]:PORT``.

    Raises:
        click.UsageError: it is neither.
    """
    from controller.formats.text.toml_schema import is_host

    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not is_host(host) or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise click.UsageError(f"{given_by('listen', '--listen')}: expected HOST:PORT, such as {LISTEN}, got {text!r}")
    return host, int(port)


def signers_of(operators: Path | None) -> Mapping[str, ChannelUser] | None:
    """Who may sign in, by signing key; None: no file was named, and nobody needs to."""
    from controller.formats.orders.operators import read_signers
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.config_files import text_of

    if operators is None:
        return None
    try:
        found = read_signers(text_of(operators), str(operators))
    except ConfigError as error:
        refuse(*error.lines)
    if not found:
        refuse(f"{operators}: nobody in it has a key to sign with; see: tableside keys signing")
    return found


def verifiers_of(lines: Iterable[str]) -> tuple[Verifier, ...]:
    """What the heads of journals are held against."""
    from controller.formats.journal.signed_note import NoteRefused, Verifier

    try:
        return tuple(Verifier.read(line) for line in lines)
    except NoteRefused as refused:
        refuse(f"{given_by('verifiers', '--verifier')}: {refused}, as tableside verify --key prints it")


def tls_of(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """What HTTPS is served with; None: plain HTTP.

    Raises:
        click.UsageError: one of the two is missing, or cannot be used.
    """
    import ssl

    from controller.io.files.plain_files import named
    from controller.io.files.secret_files import SecretRefused, is_kept, open_secret

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise click.UsageError("--certificate and --certificate-key go together: a certificate and its key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        kept = is_kept(str(key), os.environ.get("CREDENTIALS_DIRECTORY"))
        secret = open_secret(key, what="the certificate's key", kept_by_service=kept)
        # OpenSSL takes paths: those of the descriptors that were judged.
        with named(certificate) as shown, secret as file:
            context.load_cert_chain(shown, f"/proc/self/fd/{file.fileno()}")
    except (SecretRefused, ssl.SSLError, OSError) as error:
        raise click.UsageError(f"--certificate-key: {error}") from error
    return context
