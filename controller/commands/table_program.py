"""What ``tableside run`` runs: the parts of a table's daemon, put together by its table file."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from controller import version
from controller.commands.check import access_mistakes
from controller.commands.terminal import refuse, say
from controller.commands.until_stopped import STORAGE_FAILED, until_stopped
from controller.core.analysis.expectation import edges_at_hand
from controller.core.messages.inputs import Input
from controller.core.progressives.live_meters import desired_trigger_state
from controller.core.table.desired import Desired
from controller.daemon.daemon import Daemon, DaemonParts
from controller.daemon.head_anchors import box_anchored, box_remarks
from controller.daemon.machine_board import MachineBoard
from controller.daemon.operator_orders import NoChannel, listening, operator_channel, signatures
from controller.daemon.pool_links import LinkEndParts, OtherPool, PoolLinks
from controller.daemon.recovery import recover
from controller.daemon.startup import JournalSafeguards, TableJournal, marks_of, opened
from controller.daemon.wiring import Devices, TriggerBoxWiring, house_of
from controller.formats.config.pairing import unpaired
from controller.formats.config.table_file import BrokerSection, Config, TableSection
from controller.formats.journal.records import Identity, RecordDamaged
from controller.formats.text.toml_schema import ConfigError
from controller.io.copies.second_copy import CopyPlace
from controller.io.displays.screens import Displays
from controller.io.files import known_edges
from controller.io.files.secret_files import SecretRefused, is_kept
from controller.io.files.table_file import TableFile, load_table
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import Journal
from controller.io.mqtt.ack_deadline import AckLimits, Overdue
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.pace_publisher import PaceBoard
from controller.io.operators.certificates import expiry_line
from controller.io.operators.channel import ChannelFailed
from controller.io.operators.software import ListedProgram, SoftwareChanged, authenticate
from controller.io.operators.software_watch import SoftwareWatch
from controller.io.system.clock import Clock, SystemClock, hourly
from controller.io.system.clock_watch import ClockWatch
from controller.io.system.day_watch import DayWatch
from controller.io.system.deadlines import Deadlines
from controller.io.system.notify import Notifier
from controller.io.system.privacy import keep_private
from controller.io.system.randomness import SystemEntropy
from controller.io.system.stall_watch import StallWatch
from controller.io.system.supervision import Service
from controller.io.system.watchdog import Watchdog, WatchedWork, patiently
from devices.trigger.mystery_trigger import TriggerTable

STEPPING_PATIENCE_SECONDS: Final = 5.0
"""How long readings may wait without one being stepped; a batch takes a few milliseconds and the disk's own time."""

PUBLISHING_PATIENCE_SECONDS: Final = 60.0
"""How long publishing may stand still: two greetings (5 s), an acknowledgement (10 s) and a pause (10 s), doubled."""

NO_BROKER: Final = "[broker]: expected host and port: a table without a broker has nowhere to publish"

log = structlog.get_logger(__name__)


def run(table_file: Path) -> None:
    """Run the table that a file describes until stopped, and end as ``tableside run`` says."""
    keep_private()
    try:
        credentials = os.environ.get("CREDENTIALS_DIRECTORY")
        table = load_table(table_file, credentials, beside=partial(access_mistakes, credentials=credentials))
        looked_through = authenticated(table.config)
        digest = None if looked_through is None else looked_through.digest
        asyncio.run(serve(table, marks_of(table_file, table, digest), looked_through))
    except ConfigError as error:
        refuse(*error.lines)
    except NoChannel as error:
        refuse(*error.lines)
    except (NotAJournal, JournalDamaged, RecordDamaged, ChannelFailed, OtherPool, SoftwareChanged, OSError) as error:
        refuse(str(error))
    except JournalFailed as error:
        say(f"tableside: {error}", err=True)
        # At once: nothing that is put away on a usual way out may touch the disk again.
        sys.stdout.flush()
        os._exit(STORAGE_FAILED)


