"""Whatever comes from outside is read or refused by name: every function that reads it, found by the code itself."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import controller
from controller.formats.commands import VERBS
from controller.formats.epoch_orders import Proposal, Signed
from controller.formats.operators import PROTOCOL, RIGHTS, ROLES, Asking
from controller.formats.plain_data import (
    DEEPEST,
    INTEGER_LIMIT,
    READERS,
    SIZE_LIMIT_BYTES,
    DataRefused,
    json_as,
    json_of,
    outermost,
    own_json,
    reads_outside,
)
from controller.link.wire import PROTOCOL as LINK

for module in pkgutil.walk_packages(controller.__path__, "controller."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)

EVERYBODY: Final = Asking(frozenset(ROLES), "M. Okafor")

Read = Callable[..., object]
Calls = list[Callable[[], object]]


def commands(read: Read, data: bytes) -> Calls:
    return [partial(read, verb, data) for verb in (*VERBS, "replay", "", "\n", "x" * 70_000)]


def requests(read: Read, data: bytes) -> Calls:
    framed = [[PROTOCOL, b"harbour/bj-1", verb.encode(), data] for verb in RIGHTS]
    framed += [[PROTOCOL, b"harbour/bj-1", data, data], [data] * 4, [data], []]
    return [partial(read, frames, "harbour/bj-1", EVERYBODY) for frames in framed]


HANDED: Final[dict[str, Callable[[Read, bytes], Calls]]] = {
    "controller.commands.schemas._event": lambda read, data: [lambda: read(data)],
    "controller.formats.commands.read_command": commands,
    "controller.formats.epoch_orders._order": lambda read, data: [lambda: read(data)],
    "controller.formats.epoch_orders._value": lambda read, data: [
        lambda: read(Signed(data.decode(errors="replace"), "", ""), Proposal)
    ],
    "controller.formats.evidence_lines.parsed": lambda read, data: [lambda: read(data.decode(errors="replace"), 1)],
    "controller.formats.following.read_place": lambda read, data: [lambda: read(data)],
    "controller.formats.hand_cases.parse_json": lambda read, data: [lambda: read(data)],
    "controller.formats.mystery_events._envelope": lambda read, data: [lambda: read(data)],
    "controller.formats.operators._body": lambda read, data: [lambda: read(data)],
    "controller.formats.operators.read_request": requests,
    "controller.formats.payloads.read_event": lambda read, data: [lambda: read(data)],
    "controller.formats.payloads.read_status": lambda read, data: [lambda: read(data)],
    "controller.formats.stream.read_ack": lambda read, data: [lambda: read(data)],
    "controller.formats.stream.read_replay": lambda read, data: [lambda: read(data, 1)],
    "controller.formats.stream.read_stream": lambda read, data: [lambda: read(data)],
    "controller.io.operator.read_reply": lambda read, data: [lambda: read(data), lambda: read(None)],
    "controller.link.wire.from_link": lambda read, data: [
        lambda: read([LINK, data]),
        lambda: read([data]),
        lambda: read([]),
    ],
    "controller.link.wire.from_table": lambda read, data: [lambda: read([LINK, data]), lambda: read([data, data])],
}
"""How each reader is handed bytes; one that is new in the code and missing here fails the first test."""


def deep(brackets: int, *, inside: str = "{}") -> bytes:
    return inside.replace("{}", "[" * brackets + "]" * brackets).encode()


FIELDS: Final = ("transaction", "who", "alert", "question", "type", "source", "text", "deed", "data", "move", "epoch")
"""Keys under which what follows is hidden."""

HOSTILE: Final[dict[str, bytes]] = {
    "nothing": b"",
    "no UTF-8": b"\xff\xfe{}",
    "half a character": b'{"who": "\\ud800"}',
    "half a character in bytes": b'{"who": "\xed\xa0\x80"}',
    "two of a key": b'{"who": "a", "who": "b"}',
    "no number": b'{"alert": NaN}',
    "endless": b'{"alert": Infinity}',
    "too large a fraction": b'{"alert": 1e999}',
    "64 bits": b'{"alert": 9223372036854775808}',
    "4300 digits": b'{"alert": %s}' % (b"9" * 4300),
    "5000 digits": b'{"alert": %s}' % (b"9" * 5000),
    "100,000 brackets": deep(100_000),
    "100,000 braces": b'{"a":' * 100_000,
    "cut off": b'{"who": "a',
    "two values": b"{} {}",
    "a list of everything": json.dumps([None, True, 1, 1.5, "\x00\x1b[2J\n", {"": []}]).encode(),
    **{f"1,000 brackets in {key}": deep(1000, inside=f'{{"x": 1, "{key}": {{}}}}') for key in FIELDS},
}
LARGE: Final = b'{"who": "' + b"a" * (SIZE_LIMIT_BYTES + 1) + b'"}'


def put(name: str, data: bytes) -> None:
    """Hand ``data`` to a reader in every way it can be reached: it answers, or refuses as it says it does."""
    read, refusal = READERS[name]
    refusals = () if refusal is None else (refusal,)
    for call in HANDED[name](read, data):
        said = "answered"
        try:
            call()
        except refusals as error:
            said = str(error)
        assert said, name
        assert "cannot be read" not in said, "nobody thought of this one"


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
@settings(max_examples=60, deadline=None)
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
