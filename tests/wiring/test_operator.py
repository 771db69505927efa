"""The whole house with an operator channel: orders come in by role, are journaled, and MQTT is no way around it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from click.testing import CliRunner

from controller.commands import keys
from controller.core.messages.events import CardDrawn, CardOpened, RoundClosed
from controller.core.messages.floor_events import CardSet, OrderProposed, RoundVoided, RulingProposed
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics
from controller.formats.orders.epoch_authorization import OrderSigner
from controller.formats.orders.operators import ROLES
from controller.formats.orders.requests import Reply
from controller.formats.orders.signed_orders import number_at, order_text
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.broker import free_port
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.request import request
from controller.io.operators.channel_client import ChannelAddress, ask
from controller.io.system.clock import SystemClock
from simulators.people.acts import Draw
from tests.wiring.premises import PATIENCE_S, TOPICS, Ear, Premises, open_house, ran, scripted

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


class ListeningPremises(Premises):
    """A table whose operators come over TCP, each with a key of their own."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        self.address = f"127.0.0.1:{free_port()}"
        self.table_key = made(directory, "operator")
        people = {"M. Okafor": ("okafor", "floor"), "J. Reyes": ("reyes", "surveillance")}
        lines = (
            f"[[operator]]\nname = '{who}'\nroles = ['{role}']\nkeys = ['{made(directory, key)}']\n"
            for who, (key, role) in people.items()
        )
        (directory / "operators.toml").write_text("".join(lines))
        section = f'[operator]\nlisten = "{self.address}"\nkey_file = "operator.key"\noperators = "operators.toml"\n\n'
        text = self.table_file.read_text(encoding="utf-8")
        self.table_file.write_text(text.replace("[shoe]", f"{section}[shoe]"), encoding="utf-8")

    async def asks(self, key: str, *arguments: str) -> tuple[int, str, str]:
        own = str(self.directory / f"{key}.key")
        where = ("--operator", f"tcp://{self.address}", "--operator-key", own, "--table-key", self.table_key)
        return await ran(*arguments, *where)


def made(directory: Path, name: str) -> str:
    """The public half of a pair made there."""
    return CliRunner().invoke(keys.command, ["curve", str(directory / f"{name}.key")]).output.strip()


async def test_the_operators_of_a_table_file_order_over_tcp_with_their_keys(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, make=ListeningPremises) as house:
        assert isinstance(house, ListeningPremises)
        (acts,) = scripted(house.rack, SEED, 1)
        await house.perform(acts)
        await house.ear.event(RoundClosed, round=1)
        void = ("void", "harbour/bj-1", "1", "--who", "M. Okafor", "--why", "foul deal")
        assert "void is for floor; you are surveillance" in (await house.asks("reyes", *void))[2]
        borrowed = await house.asks("reyes", "approve", "harbour/bj-1", "1", "--who", "M. Okafor")
        assert (borrowed[0], "your key is J. Reyes's" in borrowed[2]) == (1, True)
        assert (await house.asks("okafor", *void))[:2] == (
            0,
            "accepted: order 1 waits for another person to approve it: void round 1\n",
        )
        approve = ("approve", "harbour/bj-1", "1", "--who", "J. Reyes")
        status, output, _ = await house.asks("reyes", *approve)
        assert (status, output.startswith("accepted: spot "), output.count(" -> 0.00")) == (
            0,
            True,
            output.count("spot"),
        )
        assert (await house.ear.event(RoundVoided, round=1)).who == "M. Okafor, J. Reyes"


