"""The trigger box as a process: killed, set back, given other files; what it answered it answers again."""

from __future__ import annotations

import shutil
import signal
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import astuple, replace

from controller.commands.mystery import command
from controller.trigger_box import custody
from controller.trigger_box.store import BoxStore
from firmware_protocols.trigger_messages import (
    CheckTrigger,
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    HeadKept,
    KeepHead,
    RecallCycle,
    RecallHead,
    TriggerCondition,
    TriggerStatus,
)
from simulators.devices.rng import Noise
from tests.trigger_box.premises import Host, begun, box_command, connected, noise, running, write_files

Reach = Callable[[Path], Awaitable[Host]]


@pytest.fixture
async def reach() -> AsyncIterator[Reach]:
    hosts: list[Host] = []

    async def reached(folder: Path) -> Host:
        hosts.append(await connected(folder))
        return hosts[-1]

    yield reached
    for host in hosts:
        await host.close()


async def test_killed_between_store_and_send_it_gives_the_answer_it_stored(tmp_path: Path, reach: Reach) -> None:
    file, config = begun(tmp_path)
    async with noise(tmp_path):
        async with running("-m", "tests.trigger_box.dying_box", str(file), "3") as box:
            host = await reach(tmp_path)
            await host.open_cycle()
            first = [await host.contribute(number) for number in (1, 2)]
            host.heard.clear()
            with pytest.raises(AssertionError):
                await host.contribute(3, 777)
            assert await box.wait() == -signal.SIGKILL
            assert not any(isinstance(one, ContributionAnswered) for one in host.heard)
        store = BoxStore(Path(config.box.store), custody.sealer_of(config))
        stored = store.counted(3)
        store.close()
        assert stored is not None
        async with running(*box_command(file)) as box:
            host = await reach(tmp_path)
            await host.greet(1, 2)
            again = await host.contribute(3, 777)
            assert (again.meter_units, again.award_cents) == (stored.meter_units, stored.award_cents)
            assert again.meter_units == first[-1].meter_units + 777
            assert await host.contribute(3, 777) == again
            assert (await host.contribute(4, 5)).meter_units == again.meter_units + 5
            box.terminate()
            assert await box.wait() == 0


async def test_a_store_put_back_from_a_copy_is_refused_by_what_the_table_knows(tmp_path: Path, reach: Reach) -> None:
    file, _ = begun(tmp_path)
    async with noise(tmp_path):
        async with running(*box_command(file)) as box:
            host = await reach(tmp_path)
            await host.open_cycle()
            await host.contribute(1)
            box.terminate()
            await box.wait()
        shutil.copy(tmp_path / "box.sqlite", tmp_path / "copy")
        async with running(*box_command(file)) as box:
            host = await reach(tmp_path)
            await host.greet(1, 1)
            await host.contribute(2)
            await host.contribute(3)
            box.terminate()
            await box.wait()
        shutil.copy(tmp_path / "copy", tmp_path / "box.sqlite")
        async with running(*box_command(file)):
            host = await reach(tmp_path)
            assert (await host.greet(1, 3)).condition is TriggerCondition.ROLLED_BACK
            host.heard.clear()
            host.say(Contribute(2, 100), CheckTrigger(9))
            await host.until(TriggerStatus, 2)
            assert not any(isinstance(one, ContributionAnswered) for one in host.heard)
            assert (await host.greet(1, 1)).condition is TriggerCondition.OPEN


async def test_a_hit_is_answered_revealed_and_followed_by_the_next_commitment(tmp_path: Path, reach: Reach) -> None:
    file, _ = begun(tmp_path, reset_cents=500, ceiling_cents=503)
    async with noise(tmp_path), running(*box_command(file)):
        host = await reach(tmp_path)
        await host.open_cycle()
        number = 1
        while not (answer := await host.contribute(number, 10_000)).hit:
            number += 1
        assert 501 <= answer.award_cents <= 503
        await host.until(CycleRevealed)
        await host.until(CycleCommitted)
        heard = list(host.heard)
        host.heard.clear()
        host.say(RecallCycle(1))
        revealed = await host.until(CycleRevealed)
        assert revealed in heard
        assert (await host.greet(1, number)).condition is TriggerCondition.AWAITING_SHARE


async def test_a_box_without_noise_is_closed_until_it_is_back(tmp_path: Path, reach: Reach) -> None:
    file, _ = begun(tmp_path)
    async with noise(tmp_path) as source:
        source.noise = Noise.ASCII
        async with running(*box_command(file)):
            host = await reach(tmp_path)
            assert (await host.greet()).condition is TriggerCondition.NO_RANDOMNESS
            source.noise = Noise.HEALTHY
            host.heard.clear()
            status = await host.until(TriggerStatus)
            assert isinstance(status, TriggerStatus)
            assert status.condition is TriggerCondition.AWAITING_SHARE
            assert isinstance(host.heard[0], CycleCommitted)


async def test_the_socket_is_for_its_group(tmp_path: Path, reach: Reach) -> None:
    file, _ = begun(tmp_path)
    async with noise(tmp_path), running(*box_command(file)):
        await reach(tmp_path)
        assert stat.S_IMODE((tmp_path / "trigger.sock").stat().st_mode) == 0o660


