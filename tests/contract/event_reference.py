"""docs/reference/event-reference.md, made of the event classes, the words below their fields and real examples.

A field without words of its own has those of *What the fields mean everywhere* in docs/reference/events.md.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from controller.formats.mqtt.envelope import TYPE_PREFIX, TYPE_SUFFIX, event_types
from firmware_protocols.values import tag_of
from tests.docs.pages import DOCS, page, sections

PATH: Final = DOCS / "reference/event-reference.md"
EXAMPLES: Final = DOCS / "examples/events.jsonl"
WIDTH: Final = 120

_HEAD: Final = """# Event reference

<!-- Made by `python -m tests.contract.current` from the classes in controller/core/messages. Do not edit. -->

Every event with its fields and an example. [events.md](events.md) explains the envelope around them, the order in which
they come, and what a round looks like as events. Fields are in the order in which they are published. The examples are
in [events.jsonl](../examples/events.jsonl), a line each: the daemon published them in runs with simulated devices, or
the table's own step produced them with the same encoder.

Every field of an event is there, unless its type says *may be left out*. A field that may be null says *or null*, and
is then null, not left out. Only events in a journal of an earlier version lack fields that came later. The types link
to the [objects](#objects-in-fields) that fields contain.
"""

_OBJECTS: Final = """## Objects in fields

Objects that the fields above contain; their fields are always there."""

_GROUPS: Final = {
    "table_started": """## The process""",
    "card_drawn": """## Raw facts

The table publishes these facts as soon as it knows them, whatever the round turns out to be.""",
    "round_started": """## The round

The table publishes an inferred fact (whose card it is, a double, a settlement) once it holds in every legal play that
explains the readings, and once the readers have confirmed the chips up to that moment. [evidence.md](evidence.md) says
what each reading may mean.""",
    "meter_opened": """## Meters and jackpots

These events report the table's progressive meters. Meters are in units of 1/10,000 cent, awards in cents.
[progressive.md](../guide/progressive.md) explains the concepts.""",
    "bet_increased_after_lock": """## Alerts

Alerts are events that an operator should see. Each is published on `event/NAME` and again on `alert/NAME`.
[operations.md](../guide/operations.md) says what to do about each. [`alert_raised`](#alert_raised) and
[`alert_acknowledged`](#alert_acknowledged) are game protection: the table raises them from the other events and the
chips, and only people take them off the list ([protection.md](../guide/protection.md)).""",
}
"""The heading that stands before an event, by the event's name."""

_NAMES: Final = {tag_of(kind) for kind in event_types()}


def examples() -> list[dict[str, Any]]:
    """An event of every kind, as published."""
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]


def event_reference() -> str:
    """What the page should be.

    Raises:
        ValueError: an event has no example, or as ``table``.
    """
    shared = _shared_fields()
    shown = {one["type"].removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX): one for one in examples()}
    parts = [_HEAD.rstrip()]
    for kind in event_types():
        name = tag_of(kind)
        if name not in shown:
            raise ValueError(f"docs/examples/events.jsonl has no {name}")
        parts += [_GROUPS[name]] if name in _GROUPS else []
        parts += [f"### `{name}`", *_paragraphs(kind), table(kind, shared), f"```json\n{folded(shown[name])}\n```"]
    parts.append(_OBJECTS)
    for kind in _objects():
        parts += [f"### {kind.__name__}", *_paragraphs(kind), table(kind, shared)]
    return "\n\n".join(parts) + "\n"


def _shared_fields() -> dict[str, str]:
    rows = sections(page("events.md"))["What the fields mean everywhere"].rows()
    return {row[0].strip("`"): row[1].replace("(#", "(events.md#") for row in rows}


def _paragraphs(kind: type[Any]) -> Iterator[str]:
    summary, _, rest = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")
    # The line that a docstring begins with is the first sentence of its first paragraph.
    for paragraph in f"{summary} {rest}".split("\n\n"):
        text = _linked(" ".join(paragraph.split()), _tag(kind))
        yield textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def table(kind: type[Any], shared: Mapping[str, str]) -> str:
    """The fields of a class in order, each with what it means; ``shared`` describes those without words of their own.

    Raises:
        ValueError: a field is described nowhere.
    """
    own = _field_docs(kind)
    rows = ["| field | type | meaning |", "|---|---|---|"]
    if kind in _objects() and _tag(kind):
        rows.append(f"| `type` | string | `{_tag(kind)}` |")
    for field in _shape(kind).fields:
        name = field.encode_name
        if field.name not in own and name not in shared:
            raise ValueError(f"{kind.__name__}.{field.name} is described neither below it nor in events.md")
        meaning = _fragment(own[field.name], _tag(kind)) if field.name in own else shared[name]
        left_out = ", may be left out" if kind.__struct_config__.omit_defaults and not field.required else ""
        rows.append(f"| `{name}` | {_type_text(field.type)}{left_out} | {meaning} |")
    return "\n".join(rows)


