"""A checkpoint is read by the layout it was written in, or not at all."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec
import pytest

from controller.core.table.state import State
from controller.formats.journal.layout import layout_of
from controller.formats.replay import OtherLayout, read_state, state_bytes
from firmware_protocols.values import Value


class Shoe(Value, frozen=True, tag=False):
    """What a version remembers."""

    drawn: int
    burns: int = 0
    before: Shoe | None = None


class Renamed(Value, frozen=True, tag=False):
    """The same under another name, told of with other words."""

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
    assert layout_of(Shoe) == layout_of(Renamed)


@pytest.mark.parametrize("kind", [Other, Fewer, Typed, Tagged, Required])
def test_a_field_may_not(kind: type[msgspec.Struct]) -> None:
    assert layout_of(kind) != layout_of(Shoe)


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
    assert layout_of(one) != layout_of(other)


def test_the_order_of_literals_does_not() -> None:
    assert layout_of(Literal["open", "moved"]) == layout_of(Literal["moved", "open"])


def test_a_state_comes_back_as_it_went() -> None:
    state = State(number=7, burns=3)
    assert read_state(state_bytes(state)) == state


def test_a_checkpoint_of_another_layout_is_not_read() -> None:
    told = json.loads(state_bytes(State(number=7, burns=3)))
    with pytest.raises(OtherLayout, match=f"its layout is 0123456789abcdef, expected {layout_of(State)}"):
        read_state(json.dumps(told | {"layout": "0123456789abcdef"}).encode())


def test_a_checkpoint_from_before_layouts_were_said_is_not_read() -> None:
    with pytest.raises(OtherLayout, match="it says no layout"):
        read_state(b'{"seq":5,"burnz":3}')
