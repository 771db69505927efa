"""``tableside rounds``, ``round`` and ``status``: a journal in words and figures, beside its daemon or after it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from controller.cli import main
from controller.core.messages.alerts import AssistanceRequested, RoundIrregular
from controller.core.messages.events import (
    DealUnconfirmed,
    Event,
    KeyRead,
    RoundClosed,
    RoundPending,
    RoundStarted,
    WagerUnresolved,
)
from controller.core.messages.floor_events import RoundResumed
from controller.core.messages.inputs import AcknowledgeAlert, DaemonStarted, SetCard
from controller.core.messages.meter_events import ContributionMade, ContributionRefused, JackpotHit
from controller.io.journal.lock import take_lock
from controller.reports.round_narrative import JournalEvent, sentence, story
from firmware_protocols.cards import Card
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.houses import simulated
from tests.core.journals import journal_of
from tests.core.rig import MS, Rig, penn


def test_an_event_without_more_to_say_is_printed_by_its_name_alone() -> None:
    assert sentence(AssistanceRequested(3), {}) == "assistance requested"


def test_what_a_meter_does_is_said_in_cents_and_not_in_its_units() -> None:
    raised = ContributionMade("sevens", 3, 6, "blazing7s", 500, 850_000, 150_000, 0, 10_003_400_000, 1_000_340)
    assert sentence(raised, {}) == "spot 6 blazing7s: 5.00 staked, meter sevens shows 10003.40"
    refused = ContributionRefused("sevens", 3, 6, "blazing7s", 500, "more than a hundred times the wager")
    assert sentence(refused, {}).endswith(
        "5.00 staked, not counted for meter sevens: more than a hundred times the wager"
    )
    won = JackpotHit(2, "mystery", 3, 6, "bonus", "must_hit_by_mystery", 51_000, 51_000, "first", 15, 0, 25_000)
    assert sentence(won, {}) == "spot 6 bonus: must hit by mystery wins 510.00 of meter mystery, jackpot 2"


def test_a_round_that_waits_for_an_answer_has_left_the_felt() -> None:
    started, locked, closed = RoundStarted(1, 1, (2,)), KeyRead("A", "no_more_bets"), RoundClosed(1, (), 0, "open")
    events: tuple[Event, ...] = (started, RoundPending(1, 1), locked, closed)
    lines = story((JournalEvent(seq, seq, "", event) for seq, event in enumerate(events, 1)), 1)
    assert [line.event for line in lines] == ["round_started", "round_pending", "round_closed"]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    rig = Rig(penn(stand_key="always"))
    rig.key("burn")
    rig.card("2c")
    rig.talk("1 main 25\nkey no_more_bets\nTh")
    rig.chips(1, "main", 5000)
    rig.leave_lying()
    rig.chips(1, "main", 2500)
    rig.give(AcknowledgeAlert(rig.now_ns, 1, "J. Weber", "put back"))
    rig.talk("7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")
    rig.talk("2 main 10\nkey no_more_bets\n9h 8d 7s Kd")
    return journal_of(rig, tmp_path / "journal.sqlite")


def test_rounds_are_listed_with_what_they_came_to(journal: Path) -> None:
    done = run("rounds", str(journal))
    assert done.exit_code == 0
    head, first, second = done.output.splitlines()
    assert head.split()[:4] == ["round", "locked", "outcome", "boxes"]
    assert first.split()[0] == "1"
    assert first.split()[3:] == ["settled", "1", "25.00", "+25.00", "1", "0", "0", "0", "2"]
    # The wager is open, of a round that is not closed.
    assert second.split()[3:] == ["not", "closed", "1", "10.00", "0.00", "0", "1", "0", "0", "0"]
    assert len(run("rounds", str(journal), "--last", "1").output.splitlines()) == 2


def test_rounds_as_json(journal: Path) -> None:
    first, second = json.loads(run("rounds", str(journal), "--json").output)
    assert second["outcome"] == "open"
    assert (first["round"], first["staked_cents"], first["net_cents"], first["alerts"]) == (1, 2500, 2500, 2)


def test_a_round_is_printed_with_the_evidence_of_each_conclusion(journal: Path) -> None:
    done = run("round", str(journal), "1")
    assert done.exit_code == 0
    text = done.output
    assert "bets locked: spot 1 main 25.00" in text
    assert "alert 1, critical capping: spot 1 main: 25.00 became 50.00 after the lock" in text
    assert "J. Weber acknowledged alert 1 (put back)" in text
    assert "spot 1 hand 1: Th Qs, stands at 20, 25.00 at stake" in text
    # The next round's chips and keys are not lines of this one.
    assert text.splitlines()[-1].split("  ")[1].startswith("closed: settled, 1 legal play")
    assert "spot 1 main: 50.00 became 0.00" in text
    assert "the dealer pressed round closed" in text
    assert "spot 1 main: 25.00, due +25.00: 20 beats 17 [evidence]" in text
    settled = next(line for line in text.splitlines() if "due +" in line)
    readings = settled.partition("readings ")[2].rstrip("]").split()
    lines = json.loads(run("round", str(journal), "1", "--json").output)
    by_event = {line["event"]: line for line in lines}
    assert [str(one) for one in by_event["wager_settled"]["readings"]] == readings
    drawn = [line["readings"][0] for line in lines if line["event"] == "card_drawn"]
    assert set(drawn) <= {int(one) for one in readings}
    assert by_event["hand_completed"]["readings"] == [drawn[0], drawn[2]]
    assert "of 10.00" not in text


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (DealUnconfirmed(1, "a card was struck"), "the hole card was not confirmed by the deal: a card was struck"),
        (RoundIrregular(1, "no legal play"), "the round is irregular: no legal play"),
        (
            RoundIrregular(1, "no legal play", "a card was missed after card 7"),
            "the round is irregular: no legal play; probable cause: a card was missed after card 7",
        ),
        (WagerUnresolved(1, 3, "main", 2500, (-2500, 2500)), "spot 3 main: 25.00 is open: -25.00 or +25.00"),
        (WagerUnresolved(1, 3, "main", 2500, ()), "spot 3 main: 25.00 is open: the floor rules on it"),
    ],
)
def test_what_the_evidence_leaves_open_is_printed_in_words(event: Event, message: str) -> None:
    assert sentence(event, {}) == message


def test_a_hand_is_printed_with_the_card_that_the_floor_named(tmp_path: Path) -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 9s 7d Td\nkey stand hole_turned")
    assert rig.table.state.round is not None
    rig.give(SetCard(rig.now_ns, rig.table.state.round.cards.drawn[2].number, Card("8d"), "M. Okafor", "seen on video"))
    text = run("round", str(journal_of(rig, tmp_path / "named.sqlite")), "1").output
    assert "spot 1 hand 1: Th 7d, stands at 17" in text
    assert "spot 1 hand 1: Th 8d, stands at 18" in text


def test_a_card_that_is_not_open_has_no_face_in_the_story(journal: Path) -> None:
    text = run("round", str(journal), "2").output
    assert text.count("a closed card") == 2
    assert "Kd" not in text


def test_a_round_that_is_not_there_is_said_in_one_line(journal: Path) -> None:
    done = run("round", str(journal), "9")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert run("round", str(journal.parent / "none"), "1").exit_code == 2


def test_the_standing_of_a_table(journal: Path) -> None:
    done = run("status", str(journal))
    assert done.exit_code == 1
    assert "round       2, being played" in done.output
    assert "alerts      1 waits to be acknowledged" in done.output
    assert "shoe        1: 9 of 416 cards drawn, 1 burned" in done.output
    assert "running count" not in done.output
    assert done.output.endswith(
        "faults      none\ndaemon      is not running: this is how the table stood at the last event\n"
    )
    now = json.loads(run("status", str(journal), "--json").output)
    assert (now["round"], now["alerts_waiting"], now["drawn"], now["remaining"]) == (2, 1, 9, {})
    assert now["pace"]["rounds"] == 1
    assert now["running"] is False
    assert now["pace"]["alerts"] == {"bet_touched": 1, "capping": 1}


def round_line(rig: Rig, path: Path) -> str:
    """What the standing of the rig's table says of its round; a program is told the same."""
    journal = str(journal_of(rig, path))
    (line,) = (one for one in run("status", journal).output.splitlines() if one.startswith("round "))
    why = json.loads(run("status", journal, "--json").output)["irregular"]
    assert f"irregular ({why})" in line if why else "irregular" not in line
    return line