class SigningPremises(ListeningPremises):
    """A table that takes signed orders alone, on its sockets and over MQTT too."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        file = directory / "operators.toml"
        for name in ("okafor", "reyes"):
            public = CliRunner().invoke(keys.command, ["signing", str(directory / f"{name}.key")]).output.strip()
            role = "roles = ['floor']" if name == "okafor" else "roles = ['surveillance']"
            file.write_text(file.read_text().replace(role, f"{role}\nsigns = ['{public}']"))
        text = self.table_file.read_text(encoding="utf-8")
        section = '[operator]\nsigned = "required"\nmqtt = true\ndirectory = "."\n'
        self.table_file.write_text(text.replace("[operator]\n", section), encoding="utf-8")


async def test_signed_orders_are_taken_from_whoever_brings_them_and_once(tmp_path: Path, broker: Broker) -> None:
    """Over MQTT and at the wrong socket; the same bytes again, after a restart too, order nothing."""
    async with open_house(tmp_path, broker, make=SigningPremises) as house:
        assert isinstance(house, SigningPremises)
        (acts,) = scripted(house.rack, SEED, 1)
        await house.perform(acts)
        await house.ear.event(RoundClosed, round=1)
        with JournalReader(house.journal) as reader:
            epoch = reader.identity.epoch
        auditor = ("--operator", str(tmp_path / "auditor" / "socket"))
        void = ("void", "harbour/bj-1", "1", "--who", "M. Okafor", "--why", "foul deal")
        unsigned = await house.asks("okafor", *void)
        assert (unsigned[0], "takes signed orders alone" in unsigned[2]) == (1, True), unsigned
        by_reyes = await ran(*void, *auditor, "--sign", str(tmp_path / "reyes.key"))
        assert "the key is J. Reyes's; sign in that name" in by_reyes[2]
        signer = OrderSigner((tmp_path / "okafor.key").read_bytes().strip())
        wanted = {"round": 1, "who": "M. Okafor", "why": "foul deal"}
        signed = signer.sign(
            order_text(Identity("harbour", "bj-1", epoch), number_at(SystemClock().wall_ns()), "void", wanted)
        )
        sent = {"text": signed.text, "key": signed.key, "signature": signed.signature, "transaction": 1}
        assert (await put(house, sent)).text == "order 1 waits for another person to approve it: void round 1"
        assert "was given before" in (await put(house, sent)).text
        await house.stop()
        await house.start()
        assert "was given before" in (await put(house, sent)).text
        approve = ("approve", "harbour/bj-1", "1", "--who", "J. Reyes", *auditor, "--sign", str(tmp_path / "reyes.key"))
        status, output, wrong = await ran(*approve)
        assert (status, output.startswith("accepted: spot ")) == (0, True), wrong
        assert (await house.ear.event(RulingProposed, round=1)).vouched == "own signature"
        assert (await house.ear.event(RoundVoided, round=1)).who == "M. Okafor, J. Reyes"
    done = await ran("verify", "--operators", str(tmp_path / "operators.toml"), str(house.journal))
    assert "2 orders carry their operator's signature" in done[1], done


async def test_a_signed_order_that_comes_in_at_every_door_at_once_is_taken_once(tmp_path: Path, broker: Broker) -> None:
    """One capture, brought by MQTT, at each role's socket and over another operator's connection, in one moment."""
    async with open_house(tmp_path, broker, make=SigningPremises) as house:
        assert isinstance(house, SigningPremises)
        await house.perform(scripted(house.rack, SEED, 1)[0])
        await house.ear.event(RoundClosed, round=1)
        sent = order(house, "okafor", "void", {"round": 1, "who": "M. Okafor", "why": "foul deal"})
        doors = [ChannelAddress(str(tmp_path / role / "socket")) for role in ROLES]
        doors += [ChannelAddress(f"tcp://{house.address}", house.table_key, tmp_path / "reyes.key")]
        replies = await asyncio.gather(
            *(
                asyncio.to_thread(ask, door, "harbour/bj-1", "void", sent, PATIENCE_S)
                for door in doors
                for _ in range(3)
            ),
            *(put(house, {**sent, "transaction": number}) for number in range(3)),
        )
        taken = [one for one in replies if one.status == "accepted"]
        assert [one.text for one in taken] == ["order 1 waits for another person to approve it: void round 1"]
        assert len(replies) == 21
        assert all("was given before" in one.text for one in replies if one not in taken)
        elsewhere = await asyncio.to_thread(ask, doors[0], "harbour/bj-1", "adjust", sent, PATIENCE_S)
        assert "the order that was signed is 'void', not 'adjust'" in elsewhere.text
        approval = {"order": 1, "who": "M. Okafor"}
        for door in doors:
            own = order(house, "okafor", "approve-order", approval)
            answers = await asyncio.to_thread(ask, door, "harbour/bj-1", "approve-order", own, PATIENCE_S)
            assert "another person must approve" in answers.text
        assert not house.ear.events(RoundVoided)


async def test_a_key_that_is_taken_out_of_the_file_signs_nothing_from_the_next_start(
    tmp_path: Path, broker: Broker
) -> None:
    """What it proposed before waits on: whoever takes a key out withdraws what its owner proposed."""
    async with open_house(tmp_path, broker, make=SigningPremises) as house:
        assert isinstance(house, SigningPremises)
        await house.perform(scripted(house.rack, SEED, 1)[0])
        await house.ear.event(RoundClosed, round=1)
        wanted = {"round": 1, "who": "M. Okafor", "why": "foul deal"}
        before, kept = (order(house, "okafor", "void", wanted) for _ in range(2))
        assert (await put(house, before)).status == "accepted"
        await house.stop()
        people = tmp_path / "operators.toml"
        left = [one for one in people.read_text().split("[[operator]]") if "M. Okafor" not in one]
        people.write_text("[[operator]]".join(left))
        await house.start()
        assert "of no operator of this table" in (await put(house, kept)).text
        connects = await house.asks("okafor", "status", "harbour/bj-1")
        assert connects[0] == 2, connects
        reyes = order(house, "reyes", "withdraw-order", {"order": 1, "who": "J. Reyes", "why": "no longer here"})
        assert (await request(house.broker, TOPICS, "withdraw-order", reyes)).status == "accepted"
        assert not house.ear.events(RoundVoided)


def order(house: Premises, key: str, verb: str, wanted: dict[str, object]) -> dict[str, object]:
    """An order as its operator signs it now."""
    with JournalReader(house.journal) as reader:
        here = reader.identity
    signer = OrderSigner((house.directory / f"{key}.key").read_bytes().strip())
    signed = signer.sign(order_text(here, number_at(SystemClock().wall_ns()), verb, wanted))
    return {"text": signed.text, "key": signed.key, "signature": signed.signature, "transaction": 1}


async def put(house: Premises, body: dict[str, object], verb: str = "void") -> Reply:
    """Bytes over MQTT, whatever a command would have made of them."""
    return await request(house.broker, Topics("harbour", "bj-1"), verb, body)


async def test_a_folder_for_the_sockets_that_is_not_there_is_reported_with_what_to_do(
    tmp_path: Path, broker: Broker
) -> None:
    async with open_house(tmp_path, broker, make=OperatedPremises) as house:
        await house.stop()
        text = house.table_file.read_text(encoding="utf-8")
        house.table_file.write_text(text.replace('directory = "."', 'directory = "nowhere"'), encoding="utf-8")
        status, _, stderr = await ran("run", str(house.table_file))
        assert (status, "nowhere: there is no such folder; make it, as" in stderr) == (2, True), stderr


async def test_the_floor_orders_over_its_socket_and_nobody_else_does(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, make=OperatedPremises) as house:
        assert isinstance(house, OperatedPremises)
        (acts,) = scripted(house.rack, SEED, 1)
        await house.perform(acts)
        await house.ear.event(RoundClosed, round=1)
        over_mqtt = await house.void("--broker", f"{broker.host}:{broker.port}")
        assert over_mqtt[0] == 1
        assert "over its operator channel only" in over_mqtt[2]
        auditor = await house.void("--operator", str(tmp_path / "auditor" / "socket"))
        assert (auditor[0], auditor[2]) == (1, "refused: void is for floor; you are auditor\n")
        assert not house.ear.events(RoundVoided)
        floor = await house.void("--operator", str(tmp_path / "floor" / "socket"))
        assert floor[:2] == (0, "accepted: order 1 waits for another person to approve it: void round 1\n")
        assert not house.ear.events(RoundVoided)
        assert (await house.approve("M. Okafor", "floor"))[0] == 1
        alone = await house.approve("J. Lee", "floor")
        assert (alone[0], "another person must approve" in alone[2]) == (1, True), alone
        status, output = (await house.approve("J. Lee", "surveillance"))[:2]
        assert (status, output.startswith("accepted: spot "), output.count(" -> 0.00")) == (
            0,
            True,
            output.count("spot"),
        )
        voided = await house.ear.event(RoundVoided, round=1)
        assert (voided.who, voided.why) == ("M. Okafor, J. Lee", "foul deal")
        again = await house.void("--operator", str(tmp_path / "floor" / "socket"))
        assert (again[0], again[2]) == (1, "refused: the round is void already\n")
    gone = await house.void("--operator", str(tmp_path / "floor" / "socket"))
    assert (gone[0], gone[2].count("\n")) == (2, 1)


class OpenPremises(ListeningPremises):
    """The same, with MQTT beside it."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        text = self.table_file.read_text(encoding="utf-8")
        self.table_file.write_text(text.replace("[operator]\n", "[operator]\nmqtt = true\n"), encoding="utf-8")


