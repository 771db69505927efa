"""``tableside begin-epoch``: begin a journal anew where the old one can no longer be gone on with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.terminal import refuse, say

if TYPE_CHECKING:
    from controller.formats.config.table_file import Config
    from controller.formats.orders.epoch_authorization import OrderSigner
    from controller.formats.orders.operators import ChannelUser
    from controller.io.journal.epochs import EpochRuling, EpochStart

ORDER: Final = "-epoch-order"
"""Ends the name of the file beside the journal where a proposal waits."""


@click.command("begin-epoch")
@click.option("--operator-key", help="The file with your secret key, or credential:NAME: who proposes, or approves.")
@click.option("--why", help="The reason, kept in the new journal; giving it makes a proposal.")
@click.option("--who", help="Who rules it, at a table without operators' keys.")
@click.option("--witness", help="The second person, at such a table.")
@click.argument("table_file", type=click.Path(path_type=Path))
def command(table_file: Path, operator_key: str | None, why: str | None, who: str | None, witness: str | None) -> None:
    """Put the journal of TABLE_FILE's table aside and begin another. The table must not run.

    Where the table file has [operator], two operators give the order, each with a key of their own: the first with
    --why, the second without. Elsewhere two names are given.

    Rounds and events count from 1 again, in a new epoch. The old journal is kept, named after its epoch; nothing of
    it is changed.

    Exit status: 0 proposed or begun, 2 refused.
    """
    from controller.formats.orders.epoch_authorization import EpochOrderRefused
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.secret_files import SecretRefused
    from controller.io.files.table_file import load_table
    from controller.io.journal.epochs import EpochRefused, EpochRuling
    from controller.io.system.clock import SystemClock

    try:
        config = load_table(table_file, within_service=False).config
        if config.operator is not None and config.operator.two_persons:
            ordered(config, None if who or witness else operator_key, why)
        else:
            begun(config, EpochRuling(who or "", witness or "", why or ""), SystemClock().wall_ns())
    except ConfigError as error:
        refuse(*error.lines)
    except (EpochRefused, EpochOrderRefused, SecretRefused, OSError) as error:
        refuse(error)


def ordered(config: Config, operator_key: str | None, why: str | None) -> None:
    """Propose a new epoch, or approve and begin the one that was proposed.

    Raises:
        EpochRefused, EpochOrderRefused, SecretRefused, ConfigError, OSError: the text says why not.
    """
    import msgspec

    from controller.formats.mqtt.envelope import utc_text
    from controller.formats.orders.epoch_authorization import (
        WHAT,
        EpochApproval,
        EpochOrder,
        EpochOrderRefused,
        EpochProposal,
        check,
        proposer,
    )
    from controller.formats.text.printable import misread_reason
    from controller.io.files.plain_files import content
    from controller.io.journal.epochs import EpochRefused, EpochRuling, followed
    from controller.io.system.clock import SystemClock

    if operator_key is None:
        first = "the first gives --operator-key FILE --why REASON, the second --operator-key FILE alone"
        raise EpochRefused(f"this table knows its operators: each of two gives --operator-key, not a name; {first}")
    signers = operators(config)
    signer = _signer(operator_key)
    person = signers.get(signer.public)
    if person is None:
        advice = f'add signs = ["{signer.public}"] to whose key it is'
        raise EpochOrderRefused(f"{operator_key}: signs for no operator of this table; {advice}")
    now = utc_text(SystemClock().wall_ns())
    path, table = Path(config.table.journal), config.table
    waiting = Path(f"{path}{ORDER}")
    lies_there = followed(path, table.site, table.name)
    if why:
        if wrong := misread_reason(why):
            raise EpochRefused(f"--why: {wrong}")
        proposal = EpochProposal(WHAT, table.site, table.name, lies_there, person.name, why, now)
        order = EpochOrder(signer.sign(proposal))
        proposer(order, signers)
        keep(waiting, msgspec.json.encode(order))
        say(f"{waiting}: {person.name} proposes a new epoch after {lies_there}")
        say("another operator (floor or surveillance) begins it: tableside begin-epoch --operator-key FILE ...")
        return
    if not waiting.exists():
        raise EpochOrderRefused(f"{waiting}: nobody has proposed a new epoch; give --why")
    order = EpochOrder.read(content(waiting))
    proposal = proposer(order, signers)
    if (proposal.site, proposal.table, proposal.follows) != (table.site, table.name, lies_there):
        raise EpochOrderRefused(f"{waiting}: proposed for {proposal.follows}, and what lies there is {lies_there}")
    say(f"{proposal.who} proposed it at {proposal.at}: {proposal.why}")
    if sys.stdin.isatty() and not click.confirm("Sign this, put the journal aside and begin a new epoch?"):
        raise EpochOrderRefused(f"not begun; {waiting} still waits for an approval")
    order = EpochOrder(order.proposal, signer.sign(EpochApproval(order.proposal.signature, person.name, now)))
    check(order, signers)
    ruling = EpochRuling(proposal.who, person.name, proposal.why, msgspec.json.encode(order).decode())
    begun(config, ruling, SystemClock().wall_ns())
    waiting.unlink()


def _signer(operator_key: str) -> OrderSigner:
    """The signing key that goes with an operator's secret key.

    Raises:
        SecretRefused, OSError: there is none to be read.
    """
    from controller.formats.orders.epoch_authorization import OrderSigner
    from controller.io.files.config_files import kept_path
    from controller.io.files.secret_files import read_curve_secret

    key, is_kept = kept_path(operator_key, os.environ.get("CREDENTIALS_DIRECTORY"), "--operator-key")
    return OrderSigner(read_curve_secret(key, kept_by_service=is_kept))


def operators(config: Config) -> dict[str, ChannelUser]:
    """Who signs with which key.

    Raises:
        EpochOrderRefused: the table file names no operators.
        ConfigError: their file has mistakes.
    """
    from controller.formats.orders.epoch_authorization import EpochOrderRefused
    from controller.formats.orders.operators import read_signers
    from controller.io.files.config_files import kept_path, text_of

    if config.operator is None or config.operator.operators is None:
        raise EpochOrderRefused("[operator] operators must name the file of operators: two of them sign a new epoch")
    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    path, _ = kept_path(config.operator.operators, credentials, f"[operator] operators: {config.operator.operators}")
    return read_signers(text_of(path), str(path))


def keep(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: the disk refused.
    """
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o640)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)


