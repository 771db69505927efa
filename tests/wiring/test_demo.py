"""The demo as anybody would run it, and what its journal is worth afterwards."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest

from controller.commands.demo import jackpot_lines
from controller.core.messages.events import BettingClosed, RoundClosed
from controller.demo.demo import DemoFailed, DemoResult, TableSubscriber, own, run_demo, until_served
from controller.demo.table import DemoOptions, SignRead, devices
from controller.formats.cases.accounts import Comparison
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import event_bytes
from controller.io.mqtt.broker import embedded
from controller.io.mqtt.connection import Broker
from controller.reports import live_narrative
from simulators.serve import Station
from tests.docs.pages import page, sections
from tests.wiring.premises import PATIENCE_S, Ear, flipped, program, ran

ACCOUNTS = ("truth.json", "account.json")
FLAGS = ("--rounds", "4", "--seed", "7", "--speed", "100")


async def demo(directory: Path, *flags: str) -> str:
    """Run a demo in ``directory``; what it said."""
    status, output, errors = await ran("demo", *flags, "--directory", str(directory))
    assert (status, errors) == (0, ""), output
    return output


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """What two demos of the same seed, run at the same time, said, by their directories."""
    directories = [tmp_path_factory.mktemp("demo") for _ in range(2)]

    async def both() -> list[str]:
        return await asyncio.gather(*(demo(directory, *FLAGS) for directory in directories))

    return dict(zip(directories, asyncio.run(both()), strict=True))


@pytest.fixture
def run(shown: dict[Path, str], tmp_path: Path) -> Path:
    """A copy of a demo's directory, to be treated as one likes."""
    copy = tmp_path / "demo"
    shutil.copytree(next(iter(shown)), copy, ignore=shutil.ignore_patterns("ports"))
    return copy


def test_every_wager_is_settled_as_it_truly_was(shown: dict[Path, str]) -> None:
    for directory, output in shown.items():
        truth, account = ((directory / name).read_bytes() for name in ACCOUNTS)
        assert account == truth
        wagers = [wager for one in json.loads(truth)["rounds"] for wager in one["wagers"]]
        assert len(wagers) >= 4
        assert (
            f"4 rounds, {len(wagers)} wagers: {len(wagers)} settled as the simulated people reckon"
            in output.splitlines()
        )
        assert "DIFFERENT" not in output
        assert (
            f"left in {directory}: journal.sqlite, truth.json, account.json, table.key, table.toml, chips.csv and logs"
            in output
        )


def test_each_line_is_explained_to_operators(shown: dict[Path, str]) -> None:
    rows = sections(page("operations.md"))["What tableside demo shows"].rows()
    explained = [re.sub(r"\d+", "1", code) for row in rows for code in re.findall(r"`([^`]+)`", row[0])]
    for output in shown.values():
        body, _, commands = output.partition("Look at what it left:")
        lines = [*body.splitlines(), *(line for line in commands.splitlines() if not line.startswith("  "))]
        begun = {re.sub(r"\d+", "1", " ".join(line.split()[:2])) for line in lines if line and not line.startswith(" ")}
        begun |= {line.split()[0] for line in lines if line.startswith(" ")}
        assert {one for one in begun if not any(row.startswith(one) for row in explained)} == set()
    kinds = re.findall(r'return \[f?"  ([A-Za-z?]+(?: [A-Z]+)?) ', inspect.getsource(live_narrative))
    assert {one for one in kinds if not any(row.startswith(one) for row in explained)} == set()
    assert {"due", "NOT CLOSED", "MISSING?", "counted"} <= set(kinds)


def test_the_same_seed_gives_the_same_bytes(shown: dict[Path, str]) -> None:
    one, other = shown
    for name in ACCOUNTS:
        assert (one / name).read_bytes() == (other / name).read_bytes()


HOUSES = ("hollywood-perryville", "borgata", "classic-shoe-and-pitch", "pitch-h17")