async def test_one_floor_key_alone_neither_renames_a_card_nor_asks_over_mqtt(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, make=OpenPremises) as house:
        assert isinstance(house, OpenPremises)
        (acts,) = scripted(house.rack, SEED, 1)
        dealt = [place for place, act in enumerate(acts) if isinstance(act, Draw) and not act.burn]
        await house.perform(acts[: dealt[-1] + 1])
        card = (await house.ear.event(CardDrawn, round=1)).card
        assert (await house.ear.event(CardOpened, card=card)).face != "2h"
        named = {"card": card, "face": "2h", "why": "seen on the felt", "transaction": 1}
        for who in ("M. Okafor", "Okafor", "J. Reyes"):
            reply = await put(house, {**named, "who": who}, "set-card")
            assert (reply.status, reply.reason_code) == ("refused", "not_entitled")
        order = ("set-card", "harbour/bj-1", str(card), "2h", "--who", "M. Okafor", "--why", "seen on the felt")
        status, said_to_okafor, wrong = await house.asks("okafor", *order)
        waits = f"accepted: order 1 waits for another person to approve it: round 1: card {card} is 2h\n"
        assert (status, said_to_okafor) == (0, waits), wrong
        assert (await house.ear.event(OrderProposed, round=1)).vouched == "own key"
        assert (await house.asks("reyes", "approve", "harbour/bj-1", "1", "--who", "J. Reyes"))[0] == 0
        ruled = await house.ear.event(CardSet, round=1)
        assert (ruled.after, ruled.who, ruled.vouched) == ("2h", "M. Okafor, J. Reyes", "own key; own key")
