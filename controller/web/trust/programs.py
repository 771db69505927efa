"""What takes a whole journal's time is done by ``tableside`` itself, in a process of its own, one at a time."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal

import msgspec

from controller.formats.journal.records import Identity
from controller.formats.journal.signed_note import Verifier
from controller.formats.text.safe_parse import DataRefused, own_json

STEPPING_SECONDS: Final = 1200.0
"""How long a round may take to be stepped again: hundreds of thousands of rounds lie before it."""

PROVING_SECONDS: Final = 300.0
"""How long a proof may take to be written."""

STEPPED_RECORDS: Final = 3_000_000
"""Stepped here at most: the openings of their cards take some 200 MB."""

KEPT_RESULTS: Final = 256

TEXT_CHARACTERS: Final = 400
"""Of a difference, which cites two events."""

SAID_BYTES: Final = 64 * 1024
"""Of a program's complaint, read at once, and kept at most."""

PROGRESS: Final = re.compile(rb"(\d{1,18}) of (\d{1,18}) records stepped again")

OTHER_VERSION: Final = 3
"""What ``tableside replay`` ends with where the difference may be that of two versions."""

SteppingState = Literal["idle", "running", "same", "other_version", "differs", "failed"]


class SteppingRefused(Exception):  # noqa: N818 - named for what happened
    """It is not stepped again now; the text says why, on one line."""


class ProofNotMade(Exception):  # noqa: N818
    """There is no proof; the text says why, on one line."""


class Stepping(msgspec.Struct, frozen=True):
    """A round as stepped again. While it is ``running``, ``done`` of ``records``; then what came of it.

    ``last`` is the seq of the last event that was, or is to be, compared; ``text`` the difference, or why it failed.
    Records up to ``resumed`` were stepped before, for another round, and are as they were then.
    """

    state: SteppingState = "idle"
    done: int = 0
    records: int = 0
    events: int = 0
    last: int = 0
    text: str = ""
    versions: tuple[str, ...] = ()
    resumed: int = 0


IDLE: Final = Stepping()


class _Difference(msgspec.Struct, frozen=True):
    number: int
    seq: int
    text: str


class _Replayed(msgspec.Struct, frozen=True):
    """What ``tableside replay --json`` writes, as far as it is shown."""

    records: int
    events: int
    versions: tuple[str, ...]
    difference: _Difference | None
    resumed: int = 0


