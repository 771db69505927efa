"""What breaks on real tables, provoked one by one; the numbers are those of docs/reference/failure-modes.md."""

from __future__ import annotations

import asyncio
import random

import pytest

from controller.io.lines.supervisor import ATTENTION_FAILURES, LineSupervisor
from controller.io.lines.talk_limit import (
    BYTES_PER_SECOND,
    CARDS_AT_ONCE,
    KEEPING_SHOE,
    READINGS_AT_ONCE,
    READINGS_ON_TRIAL,
    Talk,
)
from devices.keypad import KeypadSession
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import Card
from firmware_protocols.readings import (
    CardDrawn,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    Reading,
)
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.shoe import ShoeSimulator
from tests.io.lines_rig import BEE_TEK, KEYPAD, Delivered, OtherShoe, Picky, Place, readers, supervised
from tests.io.virtual_time import LoopClock, becomes, passes, run_virtual

SECOND_NS = 1_000_000_000
READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY
STEPS = ("refused", "breaks", "opened", "written", "answered")


def now_ns() -> int:
    return round(asyncio.get_running_loop().time() * SECOND_NS)


# --- 6: gone until its power is cycled ----------------------------------------------------------------


def test_6_a_device_that_stays_away_calls_for_somebody_once() -> None:
    async def scenario() -> None:
        delivered, (simulator, session) = Delivered(), readers(1)
        place = Place(None)
        async with asyncio.TaskGroup() as group:
            supervisor = supervised(place.open, session, delivered)
            task = group.create_task(supervisor.run())
            await passes(3600)
            calls = delivered.of(DeviceComplained)
            assert [(one.device, one.code) for one in calls] == [("bet_spots", "needs_attention")]
            assert f"{ATTENTION_FAILURES} openings" in calls[0].text
            assert [one.detail for one in delivered.of(DeviceHealth)] == ["line gone: not plugged in"]
            place.device = simulator
            await delivered.until(lambda: delivered.states()[-1] is READY, seconds=11)
            task.cancel()

    run_virtual(scenario())


# --- 7: framing lost after one stray byte -------------------------------------------------------------


@pytest.mark.parametrize("stray", [b"\x00", b"\xff", b"\x02", b" [Game]<Ca", bytes(range(256))])
def test_7_after_any_stray_bytes_the_next_card_and_key_are_read(stray: bytes) -> None:
    async def scenario() -> None:
        delivered = Delivered()
        shoes, keys = ShoeSimulator(BEE_TEK), KeypadSimulator(KEYPAD)
        shoe, keypad = Place(shoes), Place(keys)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    supervised(shoe.open, ShoeSession(BEE_TEK), delivered, name="shoe", polled=False).run()
                ),
                group.create_task(
                    supervised(keypad.open, KeypadSession(KEYPAD), delivered, name="keypad", polled=False).run()
                ),
            ]
            await delivered.until(lambda: delivered.states() == [READY, READY])
            assert shoe.line is not None
            assert keypad.line is not None
            shoe.line.say(stray)
            keypad.line.say(stray)
            # A message begun is given up after a silence, and one just begun by the noise may take a card along.
            await passes(10)
            before = len(delivered.of(CardDrawn)), len(delivered.of(KeyPressed))
            shoe.line.say(shoes.draw(Card("Kd")))
            keypad.line.say(b"".join(keys.press("K")))
            await passes(1)
            assert delivered.of(CardDrawn)[before[0] :][-1].face == Card("Kd")
            assert delivered.of(KeyPressed)[before[1] :][-1].key == "K"
            for task in tasks:
                task.cancel()

    run_virtual(scenario())


# --- 8: an exception in a parser ----------------------------------------------------------------------


class Fragile(Picky):
    """A session with a fault of our own: some bytes it cannot bear."""

    def receive(self, data: bytes, now_ns: int) -> None:
        if data == b"\x13":
            raise IndexError("string index out of range")
        self._readings.append(KeyPressed(at_ns=now_ns, key=data.decode()))


def test_8_a_fault_of_our_own_reopens_one_line_and_stops_nothing_else() -> None:
    async def scenario() -> None:
        delivered, well = Delivered(), Delivered()
        place, other = Place(OtherShoe()), Place(readers(1)[0])
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(supervised(place.open, Fragile(), delivered, name="keypad", polled=False).run()),
                group.create_task(supervised(other.open, readers(1)[1], well).run()),
            ]
            await well.until(lambda: bool(well.of(ChipsSeen)))
            assert place.line is not None
            place.line.say(b"\x13")
            await delivered.until(lambda: delivered.states() == [LOST])
            assert "index out of range" in delivered.of(DeviceHealth)[0].detail
            await becomes(lambda: place.openings >= 2)
            await passes(0.1)
            place.line.say(b"K")
            assert [one.key for one in delivered.of(KeyPressed)] == ["K"]
            assert other.openings == 1
            for task in tasks:
                task.cancel()

    run_virtual(scenario())