def begun(config: Config, ruling: EpochRuling, now_ns: int) -> None:
    """Begin it at ``now_ns`` of wall time, and say so.

    Raises:
        EpochRefused: it cannot be begun.
        OSError: the second copy's folder cannot be read.
    """
    import asyncio

    from controller.formats.mqtt.envelope import utc_text
    from controller.io.copies.segment_folder import epochs
    from controller.io.journal.epochs import EpochRefused, begin_epoch
    from controller.io.system.clock_watch import is_set

    table = config.table
    if not is_set(now_ns):
        said = f"wall time is {utc_text(now_ns)}, and a new journal is named after it"
        raise EpochRefused(f"{table.journal}: {said}: set the clock, then begin the epoch")
    copied = (
        [] if table.second_copy is None or not Path(table.second_copy).is_dir() else epochs(Path(table.second_copy))
    )
    found: EpochStart = asyncio.run(
        begin_epoch(Path(table.journal), table.site, table.name, ruling, now_ns, known=max(copied, default=0))
    )
    if found.kept is not None:
        say(f"{found.kept}: kept, {found.before}")
        for line in owed(found.kept):
            say(line)
    say(f"{table.journal}: epoch {found.identity.epoch} begins")


def owed(journal: Path) -> list[str]:
    """A line for each pool that the old journal still owes postings: nobody posts them any more."""
    from controller.formats.mqtt.envelope import PayloadRefused, own_event
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.reader import JournalReader
    from controller.io.journal.stream import every_checked_event
    from controller.reports.audit.meter_audit import meter_book

    try:
        with JournalReader(journal) as reader:
            book = meter_book(own_event(row.body).event for row in every_checked_event(reader))
    except (NotAJournal, JournalDamaged, PayloadRefused, OSError) as error:
        return [f"{journal}: what it owes to pools cannot be read: {error}"]
    return [
        f"{journal}: pool {line.pool} has not answered postings {', '.join(map(str, line.owed))}; compare with"
        " `tableside link status` there, and two people correct the pool"
        for line in book.linked.values()
        if line.owed
    ]
