"""Mistakes in what a technician writes: every one is a line that names its place, and nothing is begun."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.io.mqtt.connection import Broker
from tests.wiring.premises import Ear, Premises, ran

MISTAKES = {
    "an unknown key": ('site = "harbour"', 'site = "harbour"\nfloor = 3', "table.toml:3: [table] "),
    "a broken line": ('name = "bj-1"', 'name = "bj-1', "table.toml:3: "),
    "a name that is none": ('name = "bj-1"', 'name = "Blackjack One"', "table.toml:3: [table] name: "),
    "an unknown profile": (
        'profile = "hollywood-penn-national"',
        'profile = "my-house"',
        "table.toml:4: [table] profile: ",
    ),
    "an option's value": ('stand_key = "always"', 'stand_key = "mostly"', "table.toml:11: [options] stand_key: "),
    "an unknown option": ('stand_key = "always"', 'sit_key = "always"', "table.toml:11: [options] sit_key: "),
    "an unknown protocol": ('protocol = "bee_tek"', 'protocol = "angel_eye"', "table.toml:18: [shoe] protocol: "),
    "a value of another type": ("host = ", "tls_ca_file = 5\nhost = ", "table.toml:14: [broker] tls_ca_file: "),
    "a spot too many": ("6, 7]", "6, 7, 8]", "table.toml:24: [[bet_spots]] spots"),
}


@pytest.fixture
def house(tmp_path: Path) -> Premises:
    """A table whose daemon does not run; no broker is needed to be refused."""
    return asyncio.run(made(tmp_path))


async def made(directory: Path) -> Premises:
    return Premises(directory, Broker(host="127.0.0.1", port=1), Ear())


async def assert_refused(house: Premises, *wanted: str) -> None:
    """``run`` and ``check`` say the same in so many lines, and no journal is begun."""
    file = str(house.table_file)
    for status, output, errors in await asyncio.gather(ran("run", file), ran("check", file)):
        assert (status, output) == (2, ""), errors
        lines = errors.splitlines()
        assert len(lines) == len(wanted), errors
        for line, text in zip(lines, wanted, strict=True):
            assert text in line
    assert not house.journal.exists()


def edit(house: Premises, old: str, new: str) -> None:
    text = house.table_file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    house.table_file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("what", MISTAKES)
async def test_a_mistake_in_the_table_file(house: Premises, what: str) -> None:
    old, new, place = MISTAKES[what]
    edit(house, old, new)
    await assert_refused(house, place)


async def test_a_section_missing_and_one_too_many(house: Premises) -> None:
    edit(house, "[keypad]", "[dealer]")
    await assert_refused(house, "table.toml:1: [keypad]: missing", "table.toml:28: [dealer]: ")


async def test_a_section_that_is_misspelt_is_one_mistake(house: Premises) -> None:
    edit(house, "[keypad]", "[keyboard]")
    await assert_refused(house, "table.toml:28: [keyboard]: unknown key; did you mean keypad?")


async def test_each_mistake_is_a_line_and_none_hides_another(house: Premises) -> None:
    edit(house, "host = ", "host_name = ")
    edit(house, 'protocol = "bee_tek"', 'protocol = "bee-tek"\nspeed = 9600')
    broker = "[broker] host_name: unknown key; did you mean host?"
    await assert_refused(house, broker, "[shoe] protocol: expected", "[shoe] speed: unknown")


async def test_no_key(house: Premises) -> None:
    house.key.unlink()
    await assert_refused(house, f"{house.key}: the key cannot be read")


async def test_a_key_that_others_may_read(house: Premises) -> None:
    house.key.chmod(0o640)
    await assert_refused(house, f"run: chmod 600 {house.key}")


async def test_a_key_that_is_none(house: Premises) -> None:
    house.key.write_text("secret\n", encoding="ascii")
    await assert_refused(house, f"{house.key}: expected 64 hex digits")


@pytest.mark.parametrize(
    ("chips", "place"),
    [
        ("id,value\nE004015000000001,500\n", "chips.csv:1: "),
        ("id,value_cents\nE004015000000001,5.00\n", "chips.csv:2: value_cents: "),
        ("id,value_cents\nE004015000000001,500\nE004015000000001,100\n", "chips.csv:3: "),
        ("id,value_cents\nthe red one,500\n", "chips.csv:2: id: "),
        (None, "chips.csv"),
        (b"\xff\xfe", "chips.csv"),
    ],
)
async def test_a_chip_registry_that_cannot_be_used(house: Premises, chips: str | bytes | None, place: str) -> None:
    file = house.directory / "chips.csv"
    file.unlink()
    if chips is not None:
        file.write_bytes(chips if isinstance(chips, bytes) else chips.encode())
    await assert_refused(house, place)


async def test_a_table_file_that_is_no_text(house: Premises) -> None:
    house.table_file.write_bytes(b"\xff\xfe\x00")
    await assert_refused(house, "table.toml")


async def test_no_table_file(house: Premises) -> None:
    house.table_file.unlink()
    for verb in ("run", "check"):
        status, output, errors = await ran(verb, str(house.table_file))
        assert (status, output) == (2, "")
        assert "table.toml" in errors
        assert "Traceback" not in errors


async def test_a_journal_that_is_something_else(house: Premises) -> None:
    house.journal.write_text("a night's notes\n" * 300, encoding="utf-8")
    before = house.journal.read_bytes()
    status, output, errors = await ran("run", str(house.table_file))
    assert (status, output) == (2, "")
    assert len(errors.splitlines()) == 1
    assert "not a journal" in errors
    assert house.journal.read_bytes() == before