async def test_each_other_house_is_played_too(tmp_path: Path) -> None:
    flags = ("--rounds", "3", "--seed", "5", "--speed", "200", "--boxes", "2-3")
    outputs = await asyncio.gather(*(demo(tmp_path / name, *flags, "--profile", name) for name in HOUSES))
    for name, printed in zip(HOUSES, outputs, strict=True):
        truth, account = ((tmp_path / name / one).read_bytes() for one in ACCOUNTS)
        assert account == truth
        assert f", {name}" in printed


async def test_a_second_demo_takes_the_place_of_the_first(tmp_path: Path) -> None:
    for _ in range(2):
        assert "1 round, " in await demo(tmp_path, "--rounds", "1", "--seed", "5", "--speed", "200", "--boxes", "2")


async def test_what_no_demo_left_is_never_touched(tmp_path: Path) -> None:
    """A real table's journal and the only key that opens it."""
    kept = {name: f"a table's {name}" for name in ("journal.sqlite", "table.key", "table.toml", "chips.csv")}
    for name, content in kept.items():
        (tmp_path / name).write_text(content)
    status, output, errors = await ran("demo", "--rounds", "1", "--directory", str(tmp_path))
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert "has files that no demo left (chips.csv, journal.sqlite, table.key, ...)" in errors
    assert [(tmp_path / name).read_text() for name in kept] == list(kept.values())


async def test_a_demo_that_is_playing_is_left_alone(tmp_path: Path) -> None:
    with own(tmp_path):
        journal = tmp_path / "journal.sqlite"
        journal.write_text("the journal of the demo that plays here")
        status, output, errors = await ran("demo", "--rounds", "1", "--directory", str(tmp_path))
        assert (status, output, errors.count("\n")) == (2, "", 1)
        assert "another demo or simulation is playing here; end it, or give another folder with --directory" in errors
        assert journal.exists()


async def test_it_ends_by_itself_after_as_many_rounds_as_one_reads(tmp_path: Path) -> None:
    output = await demo(tmp_path / "new", "--seed", "5", "--speed", "200", "--boxes", "2")
    assert sum(line.startswith("5 rounds, ") for line in output.splitlines()) == 1


def test_an_event_that_a_broker_sends_again_is_shown_once() -> None:
    lines: list[str] = []
    heard = TableSubscriber(lines.append)
    for seq, event in ((1, BettingClosed(1, ())), (2, RoundClosed(1, (), 1, "settled"))):
        body = event_bytes(event, Identity("demo", "bj1", 1), seq, 0)
        heard.take(body)
        heard.take(body)
    assert sum("closed" in line for line in lines) == 1
    assert sum(line == "Round 1" for line in lines) == 1


async def test_its_journal_is_whole_and_replays(run: Path) -> None:
    journal = str(run / "journal.sqlite")
    commands = [("verify", journal), ("replay", journal), ("replay", journal, "--key", str(run / "table.key"))]
    for status, output, errors in await asyncio.gather(*(ran(*command) for command in commands)):
        assert (status, errors) == (0, "")
        assert "whole" in output or "4 rounds" in output


def offsets(journal: Path, query: str) -> tuple[int, int]:
    """Where a value of a journal lies in its file, and how long it is."""
    connection = sqlite3.connect(journal)
    try:
        (value,) = connection.execute(query).fetchone()
    finally:
        connection.close()
    at = journal.read_bytes().find(value)
    assert at > 0
    return at, len(value)


DAMAGE = {
    "a record's body": (
        "SELECT body FROM records WHERE length(body) < 1000 ORDER BY number LIMIT 1 OFFSET 40",
        "record",
    ),
    "an event's body": ("SELECT body FROM events WHERE seq = 60", "event"),
    "a record's hash": ("SELECT hash FROM records WHERE number = 50", "record 50"),
    "a checkpoint's digest": ("SELECT digest FROM checkpoints ORDER BY number LIMIT 1", "checkpoint"),
    "a checkpoint's beginning": ("SELECT substr(body, 1, 60) FROM checkpoints ORDER BY number LIMIT 1", "checkpoint"),
}


