"""A helping of the power cuts; the recorder held against a real directory; the disk that keeps no order."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from controller.io.mqtt.broker import find_mosquitto
from tests.campaigns import power, recording
from tests.campaigns.power_disk import Disk, Disks
from tests.campaigns.recording import BESIDE, Moved, Opened, Removed, Renamed, SyncBegun, SyncDone, Written

EVERYTHING = """
import os, shutil, threading
at = lambda name: os.path.join({directory!r}, name)
made = os.open(at("made"), os.O_RDWR | os.O_CREAT)
os.write(made, b"abc"); os.write(made, b"def"); os.pwrite(made, b"XY", 9); os.ftruncate(made, 10); os.fsync(made)
with open(at("lines"), "a") as lines: lines.write("one\\n"); lines.flush(); lines.write("two\\n")
with open(at("lines"), "a") as lines: lines.write("three\\n")
with open(at("there"), "w") as there: there.write("cut and written")
os.rename(at("made"), at("called otherwise"))
os.write(made, b"!")
os.link(at("there"), at("twice"))
os.unlink(at("gone"))
os.posix_fallocate(made, 0, 6000)
def write(place):
    for turn in range(40): os.pwrite(made, b"%04d" % turn, 1000 * place)
threads = [threading.Thread(target=write, args=(place,)) for place in range(3)]
[one.start() for one in threads]; [one.join() for one in threads]
held = os.open({directory!r}, os.O_RDONLY | os.O_DIRECTORY); os.fsync(held)
"""

able = pytest.mark.skipif(bool(recording.is_able()), reason=recording.is_able())


@able
@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_the_power_is_cut_sixty_times(tmp_path: Path) -> None:
    found = await power.house(tmp_path, recordings=2, cuts=30, seed=4, records=60)
    assert found.faults == ()
    assert (found.recordings, found.cuts) == (2, 60)
    assert found.told > 10
    assert found.forgotten > 0
    assert found.begun_anew > 0


@pytest.mark.parametrize("cut", ["2, 2 <unfinished ...>", "2, 2) = ?"])
def test_a_write_under_way_at_a_kill_happened_or_did_not(tmp_path: Path, cut: str) -> None:
    def hexed(text: str) -> str:
        return "".join(f"\\x{byte:02x}" for byte in text.encode())

    name, trace = hexed(f"{tmp_path}/log"), tmp_path / "trace"
    lines = (
        f'7 openat(AT_FDCWD, "{name}", O_RDWR|O_CREAT) = 3<{name}>',
        f'7 pwrite64(3<{name}>, "{hexed("ab")}", 2, 0) = 2',
        f'7 pwrite64(3<{name}>, "{hexed("cd")}", {cut}',
        "7 +++ killed by SIGKILL +++",
    )
    trace.write_text("\n".join(lines), encoding="ascii")
    left = [power.led_to({}, one)["log"] for one in recording.accounts(trace, tmp_path)]
    assert left == [b"abcd", b"ab"]


@able
def test_a_recording_gives_what_lies_there_at_the_end(tmp_path: Path) -> None:
    watched = tmp_path / "watched"
    watched.mkdir()
    before = {"there": b"was here before", "gone": b"soon"}
    for name, data in before.items():
        (watched / name).write_bytes(data)
    program = [sys.executable, "-c", EVERYTHING.format(directory=str(watched))]
    subprocess.run(recording.recorded(tmp_path / "trace", program), check=True)
    disk = Disk(before)
    for operation in recording.operations(tmp_path / "trace", watched):
        disk.take(operation)
    assert disk.now() == power.contents(watched)
    assert set(disk.now()) == {"called otherwise", "lines", "there", "twice"}


KEPT: list[recording.Operation] = [
    Opened(3, "file", False, False),
    Written(3, "file", 0, b"kept"),
    SyncBegun(3, "file"),
    SyncDone(3, "file"),
]


def left_by(operations: list[recording.Operation], files: dict[str, bytes]) -> set[tuple[tuple[str, bytes], ...]]:
    """Everything that a thousand cuts after these operations leave."""
    disk = Disk(files)
    for operation in operations:
        disk.take(operation)
    chance = random.Random(1)
    return {tuple(sorted(disk.cut(chance)[1].items())) for _ in range(1000)}


def test_what_was_synced_is_there() -> None:
    assert left_by([*KEPT, SyncBegun(4, ""), SyncDone(4, "")], {}) == {(("file", b"kept"),)}


def test_a_file_whose_directory_was_not_synced_may_be_gone_though_its_content_was() -> None:
    assert left_by(KEPT, {}) == {(), (("file", b"kept"),)}


def test_what_was_not_synced_is_there_or_not_or_a_length_without_content_or_some_sectors_of_it() -> None:
    page = b"\x01" * 1024
    found = {dict(one)["file"] for one in left_by([Written(3, "file", 512, page)], {"file": b"\x02" * 512})}
    old, blank, new = b"\x02" * 512, bytes(512), b"\x01" * 512
    assert found >= {old, old + blank + blank, old + new + new, old + new + blank, old + blank + new}
    assert all(one[:512] == old for one in found)


def test_a_write_that_came_while_a_sync_was_under_way_is_not_synced_by_it() -> None:
    operations: list[recording.Operation] = [
        Written(3, "file", 0, b"1"),
        SyncBegun(3, "file"),
        Written(3, "file", 1, b"2"),
        SyncDone(3, "file"),
    ]
    assert {dict(one)["file"] for one in left_by(operations, {"file": b""})} == {b"1", b"12", b"1\x00"}


def test_names_come_back_and_go_in_any_order() -> None:
    found = {
        tuple(name for name, _ in one)
        for one in left_by([Renamed("a", "b", False), Removed("c")], {"a": b"", "c": b""})
    }
    assert found == {("a",), ("a", "c"), ("b",), ("b", "c")}


def test_what_is_written_after_a_move_goes_there() -> None:
    operations: list[recording.Operation] = [
        Opened(3, "file", False, False),
        Moved(3, "file", 2),
        Written(3, "file", None, b"XY"),
        Written(3, "file", None, b"Z"),
        SyncBegun(3, "file"),
        SyncDone(3, "file"),
    ]
    assert left_by(operations, {"file": b"abcdef"}) == {(("file", b"abXYZf"),)}


def test_two_devices_lose_what_they_like_each() -> None:
    operations: list[recording.Operation] = [Written(3, "file", 0, b"1"), Written(4, f"{BESIDE}file", 0, b"2")]
    disks = Disks({"file": b"0", f"{BESIDE}file": b"0"})
    for operation in operations:
        disks.take(operation)
    chance = random.Random(1)
    left = [disks.cut(chance)[1] for _ in range(1000)]
    assert {(one["file"], one[f"{BESIDE}file"]) for one in left} == {(a, b) for a in (b"0", b"1") for b in (b"0", b"2")}


@able
def test_two_directories_are_recorded_as_two(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    text = (
        f"import os; a = os.open({str(one / 'a')!r}, os.O_RDWR | os.O_CREAT); os.write(a, b'abcdef')\n"
        "os.lseek(a, 2, os.SEEK_SET); os.write(a, b'XY'); os.fsync(a)\n"
        f"b = os.open({str(other / 'b.part')!r}, os.O_WRONLY | os.O_CREAT | os.O_TRUNC); os.write(b, b'copy')\n"
        f"os.rename({str(other / 'b.part')!r}, {str(other / 'b')!r})\n"
        f"held = os.open({str(other)!r}, os.O_RDONLY | os.O_DIRECTORY); os.fsync(held)\n"
    )
    subprocess.run(recording.recorded(tmp_path / "trace", [sys.executable, "-c", text]), check=True)
    disks = Disks({})
    for operation in next(recording.accounts(tmp_path / "trace", one, other)):
        disks.take(operation)
    assert disks.now() == {"a": b"abXYef", f"{BESIDE}b": b"copy"}
