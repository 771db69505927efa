"""What an auditor finds: every honest run proven, every dishonest one named."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands.mystery import command
from controller.formats.mystery_audit import NotEvents, examine, ordered, read_lines
from firmware_protocols.trigger_messages import (
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    OpenCycle,
    TriggerReport,
)
from tests.trigger_box.rig import BoxDevice

Events = list[dict[str, Any]]


def night(amounts: list[int], *, seed: int = 1) -> Events:
    """What a table publishes of an honest night, with contributions in units."""
    device, events = BoxDevice(seed=seed), Events()

    def tell(kind: str, **data: Any) -> None:
        seq = len(events) + 1
        events.append(
            {
                "specversion": "1.0",
                "id": f"harbour/bj-1/7/{seq}",
                "source": "/harbour/bj-1",
                "type": f"tableside.{kind}.v1",
                "time": "2026-11-21T12:00:00Z",
                "datacontenttype": "application/json",
                "epoch": 7,
                "seq": seq,
                "data": {"meter": "mystery", **data},
            }
        )

    def told(reports: tuple[TriggerReport, ...]) -> None:
        for report in reports:
            match report:
                case CycleCommitted(cycle, proof, start, reset, ceiling):
                    share = bytes([cycle % 256]) * 32
                    bounds = {"start_units": start, "reset_cents": reset, "ceiling_cents": ceiling}
                    tell("mystery_committed", cycle=cycle, commitment=proof.hex(), share=share.hex(), **bounds)
                    told(device.hear(OpenCycle(cycle, share)))
                case ContributionAnswered(number, _, units, True, award):
                    won = {"jackpot": number, "round": 1, "spot": 1, "bet": "x", "row": "must_hit_by_mystery"}
                    tell("jackpot_hit", **won, cents=award, number=number, meter_units=units)
                case CycleRevealed(cycle, number, drawn, key):
                    tell("mystery_revealed", cycle=cycle, number=number, drawn_cents=drawn, key=key.hex())
                case _:
                    pass

    tell("meter_opened")
    told(device.hear(GreetTrigger(1, "harbour", "bj-1", 7, 0, 0)))
    for number, units in enumerate(amounts, start=1):
        tell("contribution_made", round=1, spot=1, bet="x", wager_cents=500, units=units, number=number)
        told(device.hear(Contribute(number, units)))
    return events


def lines(events: Events) -> list[bytes]:
    return [json.dumps(event).encode() for event in events]


def faults(events: Events) -> list[str]:
    told = read_lines(lines(events))
    return [fault for cycle in examine(told) for fault in cycle.faults] + list(ordered(told))


STEADY = [400_000] * 60


def of(events: Events, kind: str, place: int = 0) -> dict[str, Any]:
    data = [event["data"] for event in events if event["type"] == f"tableside.{kind}.v1"][place]
    assert isinstance(data, dict)
    return data


@given(amounts=st.lists(st.integers(1, 2_000_000), max_size=80), seed=st.integers(0, 2**16))
@settings(deadline=None, max_examples=40)
def test_every_honest_night_is_proven(amounts: list[int], seed: int) -> None:
    events = night(amounts, seed=seed)
    told = read_lines(lines(events))
    cycles = list(examine(told))
    assert faults(events) == []
    assert sum(cycle.hit for cycle in cycles) == sum(event["type"].endswith("hit.v1") for event in events)
    assert sum(cycle.contributions for cycle in cycles) == len(amounts)


def test_an_event_delivered_twice_counts_once_and_topics_are_passed_over() -> None:
    events = night(STEADY)
    told = [b"tableside/v1/harbour/bj-1/event/x " + line for line in lines(events) for _ in range(2)]
    assert list(examine(read_lines([b"", b"noise", *told]))) == list(examine(read_lines(lines(events))))


def change(kind: str, place: int = 0, **values: Any) -> Callable[[Events], None]:
    def spoil(events: Events) -> None:
        of(events, kind, place).update(values)

    return spoil


def more(kind: str, key: str, by: int, place: int = 0) -> Callable[[Events], None]:
    def spoil(events: Events) -> None:
        of(events, kind, place)[key] += by

    return spoil


def swap_keys(events: Events) -> None:
    of(events, "mystery_revealed", 1)["key"] = of(events, "mystery_revealed", 0)["key"]


def without(kind: str, place: int = 0) -> Callable[[Events], None]:
    def spoil(events: Events) -> None:
        found = [event for event in events if event["type"] == f"tableside.{kind}.v1"]
        events.remove(found[place])

    return spoil


def late_commitment(events: Events) -> None:
    committed = next(event for event in events if event["type"].startswith("tableside.mystery_committed"))
    committed["seq"] = 10_000


def early_hit(events: Events) -> None:
    """A winner earlier than the trigger allows: the contribution before the last of the cycle."""
    revealed, hit = of(events, "mystery_revealed"), of(events, "jackpot_hit")
    revealed["number"] -= 1
    hit["number"] -= 1
    hit["cents"] -= 40


def late_hit(events: Events) -> None:
    """The winner passed over, the next one paid."""
    revealed, hit = of(events, "mystery_revealed"), of(events, "jackpot_hit")
    revealed["number"] += 1
    hit["number"] += 1
    hit["cents"] += 40


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (more("mystery_revealed", "drawn_cents", 1), "do not open the commitment"),
        (change("mystery_revealed", key="00" * 32), "do not open the commitment"),
        (change("mystery_revealed", key="zz"), "not hex"),
        (change("mystery_committed", share="07" * 32), "trigger"),
        (change("mystery_committed", commitment="00" * 32), "do not open the commitment"),
        (more("jackpot_hit", "cents", 1), "cents were awarded"),
        (more("contribution_made", "units", 1_000_000, place=2), "cents were awarded"),
        (without("contribution_made", 2), "not published"),
        (without("jackpot_hit"), "no award was published"),
        (without("mystery_committed"), "no commitment"),
        (without("mystery_revealed"), "nothing was revealed"),
        (more("mystery_committed", "start_units", 10_000, place=1), "follow from the cycle before"),
        (more("mystery_committed", "start_units", -10_000), "below the reset value"),
        (change("mystery_revealed", drawn_cents=100), "outside the bounds"),
        (swap_keys, "has the key of cycle"),
        (late_commitment, "before it was committed to"),
        (early_hit, "not above the trigger"),
        (late_hit, "before contribution"),
    ],
)
def test_a_dishonest_night_is_named(spoil: Callable[[Events], None], words: str) -> None:
    events = copy.deepcopy(night(STEADY))
    spoil(events)
    assert any(words in fault for fault in faults(events)), faults(events)


def test_two_forms_of_one_event_are_named() -> None:
    events = night(STEADY)
    other = copy.deepcopy(events[5])
    other["data"]["units"] = 1
    assert "event 6 came twice with different contents" in faults([*events, other])


@pytest.mark.parametrize("content", [[], [b"hello"], [b"{}"]])
def test_what_holds_no_events_is_refused(content: list[bytes]) -> None:
    with pytest.raises(NotEvents, match="no line is an event"):
        read_lines(content)


def test_events_of_two_epochs_are_refused() -> None:
    events = night([5])
    events[-1]["epoch"] = 8
    with pytest.raises(NotEvents, match="among those of"):
        read_lines(lines(events))


# --- the command --------------------------------------------------------------------------------------


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    events = night(STEADY)
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join(lines(events)))
    done = CliRunner().invoke(command, ["verify", str(file)])
    assert done.exit_code == 0, done.output
    hits = sum(event["type"] == "tableside.jackpot_hit.v1" for event in events)
    assert done.output.count("proven cycle") == hits > 0
    assert f"{hits} proven" in done.output.splitlines()[-1]
    told = json.loads(CliRunner().invoke(command, ["verify", "--json", str(file)]).output)
    assert [cycle["hit"] for cycle in told["cycles"]] == [True] * hits + [False]
    of(events, "jackpot_hit")["cents"] += 1
    file.write_bytes(b"\n".join(lines(events)))
    done = CliRunner().invoke(command, ["verify", str(file)])
    assert done.exit_code == 1
    assert "WRONG" in done.output
    file.write_text("nothing\n")
    assert CliRunner().invoke(command, ["verify", str(file)]).exit_code == 2


def test_a_file_cut_short_in_the_middle_of_a_line_is_not_taken_for_whole() -> None:
    events = night([100_000] * 5)
    whole = b"\n".join(lines(events))
    told = read_lines(whole[:-20].split(b"\n"))
    assert [*ordered(told)] == [f"1 lines are cut short or damaged, the first of them line {len(events)}"]


def test_other_json_and_remarks_between_the_events_are_passed_over() -> None:
    told = read_lines([b"# what the broker said", b'{"state": "online"}', b"", *lines(night([100_000] * 5))])
    assert [*ordered(told)] == []
