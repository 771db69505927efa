"""Mystery cycles by the ten thousand, health tests over sound noise, and a search for the trigger where it must not be.

    python -m bench.mystery cycles  [--cycles 100000]       awards uniform, one hit a cycle, never above the ceiling
    python -m bench.mystery noise   [--bytes 100000000]     sound bytes through the health tests
    python -m bench.mystery timing  [--contributions 20000] how long a non-hit takes, near the trigger and far from it
    python -m bench.mystery canary  [--contributions 10000] a real box process, searched for its trigger

`make campaign-mystery` runs all four.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import msgspec

from controller.reports.audit.mystery_proof import Bounds, commitment, moved_by, trigger_cents
from controller.reports.randomness_tests import kolmogorov_distance, kolmogorov_p
from controller.trigger_box import custody
from controller.trigger_box.box import BoxLabel, TriggerBox
from controller.trigger_box.entries import (
    BoundsSet,
    BoxCommissioned,
    BoxState,
    ContributionCounted,
    CycleDrawn,
    CycleOpened,
    after,
)
from controller.trigger_box.pool import NOISE_BYTES, Noise
from controller.trigger_box.sealing import SealContext, Sealer, Secret
from controller.trigger_box.store import BoxStore
from devices.trigger.noise_health import NoiseHealth
from firmware_protocols.codec import LineEnd
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.trigger_messages import (
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    OpenCycle,
    TriggerStatus,
)
from tests.trigger_box.premises import box_command, connected, noise, running, write_files

SITE = ("harbour", "bj-1")


class Forgetful:
    """A store that remembers nothing: a table of good manners never asks for anything again."""

    def counted(self, number: int) -> ContributionCounted | None:
        del number
        return None

    def drawn(self, cycle: int) -> CycleDrawn | None:
        del cycle
        return None

    def opened(self, cycle: int) -> CycleOpened | None:
        del cycle
        return None


def new_box(bounds: Bounds, seed: int | None) -> TriggerBox:
    """A box in memory; without a seed its noise is the system's."""
    chance = Random(seed)
    take = os.urandom if seed is None else chance.randbytes
    state = BoxState()
    two = ("ann", "ben")
    for entry in (BoxCommissioned(*SITE, 0, 0, 0, 0, *two, 0), BoundsSet(*bounds, 10**9, *two, 0)):
        state = after(state, entry)
    sealer = Sealer(take(32), take(32))
    return TriggerBox(
        state, Forgetful(), sealer, BoxLabel("BENCH", "1"), lambda: Noise(take(NOISE_BYTES), take(NOISE_BYTES))
    )


def carry_out(box: TriggerBox, command: object) -> tuple[object, ...]:
    heard = box.hear(command)  # type: ignore[arg-type]
    box.take(heard.entries)
    return heard.reports


class Cycle(NamedTuple):
    """One cycle as it was announced: what was won, where the trigger was, and how many hits there were."""

    award_cents: int
    trigger_cents: int
    drawn_cents: int
    hits: int


def cycles(count: int, bounds: Bounds, chance: Random, seed: int | None, *, pooled: bool = False) -> Iterator[Cycle]:
    """Play cycles with contributions of 1 to 300 cents, the meter counted a second time beside the box's.

    ``pooled``: all but the last three of a cycle are posted as one, which the meter cannot distinguish from many; only
    then is the number looked at, to know which the last are.
    """
    box = new_box(bounds, seed)
    answers = carry_out(box, GreetTrigger(1, *SITE, 7, 0, 0))
    number = 0
    for _ in range(count):
        committed = next(one for one in answers if isinstance(one, CycleCommitted))
        share = chance.randbytes(32)
        carry_out(box, OpenCycle(committed.cycle, share))
        meter, hits, first = committed.start_units, 0, True
        amounts = _pooled(chance, meter, _trigger_of(box, bounds) * 10_000) if pooled else _endless(chance)
        while not hits:
            number, amount = number + 1, next(amounts)
            first, before, meter = meter == committed.start_units, meter, meter + amount
            answers = carry_out(box, Contribute(number, amount))
            (answer,) = (one for one in answers if isinstance(one, ContributionAnswered))
            assert (answer.number, answer.cycle, answer.meter_units) == (number, committed.cycle, meter)
            hits += answer.hit
        revealed = next(one for one in answers if isinstance(one, CycleRevealed))
        identity = box.state.identity()
        assert commitment(revealed.key, identity, revealed.cycle, revealed.drawn_cents) == committed.commitment
        trigger = trigger_cents(revealed.drawn_cents, share, identity, revealed.cycle, bounds)
        assert meter > trigger * 10_000
        assert first or before <= trigger * 10_000
        yield Cycle(answer.award_cents, trigger, revealed.drawn_cents, hits)


def _endless(chance: Random) -> Iterator[int]:
    while True:
        yield chance.randrange(10_000, 3_000_000)