def test_the_standing_of_a_table_says_why_its_round_is_irregular(tmp_path: Path) -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 9s 7d Td\nkey stand hole_turned\n5c 9c")
    (irregular,) = rig.events_of(RoundIrregular)
    line = f"round       1, being played, irregular ({irregular.reason}): the floor rules on it"
    assert round_line(rig, tmp_path / "played.sqlite") == line
    rig.talk("key round_closed")
    line = f"round       1 is closed, irregular ({irregular.reason}); bets are open for the next"
    assert round_line(rig, tmp_path / "closed.sqlite") == line
    rig.talk("2 main 10\nkey no_more_bets")
    assert round_line(rig, tmp_path / "next.sqlite") == "round       2, being played"


def test_a_round_that_the_floor_has_set_right_is_no_longer_irregular(tmp_path: Path) -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 9s 7d Td\nkey stand hole_turned\n5c 9c")
    for place in (5, 4):
        assert rig.table.state.round is not None
        card = rig.table.state.round.cards.drawn[place].number
        rig.give(SetCard(rig.now_ns, card, None, "M. Okafor", "left the shoe after the round"))
    assert len(rig.events_of(RoundResumed)) == 1
    assert round_line(rig, tmp_path / "resumed.sqlite") == "round       1, being played"


def test_a_program_learns_whether_the_daemon_runs(journal: Path) -> None:
    held = take_lock(journal, create=False)
    try:
        done = run("status", str(journal))
        assert "is not running" not in done.output
        assert json.loads(run("status", str(journal), "--json").output)["running"] is True
    finally:
        os.close(held)


