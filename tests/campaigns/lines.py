"""Lines that hang half open and lines that babble while people play: nobody else notices, and nothing ends.

    python -m tests.campaigns.lines --count 200 --seed 1

A real table's daemon has a shoe, a keypad, readers, two units of sensors, a sign and a trigger box, each on a terminal
or behind a device server (``socket://``, RFC 2217). One after the other, and sometimes two at once: a device server
loses its power without a word, or for a moment; it takes connections and everything that is sent, and never answers; it
hangs up; a device says what it said before again and again at the speed of its line, or rubbish, or both, or as much as
a network carries. The trigger box has an older store, or is another table's.

What must hold: the other devices stay ready and their cards and keys are published as early as before; a line that died
is reported in time, one that babbles with an alarm; it is taken up again when it is itself again; the daemon goes on,
and holds no more memory. At the end the journal is whole and steps again the same, and a durable consumer has all of
it.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.core.messages.alerts import DeviceAlarm, LineErrors
from controller.io.lines.talk_limit import CARDS_AT_ONCE, READINGS_PER_SECOND
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from devices.bet_sensors import ANSWER_NS
from tests.campaigns.crews import Piece, options, pieces, work_off
from tests.campaigns.hostile import GROWTH_BYTES, LATE_SECONDS, Watch, beside, stack_task
from tests.campaigns.line_house import (
    CONSUMER,
    LINES,
    TABLE,
    House,
    Line,
    LinesEar,
    People,
    devices_of,
    is_of,
    is_ready,
)
from tests.campaigns.line_judge import caught_up, judged, kind_of, trouble
from tests.campaigns.line_plan import BABBLE, BOX, DEAD, Happening, Plan, planned
from tests.campaigns.waits import Waits
from tests.io.virtual_time import passes
from tests.wiring.premises import json_of

PER_HOUSE: Final = 40
"""Happenings at one table."""

LINE_BYTES: Final = 11_520
"""A second's worth of a line at 115,200 baud."""

TORRENT_BYTES: Final = 2_000_000
"""A second's worth of a device server that says whatever it has."""

PIECE_S: Final = 0.02
"""Between two pieces of it."""

TOLD_S: Final = 8.0
"""From the loss of a line to its report: three signs of life a second apart, and the machine's own delays."""

BURST: Final = CARDS_AT_ONCE + 100
"""Readings of a line at once, with a little for what is reported of it beside."""

READY_S: Final = 45.0
"""From its return: the longest pause between two tries, an opening that hung, and the next one."""


CALM_MESSAGES: Final = 20
"""A second, of a trigger box that can do nothing for its table: it is asked twice."""

STARVED: Final = 0.8
"""The share of a happening for which program and campaign together waited for a processor, beyond which it is not
judged when what was published."""

QUIET_LOOKS: Final = 4
MISSED_LOOKS: Final = 30
"""Tenths of a second without news after which there is none; and for which what is missing is waited for."""


class Outcome(NamedTuple):
    """What a house came to."""

    happenings: int
    kinds: dict[str, int]
    cards: int
    keys: int
    latest_s: float
    latest_calm_s: float
    told_s: float
    """The longest until a lost line was reported."""
    back_s: float
    """The longest until a line that was itself again was ready."""
    alarms: int
    events: int
    growth_bytes: int
    starved: int
    """Happenings in which the machine was too busy with others to judge what was published when."""
    faults: tuple[str, ...]


