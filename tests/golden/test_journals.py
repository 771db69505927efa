"""Journals of earlier versions are read as they were: whole, stepped again, gone on with, exported byte for byte."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.daemon.recovery import recover
from controller.daemon.replay import replay
from tests.core.journals import KEY
from tests.golden.nights import FOLDER, kept, unpacked

NAMES: Final = sorted(path.name.removesuffix(".sqlite.gz") for path in FOLDER.glob("*.sqlite.gz"))


def beside(name: str) -> Any:
    return json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))


def kinds(names: list[str]) -> set[str]:
    return {json.loads(line)["type"].split(".")[1] for name in names for line in beside(name)["events"]}


def test_they_hold_every_kind_of_night() -> None:
    profiles = {json.loads(beside(name)["events"][0])["data"]["profile"] for name in NAMES}
    assert len(profiles) == 5
    wanted = {"card_set", "round_voided", "wager_adjusted", "ruling_proposed", "inventory_entered", "round_irregular"}
    wanted |= {"jackpot_hit", "meter_reset", "contribution_made", "contribution_posted", "pool_entry_recorded"}
    wanted |= {
        "mystery_committed",
        "mystery_revealed",
        "jackpot_paid",
        "jackpot_refused",
        "spot_reader_lost",
        "question_asked",
        "question_answered",
        "card_burned",
    }
    assert wanted - kinds(NAMES) == set()


@pytest.mark.parametrize("name", NAMES)
def test_it_is_whole_and_says_what_it_said(name: str, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path)
    ran = CliRunner().invoke(main, ["verify", str(path)])
    assert ran.exit_code == 0, ran.output
    now, then = json.loads(kept(path)), beside(name)
    printed_rows, rows = now.pop("rows"), then.pop("rows")
    assert now == then
    for kind, lines in rows.items():
        # A later version may print more of a row.
        printed, known = ([json.loads(line) for line in given] for given in (printed_rows[kind], lines))
        assert [{field: row[field] for field in known[0]} for row in printed] == known, kind


@pytest.mark.parametrize("name", NAMES)
def test_stepped_again_it_gives_the_same(name: str, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path)
    assert replay(path, KEY).difference is None
    found = recover(path, KEY)
    assert (found.hold, found.table is None) == ("", False)
