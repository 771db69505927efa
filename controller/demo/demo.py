"""The demo: simulated devices on pseudo-terminals, people playing, a broker, and the daemon as a process of its own.

It leaves what the people know to be true beside what the daemon settled, so that anybody can compare the two files.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiomqtt

from controller.core.messages.events import RoundClosed
from controller.demo import pool
from controller.demo.pages import PagesOptions, shown_in_a_browser
from controller.demo.pool import pool_reconciled, prepare_link, serving
from controller.demo.table import (
    SEVENS_PARAMETERS,
    SITE,
    TABLE,
    DemoOptions,
    SignRead,
    devices,
    read_sign,
    script,
    sevens_meter,
    table_file,
)
from controller.formats.cases.accounts import (
    CaseAccounts,
    Comparison,
    RoundAccount,
    WagerAccount,
    account_bytes,
    account_of,
    compare,
)
from controller.formats.mqtt.envelope import PayloadRefused, Topics, own_event, read_event
from controller.formats.text.error_words import error_words
from controller.io.files.key_file import create_key
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.broker import running_broker
from controller.io.mqtt.connection import Broker, ConnectionLost, connected
from controller.io.system.processes import processors
from controller.io.system.randomness import SystemEntropy
from controller.pool.reconciliation import Reconciliation
from controller.reports.live_narrative import LiveNarrator
from simulators.people.acts import Act, RoundPlayed
from simulators.people.performance import perform
from simulators.people.progressive_bets import SevensMeter
from simulators.people.rack import Rack
from simulators.serve import Station

STARTING_SECONDS: Final = 60.0
"""How long the daemon may take until it has asked every device, on a machine that is busy with other things."""

LOOKS: Final = 3
"""Times that each zone is read before people sit down."""

NAMED_LIMIT: Final = 3
"""So many devices that have not been asked are named."""

ENDING_SECONDS: Final = 15.0
"""How long the last round's messages, and the daemon's own end, may take."""

LEFT_BEHIND: Final = (
    "journal.sqlite",
    "journal.sqlite-wal",
    "journal.sqlite-shm",
    "journal.sqlite-head",
    "truth.json",
    "account.json",
    "table.key",
    "table.toml",
    "chips.csv",
    "daemon.log",
    "web.log",
)
"""What an earlier demo in the same directory left, and a new one replaces."""


MARK: Final = ".tableside-demo"
"""A file in every folder of a demo's: what is there beside it, a demo left."""


class DemoFailed(Exception):  # noqa: N818 - named for what happened
    """The demo cannot be run; the text says what to do."""


class FolderInUse(Exception):  # noqa: N818
    """Somebody else plays in the folder; the text says what to do."""


class DemoResult(NamedTuple):
    """The result of a demo: its rounds, and the account of the table compared with the one of the simulated people."""

    rounds: int
    comparison: Comparison
    waited_in_vain: int
    sign: SignRead | None = None
    """What the sign showed at the end; None: there is none, or the playing was interrupted."""
    pool: Reconciliation | None = None
    """The pool added up, where there is one."""

    def true(self) -> bool:
        """Whether everything was as the simulated people know it."""
        sign = self.sign is None or self.sign.true()
        return sign and not self.comparison.different and not (self.pool is not None and self.pool.mistakes)


async def run_demo(wanted: DemoOptions, say: Callable[[str], None]) -> DemoResult:
    """Run the demo to its end, or until cancelled; then write the two accounts and hold them side by side.

    Raises:
        DemoFailed: the folder is not a demo's or another plays in it, or the daemon does not start or ends by itself.
        NoBroker: there is no broker.
        OSError: the directory cannot be written.
    """
    with own(wanted.directory):
        return await _run(wanted, say)


async def _run(wanted: DemoOptions, say: Callable[[str], None]) -> DemoResult:
    """The same, in a folder that is this demo's."""
    directory = wanted.directory
    rack, sevens = Rack(), sevens_meter()
    built = devices(wanted.shoe, wanted.profile, wanted)
    async with running_broker(wanted.broker) as broker:
        prepare(directory, rack, broker, wanted)
        played: list[RoundPlayed] = []
        waited_in_vain = 0
        sign = None
        async with (
            serving(directory) if wanted.link else contextlib.nullcontext(),
            Station(directory / "ports", **built) as station,
            listening(broker, say) as heard,
            daemon(directory) as process,
            shown_in_a_browser(PagesOptions(directory, broker, wanted.web), say, os.environ),
        ):
            acts = script(wanted, rack, sevens)
            waited_in_vain = await play_until_done(wanted, acts, station, process, played)
            if played:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(ENDING_SECONDS):
                        await heard.closed(played[-1].round)
            if len(played) == wanted.rounds:
                sign = await sign_at_the_end(station, built["beside"], sevens)
    truth = truth_of(played)
    found = settled(directory, len(played))
    (directory / "truth.json").write_bytes(account_bytes(truth))
    (directory / "account.json").write_bytes(account_bytes(found))
    pool = pool_reconciled(directory) if wanted.link else None
    return DemoResult(len(played), compare(truth, found), waited_in_vain, sign, pool)


