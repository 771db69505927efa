"""The station on real pseudo-terminals, heard by real sessions. Waits are for events, never for time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from devices.chips.bet_spots import BetSpotsSession
from devices.keypad import KeypadSession
from devices.session import Session
from devices.shoes.shoe import ShoeSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.cards import DECK, Card
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed, Reading
from firmware_protocols.shoe import bee_tek, reference
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.people.acts import Act, Draw, Lay, Press
from simulators.serve import UNREAD_BYTES, Port, Station, perform
from tests.devices.crossing import Journaling

MS = 1_000_000
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {(1, 1): (1, "main"), (2, 1): (2, "main")}
STAKE = ("E004010000000001",)
PAID = ("E004010000000001", "E004010000000002")


def station(directory: Path, patience_s: float = 10.0) -> Station:
    return Station(
        directory,
        shoe=ShoeSimulator(bee_tek.CODEC),
        bet_spots=BetSpotsSimulator(feig_obid.CODEC, ZONES),
        keypad=KeypadSimulator(matrix_orbital.CODEC),
        patience_s=patience_s,
    )


class Listener:
    """The least a host can do: one session on one port of the running loop."""

    def __init__(self, path: Path, session: Session, readings: list[Reading]) -> None:
        self._loop = asyncio.get_running_loop()
        self._session = session
        self._readings = readings
        self._timer: asyncio.TimerHandle | None = None
        self.heard = asyncio.Event()
        self._file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._loop.add_reader(self._file, self._readable)
        session.connected(self._now_ns())
        self._after()

    def close(self) -> None:
        self._loop.remove_reader(self._file)
        if self._timer is not None:
            self._timer.cancel()
        os.close(self._file)

    def _now_ns(self) -> int:
        return int(self._loop.time() * 1_000_000_000)

    def _readable(self) -> None:
        self._session.receive(os.read(self._file, 4096), self._now_ns())
        self._after()

    def _due(self) -> None:
        self._timer = None
        self._session.handle_deadline(self._now_ns())
        self._after()

    def _after(self) -> None:
        os.write(self._file, self._session.bytes_to_send())
        found = self._session.readings()
        self._readings += found
        if found:
            self.heard.set()
        if self._timer is not None:
            self._timer.cancel()
        deadline_ns = self._session.next_deadline()
        if deadline_ns is not None:
            self._timer = self._loop.call_at(deadline_ns / 1_000_000_000, self._due)


@contextmanager
def host(directory: Path, readings: list[Reading]) -> Iterator[list[Listener]]:
    listeners = [
        Listener(directory / "shoe", ShoeSession(bee_tek.CODEC), readings),
        Listener(directory / "bet_spots", BetSpotsSession(feig_obid.CODEC, ZONES, gap_ns=MS), readings),
        Listener(directory / "keypad", KeypadSession(matrix_orbital.CODEC), readings),
    ]
    try:
        yield listeners
    finally:
        for listener in listeners:
            listener.close()


async def until(listeners: list[Listener], condition: Callable[[], bool]) -> None:
    """Wait for readings that make ``condition`` true."""
    async with asyncio.timeout(60):
        while not condition():
            waits = [asyncio.ensure_future(listener.heard.wait()) for listener in listeners]
            _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in pending:
                wait.cancel()
            for listener in listeners:
                listener.heard.clear()


def evidence(readings: list[Reading]) -> list[object]:
    """Cards, keys and chips in the order reported, the first look at the empty felt left out."""
    found: list[object] = []
    for reading in readings:
        match reading:
            case CardDrawn(face=face):
                found.append(face)
            case KeyPressed(key=key):
                found.append(key)
            case ChipsSeen(spot=spot, chips=chips):
                found.append((spot, chips))
            case _:
                pass
    return found[len(ZONES) :]


async def test_a_script_is_heard_as_it_was_written(tmp_path: Path) -> None:
    readings: list[Reading] = []
    script: list[Act] = [
        Lay(1, "main", STAKE),
        Press("P"),
        Draw(Card("8h")),
        Draw(Card("Td")),
        Lay(1, "main", PAID),
        Press("M"),
        Draw(Card("2c")),
        Press("T"),
        Lay(1, "main", ()),
    ]
    async with station(tmp_path) as table:
        with host(tmp_path, readings) as listeners:
            assert await table.ready(looks=3)
            assert table.unpolled(looks=3) == ()
            performance = await perform(script, table, 100, sleep=asyncio.sleep)
            expected = [(1, STAKE), "P", Card("8h"), Card("Td"), (1, PAID), "M", Card("2c"), "T", (1, ())]
            await until(listeners, lambda: len(evidence(readings)) >= len(expected))
    assert evidence(readings) == expected
    assert performance.impatient == []


async def test_the_ports_are_links_that_vanish(tmp_path: Path) -> None:
    directory = tmp_path / "ports"
    table = station(directory)
    for _ in range(2):
        table.open()
        assert sorted(path.name for path in directory.iterdir()) == ["bet_spots", "keypad", "shoe"]
        assert all(path.resolve().is_char_device() for path in directory.iterdir())
        table.close()
        assert list(directory.iterdir()) == []
    table.close()


async def test_a_link_left_behind_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "shoe").symlink_to("/dev/null")
    async with station(tmp_path):
        assert (tmp_path / "shoe").readlink().parent == Path("/dev/pts")


async def test_the_line_is_raw_before_anybody_opens_it(tmp_path: Path) -> None:
    async with station(tmp_path):
        file = os.open(tmp_path / "shoe", os.O_RDWR | os.O_NOCTTY)
        try:
            local_flags = termios.tcgetattr(file)[3]
        finally:
            os.close(file)
    assert not local_flags & (termios.ECHO | termios.ICANON | termios.ISIG)


async def test_a_host_that_comes_back_finds_the_line_as_it_was(tmp_path: Path) -> None:
    readings: list[Reading] = []
    async with station(tmp_path) as table:
        for _ in range(2):
            with host(tmp_path, readings):
                looks = table.inventories(1, "main")
                assert await table.until(lambda looks=looks: table.inventories(1, "main") >= looks + 3)  # type: ignore[misc]


async def test_without_a_host_patience_ends(tmp_path: Path) -> None:
    async with station(tmp_path, patience_s=0.01) as table:
        assert not await table.ready()
        assert table.unpolled() == ("the keypad", *(f"spot {spot} {zone}" for spot, zone in table.places))
        performance = await perform([Lay(1, "main", STAKE)], table, 1, sleep=asyncio.sleep)
    assert performance.impatient == [Lay(1, "main", STAKE)]


@pytest.mark.parametrize("reads", [True, False])
async def test_a_key_waits_until_the_host_has_read_the_card_before_it(tmp_path: Path, *, reads: bool) -> None:
    def took() -> None:
        cards.append(os.read(file, 4096))

    cards: list[bytes] = []
    loop = asyncio.get_running_loop()
    async with station(tmp_path, patience_s=10 if reads else 0.05) as table:
        file = os.open(tmp_path / "shoe", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            if reads:
                loop.add_reader(file, took)
            performance = await perform([Draw(Card("8h")), Press("P")], table, 1e9, sleep=asyncio.sleep)
        finally:
            loop.remove_reader(file)
            os.close(file)
    assert (performance.impatient, len(cards)) == (([], 1) if reads else ([Press("P")], 0))


async def test_a_station_that_closes_keeps_nobody_waiting(tmp_path: Path) -> None:
    table = station(tmp_path, patience_s=3600)
    table.open()
    waiting = asyncio.ensure_future(table.ready())
    asyncio.get_running_loop().call_soon(table.close)
    assert await waiting is False


async def heard_until(file: int, last: bytes) -> bytes:
    """What a port says up to ``last``."""
    loop = asyncio.get_running_loop()
    some = asyncio.Event()
    loop.add_reader(file, some.set)
    heard = b""
    try:
        while not heard.endswith(last):
            async with asyncio.timeout(60):
                await some.wait()
            some.clear()
            heard += os.read(file, 65_536)
    finally:
        loop.remove_reader(file)
    return heard


@contextmanager
def opened(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        yield file
    finally:
        os.close(file)


async def test_what_is_said_while_nobody_has_the_port_open_is_lost(tmp_path: Path) -> None:
    port = Port(tmp_path / "port", ShoeSimulator(bee_tek.CODEC), lambda: None)
    for _ in range(2):
        port.say(b"nobody hears this.")
        with opened(tmp_path / "port") as file:
            port.say(b"this is heard.")
            assert await heard_until(file, b"heard.") == b"this is heard."
    port.close()


class Echo:
    """A device that says back what it hears."""

    def receive(self, data: bytes) -> bytes:
        return data

    def idle(self) -> bytes:
        return b""


async def test_what_a_host_did_not_read_before_it_closed_is_gone_for_the_next(tmp_path: Path) -> None:
    stirred = asyncio.Event()
    port = Port(tmp_path / "port", Echo(), stirred.set)
    with opened(tmp_path / "port") as file:
        os.write(file, b"first.")
        async with asyncio.timeout(60):
            await stirred.wait()
        port.say(b"never read.")
    stirred.clear()
    async with asyncio.timeout(60):
        await stirred.wait()
    with opened(tmp_path / "port") as file:
        os.write(file, b"second.")
        assert await heard_until(file, b"second.") == b"second."
    port.close()


async def test_a_reference_shoe_loses_nothing_though_its_port_does(tmp_path: Path) -> None:
    readings: list[Reading] = []
    shoe = ReferenceShoeSimulator(reference.CODEC)
    port = Port(tmp_path / "shoe", shoe, lambda: None)
    session = Journaling(ShoeSession(reference.CODEC))
    for face in DECK[:6]:
        port.say(shoe.draw(face))
        if face in (DECK[2], DECK[5]):
            listener = Listener(tmp_path / "shoe", session, readings)
            await until([listener], lambda face=face: face in [getattr(one, "face", None) for one in readings])  # type: ignore[misc]
            listener.close()
            session.disconnected(1)
    port.close()
    assert [reading.face for reading in readings if isinstance(reading, CardDrawn)] == list(DECK[:6])


async def test_what_nobody_reads_is_kept_up_to_a_limit(tmp_path: Path) -> None:
    """A host that is slow finds what was said, and no more than the limit and what the kernel keeps."""
    port = Port(tmp_path / "port", ShoeSimulator(bee_tek.CODEC), lambda: None)
    file = os.open(tmp_path / "port", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        for _ in range(8):
            port.say(b"x" * UNREAD_BYTES)
        drained = 0
        some = asyncio.Event()
        asyncio.get_running_loop().add_reader(file, some.set)
        while drained < UNREAD_BYTES:
            async with asyncio.timeout(60):
                await some.wait()
            some.clear()
            # The loop may say once more that there is something after all of it was read.
            with contextlib.suppress(BlockingIOError):
                drained += len(os.read(file, 65_536))
        port.say(b"y")
        last = b""
        while b"y" not in last:
            async with asyncio.timeout(60):
                await some.wait()
            some.clear()
            with contextlib.suppress(BlockingIOError):
                last = os.read(file, 65_536)
            drained += len(last)
        assert drained < 3 * UNREAD_BYTES
    finally:
        asyncio.get_running_loop().remove_reader(file)
        os.close(file)
        port.close()


@pytest.mark.parametrize("zone", ["insurance", "elsewhere"])
async def test_chips_cannot_be_laid_where_nothing_reads(tmp_path: Path, zone: str) -> None:
    async with station(tmp_path) as table:
        with pytest.raises(ValueError, match="no antenna reads"):
            table.lay(1, zone, STAKE)
