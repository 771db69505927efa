"""The value in a chip's own memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.chip_memory import memory_of, value_cents


def test_the_mark_then_the_value_in_cents() -> None:
    assert value_cents(("43485031", "00000064")) == 100


@given(st.integers(1, 2**32 - 1))
def test_every_value_is_read_as_it_was_written(cents: int) -> None:
    data = memory_of(cents).hex().upper()
    assert value_cents((data[:8], data[8:])) == cents
    assert value_cents((data,)) == cents


@pytest.mark.parametrize(
    "blocks",
    [(), ("43485031",), ("43485032", "00000064"), ("43485031", "00000000"), ("43485031", "000064"), ("00000064",) * 2],
)
def test_anything_else_has_no_value(blocks: tuple[str, ...]) -> None:
    assert value_cents(blocks) is None


@pytest.mark.parametrize("cents", [0, -1, 2**32])
def test_a_value_that_does_not_fit_is_refused(cents: int) -> None:
    with pytest.raises(ValueError, match="1 to 4294967295"):
        memory_of(cents)
