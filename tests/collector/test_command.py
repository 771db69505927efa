"""``tableside collect`` as people run it: its file, its process, the files it writes."""

from __future__ import annotations

import asyncio
import csv
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from controller.cli import main
from controller.collector import extract
from controller.commands.collect import KINDS
from controller.formats.config.collect_file import read_collect_config
from controller.formats.text.toml_schema import ConfigError
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker
from tests.collector.conftest import Database
from tests.collector.recorded import Speaker, bodies, night
from tests.collector.test_service import is_acknowledged, once, speaking, tables, until
from tests.collector.test_store import exported, written
from tests.docs.pages import page, sections

ROOT = Path(__file__).parents[2]


def file_of(folder: Path, database: Database, broker: Broker | None = None) -> Path:
    port = 1883 if broker is None else broker.port
    path = folder / "harbour.toml"
    path.write_text(f'[collect]\npostgresql = "{database.collector}"\n\n[broker]\nhost = "127.0.0.1"\nport = {port}\n')
    return path


def does(*words: str) -> Result:
    return CliRunner().invoke(main, ["collect", *words])


def test_the_file_that_the_page_shows_can_be_read() -> None:
    (shown,) = sections(page("collect.md"))["Set it up"].blocks("toml collect")
    config = read_collect_config(shown, "harbour.toml", Path("/etc/tableside-collect"))
    assert config.collect.tables == ("harbour/+",)
    assert config.broker.tls_ca_file == "/etc/tableside-collect/ca.pem"
    assert config.broker.tls_key_file == "credential:broker.key"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[collect]\n[broker]\nhost = "b"\n', "harbour.toml:1: [collect] postgresql: missing, expected text"),
        ('[collect]\npostgresql = "d"\ntables = ["#"]\n[broker]\nhost = "b"\n', "harbour.toml:3: [collect] tables"),
        (
            '[collect]\npostgresql = "d"\n[broker]\nhost = "b"\nconsumers = ["x"]\n',
            "harbour.toml:5: [broker] consumers: a table waits for consumers; name this one in each table's file",
        ),
        ('[collect]\npostgresql = "d"\n[broker]\nhost = "b"\ntls_cert_file = "x"\n', "go together"),
    ],
)
def test_a_mistake_in_the_file_is_reported_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_collect_config(text, "harbour.toml", Path())
    assert complaint in str(refused.value)


def test_help_names_the_views_that_there_are() -> None:
    assert tuple(extract.KINDS) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_csv_and_parquet_of_every_view_agree(database: Database, tmp_path: Path, kind: str) -> None:
    written(database, bodies("books")).close()
    config = str(file_of(tmp_path, database))
    found = {}
    for form in ("csv", "parquet"):
        output = tmp_path / f"rows.{form}"
        done = does("export", config, "--rows", kind, "--format", form, "--output", str(output))
        assert done.exit_code == 0, done.output
        found[form] = output
    with found["csv"].open(newline="") as file:
        names, *rows = csv.reader(file)
    table = parquet.read_table(found["parquet"])
    assert table.column_names == names
    assert table.num_rows == len(rows)
    for name, column in zip(names, zip(*rows, strict=True), strict=False):
        if name.endswith("_cents"):
            assert table.schema.field(name).type == "int64"
            assert [("" if one is None else str(one)) for one in table[name].to_pylist()] == list(column)
    assert list(tmp_path.glob("*.part")) == []


def test_rows_of_a_day_and_of_a_table(database: Database, tmp_path: Path) -> None:
    written(database, bodies("books")).close()
    config, output = str(file_of(tmp_path, database)), tmp_path / "wagers.csv"
    words = ("export", config, "--rows", "wagers", "--output", str(output), "--table", "harbour/bj-1")
    counts = []
    for day in ("2026-11-20", "2026-11-21", "2026-11-22"):
        assert does(*words, "--since", day, "--until", day).exit_code == 0
        counts.append(len(output.read_text().splitlines()) - 1)
    assert counts[0] == 0
    assert sum(counts) == len(exported("books", "wagers"))
    assert does(*words[:-1], "harbour/bj-2").exit_code == 0
    assert len(output.read_text().splitlines()) == 1


def test_hold_is_what_the_account_of_the_day_says(database: Database, tmp_path: Path) -> None:
    written(database, bodies("books")).close()
    wagers = [one for one in exported("books", "wagers") if one["state"] == "settled"]
    ((handle, win),) = database.rows("SELECT sum(handle_cents), sum(win_cents) FROM tableside.hold")
    assert handle == sum(int(str(one["handle_cents"])) for one in wagers)
    assert win == -sum(int(str(one["net_cents"])) for one in wagers)
    counted = [json.loads(line)["data"] for line in night("books")["events"] if "inventory_entered" in line]
    ((drop,),) = database.rows("SELECT sum(drop_cents) FROM tableside.hold")
    assert drop == (sum(one["cents"] for one in counted if one["kind"] == "drop") or None)


def test_what_is_held_of_each_table(database: Database, tmp_path: Path) -> None:
    written(database, bodies("night-1")).close()
    config = str(file_of(tmp_path, database))
    (line,) = does("status", config).output.splitlines()
    assert line.startswith("harbour/bj-1 epoch 1795259812: 191 events to 2026-11-21T11:17:21.504000Z, ")
    found = json.loads(does("status", config, "--json").output)
    assert set(found) == {"tables", "complaints"}


def test_a_database_that_cannot_be_used_is_one_line(database: Database, tmp_path: Path) -> None:
    """One that is away is waited for by ``run``; one without a store is refused."""
    file = tmp_path / "harbour.toml"
    for words, where, status in (
        ("status", "host=/nonexistent", 70),
        ("run", database.server.where.replace("dbname=postgres", "dbname=template1"), 2),
    ):
        file.write_text(f'[collect]\npostgresql = "{where}"\n[broker]\nhost = "127.0.0.1"\n')
        done = does(words, str(file))
        assert (done.exit_code, done.output.count("\n")) == (status, 1), done.output


def is_further(speaker: Speaker, sent: dict[str, int]) -> bool:
    """Whether more has been acknowledged of each table than had been sent."""
    return all(speaker.acks.get(root, (0, 0))[1] > seq for root, seq in sent.items())


async def started(config: Path) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "collect", "run", str(config), cwd=ROOT, stdout=PIPE, stderr=PIPE
    )


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_the_process_killed_again_and_again_and_stopped(database: Database, tmp_path: Path) -> None:
    of = tables(4)
    async with mosquitto() as broker, speaking(broker, of) as speaker:
        config = file_of(tmp_path, database, broker)
        for _ in range(2):
            process = await started(config)
            sent = {one.topics.root: one.sent for one in of}
            await speaker.send(30)
            await until(partial(is_further, speaker, sent))
            await speaker.send(5)
            process.kill()
            await process.communicate()
        process = await started(config)
        await until(lambda: is_acknowledged(speaker, of))
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            await process.communicate()
        assert process.returncode == 0
    once(database, of)