def _pooled(chance: Random, meter_units: int, trigger_units: int) -> Iterator[int]:
    amounts = [chance.randrange(10_000, 3_000_000)]
    meter_units += amounts[0]
    while meter_units <= trigger_units:
        amounts.append(chance.randrange(10_000, 3_000_000))
        meter_units += amounts[-1]
    early = sum(amounts[:-3])
    yield from ([early] if early else [])
    yield from amounts[-3:]


def _trigger_of(box: TriggerBox, bounds: Bounds) -> int:
    state, drawn = box.state, box.state.drawn
    assert drawn is not None
    place = SealContext(state.identity(), drawn.cycle, drawn.commitment)
    secret = box._sealer.open(place, drawn.sealed)
    return trigger_cents(secret.drawn_cents, state.share, state.identity(), drawn.cycle, bounds)


def measure_cycles(count: int, seed: int | None = None) -> list[str]:
    """Play, and test what was won."""
    bounds = Bounds(25_000, 100_000)
    chance = Random(seed if seed is not None else 1)
    began = time.perf_counter()
    played = list(cycles(count, bounds, chance, seed, pooled=True))
    seconds = time.perf_counter() - began
    lines = [f"{len(played)} cycles, {sum(one.hits for one in played)} hits, {seconds:.0f} s"]
    most = max(one.award_cents for one in played)
    assert most <= bounds.ceiling_cents
    lines.append(f"greatest award {most} cents, ceiling {bounds.ceiling_cents}")
    for name in ("award_cents", "trigger_cents", "drawn_cents"):
        values = [(getattr(one, name) - bounds.reset_cents) / bounds.width for one in played]
        distance = kolmogorov_distance(values)
        lines.append(f"{name}: Kolmogorov-Smirnov distance {distance:.5f}, p {kolmogorov_p(distance, len(values)):.3f}")
    return lines


def measure_noise(count: int) -> list[str]:
    """Sound bytes through the health tests at the claim that is used."""
    health = NoiseHealth(6.0)
    began = time.perf_counter()
    while health.samples < count:
        health.feed(os.urandom(min(1 << 20, count - health.samples)))
    seconds = time.perf_counter() - began
    assert health.failure is None, health.failure
    warned = f"{health.repetition_warnings} + {health.proportion_warnings} warnings"
    return [f"{health.samples} bytes, no halt, {warned}, {health.samples / seconds / 1e6:.1f} MB/s"]


