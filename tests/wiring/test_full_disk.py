"""A table whose disk another program fills: the round is finished, then it is closed; room is made, and it goes on."""

from __future__ import annotations

from pathlib import Path

from controller.core.messages.alerts import KeyRefused, PlayBlocked, PlayUnblocked
from controller.core.messages.events import CardDrawn
from controller.io.journal.space_reserve import SpaceReserve
from controller.io.journal.verification import verify
from controller.io.mqtt.connection import Broker
from tests.wiring.premises import TOPICS, json_of, open_house, ran

MIB = 2**20
DEAL = "1 main 25\nno_more_bets\nTh 7d Qs"
REST = "Td\nstand\nhole_turned\n1 main 50\n1 main 0\nround_closed"


async def test_the_disk_fills_in_a_round_and_room_is_made(small_disk: Path, broker: Broker) -> None:
    async with open_house(small_disk, broker) as house:
        text = house.table_file.read_text()
        await house.stop()
        house.table_file.write_text(text.replace("reserve_mib = 1", "reserve_mib = 4"))
        await house.start()
        reserve = SpaceReserve(house.journal, 4 * MIB)
        await house.bench.until(reserve.is_there)
        await house.talk(DEAL)
        filler = small_disk / "other"
        filler.write_bytes(bytes(reserve.free_bytes() - 64 * 1024))
        closed = await house.ear.event(PlayBlocked)
        assert (closed.cause, closed.round_open) == ("storage", True)
        await house.talk(REST)
        await house.ear.until(lambda: house.ear.outcomes() == ["settled"])
        assert not reserve.path.exists()
        assert house.ear.due() == {(1, 1, "main"): (2500, 2500)}
        await house.ear.until(lambda: json_of(house.ear.last(TOPICS.state("round")))["phase"] == "closed")
        assert "closed for new rounds: disk of" in json_of(house.ear.last(TOPICS.status))["alarms"][0]
        assert await house.bench.until(lambda: "Table closed: call floor" in house.bench.shown)
        status, output, _ = await ran("status", str(house.journal))
        assert (status, "CLOSED      no round may begin: disk of" in output) == (1, True)
        await house.talk("2 main 10\nno_more_bets")
        refused = await house.ear.event(KeyRefused)
        assert refused.reason.startswith("no round may begin: disk of")
        filler.unlink()
        await house.ear.event(PlayUnblocked)
        assert reserve.is_there()
        await house.talk("no_more_bets\nTh 7d Qs Td\nstand\nhole_turned\nround_closed")
        await house.ear.until(lambda: house.ear.outcomes() == ["settled"] * 2)
    assert verify(house.journal).damage is None


async def test_a_table_starts_on_a_full_disk_with_what_its_reserve_held(small_disk: Path, broker: Broker) -> None:
    async with open_house(small_disk, broker) as house:
        reserve = SpaceReserve(house.journal, MIB)
        await house.bench.until(reserve.is_there)
        await house.talk(DEAL)
        await house.ear.event(CardDrawn, 3)
        await house.kill()
        (small_disk / "other").write_bytes(bytes(reserve.free_bytes()))
        await house.start()
        closed = await house.ear.event(PlayBlocked)
        assert closed.round_open
        await house.talk("no")
        await house.talk(REST)
        await house.ear.until(lambda: house.ear.outcomes() == ["settled"])
    assert verify(house.journal).damage is None