async def run_output(*arguments: str) -> tuple[int | None, str]:
    async with running("-m", "controller", *arguments) as process:
        _, complaint = await process.communicate()
        return process.returncode, complaint.decode()


def loosen(folder: Path, name: str) -> None:
    (folder / name).chmod(0o640)


def same_key(folder: Path, _: str) -> None:
    (folder / "surveillance.key").write_bytes((folder / "operations.key").read_bytes())


def other_key(folder: Path, _: str) -> None:
    (folder / "surveillance.key").write_text("ab" * 32)


def other_bounds(folder: Path, _: str) -> None:
    file = folder / "box.toml"
    file.write_text(file.read_text().replace("ceiling_cents = 1000", "ceiling_cents = 2000"))


def no_store(folder: Path, _: str) -> None:
    (folder / "box.sqlite").unlink()


def spoilt_store(folder: Path, _: str) -> None:
    (folder / "box.sqlite").write_bytes(b"x" * 8192)


@pytest.mark.parametrize(
    ("spoil", "name", "words"),
    [
        (loosen, "operations.key", "chmod 600"),
        (loosen, "surveillance.key", "chmod 600"),
        (loosen, "box.sqlite", "chmod 600"),
        (same_key, "", "one person could open the box"),
        (other_key, "", "other keys, or tampered with"),
        (other_bounds, "", "tableside mystery set-bounds"),
        (no_store, "", "tableside mystery begin"),
        (spoilt_store, "", "not the store of a trigger box"),
    ],
)
async def test_files_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, spoil: Callable[[Path, str], None], name: str, words: str
) -> None:
    file, _ = begun(tmp_path)
    spoil(tmp_path, name)
    status, complaint = await run_output("trigger-box", str(file))
    assert status == 2
    (line,) = [line for line in complaint.splitlines() if line.startswith("tableside: ")]
    assert words in line
    assert "Traceback" not in complaint


# --- two people ---------------------------------------------------------------------------------------


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments])
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("people", "status"),
    [(("ann", "ben"), 0), (("ann", "ann"), 2), (("ann", " ANN "), 2), (("", "ben"), 2), (("ann", ""), 2)],
)
def test_a_box_is_begun_by_two(tmp_path: Path, people: tuple[str, str], status: int) -> None:
    file = write_files(tmp_path)
    code, output = run("begin", file, "--operations", people[0], "--surveillance", people[1])
    assert code == status, output
    assert (tmp_path / "box.sqlite").exists() is (status == 0)
    if not status:
        config = custody.load_config(file)
        store = BoxStore(tmp_path / "box.sqlite", custody.sealer_of(config))
        kept = [getattr(entry, "operations", "") + getattr(entry, "surveillance", "") for entry in store.entries()]
        store.close()
        assert kept == ["annben", "annben"]


@pytest.mark.parametrize("missing", ["operations.key", "surveillance.key"])
def test_one_key_begins_nothing(tmp_path: Path, missing: str) -> None:
    file = write_files(tmp_path)
    (tmp_path / missing).unlink()
    code, output = run("begin", file, "--operations", "ann", "--surveillance", "ben")
    assert (code, missing in output) == (2, True)


def test_one_person_is_not_asked_twice(tmp_path: Path) -> None:
    file = write_files(tmp_path)
    code, _ = run("begin", file, "--operations", "ann")
    assert code == 2


def test_bounds_are_set_by_two_and_hold_from_the_next_draw_on(tmp_path: Path) -> None:
    file, config = begun(tmp_path)
    other_bounds(tmp_path, "")
    assert run("set-bounds", file, "--operations", "ann", "--surveillance", "ann")[0] == 2
    code, output = run("set-bounds", file, "--operations", "ann", "--surveillance", "cid")
    assert code == 0, output
    store = BoxStore(Path(config.box.store), custody.sealer_of(config))
    assert store.state.bounds is not None
    assert (store.state.bounds.ceiling_cents, store.state.bounds.surveillance) == (2_000, "cid")
    store.close()


def test_a_box_is_ended_by_two_and_takes_nothing_more(tmp_path: Path) -> None:
    file, _ = begun(tmp_path)
    code, output = run("end", file, "--operations", "ann", "--surveillance", "ben")
    assert code == 0, output
    assert '"revealed": null' in output


def test_a_key_is_made_once_and_for_its_owner(tmp_path: Path) -> None:
    assert run("make-key", tmp_path / "key")[0] == 0
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert run("make-key", tmp_path / "key")[0] == 2


async def test_the_head_it_keeps_is_there_again_after_a_kill(tmp_path: Path, reach: Reach) -> None:
    file, _ = begun(tmp_path)
    head = KeepHead(7, 4711, bytes(range(32)), bytes(range(64)))
    async with noise(tmp_path):
        async with running(*box_command(file)) as box:
            host = await reach(tmp_path)
            await host.open_cycle()
            host.say(RecallHead(), head)
            assert await host.until(HeadKept) == HeadKept(0, 0, bytes(32), bytes(64))
            assert await host.until(HeadKept, 2) == HeadKept(*astuple(head))
            box.kill()
            await box.wait()
        async with running(*box_command(file)):
            host = await reach(tmp_path)
            await host.greet(1)
            host.say(replace(head, size=4710), RecallHead())
            assert await host.until(HeadKept, 2) == HeadKept(*astuple(head))
