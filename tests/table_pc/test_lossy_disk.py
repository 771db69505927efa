"""The disk of the booted table PC keeps what was flushed, and of the rest what it likes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.table_pc.lossy_disk import SECTOR, LossyDisk


def image(folder: Path) -> Path:
    """Eight sectors of zeros."""
    made = folder / "image"
    made.write_bytes(bytes(8 * SECTOR))
    return made


def sector(letter: bytes) -> bytes:
    return letter * SECTOR


def test_what_was_written_is_read_before_any_flush_and_not_yet_on_the_image(tmp_path: Path) -> None:
    made = image(tmp_path)
    disk = LossyDisk(made, random.Random(1))
    disk.write(sector(b"a") + sector(b"b"), SECTOR, durable=False)
    disk.write(sector(b"c"), SECTOR, durable=False)
    assert disk.read(3 * SECTOR, 0) == bytes(SECTOR) + sector(b"c") + sector(b"b")
    assert made.read_bytes() == bytes(8 * SECTOR)


def test_what_was_flushed_and_what_had_to_be_durable_outlives_every_cut(tmp_path: Path) -> None:
    for seed in range(50):
        made = image(tmp_path)
        disk = LossyDisk(made, random.Random(seed))
        disk.write(sector(b"a"), 0, durable=False)
        disk.flush()
        disk.write(sector(b"b"), SECTOR, durable=True)
        disk.cut()
        assert made.read_bytes()[: 2 * SECTOR] == sector(b"a") + sector(b"b")


def test_of_the_rest_a_sector_is_as_after_any_of_its_writes(tmp_path: Path) -> None:
    seen = set[bytes]()
    for seed in range(200):
        made = image(tmp_path)
        disk = LossyDisk(made, random.Random(seed))
        for letter in (b"a", b"b"):
            disk.write(sector(letter), 0, durable=False)
        disk.write(sector(b"c"), SECTOR, durable=False)
        waited, lost = disk.cut()
        found = made.read_bytes()
        first, second = found[:SECTOR], found[SECTOR : 2 * SECTOR]
        assert waited == 2
        assert lost == (first != sector(b"b")) + (second != sector(b"c"))
        assert found[2 * SECTOR :] == bytes(6 * SECTOR)
        seen.add(first[:1] + second[:1])
    assert seen == {a + c for a in (b"\0", b"a", b"b") for c in (b"\0", b"c")}


def test_a_part_of_a_sector_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="whole sectors"):
        LossyDisk(image(tmp_path), random.Random(1)).write(b"a", 0, durable=False)