async def sign_at_the_end(station: Station, beside: Mapping[str, object], sevens: SevensMeter) -> SignRead | None:
    """What the sign shows once the last round is over; it has the station's patience to show the truth."""

    def true() -> bool:
        now = read_sign(beside, sevens)
        return now is None or now.true()

    await station.until(true)
    return read_sign(beside, sevens)


def prepare(directory: Path, rack: Rack, broker: Broker, wanted: DemoOptions) -> None:
    """Clear what an earlier demo left; write the key, the chip registry and the table file."""
    (directory / "ports").mkdir(parents=True, exist_ok=True)
    for name in (*LEFT_BEHIND, *pool.LEFT_BEHIND):
        (directory / name).unlink(missing_ok=True)
    link = prepare_link(directory, f"{SITE}/{TABLE}", SEVENS_PARAMETERS) if wanted.link else None
    create_key(directory / "table.key", SystemEntropy())
    (directory / "chips.csv").write_text(rack.registry_csv(), encoding="utf-8")
    (directory / "table.toml").write_text(
        table_file(
            directory,
            broker,
            keypad=wanted.keypad,
            shoe=wanted.shoe,
            profile=wanted.profile,
            wanted=wanted,
            link=link,
        ),
        encoding="utf-8",
    )


@contextlib.contextmanager
def own(directory: Path) -> Iterator[None]:
    """Make ``directory`` this demo's, if it is empty, new, or left by another; what no demo left is never touched.

    Raises:
        DemoFailed: it has files that no demo left, or somebody is playing in it.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DemoFailed(f"--directory {directory}: cannot be made: {error.strerror}") from error
    mark = directory / MARK
    there = sorted(one.name for one in directory.iterdir())
    if there and not mark.is_file():
        raise DemoFailed(
            f"{directory}: has files that no demo left ({', '.join(there[:3])}{', ...' if there[3:] else ''});"
            " give another folder with --directory"
        )
    try:
        with alone(directory):
            mark.write_text("A demo of Tableside: the next demo here replaces what lies in this folder.\n")
            yield
    except FolderInUse as error:
        raise DemoFailed(f"{error} with --directory") from error


@contextlib.contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Hold ``directory``, so that no other demo or simulation plays there meanwhile; it leaves no file.

    Raises:
        FolderInUse: somebody holds it.
        OSError: it cannot be opened.
    """
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUse(
                f"{directory}: another demo or simulation is playing here; end it, or give another folder"
            ) from error
        yield
    finally:
        os.close(folder)


@contextlib.asynccontextmanager
async def daemon(directory: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """The daemon, as a process of its own, ordered to stop at the end."""
    command = [sys.executable, "-m", "controller", "run", str(directory / "table.toml"), "--log-format", "json"]
    with (directory / "daemon.log").open("wb") as output:
        # A session of its own: Ctrl-C is for the demo, which stops the daemon when the round's accounts are in.
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output, start_new_session=True)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(ENDING_SECONDS):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()