def _tag(kind: type[Any]) -> str:
    """Its name on the wire; empty: it has none, because its place says what it is."""
    return str(kind.__struct_config__.tag or "")


def _shape(kind: type[Any]) -> msgspec.inspect.StructType:
    shape = msgspec.inspect.type_info(kind)
    assert isinstance(shape, msgspec.inspect.StructType), f"{kind.__name__} is a struct"
    return shape


def _type_text(shape: msgspec.inspect.Type) -> str:
    """The type of a field in JSON's words; an object as a link to its description.

    Raises:
        ValueError: no event has had a field of that type before.
    """
    match shape:
        case msgspec.inspect.BoolType():
            return "boolean"
        case msgspec.inspect.IntType():
            return "integer"
        case msgspec.inspect.StrType() | msgspec.inspect.EnumType() | msgspec.inspect.LiteralType():
            return "string"
        case msgspec.inspect.NoneType():
            return "null"
        case msgspec.inspect.UnionType(types):
            return " or ".join(_type_text(one) for one in types)
        case msgspec.inspect.VarTupleType(msgspec.inspect.StructType() as item):
            return f"list of {_type_text(item)}"
        case msgspec.inspect.VarTupleType(item):
            return f"list of {_type_text(item)}s"
        case msgspec.inspect.TupleType(items):
            return f"list of {len(items)} {_type_text(items[0])}s"
        case msgspec.inspect.DictType(_, value):
            return f"object of {_type_text(value)}s"
        case msgspec.inspect.StructType(cls):
            return f"[{cls.__name__}](#{cls.__name__.lower()})"
        case _:
            raise ValueError(f"no words for {shape}")


@functools.cache
def _objects() -> tuple[type[Any], ...]:
    """The classes of the objects that fields of events contain, in the order in which they first come."""
    found: dict[type[Any], None] = {}

    def enter(shape: msgspec.inspect.Type) -> None:
        match shape:
            case msgspec.inspect.UnionType(types):
                for one in types:
                    enter(one)
            case msgspec.inspect.VarTupleType(item):
                enter(item)
            case msgspec.inspect.StructType(cls, fields) if cls not in found:
                found[cls] = None
                for field in fields:
                    enter(field.type)
            case _:
                pass

    for kind in event_types():
        for field in _shape(kind).fields:
            enter(field.type)
    return tuple(found)


def _field_docs(kind: type[Any]) -> dict[str, str]:
    """What stands below the fields of a class, by field."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef), f"{kind.__name__} is a class"
    found: dict[str, str] = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
            case _:
                pass
    return found


def _fragment(sentence: str, name: str) -> str:
    """A sentence as the cell of a table: without its capital letter, where that is no name, and its full stop."""
    text = sentence.removesuffix(".")
    if re.match(r"[A-Z][a-z]*\b(?!-)", text):
        text = text[0].lower() + text[1:]
    return _linked(text, name).replace("|", "\\|")


def _linked(text: str, name: str) -> str:
    """Code as Markdown has it; another event and a page of docs/ as links."""

    def shown(found: re.Match[str]) -> str:
        code = found[1]
        if code in _NAMES and code != name:
            return f"[`{code}`](#{code})"
        if code.startswith("docs/"):
            target = code.removeprefix("docs/reference/")
            target = target if target != code else f"../{code.removeprefix('docs/')}"
            return f"[{target.partition('#')[0].rpartition('/')[2]}]({target})"
        return f"`{code}`"

    return re.sub(r"``(.+?)``", shown, text)


def folded(value: dict[str, Any]) -> str:
    """JSON in lines that fit, broken between its elements and never inside a string."""
    text = msgspec.json.encode(value).decode()
    string = r'"(?:[^"\\]|\\.)*"'
    words = re.findall(rf'(?:[\[{{]*{string}:)*(?:[\[{{]*{string}|[^",:]*)[\]}}]*,?', text)
    lines, line = list[str](), ""
    for word in filter(None, words):
        spaced = re.sub(rf"({string}):", r"\1: ", word)
        space = " " if line.endswith(",") else ""
        if space and len(line) + 1 + len(spaced) > WIDTH:
            lines.append(line)
            line, space = "    ", ""
        line += space + spaced
    return "\n".join([*lines, line])
