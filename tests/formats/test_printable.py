"""Counts as people read them, and texts in the order they were written."""

from __future__ import annotations

import json

import pytest

from controller.commands.meters import meter_lines
from controller.formats.text.printable import directions_shown, many
from controller.reports.audit.meter_audit import MeterAccount, MeterBook


def test_one_is_singular() -> None:
    assert [many(count, "wager") for count in (0, 1, 2)] == ["0 wagers", "1 wager", "2 wagers"]
    assert [many(count, "box", "boxes") for count in (1, 2)] == ["1 box", "2 boxes"]


def test_a_meter_of_one_award_says_so() -> None:
    once = MeterAccount("sevens", 100_000, 0, wagers=1, wagered_cents=500, hits=1, resets=1)
    printed = "\n".join(meter_lines(MeterBook({"sevens": once})))
    assert "1 wager of $5.00 gave" in printed
    assert "taken out    1 award $0.000000, 1 reset\n" in printed


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u200f", "\u061c"])
def test_a_page_shows_where_a_slip_on_record_turns_its_direction(mark: str) -> None:
    """Slip 4711 of a journal of before read as 1174 after U+202E."""
    sent = directions_shown(json.dumps({"slip": f"{mark}4711", "cents": 5_000}, ensure_ascii=False).encode())
    assert json.loads(sent) == {"slip": f"\\u{ord(mark):04x}4711", "cents": 5_000}


@pytest.mark.parametrize("text", ["Müller – Tisch 3 …", "ליאור כהן", "می\u200cشود", "\\u202e", 'a "quoted" text'])
def test_what_turns_nothing_is_sent_as_it_is(text: str) -> None:
    sent = json.dumps({"why": text}, ensure_ascii=False).encode()
    assert directions_shown(sent) == sent