async def serve(table: TableFile, marks: Mapping[str, str], looked_through: ListedProgram | None = None) -> None:
    """Run the table until a signal asks it to stop. ``marks``: as ``marks_of``; ``looked_through``: the program.

    Raises:
        JournalFailed, JournalDamaged, NotAJournal, RecordDamaged: storage cannot be used.
    """
    config = table.config
    assert config.broker is not None, "access_mistakes has looked"
    notifier = Notifier(os.environ)
    clock, entropy, path = SystemClock(), SystemEntropy(), Path(config.table.journal)
    identity = Identity(config.table.site, config.table.name, clock.wall_ns() // 1_000_000_000)
    try:
        storage = await opened(path, identity, table.key, marks, clock, keeping=kept_beside(config.table))
    except JournalFailed as error:
        # Not a failing disk: another process has it, or it is another table's.
        refuse(str(error))
    journal = storage.journal
    try:
        # From the last checkpoint, or all of the epoch where an earlier version wrote those.
        recovered = await patiently(notifier, "stepping the journal", asyncio.to_thread(recover, path, table.key))
        chance = random.Random(entropy.take(8))  # noqa: S311 - spreads retries, decides nothing
        broker = Broker.from_section(config.broker, os.environ.get("CREDENTIALS_DIRECTORY"))
        consumers = config.broker.consumers
        parts = DaemonParts(
            house_of(table), version(), table.key, journal, recovered, broker, clock, entropy, chance, consumers
        )
        daemon = Daemon(parts)
        if storage.second is not None:
            storage.second.shown = daemon.anchors.shown
        daemon.displays = Displays(daemon.topics, daemon.parts.clock, config.tap, config.line_feed)
        known = TriggerTable(identity.site, identity.table, daemon.identity.epoch)
        box = TriggerBoxWiring(
            known, desired_trigger_state(daemon.table.state.progressives), table.pairing_key, entropy.take
        )
        devices = Devices(config, daemon.table.state.shoes, box)
        ends = LinkEndParts(daemon.identity, table.link_keys, clock, daemon.deliver, chance)
        pools = PoolLinks(config.linked_meters, ends, daemon.table.state)
        deadlines = Deadlines(clock, daemon.deliver)
        daemon.apply, daemon.stored = both(both(devices.apply, pools.apply), deadlines.apply), devices.stored
        deliver, looks = software_watch(config, daemon, looked_through)
        held = StallWatch(clock, deliver, config.table.held_ms)
        lines = devices.supervise(clock, chance, held.taken)
        ending = seen_to(config, daemon, clock)
        daemon.remarks = lambda: (*ending(), *pools.remarks(), *box_remarks(devices))
        for remark in ending():
            log.warning(remark)
        log.info("table starts", site=identity.site, table=identity.table, journal=str(path))
        watched = Watchdog(notifier, clock, watched_work(daemon), [("journal", journal.last_published)], daemon.status)
        services: list[Service] = [("watchdog", watched.run), *operators(config, daemon), *looks]
        services += [*fitness(config.broker, daemon, storage, devices), *box_anchored(devices, daemon)]
        if not recovered.hold:
            services += of_time(config, clock, daemon, recovered.last_wall_ns)
            services += [("held", held.run), ("deadlines", deadlines.run), *pools.services()]
            services.append(("pace", pace_board(table, daemon, storage.journal, clock).run))
        await until_stopped(daemon.run(lines, services, ending=(OtherPool, SoftwareChanged), refusals=(ChannelFailed,)))
        log.info("table stops")
    finally:
        notifier.stopping()
        await storage.close()


def pace_board(table: TableFile, daemon: Daemon, journal: Journal, clock: Clock) -> PaceBoard:
    """What tells the table's pace, and what it wins beside what its rules would win."""
    rules = table.profile.rules
    edges = edges_at_hand(rules, known_edges.known(rules), known_edges.known_sides(rules))
    return PaceBoard(journal.events_after, lambda: journal.head.seq, clock, retained(daemon, "pace"), edges=edges)


def retained(daemon: Daemon, state: str) -> Callable[[bytes], None]:
    """What retains a picture of the table below ``state/``."""
    return partial(daemon.retain, daemon.topics.state(state))


def of_time(config: Config, clock: Clock, daemon: Daemon, last_wall_ns: int) -> list[Service]:
    """What tells the table of jumps of wall time, and which gaming day it is."""
    watch, days = ClockWatch(clock, daemon.deliver, last_wall_ns), config.table.day()
    return [("clock", watch.run), ("gaming day", DayWatch(days, clock, daemon.deliver).run)]


def kept_beside(table: TableSection) -> JournalSafeguards:
    """What is kept beside the journal."""
    folder = table.second_copy
    return JournalSafeguards(table.reserve_mib * 2**20, None if folder is None else CopyPlace(Path(folder)))


def both(one: Callable[[Desired], None], other: Callable[[Desired], None]) -> Callable[[Desired], None]:
    """Tell two what the table wants."""

    def tell_both(desired: Desired) -> None:
        one(desired)
        other(desired)

    return tell_both


def expiring(config: Config, clock: Clock) -> tuple[str, ...]:
    """A line for each certificate of the table's that ends soon or cannot be read."""
    broker = config.broker
    paths = [] if broker is None else [broker.tls_ca_file, broker.tls_cert_file]
    now = datetime.fromtimestamp(clock.wall_ns() // 1_000_000_000, UTC)
    lines: list[str] = []
    for path in paths:
        try:
            lines.append(expiry_line(Path(path), now) if path else "")
        except SecretRefused as error:
            lines.append(str(error))
    return tuple(line for line in lines if line)


def seen_to(config: Config, daemon: Daemon, clock: Clock) -> Callable[[], tuple[str, ...]]:
    """What of the table file somebody should see to, a line each, looked at every hour."""
    open_lines = unpaired_lines(config)
    daemon.consumers.notices["pairing"] = "; ".join(open_lines)
    return hourly(lambda: (*expiring(config, clock), *open_lines), clock)


def unpaired_lines(config: Config) -> tuple[str, ...]:
    """A line if that of the trigger box is not paired and ought to be."""
    trigger = config.trigger
    said = "" if trigger is None else unpaired(trigger.port, trigger.pairing_key_file)
    return (f"[trigger] {said}",) if said else ()


def fitness(config: BrokerSection, daemon: Daemon, storage: TableJournal, devices: Devices) -> Iterator[Service]:
    """What finds out whether the table is fit for another round, and tells a technician how its PC is."""
    board = MachineBoard(daemon.parts.clock)
    yield from storage.watches(daemon.tell_fitness, board)
    yield "machine", partial(board.run, devices, storage.second, retained(daemon, "machine"))
    terms = AckLimits(config.unacknowledged_warn_hours, config.unacknowledged_close_hours)
    journal, acked = storage.journal, daemon.consumers.acked
    overdue = Overdue(journal, config.consumers, acked, daemon.parts.clock, terms)
    overdue.tell = partial(daemon.tell_fitness, "consumers")
    yield "overdue", overdue.run


def authenticated(config: Config) -> ListedProgram | None:
    """The program, held against the list that the table file names; None where it names none.

    Raises:
        SoftwareChanged: it is not the one listed.
    """
    known = config.table.software
    return None if known is None else authenticate(Path(known), config.table.software_key)


def software_watch(
    config: Config, daemon: Daemon, looked_through: ListedProgram | None
) -> tuple[Callable[[Input], None], list[Service]]:
    """Who takes readings, and what looks at the program meanwhile: nothing, where the table file has no list."""
    known, key = config.table.software, config.table.software_key
    if known is None:
        return daemon.deliver, []
    cycle = daemon.table.state.progressives.cycle
    watch = SoftwareWatch(
        partial(authenticate, Path(known), key),
        daemon.parts.clock.monotonic_ns,
        daemon.deliver,
        daemon.keep,
        cycle=0 if cycle is None else cycle.number,
    )
    if looked_through is not None and not daemon.parts.recovered.hold:
        daemon.deliver(watch.started(looked_through))
    return watch.take, [("software", watch.run)]


def operators(config: Config, daemon: Daemon) -> Iterator[Service]:
    """The operator channel, if the table file has one.

    Raises:
        NoChannel: its files cannot be used.
    """
    if config.operator is not None:
        daemon.mqtt_orders = config.operator.mqtt
        daemon.signatures = signatures(config.operator, daemon.identity)
        kept = is_kept(config.operator.key_file or "", os.environ.get("CREDENTIALS_DIRECTORY"))
        yield "operator channel", operator_channel(listening(config.operator, kept_by_service=kept), daemon).run


def watched_work(daemon: Daemon) -> list[WatchedWork]:
    """What must move for the table to be alive: stepping while readings wait, publishing while events do.

    A broker that cannot be reached is tried again and again; that is moving.
    """
    waiting, publisher = daemon.waiting, daemon.publisher
    return [
        WatchedWork("stepping", lambda: daemon.number, waiting.empty, STEPPING_PATIENCE_SECONDS),
        WatchedWork("publishing", lambda: publisher.turns, lambda: publisher.at_rest, PUBLISHING_PATIENCE_SECONDS),
    ]
