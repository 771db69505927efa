"""``tableside report``: which time it covers, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.core.messages.floor_events import Count
from controller.core.messages.inputs import AdjustWager, EnterInventory
from controller.io.displays.shift_page import bars_size
from tests.commands import auditing
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["report", *words])


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")
    rig.give(EnterInventory(rig.now_ns, Count.FILL, 50_000, (), "4711", "M. Okafor", "rack low"))
    return journal_of(rig, tmp_path_factory.mktemp("report") / "journal.sqlite")


def test_the_whole_journal_is_reported(journal: Path) -> None:
    done = run(str(journal))
    assert done.exit_code == 0, done.output
    assert "main                           1        $25.00       -$25.00   -100.00 %" in done.output
    assert "fills                                $500.00   slip 4711" in done.output
    # Five seconds of play are no pace.
    assert "1 round" in done.output.splitlines()
    report = json.loads(run(str(journal), "--json").output)
    assert (report["rounds"], report["open_wagers"], report["inventory"]["fill_cents"]) == (1, 0, 50_000)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--since", "last night"], "'last night': expected a time such as"),
        (["--since", "22.11.2026"], "expected a time such as"),
        (["--until", "2026-11-22T25:99"], "expected a time such as"),
        (["--day", "tomorrow"], "expected a day such as"),
        (["--shift", "swing"], "--shift: expected --day with it"),
        (["--day", "today", "--shift", "swing"], "no shift of this house: its table file names none"),
        (["--day", "today", "--since", "18:00"], "expected either --day or --since and --until"),
        (["--since", "2026-01-02", "--until", "2026-01-01"], "expected a time after --since"),
        (["--since", "1999-01-01", "--until", "1999-01-02"], "no event from 1999-01-01T00:00Z to 1999-01-02T00:00Z"),
    ],
)
def test_what_is_no_time_is_refused_in_one_line(journal: Path, words: list[str], message: str) -> None:
    done = run(str(journal), *words)
    assert done.exit_code == 2
    assert message in done.output
    assert len(done.output.splitlines()) == 1


def test_a_page_has_the_same_figures_and_lines_to_sign(journal: Path, tmp_path: Path) -> None:
    page = tmp_path / "shift.html"
    assert run(str(journal), "--html", str(page)).exit_code == 0
    text = page.read_text()
    assert '<td>fills</td><td class="wraps">$500.00</td><td class="text">slip 4711</td>' in text
    assert re.search(r"<p>Written [-0-9]+ [:0-9]+ UTC by Tableside [.0-9]+; the table ran version test\.</p>", text)
    assert 'UTC</td><td class="text">fill</td><td>$500.00</td>' in text
    assert "<tr><td>Accounting</td><td></td><td></td><td></td></tr>" in text


def test_a_page_breaks_neither_an_arrow_nor_a_time_nor_the_lines_to_sign(tmp_path: Path) -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25 \n Th 7d Qs Td \n key stand hole_turned round_closed")
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "ruled"))
    page = tmp_path / "shift.html"
    assert run(str(journal_of(rig, tmp_path / "journal.sqlite")), "--html", str(page)).exit_code == 0
    text = page.read_text()
    assert "round 1 spot 1 main: $25.00 -\N{WORD JOINER}&gt; $5.00" in text
    assert re.search(r'<p><span class="time">[^<]+ UTC to [^<]+ UTC</span>, epoch', text)
    assert ".signatures { break-inside: avoid; }" in text
    assert text.count('<section class="signatures">\n<h2>Signed</h2>') == 1


def test_bars_are_no_thicker_for_one_hour_and_all_legible_for_a_day() -> None:
    heights = {count: bars_size(count)[1] for count in (1, 8, 24, 200)}
    assert heights[1] < 1.2
    assert (heights[8] - heights[1]) / 7 == pytest.approx((heights[24] - heights[8]) / 16)
    assert heights[200] <= 9


@pytest.mark.parametrize(
    ("seed", "rounds", "accounts", "pages"),
    [(8, 18, auditing.ACCOUNTS, auditing.SIGNED[1:]), (10, 18, auditing.ACCOUNTS, ()), (21, 6, (), ())],
)
def test_a_second_account_from_the_exported_events_alone_comes_to_every_figure(
    seed: int, rounds: int, accounts: tuple[auditing.Asked, ...], pages: tuple[auditing.Asked, ...], tmp_path: Path
) -> None:
    found = auditing.compared(journal_of(auditing.days(rounds, seed), tmp_path / "journal.sqlite"), accounts, pages)
    assert not found.differ
    assert found.figures > 1_000
