from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import structlog
from click.testing import CliRunner

from controller.commands import check, schemas, verify, watch
from controller.consumer.durable import ConsumerOutput
from controller.consumer.durable import follow as keep_events
from controller.consumer.watch import LISTED, SILENT
from controller.consumer.watch import watch as follow
from controller.core.messages.events import RoundClosed
from controller.formats.config.table_file import BrokerSection
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics, event_bytes
from controller.formats.mqtt.schemas import schema_files
from controller.io.files.key_file import KeyFileRefused, create_key, read_key
from controller.io.files.profile_files import names
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker, connected
from controller.io.system.log import configure_log
from controller.io.system.randomness import SystemEntropy
from firmware_protocols import discovery
from tests.journal_key import KEY

CODECS = discovery.codecs()
HERE = Identity(site="harbour", table="bj-1", epoch=3)
TOPICS = Topics(site="harbour", table="bj-1")


class Zeros:
    def take(self, count: int) -> bytes:
        return bytes(count)


# --- verify -----------------------------------------------------------------------------------------


def make_journal(path: Path) -> None:
    async def write() -> None:
        journal = await Journal.open(path, HERE, key=KEY)
        await journal.commit([JournalEntry(1, b"record one", ((1, b"event one"),))])
        await journal.close()

    asyncio.run(write())