class Campaign:
    """One house."""

    def __init__(self, house: House, ear: LinesEar, people: People, waits: Waits, chance: random.Random) -> None:
        self.people = people
        self.waits = waits
        self.house = house
        self.ear = ear
        self.chance = chance
        self.counts: collections.Counter[str] = collections.Counter()
        self.most: collections.Counter[str] = collections.Counter()
        """The longest times, in microseconds."""
        self.late_seconds = LATE_SECONDS
        self.calm_seconds = math.inf
        """How late anything was published in peace, on this machine as it is."""
        self.faults: list[str] = []

    # --- one of them ----------------------------------------------------------------------------------

    async def happen(self, one: Happening) -> None:
        """Let it happen and pass while people play, and look."""
        text, began = one.text(self.house.ways), time.monotonic()
        marks, first = await self._marked()
        self.people.go_on()
        heard_before = {line: self.house.lines.heard(line.port).messages for line in one.lines}
        for line in one.lines:
            self.house.begin(one.what, line)
        noticed = asyncio.create_task(self._noticed(one, first))
        if one.what in BABBLE:
            await self._babble(one)
        else:
            await passes(one.seconds)
        for line in one.lines:
            self.house.end(one.what, line)
        over = time.monotonic()
        is_reported = await noticed
        if not await self._until(lambda: self._are_ready(one.lines), READY_S):
            states = {name: self.ear.states[name] for line in one.lines for name in devices_of(line, self.ear.states)}
            self.faults.append(f"{text}: not ready again after {READY_S:.0f} s: {states}")
        self._longest("back", time.monotonic() - over)
        if one.what in BOX:
            self._is_calm(one, text, heard_before, time.monotonic() - began)
        self.counts[one.what] += 1
        await self._settled(one, marks)
        self._is_bounded(one, text, first)
        spent = time.monotonic() - began
        if self.waits.between(began, time.monotonic()) > STARVED * spent:
            # Of a program that is not run nobody can say how soon it reports what.
            self.counts["starved"] += 1
        else:
            if not is_reported:
                self.faults.append(f"{text}: nothing was reported")
            self._judge(one, text, marks, first, began)
        kinds = collections.Counter(kind_of(event) for event in self.ear.published[first:] if trouble(event))
        print(f"{text}: {time.monotonic() - began:.1f} s, {dict(kinds)}", file=sys.stderr, flush=True)

    async def _babble(self, one: Happening) -> None:
        per_second = TORRENT_BYTES if one.what == "torrent" else LINE_BYTES
        count = int(per_second * PIECE_S)
        end = time.monotonic() + one.seconds
        samples = {line: self.house.lines.heard(line.port).sample or b"\x00" for line in one.lines}
        while time.monotonic() < end:
            for line, sample in samples.items():
                self.house.say(line, self._piece(one.what, sample, count))
            await passes(PIECE_S)

    def _piece(self, what: str, sample: bytes, count: int) -> bytes:
        if what == "valid" or (what == "both" and self.chance.random() < 0.5):
            return (sample * (count // len(sample) + 1))[:count]
        return self.chance.randbytes(count)

    async def _noticed(self, one: Happening, first: int) -> bool:
        """Whether what must be reported of these lines is reported in time."""
        began = time.monotonic()
        lines = one.lines
        if one.what == "deaf":
            # Nothing distinguishes a device that only speaks from one that is silent.
            lines = tuple(line for line in one.lines if line.polled)

        def are_reported() -> bool:
            found = {device for published in self.ear.published[first:] if (device := trouble(published))}
            return all(any(is_of(device, line) for device in found) for line in lines)

        limit = one.seconds + TOLD_S if one.what in BABBLE else TOLD_S
        found = await self._until(are_reported, limit)
        self._longest("told", time.monotonic() - began)
        return found

    def _is_bounded(self, one: Happening, text: str, first: int) -> None:
        """Whether what a line gave the table to write down is within its allowance."""
        for line in one.lines:
            found = sum(is_of(trouble(published), line) for published in self.ear.published[first:])
            most = BURST + int(READINGS_PER_SECOND * (one.seconds + 1))
            if found > most:
                self.faults.append(f"{text}: {found} events of {line.name}, {most} at most")

    def _judge(self, one: Happening, text: str, marks: tuple[int, int, int, int], first: int, began: float) -> None:
        """Hold what was reported of everybody else against what they did."""
        # An answer that waited for a processor is late and the next one is not understood: the machine's doing.
        is_busy = self.waits.between(began, time.monotonic()) > ANSWER_NS / 1e9
        heard = {
            device
            for published in self.ear.published[first:]
            if (device := trouble(published)) and not (is_busy and isinstance(published.event, LineErrors))
        }
        hurt = {name for name in heard if any(is_of(name, line) for line in LINES if line not in one.lines)}
        if hurt:
            self.faults.append(f"{text}: trouble at {sorted(hurt)} too")
        names = {line.name for line in one.lines}
        card, drawn, key, pressed = marks
        if "shoe" not in names:
            self._late(f"{text}: a card", self.house.lines.drawn[drawn:], self.ear.cards[card:])
        if "keypad" not in names:
            self._late(f"{text}: a key", self.house.lines.pressed[pressed:], self.ear.keys[key:])

    def _is_calm(self, one: Happening, text: str, heard_before: Mapping[Line, int], seconds: float) -> None:
        """Whether table and box ask each other no more often than they should."""
        for line in one.lines:
            now = self.house.lines.heard(line.port).messages - heard_before[line]
            if now > CALM_MESSAGES * (seconds + 1):
                self.faults.append(f"{text}: {line.name} answered {now} times in {seconds:.1f} s")

    def _late(self, what: str, done: Sequence[float], reported: Sequence[float]) -> None:
        if len(done) != len(reported):
            self.faults.append(f"{what}: {len(reported)} of {len(done)} reported")
            return
        spans = zip(done, reported, strict=True)
        # What the machine kept us waiting for a processor is not the table's doing.
        late = max((after - before - self.waits.between(before, after) for before, after in spans), default=0.0)
        self.counts[what.rsplit(" ", 1)[1]] += len(done)
        self._longest("late", late)
        if late > max(self.late_seconds, self.calm_seconds):
            self.faults.append(f"{what} was reported {late:.3f} s late")

    # --- what is waited for ---------------------------------------------------------------------------

    async def _marked(self) -> tuple[tuple[int, int, int, int], int]:
        """Hold people until all they did is published; the cards and keys published and done, and the events."""
        await self.people.hold()
        await self._settled()
        lines = self.house.lines
        marks = (len(self.ear.cards), len(lines.drawn), len(self.ear.keys), len(lines.pressed))
        return marks, len(self.ear.published)

    async def _settled(self, one: Happening | None = None, marks: tuple[int, int, int, int] = (0, 0, 0, 0)) -> None:
        """Hold people, and wait until nothing more is published, and for a while until all is that is to be."""
        await self.people.hold()
        names = () if one is None else [line.name for line in one.lines]
        quiet, looks, before = 0, 0, -1
        while quiet < QUIET_LOOKS or (one is not None and self._misses(names, marks) and looks < MISSED_LOOKS):
            await passes(0.1)
            now = len(self.ear.cards) + len(self.ear.keys)
            quiet, looks, before = (quiet + 1 if now == before else 0), looks + 1, now

    def _misses(self, names: Sequence[str], marks: tuple[int, int, int, int]) -> bool:
        """Whether a card or key has not been published that should be."""
        card, drawn, key, pressed = marks
        cards = len(self.house.lines.drawn) - drawn > len(self.ear.cards) - card
        keys = len(self.house.lines.pressed) - pressed > len(self.ear.keys) - key
        return ("shoe" not in names and cards) or ("keypad" not in names and keys)

    def _are_ready(self, lines: Sequence[Line]) -> bool:
        return all(is_ready(line, self.ear.states) for line in lines)

    async def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.ear.until(condition)
                return True
        return False

    def _longest(self, name: str, seconds: float) -> None:
        self.most[name] = max(self.most[name], round(1e6 * seconds))

    # --- the whole ------------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Wait until every line is, once."""
        assert await self._until(lambda: self._are_ready(LINES), READY_S), self.ear.states

    async def calm(self, seconds: float) -> float:
        """Play in peace; how late anything was published."""
        marks, _ = await self._marked()
        self.people.go_on()
        await passes(seconds)
        await self._settled()
        self._late("calm: a card", self.house.lines.drawn[marks[1] :], self.ear.cards[marks[0] :])
        self._late("calm: a key", self.house.lines.pressed[marks[3] :], self.ear.keys[marks[2] :])
        self.calm_seconds = self.most.pop("late", 0) / 1e6
        return self.calm_seconds


async def play(directory: Path, broker: Broker, plan: Plan, seed: int, late_seconds: float) -> Outcome:
    """So many happenings at one table."""
    ear = LinesEar()
    house = House(directory, broker, ear, plan.ways, seed)
    kept = directory / "consumer.jsonl"
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(ear.listening(broker))
        await stack.enter_async_context(house.bench)
        await stack.enter_async_context(house.serving())
        stack.push_async_callback(house.stop)
        await house.start()
        assert house.process is not None
        people = People(house)
        stack.callback(people.leave)
        waits = Waits((house.process.pid, os.getpid()))
        stack_task(stack, waits.look())
        campaign = Campaign(house, ear, people, waits, random.Random(seed))
        campaign.late_seconds = late_seconds
        await campaign.ready()
        at = ("--broker", f"{broker.host}:{broker.port}", "--consumer", CONSUMER)
        words = ("watch", *at, "--durable", str(kept), TABLE)
        await stack.enter_async_context(beside(directory / "consumer.log", *words))
        calm, watch = Watch({"daemon": house.process}), Watch({"daemon": house.process})
        looking = stack_task(stack, calm.look())
        calm_s = await campaign.calm(plan.calm_seconds)
        looking.cancel()
        stack_task(stack, watch.look())
        for one in plan.happenings:
            await campaign.happen(one)
            if ended := [*watch.ended()]:
                campaign.faults += ended
                break
        status = json_of(ear.last(f"tableside/v1/{TABLE}/status"))
        if status["state"] != "online":
            campaign.faults.append(f"retained: {status}")
        await house.stop()
        await caught_up(house, kept)
        growth = watch.most["daemon"] - calm.most["daemon"]
    if growth > GROWTH_BYTES:
        campaign.faults.append(f"the daemon holds {growth} bytes more")
    campaign.faults += judged(house, kept)
    counts, most = campaign.counts, campaign.most
    return Outcome(
        happenings=sum(counts[one] for one in (*DEAD, *BABBLE, *BOX)),
        kinds={one: counts[one] for one in (*DEAD, *BABBLE, *BOX) if counts[one]},
        cards=counts["card"],
        keys=counts["key"],
        latest_s=most["late"] / 1e6,
        latest_calm_s=calm_s,
        told_s=most["told"] / 1e6,
        back_s=most["back"] / 1e6,
        alarms=len(ear.events(DeviceAlarm)),
        events=len(ear.published),
        growth_bytes=growth,
        starved=counts["starved"],
        faults=tuple(f"seed {seed}: {fault}" for fault in campaign.faults),
    )


async def at_a_broker(directory: Path, plan: Plan, seed: int, late_seconds: float = LATE_SECONDS) -> Outcome:
    """The same, with a broker of its own."""
    program = find_mosquitto()
    assert program is not None, "Mosquitto is not installed"
    (directory / "broker").mkdir()
    for one in (directory, directory / "broker"):
        one.chmod(0o755)
    process, port = await start_mosquitto(program, directory / "broker", {}, None)
    try:
        return await play(directory, Broker(host="127.0.0.1", port=port), plan, seed, late_seconds)
    finally:
        await stop(process)


def work(piece: Piece) -> dict[str, Any]:
    """One house's outcome."""
    with tempfile.TemporaryDirectory(prefix="tableside-lines-") as directory:
        plan = planned(piece.size, random.Random(piece.seed))
        return asyncio.run(at_a_broker(Path(directory), plan, piece.seed))._asdict()


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="happenings")
    options(parser)
    parser.set_defaults(jobs=1)
    given = parser.parse_args()
    began = time.monotonic()
    found = work_off(pieces(given.count, given.seed, PER_HOUSE), work, given.jobs, given.file)
    faults = [fault for one in found for fault in one["faults"]]
    print("\n".join(faults), end="\n" if faults else "")
    done = sum(one["happenings"] for one in found)
    late, back = (max(one[name] for one in found) for name in ("latest_s", "back_s"))
    starved = sum(one["starved"] for one in found)
    print(
        f"{done} happenings, {starved} of them starved, {len(faults)} faults; a card or key {late:.3f} s late at most,"
        f" a line back after {back:.1f} s at most; {time.monotonic() - began:.0f} s in this run"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