class TableSubscriber:
    """A subscriber to one table: prints each event in words once, and knows the last round that was closed."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._teller = LiveNarrator()
        self._last = 0
        self._seq = 0
        self._changed = asyncio.Event()

    def take(self, payload: bytes) -> None:
        """An event came; one that comes again, as a broker may send it, is reported once."""
        try:
            published = read_event(payload)
        except PayloadRefused as refused:
            self._say(f"!! {refused}")
            return
        if published.seq <= self._seq:
            return
        self._seq, event = published.seq, published.event
        for line in self._teller.tell(event):
            self._say(line)
        if isinstance(event, RoundClosed):
            self._last = event.round
            self._changed.set()

    async def closed(self, number: int) -> None:
        """Wait until round ``number`` is closed."""
        while self._last < number:
            self._changed.clear()
            await self._changed.wait()


@contextlib.asynccontextmanager
async def listening(broker: Broker, say: Callable[[str], None]) -> AsyncIterator[TableSubscriber]:
    """Follow the table's events, as any subscriber would, and tell them in words.

    Raises:
        DemoFailed: the broker cannot be reached.
    """
    heard = TableSubscriber(say)
    subscribed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def listen() -> None:
        try:
            async with connected(broker, broker.protocols()[-1], "tableside-demo") as client:
                await client.subscribe(f"{Topics(SITE, TABLE).root}/event/#", qos=1)
                subscribed.set_result(None)
                async for message in client.messages:
                    heard.take(payload_of(message))
        except ConnectionLost as lost:
            if not subscribed.done():
                subscribed.set_exception(DemoFailed(f"broker {broker.host}:{broker.port}: {error_words(lost)}"))

    task = asyncio.create_task(listen())
    try:
        await subscribed
        yield heard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def payload_of(message: aiomqtt.Message) -> bytes:
    """The bytes of a message; paho types them as anything."""
    payload: object = message.payload
    return bytes(payload) if isinstance(payload, bytes | bytearray) else b""


async def play_until_done(
    wanted: DemoOptions,
    acts: Iterator[Act],
    station: Station,
    process: asyncio.subprocess.Process,
    played: list[RoundPlayed],
) -> int:
    """Let people play ``acts``; how often the readers were waited for in vain.

    Raises:
        DemoFailed: the daemon ended, or did not ask its devices in time.
    """
    await until_served(station, process, wanted.directory / "daemon.log")
    playing = asyncio.create_task(perform(acts, station, wanted.speed, sleep=asyncio.sleep, on_round=played.append))
    try:
        if not await done_while_running(playing, process):
            raise DemoFailed(f"the daemon ended by itself; see {wanted.directory / 'daemon.log'}")
        return len(playing.result().impatient)
    except asyncio.CancelledError:
        # Ctrl-C: the accounts of the rounds played so far are still to be written.
        return 0


async def done_while_running(task: asyncio.Task[Any], process: asyncio.subprocess.Process) -> bool:
    """Wait for a task as long as the daemon runs; whether it was done before that ended. It is over in any case."""
    ending = asyncio.create_task(process.wait())
    try:
        await asyncio.wait((task, ending), return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        for one in (task, ending):
            one.cancel()
        await asyncio.gather(task, ending, return_exceptions=True)


async def until_served(
    station: Station, process: asyncio.subprocess.Process, log: Path, seconds: float = STARTING_SECONDS
) -> None:
    """Wait until the daemon has asked every device of the table; what it says is in ``log``.

    Raises:
        DemoFailed: it ended, or did not ask them within ``seconds``; the text says what was waited for.
    """
    serving = asyncio.create_task(station.ready(looks=LOOKS, patience_s=seconds))
    if not await done_while_running(serving, process):
        raise DemoFailed(f"the daemon ended with status {process.returncode} before it served its devices; see {log}")
    if not serving.result():
        raise DemoFailed(unserved(station.unpolled(LOOKS), seconds, log))


def unserved(names: Sequence[str], seconds: float, log: Path) -> str:
    """That the daemon did not ask the devices of these names within ``seconds``, and what to do about it."""
    more = f" and {len(names) - NAMED_LIMIT} more" if len(names) > NAMED_LIMIT else ""
    said = f"see {log}" if log.stat().st_size else f"{log} is empty, so it has hardly begun"
    return (
        f"the daemon was waited for {seconds:g} s and has not served {', '.join(names[:NAMED_LIMIT])}{more}: {said}; if"
        f" the machine is busy (load {os.getloadavg()[0]:.1f} on {processors()} processors), end what runs beside it"
        " and start the demo again"
    )


def truth_of(played: list[RoundPlayed]) -> CaseAccounts:
    """The simulator's account."""
    return CaseAccounts(
        tuple(
            RoundAccount(one.round, tuple(WagerAccount(w.spot, w.bet, w.wager_cents, w.net_cents) for w in one.wagers))
            for one in played
        )
    )


def settled(directory: Path, rounds: int) -> CaseAccounts:
    """What the daemon settled of the first ``rounds`` rounds, read from its journal."""
    with JournalReader(directory / "journal.sqlite") as reader:
        account = account_of(own_event(row.body).event for row in reader.events())
    return CaseAccounts(tuple(one for one in account.rounds if one.round <= rounds))
