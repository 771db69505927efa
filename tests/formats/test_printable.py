"""Counts as people read them."""

from __future__ import annotations

from controller.commands.meters import meter_lines
from controller.formats.text.printable import many
from controller.reports.audit.meter_audit import MeterAccount, MeterBook


def test_one_is_singular() -> None:
    assert [many(count, "wager") for count in (0, 1, 2)] == ["0 wagers", "1 wager", "2 wagers"]
    assert [many(count, "box", "boxes") for count in (1, 2)] == ["1 box", "2 boxes"]


def test_a_meter_of_one_award_says_so() -> None:
    once = MeterAccount("sevens", 100_000, 0, wagers=1, wagered_cents=500, hits=1, resets=1)
    printed = "\n".join(meter_lines(MeterBook({"sevens": once})))
    assert "1 wager of $5.00 gave" in printed
    assert "taken out    1 award $0.000000, 1 reset\n" in printed
