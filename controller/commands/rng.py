"""``tableside rng``: the statistics of the draws as the mystery trigger uses them, at 99 %."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from controller.commands.terminal import AS_JSON, refuse, say
from devices.trigger import CLAIMED_BITS

if TYPE_CHECKING:
    import asyncio

    from controller.reports.randomness_tests import RandomnessResult
    from devices.trigger.noise_health import NoiseHealth
    from firmware_protocols.readings import Reading

PATIENCE_SECONDS: Final = 3.0
"""How long a generator may give nothing before it is given up."""

NOISE_LIMIT_BYTES: Final = 256 * 1024 * 1024
"""Of a recording: many times what the tests ask for."""

SAMPLE_BYTES: Final = 4096
"""Looked at to tell text from noise: noise is not all printable for so long."""

TEXT: Final = bytes((*range(0x20, 0x7F), 0x09, 0x0A, 0x0D))
"""Bytes of which a text is made."""

TakeBytes = Callable[[int], bytes]
"""Gives this number of bytes, fewer only when there are no more."""


class NoBytes(Exception):  # noqa: N818 - named for what happened
    """The source gives no more, or is no noise source; the text says which."""


class TestVerdict(NamedTuple):
    """A test, and the second look at fresh draws if the first was in doubt."""

    first: RandomnessResult
    second: RandomnessResult | None

    @property
    def passed(self) -> bool:
        """Failed: damning at once, or in doubt twice. Of eight tests at 99 % one in thirteen runs doubts one once."""
        from controller.reports.randomness_tests import ALPHA, DAMNING

        if self.first.p >= ALPHA:
            return True
        return self.first.p >= DAMNING and self.second is not None and self.second.p >= ALPHA


@click.group("rng")
def command() -> None:
    """Test a source of randomness."""


@command.command("report")
@click.option("--device", metavar="PORT", help="A hardware generator: a path or usb:VID:PID[:SERIAL].")
@click.option("--protocol", default="truerng", show_default=True, help="The hardware generator's protocol.")
@click.option("--file", type=click.Path(path_type=Path), help="Bytes recorded in a file.")
@click.option(
    "--mixed", is_flag=True, help="Draw as the trigger box does: the source mixed with the system's generator."
)
@click.option("--claimed-bits", type=click.FloatRange(0, 8, min_open=True), default=CLAIMED_BITS, show_default=True)
@click.option("--reset-cents", type=click.IntRange(1), default=25_000, show_default=True)
@click.option("--ceiling-cents", type=click.IntRange(3), default=100_000, show_default=True)
@click.option("--draws", type=click.IntRange(1000, 10_000_000), default=10_000, show_default=True)
@AS_JSON
def report(as_json: bool, **options: Any) -> None:  # noqa: ANN401, FBT001 - click's way
    """Test draws of the trigger, from --device, from --file or else from the operating system's generator.

    A test passes at 99 %. One in doubt is done again with fresh draws and fails if it is in doubt again. Exit status:
    0 all pass, 1 one fails or a health test does, 2 the source cannot be used.
    """
    import asyncio

    from controller.io.system.log import configure_log
    from devices.trigger.noise_health import NoiseHealth

    # What is wrong with a line is reported once, at the end.
    configure_log("auto", level="error")
    limit = options["ceiling_cents"] - options["reset_cents"]
    if limit < 2:
        refuse("--ceiling-cents: expected at least 2 more than --reset-cents")
    health = NoiseHealth(options["claimed_bits"])
    try:
        with asyncio.Runner() as runner:
            take = _tested(_source(runner, options), health)
            draws = _mixed_draws(take, limit) if options["mixed"] else _draws(take, limit)
            verdicts = _verdicts(draws, limit, options["draws"])
    except (NoBytes, OSError, ValueError) as error:
        if health.failure is None:
            refuse(str(error))
        say(f"FAILED {_failure(health)}")
        sys.exit(1)
    _print(verdicts, health, options, as_json=as_json)
    sys.exit(0 if health.failure is None and all(verdict.passed for verdict in verdicts) else 1)


def _verdicts(draws: Iterator[int], limit: int, count: int) -> list[TestVerdict]:
    from controller.reports.randomness_tests import all_tests

    first = all_tests([next(draws) for _ in range(count)], limit)
    if all(test.passed for test in first):
        return [TestVerdict(test, None) for test in first]
    again = all_tests([next(draws) for _ in range(count)], limit)
    return [TestVerdict(test, None if test.passed else other) for test, other in zip(first, again, strict=True)]


def _print(verdicts: list[TestVerdict], health: NoiseHealth, options: dict[str, Any], *, as_json: bool) -> None:
    import json

    source = options["device"] or options["file"] or "the system's generator"
    what = f"{options['draws']} draws from {options['reset_cents']} to {options['ceiling_cents'] - 1} cents"
    figures = (
        f"{health.samples} bytes through the health tests at {options['claimed_bits']} bits: {health.warnings} warnings"
    )
    failure = _failure(health)
    if as_json:
        rows = [
            {
                "test": one.first.name,
                "statistic": one.first.statistic,
                "p": one.first.p,
                "again_p": one.second.p if one.second else None,
                "passed": one.passed,
                "detail": one.first.detail,
            }
            for one in verdicts
        ]
        counts = {"samples": health.samples, "warnings": health.warnings, "failure": failure}
        say(json.dumps({"source": str(source), "mixed": options["mixed"], "health": counts, "tests": rows}))
        return
    say(f"{source}{', mixed as the trigger box does' if options['mixed'] else ''}: {what}")
    say(f"{figures}{'; FAILED ' + failure if failure else ''}")
    for one in verdicts:
        again = f", again {one.second.p:.4f}" if one.second else ""
        word = "pass" if one.passed else "FAIL"
        line = f"{word}  {one.first.name:<19} p {one.first.p:.4f}{again}  statistic {one.first.statistic:.4f}"
        say(f"{line}  ({one.first.detail})")


def _failure(health: NoiseHealth) -> str:
    return "" if health.failure is None else f"{health.failure.test}: {health.failure.text}"


# --- where bytes come from ----------------------------------------------------------------------------


def _draws(take: TakeBytes, limit: int) -> Iterator[int]:
    from controller.trigger_box.pool import draw_below

    while True:
        yield draw_below(take, limit)


def _mixed_draws(take: TakeBytes, limit: int) -> Iterator[int]:
    from controller.io.system.randomness import SystemEntropy
    from controller.trigger_box.pool import NOISE_BYTES, POOL_BYTES, Noise, mix

    pool, system = bytes(POOL_BYTES), SystemEntropy()
    while True:
        pool, mixed = mix(pool, Noise(take(NOISE_BYTES), system.take(NOISE_BYTES)))
        yield mixed.below(limit)


def _tested(source: TakeBytes, health: NoiseHealth) -> TakeBytes:
    """Bytes as they are asked for, each through the health tests; taken in larger pieces."""
    kept = bytearray()

    def take(count: int) -> bytes:
        while len(kept) < count:
            more = source(max(count, 1024))
            if not more:
                raise NoBytes("the source has too few bytes for so many draws, and a second look; lower --draws")
            health.feed(more)
            kept.extend(more)
        taken = bytes(kept[:count])
        del kept[:count]
        return taken

    return take


def _source(runner: asyncio.Runner, options: dict[str, Any]) -> TakeBytes:
    from controller.io.files.plain_files import content
    from controller.io.system.randomness import SystemEntropy

    if options["device"] and options["file"]:
        raise NoBytes("--device and --file: one source at a time")
    if options["device"]:
        device = _Device(options["device"], options["protocol"], options["claimed_bits"])
        return lambda count: runner.run(device.take(count))
    if options["file"]:
        data = content(options["file"], NOISE_LIMIT_BYTES)
        sample = data[:SAMPLE_BYTES]
        # One byte again and again is no text, but a source that is stuck: the tests say so.
        if len(set(sample)) > 1 and not sample.translate(None, TEXT):
            why = "text, not noise: recorded in a text mode, or written as hex or base64; expected the bytes themselves"
            raise NoBytes(f"{options['file']}: {why}")
        places = iter(range(0, len(data), 1024))
        return lambda _: data[(place := next(places, len(data))) : place + 1024]
    return SystemEntropy().take


class _Device:
    """A hardware generator on its line, as the trigger box has it."""

    def __init__(self, port: str, protocol: str, claimed_bits: float) -> None:
        import random

        from controller.io.lines.ports import serial_opener
        from controller.io.lines.supervisor import LineSupervisor
        from controller.io.system.clock import SystemClock
        from devices.trigger.rng import RngSession
        from firmware_protocols import discovery

        codec = discovery.find("rng", protocol)
        self._port = port
        self._session = RngSession(codec, claimed_bits=claimed_bits)
        self._trouble = ""
        opener = serial_opener(port, codec.line)
        self._link = LineSupervisor(
            "rng",
            opener,
            self._session,
            clock=SystemClock(),
            chance=random.Random(1),  # noqa: S311 - spreads retries, decides nothing
            deliver=self._take_reading,
        )
        self._task: asyncio.Task[None] | None = None

    def _take_reading(self, reading: Reading) -> None:
        from firmware_protocols.readings import DeviceHealth, HealthState, LineDisturbed

        if isinstance(reading, LineDisturbed):
            self._trouble = reading.reason
        elif isinstance(reading, DeviceHealth) and reading.state is HealthState.LOST and not self._trouble:
            self._trouble = reading.detail

    async def take(self, count: int) -> bytes:
        """``count`` bytes that passed the health tests.

        Raises:
            NoBytes: none come, or they are no noise.
        """
        import asyncio

        from devices.trigger.rng import KEPT_BYTES

        self._task = self._task or asyncio.create_task(self._link.run())
        count = min(count, KEPT_BYTES)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                # The session tells of its health, not of every byte.
                while not (taken := self._session.take(count)):
                    if self._session.health.failure is not None:
                        raise NoBytes(f"{self._port}: {_failure(self._session.health)}")
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise NoBytes(f"{self._port}: no noise: {self._trouble or 'nothing came'}") from None
        return taken
