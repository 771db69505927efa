"""``tableside report`` and the rows of ``tableside export``, on a journal as the daemon writes it."""

from __future__ import annotations

import asyncio
import csv
import io
import random
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.commands import export, report
from controller.core.messages.inputs import Input
from controller.core.table.state import StepResult
from controller.formats.journal.records import Identity, seal
from controller.formats.replay import payloads
from controller.io.files import profile_files
from controller.io.files.known_edges import known
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.reports.revenue_rows import takings
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.rig import Rig
from tests.docs.pages import page

PENN = "hollywood-penn-national"
HERE = Identity("harbour", "bj-1", 7)
KEY = bytes(32)
SECOND_NS = 1_000_000_000


class Journaled(Rig):
    """A rig that keeps what a daemon would commit; each input comes a second after the one before."""

    entries: list[JournalEntry]

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        if not self.stamped:
            self.entries = []
        seq = self.table.state.seq
        stepped = super().give(item, closed=closed)
        stamped = msgspec.structs.replace(self.stamped[-1], wall_ns=self.number * SECOND_NS)
        bodies = payloads(stepped.events, HERE, seq, stamped.wall_ns)
        self.entries.append(
            JournalEntry(stamped.number, seal(stamped, KEY, HERE), tuple(enumerate(bodies, start=seq + 1)))
        )
        return stepped


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "journal.sqlite"
    rack = Rack()
    values = dict(line.split(",") for line in rack.registry_csv().splitlines()[1:])
    rig = Journaled(profile_files.load(PENN).rules, {chip: int(value) for chip, value in values.items()})
    rig.perform(play(house_from(profile_files.raw(PENN)), random.Random(3), rack, (2, 3), rounds=6))
    rig.key("round_closed")

    async def write() -> None:
        opened = await Journal.open(path, HERE, key=KEY)
        await opened.commit(rig.entries)
        await opened.close()

    asyncio.run(write())
    return path


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(report.command, [str(one) for one in arguments])


def test_the_account_needs_no_key(journal: Path) -> None:
    printed = ran(journal)
    assert printed.exit_code == 0
    assert printed.output.startswith("harbour/bj-1, epoch 7\n")
    assert "\n6 rounds, " in printed.output
    assert "\nmain " in printed.output


def test_the_same_account_as_json(journal: Path) -> None:
    account = msgspec.json.decode(ran(journal, "--json").stdout)
    assert (account["rounds"], account["open_wagers"]) == (6, 0)
    assert account["bets"][0]["low_cents"] <= account["bets"][0]["expected_cents"]


def test_the_main_wager_is_expected_to_win_what_is_computed_for_its_rules(journal: Path) -> None:
    line = msgspec.json.decode(ran(journal, "--json").stdout)["bets"][0]
    edge = known(profile_files.load(PENN).rules)
    assert edge is not None
    rows = [msgspec.json.decode(row) for row in exported(journal, "--rows", "wagers").stdout_bytes.splitlines()]
    wagered = sum(row["wager_cents"] for row in rows if row["bet"] == "main")
    assert line["expected_cents"] == round(edge.edge * wagered) > 0
    assert ran(journal).stderr == ""


def test_a_part_of_the_time_is_a_part_of_the_account(journal: Path) -> None:
    whole = msgspec.json.decode(ran(journal, "--json").stdout)
    half = whole["course"][2]["time"]
    parts = [
        msgspec.json.decode(ran(journal, "--json", *which).stdout) for which in (("--until", half), ("--since", half))
    ]
    assert sum(part["rounds"] for part in parts) == whole["rounds"]
    assert all(part["rounds"] for part in parts)


def test_the_page_holds_its_plots_and_fetches_nothing(journal: Path, tmp_path: Path) -> None:
    page = tmp_path / "shift.html"
    assert ran(journal, "--html", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    assert "house win, bets with an expected win" in text
    assert not [word for word in ("<script", "<link", "<img", "url(http") if word in text]
    again = tmp_path / "again.html"
    ran(journal, "--html", again)
    written = re.compile("Written [-0-9]+ [:0-9]+ UTC")
    assert written.sub("", again.read_text(encoding="utf-8")) == written.sub("", text)


def test_what_cannot_be_reported_is_one_line(journal: Path, tmp_path: Path) -> None:
    missing = ran(tmp_path / "none.sqlite")
    never = ran(journal, "--since", "2100")
    nowhere = ran(journal, "--html", tmp_path / "no" / "page.html")
    assert [(one.exit_code, one.output.count("\n")) for one in (missing, never, nowhere)] == [(2, 1)] * 3
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(journal.read_bytes()[:6000])
    assert (ran(damaged).exit_code, ran(damaged).output.count("\n")) == (1, 1)


# --- rows ---------------------------------------------------------------------------------------------


def exported(journal: Path, *arguments: object) -> Result:
    return CliRunner().invoke(export.command, [*(str(one) for one in arguments), str(journal)])


@pytest.mark.parametrize("kind", export.KINDS)
def test_every_kind_of_row_comes_as_json_lines_and_as_csv(journal: Path, kind: str) -> None:
    lines = exported(journal, "--rows", kind)
    table = exported(journal, "--rows", kind, "--format", "csv")
    assert (lines.exit_code, table.exit_code) == (0, 0)
    rows = [msgspec.json.decode(line) for line in lines.stdout_bytes.splitlines()]
    head, *rest = csv.reader(io.StringIO(table.stdout))
    assert head == list(export.rows_of(kind, takings(()))[0].__struct_fields__)
    assert len(rest) == len(rows)
    assert all(list(one) == head for one in rows)


def test_the_columns_are_those_the_page_lists() -> None:
    documented = page("accounting.md")
    for kind in export.KINDS:
        row, _ = export.rows_of(kind, takings(()))
        (line_of,) = (line for line in documented.splitlines() if line.startswith(f"| `{kind}` |"))
        assert re.findall(r"`(\w+)`", line_of)[1:] == list(row.__struct_fields__), kind


def test_the_rows_add_up(journal: Path) -> None:
    by_kind = {
        kind: [msgspec.json.decode(line) for line in exported(journal, "--rows", kind).stdout_bytes.splitlines()]
        for kind in ("rounds", "wagers", "sums")
    }
    wins = {kind: sum(row["win_cents"] for row in by_kind[kind]) for kind in ("rounds", "sums")}
    assert wins["rounds"] == wins["sums"] == -sum(row["net_cents"] for row in by_kind["wagers"])


def test_one_thing_is_exported_at_a_time(journal: Path) -> None:
    for wrong in ([], ["--events", "--rows", "wagers"]):
        refused = exported(journal, *wrong)
        assert refused.exit_code == 2
        assert "expected either --events, --rows or --proof" in refused.output
