"""Whatever comes from outside is read or refused by name."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.formats.journal.stream import StreamRefused, read_ack, read_replay
from controller.formats.mqtt.envelope import read_status
from controller.formats.text.safe_parse import (
    DEEPEST,
    INTEGER_LIMIT,
    READERS,
    DataRefused,
    json_as,
    json_of,
    outermost,
    own_json,
    reads_outside,
    toml_of,
)
from tests.formats.outside import FIELDS, HANDED, HOSTILE, LARGE, deep, put


def test_every_reader_is_known_here() -> None:
    assert set(HANDED) == set(READERS)


@pytest.mark.parametrize("name", sorted(HANDED))
def test_what_is_hostile_is_refused_by_name(name: str) -> None:
    for data in HOSTILE.values():
        put(name, data)


@pytest.mark.parametrize("name", sorted(HANDED))
def test_what_is_too_large_is_refused_by_name(name: str) -> None:
    put(name, LARGE)


ANYTHING: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("name", sorted(HANDED))
@settings(max_examples=60)
@given(data=st.binary(max_size=300) | ANYTHING.map(lambda value: json.dumps(value).encode()))
def test_garbage_is_read_or_refused(name: str, data: bytes) -> None:
    put(name, data)


@pytest.mark.parametrize("case", [name for name in HOSTILE if name != "a list of everything" and "1,000" not in name])
def test_the_decoder_refuses(case: str) -> None:
    with pytest.raises(DataRefused):
        json_of(HOSTILE[case])


def test_the_bounds_of_the_decoder() -> None:
    assert json_of(deep(DEEPEST)) is not None
    with pytest.raises(DataRefused, match="nested deeper than 32"):
        json_of(deep(DEEPEST + 1))
    assert json_of(b"[%d, %d]" % (INTEGER_LIMIT - 1, 1 - INTEGER_LIMIT)) == [INTEGER_LIMIT - 1, 1 - INTEGER_LIMIT]
    with pytest.raises(DataRefused, match=r"a\.b: expected a number of at most 63 bits"):
        json_of(b'{"a": {"c": 1, "b": %d}}' % -INTEGER_LIMIT)
    assert json_of(b'"1234"', limit_bytes=6) == "1234"
    with pytest.raises(DataRefused, match="longer than 6 bytes"):
        json_of(b'"12345"', limit_bytes=6)


DEPTHS: Final = (31, 32, 33, 34, 48, 64, 100, 200, 400, 650, 900)
"""Around the bound, and beyond it where the libraries would still read."""

NESTED: Final[dict[str, Callable[[int], str]]] = {
    "JSON, lists": lambda depth: "[" * depth + "]" * depth,
    "JSON, objects": lambda depth: '{"a": ' * (depth - 1) + "{}" + "}" * (depth - 1),
    "JSON, both": lambda depth: '{"a": [' * (depth // 2) + "[]" * (depth % 2) + "]}" * (depth // 2),
    "JSON, under the second of two keys": lambda depth: '{"a": 1, "b": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}",
    "TOML, lists": lambda depth: "x = " + "[" * (depth - 1) + "]" * (depth - 1),
    "TOML, tables within a line": lambda depth: "x = " + "{a = " * (depth - 2) + "{}" + "}" * (depth - 2),
    "TOML, a heading": lambda depth: "[" + ".".join("a" * (depth - 1)) + "]",
    "TOML, a heading of a list": lambda depth: "[[" + ".".join("a" * (depth - 2)) + "]]",
    "TOML, a key": lambda depth: ".".join("a" * (depth - 1)) + " = 1",
    "TOML, a key below a heading": lambda depth: (
        f"[{'.'.join('a' * (depth // 2))}]\n{'.'.join('a' * (depth - depth // 2 - 1))} = 1"
    ),
    "JSON, a number within lists": lambda depth: "[" * (depth - 1) + "1" + "]" * (depth - 1),
}
"""Text of so many levels, with the value that stands innermost, by how they lie within each other."""


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kind", NESTED)
def test_what_is_deeper_than_the_bound_is_refused_however_little(kind: str, depth: int) -> None:
    text = NESTED[kind](depth)
    reads = (toml_of,) if kind.startswith("TOML") else (json_of, lambda given: json_as(given, Any))
    for read in reads:
        if depth <= 32:
            assert read(text) is not None
        else:
            with pytest.raises((DataRefused, tomllib.TOMLDecodeError), match="nested deeper than 32"):
                read(text)


DOTS: Final = 200_000
"""For which the library takes half an hour."""


@pytest.mark.parametrize(
    "text",
    [
        "a." * DOTS + "a = 1",
        "x = 1\n \t[" + '"a\\"." . ' * DOTS + "a]",
        "[[" + "'a.\"'." * DOTS + "a]]",
        "x = [{b = 1, " + "a\t.\t" * DOTS + "a = 1}]",
        ".".join("a" * (DEEPEST + 1)) + " = 1",
    ],
)
def test_a_key_with_more_dots_than_anything_may_be_deep_is_refused_at_once(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match="nested deeper than 32"):
        toml_of(text)


def test_dots_that_are_of_no_key_or_of_one_that_is_not_too_deep_are_read() -> None:
    words = ".".join("a" * 100)
    data = toml_of(f'text = "{words}"  # {words}\n{".".join("a" * (DEEPEST - 1))} = "{words}"')
    assert data["text"] == words


def test_what_the_program_wrote_is_refused_where_it_cannot_be_read() -> None:
    for data in HOSTILE.values():
        with pytest.raises(DataRefused):
            own_json(data, msgspec.defstruct("Own", [("missing", int), ("transaction", Any, None)]))


def test_a_typed_value_is_decoded_behind_the_bounds() -> None:
    assert json_as(b'{"a": 1}', dict[str, int]) == {"a": 1}
    with pytest.raises(DataRefused, match="Expected `int`"):
        json_as(b'{"a": "b"}', dict[str, int])
    with pytest.raises(DataRefused, match="a: is given twice"):
        json_as(b'{"a": 1, "a": 2}', dict[str, int])


def test_the_transaction_of_what_cannot_be_read_is_none() -> None:
    assert outermost(b'{"transaction": [1]}', "transaction", 100) == [1]
    for text in (b"[]", b"{}", b"{", b'{"transaction": 1, "transaction": 2}', b'{"transaction": "%s"}' % (b"a" * 100)):
        assert outermost(text, "transaction", 100) is None


def test_a_fault_of_our_own_in_a_reader_is_a_refusal_that_names_it() -> None:
    def read(data: bytes) -> int:
        return {b"": 1}[data]

    kept = dict(READERS)
    try:
        with pytest.raises(DataRefused, match="cannot be read: KeyError"):
            reads_outside(DataRefused)(read)(b"x")
        assert reads_outside(None)(read)(b"x") is None
    finally:
        READERS.clear()
        READERS.update(kept)


def test_what_anybody_may_write_to_a_table_is_read_only_if_it_holds_few_values() -> None:
    """Thousands of empty lists fit in the bytes that are let in, and take milliseconds to read."""
    crowd = b'{"epoch": 1, "consumer": [%s]}' % b",".join([b"[]"] * 20_000)
    assert len(crowd) < 64 * 1024
    for refused in (lambda: read_ack(crowd), lambda: read_replay(crowd, 1)):
        with pytest.raises(StreamRefused, match="more than 1000 values"):
            refused()
    assert read_status(crowd) is None
    with pytest.raises(DataRefused, match="more than 3 values"):
        json_as(b'{"a": [1, 2, 3]}', dict[str, list[int]], limit_values=3)
    assert json_as(b'{"a": [1, 2, 3]}', dict[str, list[int]], limit_values=4) == {"a": [1, 2, 3]}
    with pytest.raises(DataRefused, match="more than 3 values"):
        json_of('{"a": [1, 2, 3]}', limit_values=3)
