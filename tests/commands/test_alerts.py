"""``tableside alerts``: what waits, on what evidence, and who has seen the rest."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.core.messages.inputs import AcknowledgeAlert
from controller.core.messages.raised_alerts import LISTED_LIMIT
from controller.formats.mqtt.retained_alerts import AlertsNow, alerts_bytes
from firmware_protocols.readings import ChipsSeen
from tests.core.journals import journal_of
from tests.core.rig import MS, Rig, penn


def capped() -> Rig:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh")
    rig.chips(1, "main", 5000)
    rig.leave_lying()
    rig.chips(1, "main", 2500)
    return rig


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["alerts", *words])
    return done.exit_code, done.output


def test_what_waits_is_listed_with_its_evidence(tmp_path: Path) -> None:
    rig = capped()
    status, text = run(str(journal_of(rig, tmp_path / "journal.sqlite")))
    assert status == 1
    assert "critical  capping round 1" in text
    assert "spot 1 main: 25.00 became 50.00 after the lock" in text
    assert "chips before: E004000009C40100; after: E004000009C40100 E004000009C40101" in text
    assert "2 of 2 alerts wait to be acknowledged" in text


def test_what_somebody_has_seen_is_listed_only_if_asked_for(tmp_path: Path) -> None:
    rig = capped()
    for alert in (1, 2):
        rig.give(AcknowledgeAlert(rig.now_ns, alert, "M. Okafor", "put back"))
    path = str(journal_of(rig, tmp_path / "journal.sqlite"))
    assert run(path) == (0, "0 of 2 alerts wait to be acknowledged\n")
    status, text = run(path, "--all")
    assert status == 0
    assert "by M. Okafor: put back" in text


def test_the_same_as_json(tmp_path: Path) -> None:
    rig = capped()
    rig.give(AcknowledgeAlert(rig.now_ns, 2, "M. Okafor", ""))
    status, text = run(str(journal_of(rig, tmp_path / "journal.sqlite")), "--json", "--all")
    first, second = json.loads(text)
    assert status == 1
    assert (first["event"]["kind"], first["event"]["before_cents"], first["who"]) == ("capping", 2500, "")
    assert (second["event"]["kind"], second["who"]) == ("bet_touched", "M. Okafor")


def test_a_file_that_is_no_journal_is_refused_in_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["alerts", str(tmp_path / "none.sqlite")])
    assert done.exit_code == 2
    assert done.stderr.startswith("tableside: ")
    assert done.stderr.count("\n") == 1


def test_the_retained_list_is_the_table_s(tmp_path: Path) -> None:
    rig = capped()
    now = msgspec.json.decode(alerts_bytes(rig.table.state), type=AlertsNow)
    assert [(one.alert, one.kind, one.severity, one.spot) for one in now.unacknowledged] == [
        (1, "capping", "critical", 1),
        (2, "bet_touched", "warning", 1),
    ]
    assert (now.seq, now.raised) == (rig.table.state.seq, 2)


@pytest.mark.parametrize("acknowledged", [False, True])
def test_who_acknowledges_a_full_list_acknowledges_what_it_left_out(tmp_path: Path, acknowledged: bool) -> None:
    rig = Rig(penn(), {})
    for serial in range(LISTED_LIMIT + 5):
        rig.give(ChipsSeen(1, "main", (f"E00401{serial:010X}",), rig.now_ns, rig.now_ns + MS))
    if acknowledged:
        rig.give(AcknowledgeAlert(rig.now_ns, LISTED_LIMIT, "M. Okafor", "nobody was here"))
    _, text = run(str(journal_of(rig, tmp_path / "journal.sqlite")))
    waiting = LISTED_LIMIT - 1 if acknowledged else LISTED_LIMIT + 6
    assert f"{waiting} of {LISTED_LIMIT + 6} alerts wait" in text
    assert len(rig.table.state.alerts.listed) == (LISTED_LIMIT - 1 if acknowledged else LISTED_LIMIT)