def test_8_a_session_that_fails_even_when_it_hears_of_the_loss_is_lost_nevertheless() -> None:
    class Hopeless(Fragile):
        def connected(self, now_ns: int) -> None:
            self._readings.append(DeviceHealth(device="keypad", state=READY, at_ns=now_ns))

        def disconnected(self, now_ns: int) -> None:
            raise KeyError(now_ns)

    async def scenario() -> None:
        delivered, place = Delivered(), Place(OtherShoe())
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, Hopeless(), delivered, name="keypad", polled=False).run())
            await delivered.until(lambda: delivered.states() == [READY])
            assert place.line is not None
            place.line.cut()
            await delivered.until(lambda: delivered.states() == [READY, LOST, READY])
            task.cancel()

    run_virtual(scenario())


def test_8_what_takes_the_readings_may_stop_the_table() -> None:
    """A full queue means that the disk has stopped: that must not be taken for a device's trouble."""

    class DiskStoppedError(Exception):
        pass

    async def scenario() -> None:
        def refuse(reading: Reading) -> None:
            raise DiskStoppedError(str(reading))

        place = Place(ShoeSimulator(BEE_TEK))
        shoe = LineSupervisor(
            "shoe",
            place.open,
            ShoeSession(BEE_TEK),
            clock=LoopClock(asyncio.get_running_loop()),
            chance=random.Random(1),
            deliver=refuse,
        )
        with pytest.raises(DiskStoppedError):
            await shoe.run()

    run_virtual(scenario())


# --- 38: a device that talks too much -----------------------------------------------------------------

RUBBISH = b"\x00\xfe\x17" * 40


@pytest.mark.parametrize("what", ["rubbish after a good key", "a torrent of bytes"])
def test_38_a_device_that_talks_too_much_is_closed_for_a_while_and_its_neighbours_go_on(what: str) -> None:
    """A keypad at 115,200 baud that repeats itself: 11.5 kB/s, for a minute."""

    async def scenario() -> None:
        delivered, well = Delivered(), Delivered()
        keys, (simulator, session) = KeypadSimulator(KEYPAD), readers(1)
        place, other = Place(keys), Place(simulator)
        press = b"Kk"
        piece = {
            "rubbish after a good key": press + RUBBISH,
            "a torrent of bytes": bytes(300_000),
        }
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    supervised(place.open, KeypadSession(KEYPAD), delivered, name="keypad", polled=False).run()
                ),
                group.create_task(supervised(other.open, session, well).run()),
            ]
            await well.until(lambda: READY in well.states())
            await delivered.until(lambda: delivered.states() == [READY])
            for _ in range(6000):
                if place.line is not None:
                    place.line.say(piece[what])
                await passes(0.01)
            taken = [one for one in delivered.readings if not isinstance(one, DeviceHealth)]
            # What is journaled of it: a burst at first, and then a little each time it is tried again.
            assert len(taken) < 3000
            complaints = [
                (one.code, one.text) for one in delivered.of(DeviceComplained) if one.code == "talks_too_much"
            ]
            kind = "bytes" if what == "a torrent of bytes" else "readings"
            assert complaints == [("talks_too_much", f"too many {kind} a second: the line is closed for a while")]
            assert place.openings < 20
            assert (well.states(), other.openings) == ([READY], 1)
            # Once it is itself again, it is heard within ten seconds.
            await delivered.until(lambda: delivered.states()[-1] is READY, seconds=11)
            await passes(11)
            before = len(delivered.of(KeyPressed))
            assert place.line is not None
            place.line.say(b"".join(keys.press("K")))
            await passes(1)
            assert len(delivered.of(KeyPressed)) == before + 1
            for task in tasks:
                task.cancel()

    run_virtual(scenario())


def test_38_a_shoe_that_sends_all_it_has_kept_does_not_talk_too_much() -> None:
    talk = Talk(random.Random(1), KEEPING_SHOE)
    talk.opened(0)
    assert all(talk.reading(0) for _ in range(8 * 52 + 100))
    # A minute of calm, and it is trusted as before; within the minute it is on trial.
    assert talk.closed(0)
    talk.opened(SECOND_NS)
    assert sum(talk.reading(SECOND_NS) for _ in range(1000)) == READINGS_ON_TRIAL
    assert not talk.closed(2 * SECOND_NS)
    talk.opened(63 * SECOND_NS)
    assert sum(talk.reading(63 * SECOND_NS) for _ in range(1000)) == CARDS_AT_ONCE
    assert talk.closed(63 * SECOND_NS)


def test_38_a_burst_of_any_other_device_keeps_nobody_waiting() -> None:
    """What a line may say at once is read, stepped and committed before anybody else's reading."""
    talk = Talk(random.Random(1))
    talk.opened(0)
    assert sum(talk.reading(0) for _ in range(1000)) == READINGS_AT_ONCE <= 100
    talk.opened(0)
    assert talk.data(BYTES_PER_SECOND, 0)
    assert not talk.data(BYTES_PER_SECOND, 0)
    assert BYTES_PER_SECOND <= 50_000