def test_what_remains_in_the_shoe_is_shown_only_if_asked_for(journal: Path) -> None:
    text = run("status", str(journal), "--shoe").output
    assert "running count" in text
    assert "Th:7" in text
    assert json.loads(run("status", str(journal), "--shoe", "--json").output)["remaining"]["2h"] == 8


def test_a_table_at_which_nothing_waits(tmp_path: Path) -> None:
    rig, rounds = simulated("hollywood-penn-national", 4, 12, "always")
    assert len(rounds) == 12
    done = run("status", str(journal_of(rig, tmp_path / "journal.sqlite")), "--json")
    pace = json.loads(done.output)["pace"]
    assert done.exit_code == 0
    text = run("status", str(tmp_path / "journal.sqlite")).output
    assert "round       12 is closed; bets are open for the next\n" in text
    assert (pace["rounds"], pace["irregular"], pace["alerts"], pace["devices"]) == (12, 0, {}, [])
    assert set(pace["phase_ms"]) == {"betting", "dealing", "playing", "dealer_and_payment"}
    assert all(ms > 0 for ms in pace["phase_ms"].values())
    assert pace["rounds_per_hour"] == round(12 * 3600 / (pace["seconds"] or 1)) or pace["rounds_per_hour"] > 0


def test_a_device_that_is_lost_waits_for_somebody(tmp_path: Path) -> None:
    rig = Rig(penn())
    rig.give(DeviceHealth("keypad", HealthState.LOST, rig.now_ns))
    rig.now_ns += 5_000 * MS
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    rig.now_ns += 2_000 * MS
    rig.give(DeviceHealth("bet_spots/1", HealthState.READY, rig.now_ns))
    path = journal_of(rig, tmp_path / "journal.sqlite")
    faults = [line for line in run("status", str(path)).output.splitlines() if line.startswith("faults")]
    assert faults == [
        "faults      bet_spots/1: 1 fault, 2 s down, 0 alarms, 0 damaged messages",
        "faults      keypad: 1 fault, 7 s down, 0 alarms, 0 damaged messages",
    ]
    assert "round       none yet; bets are open for the next\n" in run("status", str(path)).output
    done = run("status", str(path), "--json")
    devices = {one["device"]: one for one in json.loads(done.output)["pace"]["devices"]}
    assert done.exit_code == 1
    assert (devices["keypad"]["faults"], devices["keypad"]["down_seconds"]) == (1, 7)
    assert (devices["bet_spots/1"]["state"], devices["bet_spots/1"]["down_seconds"]) == ("ready", 2)


def test_a_trigger_box_on_a_line_that_is_not_paired_is_named(tmp_path: Path) -> None:
    rig = Rig(penn())
    rig.talk("1 main 10")
    path = journal_of(rig, tmp_path / "paired.sqlite")
    assert "UNPAIRED" not in run("status", str(path)).output
    assert json.loads(run("status", str(path), "--json").output)["unpaired"] == []
    rig = Rig(penn())
    rig.house = replace(rig.house, unpaired=("mystery_trigger",))
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    path = journal_of(rig, tmp_path / "unpaired.sqlite")
    done = run("status", str(path))
    # Something to see to, and nothing that waits for an answer.
    assert done.exit_code == 0
    message = "UNPAIRED    mystery_trigger: whoever reaches its line can make up contributions and answers"
    assert f"{message} (tableside keys pairing)" in done.output.splitlines()
    assert json.loads(run("status", str(path), "--json").output)["unpaired"] == ["mystery_trigger"]
    rig.give(DaemonStarted(rig.now_ns, "test", replace(rig.house, unpaired=())))
    path = journal_of(rig, tmp_path / "paired-since.sqlite")
    assert "UNPAIRED" not in run("status", str(path)).output