def test_verify_tells_whole_damaged_and_missing_apart(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    make_journal(path)
    whole = CliRunner().invoke(verify.command, [str(path)])
    assert (whole.exit_code, "whole: harbour/bj-1/3, 1 record, 1 event" in whole.output) == (0, True)
    path.write_bytes(path.read_bytes().replace(b"record one", b"record won"))
    damaged = CliRunner().invoke(verify.command, [str(path)])
    assert damaged.exit_code == 1
    assert "damaged: record 1" in damaged.output
    assert damaged.output.count("\n") == 1
    path.write_bytes(path.read_bytes()[:5000])
    assert CliRunner().invoke(verify.command, [str(path)]).exit_code == 1
    missing = CliRunner().invoke(verify.command, [str(tmp_path / "none")])
    assert (missing.exit_code, missing.output.count("\n")) == (2, 1)


# --- check ------------------------------------------------------------------------------------------


def write_table(directory: Path, **changes: str) -> Path:
    values = {"profile": names()[0], "shoe": CODECS["shoe"][0], "options": "", **changes}
    (directory / "chips.csv").write_text("id,value_cents\nE004AA,500\n")
    path = directory / "table.toml"
    path.write_text(
        f"""\
[table]
site = "harbour"
name = "bj-1"
profile = "{values["profile"]}"
key_file = "table.key"
journal = "journal.sqlite"
chips = "chips.csv"
[broker]
host = "127.0.0.1"
[shoe]
protocol = "{values["shoe"]}"
port = "/dev/shoe"
[[bet_spots]]
protocol = "{CODECS["bet_spots"][0]}"
port = "/dev/spots"
spots = [1]
antennas = {{main = 1}}
[keypad]
protocol = "{CODECS["keypad"][0]}"
port = "/dev/keypad"
[options]
{values["options"]}
"""
    )
    return path


def test_check_reads_everything_a_table_file_points_to(tmp_path: Path) -> None:
    path = write_table(tmp_path)
    without_key = CliRunner().invoke(check.command, [str(path)])
    assert without_key.exit_code == 2
    key = tmp_path / "table.key"
    message = (
        f"{key}: the key cannot be read: No such file or directory; for a new table run: tableside keys table {key}"
    )
    assert without_key.output == f"{_at(path, 'key_file')}{message}\n"
    create_key(tmp_path / "table.key", SystemEntropy())
    fit = CliRunner().invoke(check.command, [str(path)])
    assert (fit.exit_code, "fit to run" in fit.output) == (0, True)
    (tmp_path / "chips.csv").rename(tmp_path / "elsewhere.csv")
    without_chips = CliRunner().invoke(check.command, [str(path)])
    message = f"{tmp_path / 'chips.csv'}: the chip registry cannot be read: No such file or directory\n"
    assert (without_chips.exit_code, without_chips.output) == (2, f"{_at(path, 'chips')}{message}")
    (tmp_path / "elsewhere.csv").rename(tmp_path / "chips.csv")
    wrong = write_table(tmp_path, profile="none", shoe="none", options='stand_kye = "always"')
    checked = CliRunner().invoke(check.command, [str(wrong)])
    assert checked.exit_code == 2
    assert checked.output.count("\n") == 3
    assert "[options] stand_kye: unknown key; did you mean stand_key?" in checked.output
    (tmp_path / "chips.csv").write_text("id,value_cents\nE004AA,5.00\n")
    assert "chips.csv:2: value_cents" in CliRunner().invoke(check.command, [str(write_chips(tmp_path))]).output


def _at(table: Path, key: str) -> str:
    """How a message about a key of ``[table]`` begins."""
    lines = table.read_text().splitlines()
    number = next(at for at, line in enumerate(lines, start=1) if line.startswith(f"{key} = "))
    return f"tableside: {table}:{number}: [table] {key}: "


def test_check_lists_all_of_them_at_once_with_file_line_and_key(tmp_path: Path) -> None:
    """Mistakes of five kinds in one file: none hides another."""
    create_key(tmp_path / "table.key", SystemEntropy())
    path = write_table(tmp_path, profile="hollywod", shoe="bee_tec", options='stand_kye = "always"')
    text = path.read_text().replace('port = "/dev/spots"', "port = 5").replace("[options]", "[optoins]\n[options]")
    text = text.replace('journal = "journal.sqlite"\n', "").replace("[keypad]", '[keypad]\nkeys = {A = "hitt"}')
    path.write_text(text)
    checked = CliRunner().invoke(check.command, [str(path)])
    lines = [line.removeprefix(f"tableside: {path}:") for line in checked.output.splitlines()]
    places = [(line.partition(":")[0], line.split(": ")[1]) for line in lines]
    assert checked.exit_code == 2
    assert len(places) == 7
    assert {place for _, place in places} == {
        "[table] journal",
        "[table] profile",
        "[shoe] protocol",
        "[[bet_spots]] port",
        "[keypad] keys.A",
        "[options] stand_kye",
        "[optoins]",
    }
    assert all(number.isdigit() for number, _ in places)
    assert any("did you mean bee_tek?" in line for line in lines)
    assert any("did you mean stand_key?" in line for line in lines)


def write_chips(directory: Path) -> Path:
    path = write_table(directory)
    (directory / "chips.csv").write_text("id,value_cents\nE004AA,5.00\n")
    return path


def test_check_of_no_file_is_one_line(tmp_path: Path) -> None:
    checked = CliRunner().invoke(check.command, [str(tmp_path / "none.toml")])
    assert (checked.exit_code, checked.output.count("\n")) == (2, 1)


def test_schemas_are_written(tmp_path: Path) -> None:
    ran = CliRunner().invoke(schemas.command, [str(tmp_path / "schemas")])
    assert ran.exit_code == 0
    assert {one.name for one in (tmp_path / "schemas").iterdir()} == {*schema_files(), "asyncapi.json"}


def test_examples_that_are_no_events_are_refused_by_line(tmp_path: Path) -> None:
    examples = tmp_path / "events.jsonl"
    examples.write_text('{"type": "tableside.key_read.v1"}\n[1]\n')
    ran = CliRunner().invoke(schemas.command, [str(tmp_path / "schemas"), "--examples", str(examples)])
    assert (ran.exit_code, ran.output.count("\n")) == (2, 1)
    assert "line 2: not an event" in ran.output


# --- keys -------------------------------------------------------------------------------------------


def test_a_key_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    assert create_key(path, Zeros()) == bytes(32) == read_key(path)
    with pytest.raises(KeyFileRefused, match="File exists"):
        create_key(path, Zeros())
    path.chmod(0o640)
    with pytest.raises(KeyFileRefused, match="chmod 600"):
        read_key(path)
    path.chmod(0o600)
    for content in (b"", b"00" * 31, b"x" * 64, b"\xff"):
        path.write_bytes(content)
        with pytest.raises(KeyFileRefused, match="64 hex digits"):
            read_key(path)
    with pytest.raises(KeyFileRefused, match="cannot be read"):
        read_key(tmp_path / "none")
    assert len(SystemEntropy().take(32)) == 32


# --- watch ------------------------------------------------------------------------------------------


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_watch_shows_events_and_complains() -> None:
    shown, complaints = list[str](), list[str]()
    both = asyncio.Event()

    def show(line: str) -> None:
        shown.append(line)
        both.set()

    def complain(text: str) -> None:
        complaints.append(text)
        both.set()

    async with mosquitto() as broker, connected(broker, "5", "table") as table:
        started = event_bytes(RoundClosed(round=1, dealer=(), legal_plays=1, outcome="settled"), HERE, 1, 0)
        await table.publish(TOPICS.status, b"up", retain=True)
        watching = asyncio.create_task(follow(broker, "tableside/v1/+/+/#", show, complain, as_json=False))
        await both.wait()
        both.clear()
        await table.publish(f"{TOPICS.root}/event/round_closed", started)
        await table.publish(f"{TOPICS.root}/event/round_closed", started.replace(b"settled", b"changed"))
        while not complaints:
            await both.wait()
            both.clear()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert [line.split()[-1] for line in shown] == ["up", "outcome=settled"]
    assert complaints == ["harbour/bj-1: event 1 came twice with different contents"]


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_watch_of_a_table_that_the_broker_does_not_know_says_what_it_waits_for() -> None:
    complaints = list[str]()
    complained = asyncio.Event()

    def complain(text: str) -> None:
        complaints.append(text)
        complained.set()

    async with mosquitto() as broker, connected(broker, "5", "table") as table:
        topic = "tableside/v1/harbour/bj-9/#"
        watching = asyncio.create_task(follow(broker, topic, print, complain, as_json=False, patience_s=0.05))
        async with asyncio.timeout(10):
            await complained.wait()
        (complaint,) = complaints
        assert complaint.startswith(
            f"{topic}: the broker retains nothing here: no such table has ever reached it, or this"
        )
        assert complaint.endswith(" (`tableside watch` without a table shows all that the broker has)")
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        # Who listens to every table is not sent to look at every table.
        complained.clear()
        all_of_them = follow(broker, "tableside/v1/+/+/#", print, complain, as_json=False, patience_s=0.05)
        watching = asyncio.create_task(all_of_them)
        async with asyncio.timeout(10):
            await complained.wait()
        assert complaints.pop().endswith("; waiting for a first message")
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        # What comes in time is no silence.
        await table.publish(TOPICS.status, b"up", retain=True)
        shown = asyncio.Event()
        known = f"{TOPICS.root}/#"
        heard = asyncio.create_task(
            follow(broker, known, lambda _: shown.set(), complain, as_json=False, patience_s=3.0)
        )
        async with asyncio.timeout(10):
            await shown.wait()
        heard.cancel()
        await asyncio.gather(heard, return_exceptions=True)
    assert len(complaints) == 1


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_a_durable_watch_of_a_table_that_the_broker_does_not_know_says_so(tmp_path: Path) -> None:
    complaints = list[str]()
    complained = asyncio.Event()

    def complain(text: str) -> None:
        complaints.append(text)
        complained.set()

    async with mosquitto() as broker:
        output = ConsumerOutput(print, complain, patience_seconds=0.05)
        keeping = asyncio.create_task(keep_events(broker, TOPICS, "tape", tmp_path / "events", output))
        async with asyncio.timeout(10):
            await complained.wait()
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
    assert complaints == [f"{TOPICS.root}: {SILENT}{LISTED}"]


def test_watch_without_a_broker_is_one_line() -> None:
    watched = CliRunner().invoke(watch.command, ["--broker", "127.0.0.1:1"])
    assert (watched.exit_code, watched.output.count("\n")) == (2, 1)
    assert "broker 127.0.0.1:1" in watched.output


# --- log --------------------------------------------------------------------------------------------


@pytest.fixture
def restored_log() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def test_the_log_is_json_and_never_names_a_face(restored_log: None) -> None:
    out = io.StringIO()
    configure_log("auto", stream=out)
    structlog.get_logger().info("card opened", card=7, face="Ah", nonce="00", device="shoe")
    structlog.get_logger().debug("not shown")
    logging.getLogger("elsewhere").warning("trouble %d", 5)
    logging.getLogger("elsewhere").info("chatter")
    first, second = (msgspec.json.decode(line) for line in out.getvalue().splitlines())
    assert (first["event"], first["card"], first["face"], first["nonce"]) == ("card opened", 7, "withheld", "withheld")
    assert (second["event"], second["level"]) == ("trouble 5", "warning")


def test_the_log_for_people_is_one_line_each(restored_log: None) -> None:
    out = io.StringIO()
    configure_log("console", level="debug", stream=out)
    structlog.get_logger().debug("line up", device="shoe")
    assert "line up" in out.getvalue()
    assert "device=shoe" in out.getvalue()


def test_a_password_file_that_cannot_be_read_is_named_with_the_key_that_names_it(tmp_path: Path) -> None:
    section = BrokerSection(host="b", username="table", password_file=str(tmp_path / "none"))
    with pytest.raises(OSError, match=r"\[broker\] password_file: .*none: the password cannot be read: No such file"):
        Broker.from_section(section)


def test_a_table_file_says_how_to_reach_the_broker(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("word\n")
    secret.chmod(0o600)
    section = BrokerSection(host="b", username="table", password_file=str(secret), protocol="5")
    broker = Broker.from_section(section)
    assert (broker.password, broker.protocols(), broker.tls()) == ("word", ("5",), None)
    assert Broker(host="b", port=1).protocols() == ("5", "3.1.1")
    with pytest.raises(OSError, match="No such file"):
        Broker(host="b", port=1, tls_ca_file=str(tmp_path / "none")).tls()
