"""Amounts as the floor types them: dollars and cents, and chips by value."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.commands.amounts import AMOUNT, CHIPS
from controller.core.table.alert_list import money


@given(st.integers(-(10**12), 10**12))
def test_an_amount_is_read_as_it_is_shown(cents: int) -> None:
    assert AMOUNT.convert(money(cents), None, None) == cents


@pytest.mark.parametrize(
    ("text", "cents"),
    [("12.50", 1_250), ("-10.00", -1_000), ("$1,500.00", 150_000), ("-$0.05", -5), ("0.00", 0)],
)
def test_amounts(text: str, cents: int) -> None:
    assert AMOUNT.convert(text, None, None) == cents


@pytest.mark.parametrize("text", ["1000", "12.5", "12.500", "1,50.00", "12,50", "", "ten", "1e3.00", "--1.00", "١.٠٠"])
def test_what_may_be_dollars_or_cents_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected dollars and cents"):
        AMOUNT.convert(text, None, None)


@pytest.mark.parametrize(("text", "chips"), [("25x40", (2_500, 40)), ("2.50x8", (250, 8)), ("$100x-20", (10_000, -20))])
def test_chips_by_value(text: str, chips: tuple[int, int]) -> None:
    assert CHIPS.convert(text, None, None) == chips


@pytest.mark.parametrize("text", ["100x20 25x40", "100x20,25x40", "100x20, 25x40"])
def test_counts_of_several_values_are_words_of_their_own(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"; without quotes or commas: 100x20 25x40$"):
        CHIPS.convert(text, None, None)


@pytest.mark.parametrize("text", ["25", "x40", "25x", "0x40", "25x0", "2.5x8", "25 x 40", "-25x40"])
def test_what_is_no_count_of_chips_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected a value and how many"):
        CHIPS.convert(text, None, None)
