"""A checkpoint is read in the format it was written in, or not at all."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec
import pytest

from controller.core.table.state import State
from controller.formats.journal.state_format import format_name
from controller.formats.replay import OtherStateFormat, read_state, state_bytes
from firmware_protocols.values import Value


class Shoe(Value, frozen=True, tag=False):
    """What a version remembers."""

    drawn: int
    burns: int = 0
    before: Shoe | None = None


class Renamed(Value, frozen=True, tag=False):
    """The same under another name, reported with other words."""

    drawn: int
    burns: int = 0
    before: Renamed | None = None


class Other(Value, frozen=True, tag=False):
    drawn: int
    burnz: int = 0
    before: Other | None = None


class Fewer(Value, frozen=True, tag=False):
    drawn: int
    before: Fewer | None = None


class Typed(Value, frozen=True, tag=False):
    drawn: int
    burns: str = ""
    before: Typed | None = None


class Tagged(Value, frozen=True, tag="shoe"):
    drawn: int
    burns: int = 0
    before: Tagged | None = None


class Required(Value, frozen=True, tag=False):
    drawn: int
    burns: int
    before: Required | None = None


def test_a_class_may_be_renamed() -> None:
    assert format_name(Shoe) == format_name(Renamed)


@pytest.mark.parametrize("kind", [Other, Fewer, Typed, Tagged, Required])
def test_a_field_may_not(kind: type[msgspec.Struct]) -> None:
    assert format_name(kind) != format_name(Shoe)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (dict[str, Shoe], dict[str, Other]),
        (tuple[Shoe, ...], tuple[Other, ...]),
        (tuple[Shoe, int], tuple[Shoe, str]),
        (Shoe | None, Shoe),
        (frozenset[int], frozenset[str]),
        (Literal["open", "moved"], Literal["open"]),
    ],
)
def test_what_is_inside_counts(one: Any, other: Any) -> None:
    assert format_name(one) != format_name(other)


def test_the_order_of_literals_does_not() -> None:
    assert format_name(Literal["open", "moved"]) == format_name(Literal["moved", "open"])


def test_a_state_comes_back_as_it_went() -> None:
    state = State(number=7, burns=3)
    assert read_state(state_bytes(state)) == state


def test_a_checkpoint_of_another_format_is_not_read() -> None:
    checkpoint = json.loads(state_bytes(State(number=7, burns=3)))
    with pytest.raises(OtherStateFormat, match=f"its format is 0123456789abcdef, expected {format_name(State)}"):
        read_state(json.dumps(checkpoint | {"layout": "0123456789abcdef"}).encode())


def test_a_checkpoint_from_before_formats_were_said_is_not_read() -> None:
    with pytest.raises(OtherStateFormat, match="it says no format"):
        read_state(b'{"seq":5,"burnz":3}')
