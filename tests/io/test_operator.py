"""Requests of people through a real broker, to a daemon and to nobody."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.core.refusal_reason import RefusalReason
from controller.formats.mqtt.envelope import Topics
from controller.formats.orders.requests import VERBS, CommandRefused, Reply, read_command, reply_bytes
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker, connected
from controller.io.mqtt.request import NoReply, request

TOPICS = Topics("harbour", "bj-1")
NEEDS_MOSQUITTO = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
WORDS = {
    "answer": ["3", "no"],
    "void": ["12", "--why", "misdeal"],
    "set-card": ["17", "8h", "--why", "seen"],
    "assign-card": ["17", "0", "--why", "seen"],
    "declare-box": ["3", "25.00", "--why", "cash"],
    "adjust": ["12", "3", "main", "-10.00", "--why", "dead hand"],
    "inventory": [
        "fill",
        "25x40",
        "2.50x8",
        "--slip",
        "4711",
        "--day",
        "yesterday",
        "--shift",
        "swing",
        "--why",
        "rack low",
    ],
    "ack": ["7", "--note", "seen on video"],
    "new-shoe": ["--left", "52"],
    "approve": ["3"],
    "withdraw": ["3", "--why", "wrong round"],
    "meter approve": ["3"],
    "meter withdraw": ["3", "--why", "counted again"],
    "meter reopen": ["pit_sevens", "--why", "sign and link agree"],
    "meter adjust": ["sevens", "-700000", "equipment_correction", "--why", "counted"],
    "jackpot verify": ["5", "--why", "cards seen"],
    "jackpot pay": ["5", "--why", "slip 12"],
    "jackpot refuse": ["sevens", "5", "--why", "misread"],
}
"""What is typed behind the table, by command."""
SENT: Final[dict[str, dict[str, Any]]] = {
    "answer": {"question": 3, "answer": "no"},
    "void": {"round": 12, "why": "misdeal"},
    "set-card": {"card": 17, "face": "8h", "why": "seen"},
    "assign-card": {"card": 17, "spot": 0, "why": "seen"},
    "declare-box": {"spot": 3, "cents": 2500, "why": "cash"},
    "adjust": {"round": 12, "spot": 3, "bet": "main", "net_cents": -1000, "why": "dead hand"},
    "inventory": {
        "kind": "fill",
        "cents": 102000,
        "chips": {"2500": 40, "250": 8},
        "slip": "4711",
        "why": "rack low",
        "gaming_day": "yesterday",
        "shift": "swing",
    },
    "ack": {"alert": 7, "note": "seen on video"},
    "new-shoe": {"left": 52},
    "approve": {"order": 3},
    "withdraw": {"order": 3, "why": "wrong round"},
    "meter approve": {"order": 3},
    "meter withdraw": {"order": 3, "why": "counted again"},
    "meter reopen": {"meter": "pit_sevens", "why": "sign and link agree"},
    "meter adjust": {
        "meter": "sevens",
        "move": {"type": "adjustment", "pool": "meter", "units": -700000, "reason": "equipment_correction"},
        "why": "counted",
    },
    "jackpot verify": {"jackpot": 5, "why": "cards seen"},
    "jackpot pay": {"jackpot": 5, "why": "slip 12"},
    "jackpot refuse": {"meter": "sevens", "move": {"type": "refusal", "jackpot": 5}, "why": "misread"},
}
"""What the table is asked for then."""


NOT_YOURS = RefusalReason("malformed", "not yours")


@contextlib.asynccontextmanager
async def table(broker: Broker, refusal: str = "") -> AsyncIterator[list[tuple[str, bytes]]]:
    """A table that replies the same to everything it can read, after some noise on the reply's topic."""
    heard: list[tuple[str, bytes]] = []
    ready = asyncio.Event()

    async def serve() -> None:
        async with connected(broker, "5", "") as client:
            await client.subscribe(TOPICS.commands, qos=1)
            ready.set()
            async for message in client.messages:
                verb = TOPICS.verb(str(message.topic))
                assert verb is not None
                assert isinstance(message.payload, bytes)
                heard.append((verb, message.payload))
                await client.publish(TOPICS.reply(verb), b"noise")
                await client.publish(TOPICS.reply(verb), reply_bytes(b'{"transaction": "another"}', NOT_YOURS))
                await client.publish(TOPICS.reply(verb), reply_bytes(message.payload, refused(verb, message.payload)))

    def refused(verb: str, payload: bytes) -> RefusalReason | None:
        try:
            read_command(verb, payload)
        except CommandRefused as error:
            return error.reason
        return RefusalReason("round_in_play", refusal) if refusal else None

    task = asyncio.create_task(serve())
    try:
        await ready.wait()
        yield heard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def typed(broker: Broker, command: str, words: list[str]) -> tuple[int, str]:
    """Type a command; its exit status and what it said."""
    line = [*command.split(), "harbour/bj-1", *words, "--who", "floor", "--broker", f"{broker.host}:{broker.port}"]
    ran = await asyncio.to_thread(CliRunner().invoke, main, line)
    return ran.exit_code, ran.output