@pytest.mark.parametrize("what", DAMAGE)
async def test_one_flipped_bit_is_found_and_its_place_reported(run: Path, what: str) -> None:
    query, place = DAMAGE[what]
    journal = run / "journal.sqlite"
    at, length = offsets(journal, query)
    flipped(journal, at + length // 2)
    status, output, errors = await ran("verify", str(journal))
    assert (status, errors) == (1, "")
    assert len(output.splitlines()) == 1
    assert "damaged" in output
    assert place in output


async def test_a_flipped_bit_in_an_event_shows_in_the_replay(run: Path) -> None:
    journal = run / "journal.sqlite"
    at, length = offsets(journal, "SELECT body FROM events WHERE seq = 60")
    time_at = journal.read_bytes().find(b'"time":"', at, at + length) + len(b'"time":"')
    flipped(journal, time_at + 3)
    status, output, errors = await ran("replay", str(journal))
    assert (status, errors) == (1, "")
    assert ", event 60: recorded" in output


async def test_a_flipped_bit_in_an_events_form_does_not_pass_the_replay(run: Path) -> None:
    journal = run / "journal.sqlite"
    at, _ = offsets(journal, "SELECT body FROM events WHERE seq = 60")
    flipped(journal, at)
    for extra in ((), ("--key", str(run / "table.key"))):
        status, output, errors = await ran("replay", str(journal), *extra)
        assert status in {1, 2}
        assert "Traceback" not in output + errors
        assert len((output + errors).splitlines()) == 1


@pytest.mark.parametrize("query", [DAMAGE["a record's body"][0]])
async def test_a_flipped_bit_in_a_record_does_not_pass_the_replay(run: Path, query: str) -> None:
    journal = run / "journal.sqlite"
    at, length = offsets(journal, query)
    flipped(journal, at + length // 2)
    for extra in ((), ("--key", str(run / "table.key"))):
        status, output, errors = await ran("replay", str(journal), *extra)
        assert status in {1, 2}
        assert "Traceback" not in output + errors
        if extra and status == 2:
            assert errors.endswith(f"; run: tableside verify --key {run}/table.key {journal}\n")


async def test_another_tables_key_opens_nothing(run: Path, tmp_path: Path) -> None:
    key = tmp_path / "other.key"
    key.touch(0o600)
    key.write_text("5a" * 32 + "\n", encoding="ascii")
    status, output, errors = await ran("replay", str(run / "journal.sqlite"), "--key", str(key))
    assert (status, output) == (2, "")
    assert errors == f"tableside: {key}: {run}/journal.sqlite is sealed with another key; give that one: --key FILE\n"
    status, output, errors = await ran("verify", "--key", str(key), str(run / "journal.sqlite"))
    assert (status, output) == (2, "")
    assert errors.startswith(f"tableside: {key}: {run}/journal.sqlite: whole, but not sealed with this key; ")


@pytest.mark.parametrize("command", ["verify", "replay"])
async def test_what_is_no_journal_is_refused(tmp_path: Path, command: str) -> None:
    (tmp_path / "notes.txt").write_text("Bets open\n" * 1000, encoding="utf-8")
    for name in ("notes.txt", "nothing.sqlite"):
        status, output, errors = await ran(command, str(tmp_path / name))
        assert (status, output) == (2, "")
        assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("said", ["", "line down\n"])
async def test_a_daemon_that_is_slow_to_serve_is_told_with_what_was_waited_for(tmp_path: Path, said: str) -> None:
    log = tmp_path / "daemon.log"
    log.write_text(said)
    process = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE)
    try:
        async with Station(tmp_path / "ports", **devices()) as station:
            with pytest.raises(DemoFailed) as failed:
                await until_served(station, process, log, seconds=0.05)
    finally:
        process.terminate()
        await process.wait()
    see = f"see {log}" if said else f"{log} is empty, so it has hardly begun"
    waited = (
        "the daemon was waited for 0.05 s and has not served the keypad, spot 1 main, spot 1 insurance and 12 more: "
    )
    assert str(failed.value).startswith(f"{waited}{see}; if the machine is busy (load ")
    assert str(failed.value).endswith("), end what runs beside it and start the demo again")


async def test_a_daemon_that_ends_as_it_starts_is_not_waited_for(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec("false")
    async with Station(tmp_path / "ports", **devices()) as station, asyncio.timeout(PATIENCE_S):
        with pytest.raises(DemoFailed, match="ended with status 1 before it served its devices; see "):
            await until_served(station, process, tmp_path / "daemon.log")


async def test_ctrl_c_ends_an_endless_demo_with_its_accounts(tmp_path: Path) -> None:
    flags = ("--rounds", "0", "--seed", "5", "--speed", "200", "--directory", str(tmp_path))
    process = await asyncio.create_subprocess_exec(
        *program("demo", *flags), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            output = b""
            while b"Round 2" not in output:
                output += await process.stdout.readline()
            process.send_signal(signal.SIGINT)
            output += await process.stdout.read()
            assert await process.wait() == 0, output.decode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    truth, account = ((tmp_path / name).read_bytes() for name in ACCOUNTS)
    assert account == truth
    assert json.loads(truth)["rounds"][0]["wagers"]
    assert "settled as the simulated people reckon" in output.decode()
    assert "Traceback" not in output.decode()


async def test_ctrl_c_before_anything_was_played(tmp_path: Path) -> None:
    """The broker takes the call and says nothing: the demo is still waiting for it when it is interrupted."""
    called = asyncio.Event()
    hung_up = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.set()
        await reader.read()
        writer.close()
        hung_up.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    flags = ("--broker", f"127.0.0.1:{port}", "--directory", str(tmp_path))
    process = await asyncio.create_subprocess_exec(
        *program("demo", *flags), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            await called.wait()
            process.send_signal(signal.SIGINT)
            output = await process.stdout.read()
            assert await process.wait() == 130
            await hung_up.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        server.close()
        await server.wait_closed()
    assert output.decode() == "tableside: interrupted before any account was written\n"


async def test_with_a_broker_of_ones_own(tmp_path: Path, broker: Broker) -> None:
    ear = Ear()
    async with ear.listening(broker):
        await demo(
            tmp_path, "--rounds", "1", "--seed", "2", "--speed", "200", "--broker", f"{broker.host}:{broker.port}"
        )
        await ear.until(lambda: ear.outcomes() == ["settled"])
    assert {message.topic.split("/")[2:4][0] for message in ear.messages} == {"demo"}


async def test_with_the_built_in_broker(tmp_path: Path) -> None:
    lines: list[str] = []
    async with embedded() as broker:
        shown = await run_demo(DemoOptions(tmp_path, 1, 2, 200.0, (1, 3), True, broker), lines.append)
    assert shown.rounds == 1
    assert shown.comparison.wagers == shown.comparison.equal > 0
    assert "Round 1" in lines


@pytest.mark.parametrize(
    "flags",
    [
        ("--broker", "nowhere"),
        ("--broker", "127.0.0.1:1"),
        ("--boxes", "0"),
        ("--boxes", "5-2"),
        ("--seed", "x"),
        ("--boxes", "7", "--profile", "borgata"),
    ],
)
async def test_what_cannot_be_run_is_said_without_a_traceback(tmp_path: Path, flags: tuple[str, ...]) -> None:
    status, output, errors = await ran("demo", "--rounds", "1", "--directory", str(tmp_path), *flags)
    assert (status, output) == (2, "")
    assert "Traceback" not in errors
    assert errors.splitlines()[-1].split(": ", 1)[1], "it says why"


async def test_a_shoe_that_numbers_its_cards_plays_the_same_rounds(tmp_path: Path) -> None:
    output = await demo(tmp_path, "--rounds", "2", "--seed", "7", "--speed", "200", "--shoe", "reference")
    assert "settled as the simulated people reckon" in output
    assert (tmp_path / "account.json").read_bytes() == (tmp_path / "truth.json").read_bytes()


async def test_jackpots_are_hit_and_every_unit_of_their_meters_is_accounted_for(tmp_path: Path) -> None:
    flags = ("--rounds", "2", "--seed", "7", "--speed", "400", "--boxes", "1", "--jackpots")
    output = await demo(tmp_path, *flags)
    truth, account = ((tmp_path / name).read_bytes() for name in ACCOUNTS)
    assert account == truth
    assert "Blazing 7's: three diamonds" in output
    status, shown, _ = await ran("meters", str(tmp_path / "journal.sqlite"))
    assert status == 0
    assert "of sevens, round 2 spot" in shown
    assert shown.count("reconciled   to the unit") == 2
    assert "the sign shows what was counted: sevens $10,0" in output


async def test_the_sevens_of_a_pool_are_won_and_settled_as_truly_as_the_tables_own(tmp_path: Path) -> None:
    flags = ("--rounds", "3", "--seed", "7", "--speed", "400", "--boxes", "1", "--jackpots", "--link")
    output = await demo(tmp_path, *flags)
    truth, account = ((tmp_path / name).read_bytes() for name in ACCOUNTS)
    assert account == truth
    assert "the sign shows what was counted: sevens $10,0" in output
    status, shown, _ = await ran("meters", str(tmp_path / "journal.sqlite"))
    assert status == 0
    assert "of sevens, round 2 spot" in shown
    assert "pool pit-1  last at $10,0" in shown
    assert (await ran("link", "reconcile", str(tmp_path / "link.toml"), "--refold"))[0] == 0


def test_a_sign_that_shows_something_else_is_reported_and_is_a_failure() -> None:
    settled = Comparison(wagers=9, equal=9, open=0, different=())
    for shown, start in ((("10.00", "5.00"), "the sign shows what was counted"), (("CLOSED", "5.00"), "DIFFERENT")):
        found = DemoResult(1, settled, 0, SignRead(shown, ("10.00", "5.00")))
        assert [line[: len(start)] for line in jackpot_lines(found)] == [start]
        assert found.true() == (shown[0] != "CLOSED")


async def test_a_pool_needs_jackpots(tmp_path: Path) -> None:
    status, _, errors = await ran("demo", "--link", "--directory", str(tmp_path))
    assert (status, errors) == (2, "tableside: --link: goes with --jackpots\n")


async def test_jackpots_need_a_profile_that_has_them(tmp_path: Path) -> None:
    status, _, errors = await ran("demo", "--jackpots", "--profile", "borgata", "--directory", str(tmp_path))
    assert status == 2
    assert "--jackpots: of these profiles only hollywood-penn-national offers Blazing 7's" in errors


async def test_side_wagers_on_sensors_are_settled_like_those_in_chips(tmp_path: Path) -> None:
    flags = ("--rounds", "2", "--seed", "7", "--speed", "400", "--boxes", "1", "--sensors")
    output = await demo(tmp_path, *flags)
    truth, account = ((tmp_path / name).read_bytes() for name in ACCOUNTS)
    assert account == truth
    assert "Blazing 7's: three diamonds" in output
    alerts, meters = await asyncio.gather(
        *(ran(what, str(tmp_path / "journal.sqlite")) for what in ("alerts", "meters"))
    )
    assert alerts[1] == "0 of 0 alerts wait to be acknowledged\n"
    assert meters[1].count("reconciled   to the unit") == 2
