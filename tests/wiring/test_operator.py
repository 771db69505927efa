"""The whole house with an operator channel: orders come in by role, are journaled, and MQTT is no way around it."""

from __future__ import annotations

from pathlib import Path

from controller.core.events import RoundClosed, RoundVoided
from controller.io.mqtt import Broker
from tests.wiring.premises import Ear, Premises, open_house, ran, scripted

SEED = 7


class OperatedPremises(Premises):
    """A table with an operator channel."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        text = self.table_file.read_text(encoding="utf-8")
        self.table_file.write_text(text.replace("[shoe]", '[operator]\ndirectory = "."\n\n[shoe]'), encoding="utf-8")

    async def approve(self, who: str, role: str) -> tuple[int, str, str]:
        socket = str(self.directory / role / "socket")
        return await ran("approve", "harbour/bj-1", "1", "--who", who, "--operator", socket)

    async def void(self, *where: str) -> tuple[int, str, str]:
        return await ran("void", "harbour/bj-1", "1", "--who", "M. Okafor", "--why", "foul deal", *where)


async def test_the_floor_orders_over_its_socket_and_nobody_else_does(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, make=OperatedPremises) as house:
        assert isinstance(house, OperatedPremises)
        (acts,) = scripted(house.rack, SEED, 1)
        await house.perform(acts)
        await house.ear.event(RoundClosed, round=1)
        over_mqtt = await house.void("--host", broker.host, "--port", str(broker.port))
        assert over_mqtt[0] == 1
        assert "over its operator channel only" in over_mqtt[2]
        auditor = await house.void("--operator", str(tmp_path / "auditor" / "socket"))
        assert (auditor[0], auditor[2]) == (1, "refused: void is for floor; you are auditor\n")
        assert not house.ear.events(RoundVoided)
        floor = await house.void("--operator", str(tmp_path / "floor" / "socket"))
        assert floor[:2] == (0, "accepted: order 1 waits for another person to approve it\n")
        assert not house.ear.events(RoundVoided)
        assert (await house.approve("M. Okafor", "floor"))[0] == 1
        assert (await house.approve("J. Lee", "surveillance"))[:2] == (0, "accepted\n")
        voided = await house.ear.event(RoundVoided, round=1)
        assert (voided.who, voided.why) == ("M. Okafor, J. Lee", "foul deal")
        again = await house.void("--operator", str(tmp_path / "floor" / "socket"))
        assert (again[0], again[2]) == (1, "refused: the round is void already\n")
    gone = await house.void("--operator", str(tmp_path / "floor" / "socket"))
    assert (gone[0], gone[2].count("\n")) == (2, 1)