@NEEDS_MOSQUITTO
async def test_each_command_says_who_and_is_accepted() -> None:
    async with mosquitto() as broker, table(broker) as heard:
        for command, words in WORDS.items():
            assert await typed(broker, command, words) == (0, "accepted\n")
        assert {verb for verb, _ in heard} == set(VERBS)
        tokens = set()
        for command, (_, payload) in zip(WORDS, heard, strict=True):
            body = msgspec.json.decode(payload)
            tokens.add(body.pop("transaction"))
            assert body == {**SENT[command], "who": "floor"}
        assert len(tokens) == len(heard)


@NEEDS_MOSQUITTO
async def test_what_the_table_refuses_is_answered_with_its_reason() -> None:
    async with mosquitto() as broker, table(broker, "the round is void already"):
        assert await typed(broker, "void", WORDS["void"]) == (1, "refused: the round is void already\n")
        status, output = await typed(broker, "set-card", ["17", "8h", "--why", " "])
        assert (status, "why: expected 1 to" in output) == (1, True)


@NEEDS_MOSQUITTO
async def test_a_program_is_answered_what_came_of_it() -> None:
    async with mosquitto() as broker, table(broker, "the round is void already"):
        status, output = await typed(broker, "void", [*WORDS["void"], "--json"])
    reply = json.loads(output)
    assert (status, reply["status"], reply["text"]) == (1, "refused", "the round is void already")
    assert sorted(reply) == ["status", "text", "transaction"]


@NEEDS_MOSQUITTO
async def test_no_table_is_no_reply() -> None:
    async with mosquitto() as broker:
        with pytest.raises(NoReply, match=r"no reply from harbour/bj-1: is its daemon running\?"):
            await request(broker, TOPICS, "void", {"transaction": "1"}, seconds=0.05)


@NEEDS_MOSQUITTO
async def test_a_reply_comes_over_the_older_protocol_too() -> None:
    async with mosquitto() as broker, table(broker):
        older = msgspec.structs.replace(broker, protocol="3.1.1")
        body = {"round": 1, "who": "floor", "why": "misdeal", "transaction": "t"}
        assert await request(older, TOPICS, "void", body) == Reply("accepted", "", "t")


def test_no_broker_is_one_line() -> None:
    ran = CliRunner().invoke(
        main, ["void", "harbour/bj-1", *WORDS["void"], "--who", "floor", "--broker", "127.0.0.1:1"]
    )
    assert (ran.exit_code, ran.output.count("\n")) == (2, 1)
    assert "broker 127.0.0.1:1" in ran.output


def test_a_box_plays_for_no_amount_below_nothing() -> None:
    ran = CliRunner().invoke(main, ["declare-box", "harbour/bj-1", "3", "-25.00", "--who", "floor", "--why", "cash"])
    assert (ran.exit_code, "Error: -25.00: expected an amount from 0.00" in ran.output) == (2, True)


@pytest.mark.parametrize(
    "named", ["harbour", "harbour/", "/bj-1", "harbour/bj-1/2", "harbour/+", "#/bj-1", "table/journal.sqlite"]
)
def test_a_table_is_named_by_site_and_name(named: str) -> None:
    ran = CliRunner().invoke(main, ["void", named, *WORDS["void"], "--who", "floor"])
    assert (ran.exit_code, "expected SITE/TABLE" in ran.output) == (2, True)


@pytest.mark.parametrize("command", WORDS)
def test_nobody_corrects_anything_unnamed(command: str) -> None:
    ran = CliRunner().invoke(main, [*command.split(), "harbour/bj-1", *WORDS[command]])
    assert (ran.exit_code, "--who" in ran.output) == (2, True)