class SteppedRounds:
    """Rounds that were stepped again from their inputs, and the one that is. ``program``: what runs ``tableside``."""

    def __init__(self, program: Iterable[str] = (), seconds: float = STEPPING_SECONDS) -> None:
        self._program = tuple(program) or (sys.executable, "-m", "controller")
        self._seconds = seconds
        self._known: dict[tuple[Identity, int], Stepping] = {}
        self._task: asyncio.Task[None] | None = None
        self._states: tempfile.TemporaryDirectory[str] | None = None
        """What one stepping keeps for the next, while this program runs."""

    def of(self, identity: Identity, number: int) -> Stepping:
        """What is known of a round."""
        return self._known.get((identity, number), IDLE)

    def begin(self, path: Path, of: tuple[Identity, int], last: int, records: int) -> Stepping:
        """Begin to step a round, with ``records`` up to its event ``last``.

        Raises:
            SteppingRefused: another is being stepped, or it is too much for here.
        """
        if self.of(*of).state == "running":
            return self.of(*of)
        if self._task is not None and not self._task.done():
            raise SteppingRefused("another round is being stepped again; try when it is done")
        if records > STEPPED_RECORDS:
            raise SteppingRefused(f"{records} records lie up to this round: run tableside replay --last {last}")
        while len(self._known) >= KEPT_RESULTS:
            del self._known[next(iter(self._known))]
        self._known[of] = Stepping("running", 0, records, last=last)
        self._task = asyncio.create_task(self._step(path, of, last))
        return self._known[of]

    async def finish(self) -> None:
        """Wait until nothing is being stepped."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def close(self) -> None:
        """Stop what is being stepped."""
        if self._task is not None:
            self._task.cancel()
        await self.finish()
        if self._states is not None:
            self._states.cleanup()
            self._states = None

    async def _step(self, path: Path, of: tuple[Identity, int], last: int) -> None:
        def reading(done: int, all_of: int) -> None:
            self._known[of] = Stepping("running", done, all_of, last=last)

        try:
            self._states = self._states or tempfile.TemporaryDirectory(prefix="tableside-states-")
            kept = f"--states={self._states.name}"
            words = ("replay", "--json", "--progress", f"--last={last}", kept, "--", str(path))
            status, output, said = await ran((*self._program, *words), self._seconds, reading)
            self._known[of] = result_of(own_json(output, _Replayed), status, last) if output else failed(said, path)
        except TimeoutError:
            within = f"not done within {self._seconds:.0f} s: run tableside replay --last {last} on the journal"
            self._known[of] = Stepping("failed", text=within)
        except (DataRefused, OSError) as error:
            self._known[of] = Stepping("failed", text=str(error))


def failed(said: bytes, path: Path) -> Stepping:
    """A round that could not be stepped again."""
    return Stepping("failed", text=reason_of(said, path))


def result_of(found: _Replayed, status: int, last: int) -> Stepping:
    """What came of stepping a round again."""
    counts = found.records, found.records, found.events, last
    if found.difference is None:
        return Stepping("same", *counts, versions=found.versions, resumed=found.resumed)
    where = f"record {found.difference.number}"
    where += f", event {found.difference.seq}" if found.difference.seq else ""
    text = f"{where}: {found.difference.text}"
    shown = text if len(text) <= TEXT_CHARACTERS else f"{text[:TEXT_CHARACTERS]}..."
    return Stepping(
        "other_version" if status == OTHER_VERSION else "differs", *counts, shown, found.versions, found.resumed
    )


async def proof(path: Path, number: int, verifier: Verifier, program: Iterable[str] = ()) -> bytes:
    """The folder that ``tableside export --proof`` writes of a round, as a ZIP archive.

    Raises:
        ProofNotMade: it refuses, or takes too long.
    """
    words = tuple(program) or (sys.executable, "-m", "controller")
    with tempfile.TemporaryDirectory(prefix="tableside-proof-") as folder:
        output = Path(folder) / f"round-{number}"
        words += ("export", f"--proof={number}", f"--verifier={verifier.text()}", f"--output={output}", "--", str(path))
        try:
            status, _, said = await ran(words, PROVING_SECONDS)
        except TimeoutError as error:
            command = f"run tableside export --proof {number} on the journal"
            raise ProofNotMade(f"no proof within {PROVING_SECONDS:.0f} s: {command}") from error
        if status:
            raise ProofNotMade(reason_of(said, path))
        return await asyncio.to_thread(archive, output)


def archive(folder: Path) -> bytes:
    """A folder's files as a ZIP archive, in which they lie in a folder of its name."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.iterdir()):
            file.write(path, f"{folder.name}/{path.name}")
    return written.getvalue()


def reason_of(said: bytes, path: Path) -> str:
    """What a program complained of, in one line, without the folder of the journal."""
    line = said.decode(errors="replace").strip().rpartition("\n")[2].removeprefix("tableside: ")
    return line.replace(str(path), path.name)[:TEXT_CHARACTERS] or "it ended without a word"


async def ran(
    words: tuple[str, ...], seconds: float, reading: Callable[[int, int], None] = lambda _done, _all: None
) -> tuple[int, bytes, bytes]:
    """The status, the output and the complaint of a program; ``reading`` receives how far it says it is.

    Raises:
        TimeoutError: it took too long, and was ended.
        OSError: it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(seconds):
            output, said = await asyncio.gather(process.stdout.read(), _complaint(process.stderr, reading))
            status = await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return status, output, said


async def _complaint(said: asyncio.StreamReader, reading: Callable[[int, int], None]) -> bytes:
    """The end of what a program says on standard error, without how far it is, which is passed on."""
    kept = rest = b""
    while data := await said.read(SAID_BYTES):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            found = PROGRESS.fullmatch(line)
            if found:
                reading(int(found[1]), int(found[2]))
            else:
                kept += line + b"\n"
        kept, rest = kept[-SAID_BYTES:], rest[-SAID_BYTES:]
    return kept + rest