def measure_timing(count: int) -> list[str]:
    """The time of a non-hit by distance from the trigger: one meter, once just below its trigger, once far below it."""
    bounds = Bounds(25_000, 100_000)
    box = new_box(bounds, None)
    carry_out(box, GreetTrigger(1, *SITE, 7, 0, 0))
    share = os.urandom(32)
    carry_out(box, OpenCycle(1, share))
    low, meter_units = 30_000, 30_000 * 10_000 - 2
    states = {
        "far": _state_with(box, share, bounds, 90_000, meter_units),
        "far again": _state_with(box, share, bounds, 90_001, meter_units),
        "near": _state_with(box, share, bounds, low, meter_units),
    }
    taken: dict[str, list[int]] = {where: [] for where in states}
    chance = Random(1)
    gc.disable()
    for _ in range(count):
        where = chance.choice(list(taken))
        # Made anew each time: where a value lies in memory takes time too, and says nothing.
        box.state = msgspec.structs.replace(states[where])
        command = Contribute(box.state.number + 1, 1)
        began = time.perf_counter_ns()
        heard = box.hear(command)
        taken[where].append(time.perf_counter_ns() - began)
        answer = heard.reports[0]
        assert isinstance(answer, ContributionAnswered)
        assert not answer.hit
    gc.enable()
    medians = ", ".join(f"{where} {median(times) / 1000:.2f} us" for where, times in taken.items())
    lines = [f"median of {count} non-hits: {medians}"]
    for other in ("far again", "near"):
        distance = two_sample_distance(sorted(taken["far"]), sorted(taken[other]))
        p = kolmogorov_p(distance, count // 6)
        lines.append(f"far against {other}: Kolmogorov-Smirnov distance {distance:.4f}, p {p:.3f}")
    return lines


def _state_with(box: TriggerBox, share: bytes, bounds: Bounds, trigger: int, meter_units: int) -> BoxState:
    """The box's state with another number sealed in it, so that ``trigger`` is the trigger."""
    identity = box.state.identity()
    moved = moved_by(share, identity, 1, bounds.width)
    drawn_cents = bounds.reset_cents + (trigger - bounds.reset_cents - moved) % bounds.width
    assert trigger_cents(drawn_cents, share, identity, 1, bounds) == trigger
    secret = Secret(drawn_cents, os.urandom(32))
    proof = commitment(secret.key, identity, 1, drawn_cents)
    drawn = box.state.drawn
    assert drawn is not None
    sealed = box._sealer.seal(SealContext(identity, 1, proof), secret, os.urandom(12))
    drawn = msgspec.structs.replace(drawn, commitment=proof, sealed=sealed)
    return msgspec.structs.replace(box.state, drawn=drawn, meter_units=meter_units)


def two_sample_distance(one: list[int], other: list[int]) -> float:
    """The greatest distance between two samples' distributions, both sorted."""
    distance, i, j = 0.0, 0, 0
    while i < len(one) and j < len(other):
        value = min(one[i], other[j])
        while i < len(one) and one[i] == value:
            i += 1
        while j < len(other) and other[j] == value:
            j += 1
        distance = max(distance, abs(i / len(one) - j / len(other)))
    return distance


# --- the canary ---------------------------------------------------------------------------------------


def forms(number: int) -> list[bytes]:
    """Every form in which a number of eight digits might be written down."""
    hexadecimal = f"{number:x}".encode()
    binary = [number.to_bytes(size, order) for size in (4, 8) for order in ("big", "little")]
    return [str(number).encode(), f"{number / 100:.2f}".encode(), f"{number // 100:,}".encode(), hexadecimal,
            hexadecimal.upper(), *binary]  # fmt: skip


class Searched(NamedTuple):
    """What was searched, in bytes by kind, and what was found of the trigger: kind and form."""

    sizes: dict[str, int]
    found: list[tuple[str, bytes]]


async def canary(count: int) -> Searched:
    """Let a table contribute ``count`` times to a real box, and search everything for the number it held.

    Searched: the wire, and so all that a table can ever know; the box's log at its most talkative; its store and the
    write-ahead log; what others see of its process.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file = write_files(folder, reset_cents=10_000_000, ceiling_cents=99_999_999)
        config = custody.load_config(file)
        sealer = custody.sealer_of(config)
        custody.begin(config, sealer, custody.Custodians("ann", "ben"), 0, None)
        async with noise(folder), running(*box_command(file, "--log-level", "debug")) as box:
            assert box.stderr is not None
            lines: list[bytes] = []
            logging = asyncio.create_task(_collect(box.stderr, lines))
            host = await connected(folder)
            await host.open_cycle()
            wire = CODEC.open(LineEnd.DEVICE)
            heard: list[bytes] = [repr(host.heard).encode()]
            for number in range(1, count + 1):
                answer = await host.contribute(number, 100)
                assert not answer.hit
                heard += [wire.encode(answer), repr(answer).encode()]
            # What a table that errs makes it say.
            host.heard.clear()
            host.say(Contribute(1, 5), Contribute(count + 1, 10**15), GreetTrigger(3, *SITE, 7, 9, 10**9))
            await host.until(TriggerStatus, 3)
            heard.append(repr(host.heard).encode())
            process = Path(f"/proc/{box.pid}")
            seen = _read(process / name for name in ("cmdline", "status", "stat"))
            stored = _read(folder / name for name in ("box.sqlite", "box.sqlite-wal"))
            await host.close()
            box.terminate()
            await box.wait()
            await logging
        store = BoxStore(Path(config.box.store), sealer)
        drawn, state = store.drawn(1), store.state
        store.close()
        assert drawn is not None
        secret = sealer.open(SealContext(state.identity(), 1, drawn.commitment), drawn.sealed)
        bounds = Bounds(drawn.reset_cents, drawn.ceiling_cents)
        trigger = trigger_cents(secret.drawn_cents, state.share, state.identity(), 1, bounds)
    places = {"wire and its texts": b"".join(heard), "log": b"".join(lines), "store": stored, "process": seen}
    wanted = [*forms(secret.drawn_cents), *forms(trigger), secret.key, secret.key.hex().encode()]
    found = [(kind, form) for kind, content in places.items() for form in wanted if form in content]
    return Searched({kind: len(content) for kind, content in places.items()}, found)


def _read(files: Iterable[Path]) -> bytes:
    return b"\0".join(file.read_bytes() for file in files)


async def _collect(stream: asyncio.StreamReader, lines: list[bytes]) -> None:
    while line := await stream.readline():
        lines.append(line)


def measure_canary(count: int) -> list[str]:
    """Search, and say what was searched."""
    searched = asyncio.run(canary(count))
    assert not searched.found, searched.found
    sizes = ", ".join(f"{kind} {size} bytes" for kind, size in searched.sizes.items())
    return [f"{count} contributions, 0 occurrences in {sizes}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cycles", "noise", "timing", "canary"])
    parser.add_argument("--cycles", type=int, default=100_000)
    parser.add_argument("--bytes", type=int, default=100_000_000)
    parser.add_argument("--contributions", type=int)
    given = parser.parse_args()
    match given.what:
        case "cycles":
            lines = measure_cycles(given.cycles)
        case "noise":
            lines = measure_noise(given.bytes)
        case "timing":
            lines = measure_timing(given.contributions or 20_000)
        case _:
            lines = measure_canary(given.contributions or 10_000)
    for line in lines:
        print(f"{given.what}: {line}")


if __name__ == "__main__":
    main()
