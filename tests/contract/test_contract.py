"""The published contract: current, accepted by AsyncAPI's own parser, and true of every event shown."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator, ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT7

from controller.core.game.wager import LockedWager
from controller.formats.mqtt.envelope import TYPE_PREFIX, TYPE_SUFFIX, event_bytes, event_types, read_event
from controller.formats.mqtt.retained_state import STATES
from controller.formats.orders.requests import VERBS, reply_bytes
from firmware_protocols.values import Value, tag_of
from tests.contract.current import DIRECTORY, files
from tests.contract.event_reference import EXAMPLES as EXAMPLES_PATH
from tests.contract.event_reference import PATH, event_reference, examples, folded, table

HERE: Final = Path(__file__).parent
NODE: Final = shutil.which("node")
DOCUMENT: Final[dict[str, Any]] = msgspec.json.decode((DIRECTORY / "asyncapi.json").read_bytes())
EXAMPLES: Final = examples()
EXAMPLE_LINES: Final = EXAMPLES_PATH.read_bytes().splitlines()
ANEW: Final = "run: .venv/bin/python -m tests.contract.current"


def parsed(path: Path) -> subprocess.CompletedProcess[str]:
    """The parser's verdict on a document."""
    if NODE is None or not (HERE / "node_modules").is_dir():
        pytest.skip("no AsyncAPI parser here: install nodejs and npm, then run .ci/servers")
    command = [NODE, str(HERE / "check.mjs"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_committed_contract_is_current() -> None:
    committed = {path.name: path.read_bytes() for path in DIRECTORY.iterdir()}
    wanted = files()
    assert sorted(committed) == sorted(wanted), ANEW
    assert [name for name in wanted if committed[name] != wanted[name]] == [], ANEW


def test_the_committed_event_reference_is_current() -> None:
    assert PATH.read_text(encoding="utf-8") == event_reference(), ANEW


def test_json_is_folded_between_its_elements() -> None:
    value = {"text": 'a, "b": c ' * 20, "numbers": list(range(60)), "empty": "", "null": None}
    lines = folded(value).splitlines()
    assert msgspec.json.decode(folded(value)) == value
    assert len(lines) > 3
    assert all(len(line) <= 120 or '"a, ' in line for line in lines)


class Undescribed(Value, frozen=True, tag="undescribed"):
    """An event with a field that is not described."""

    round: int
    counted: int
    """How often, see ``card_drawn``."""
    uncounted: int


def test_a_field_that_is_described_nowhere_is_refused() -> None:
    shared = {"round": "the round", "uncounted": "the rest"}
    assert table(Undescribed, shared).splitlines()[2:] == [
        "| `round` | integer | the round |",
        "| `counted` | integer | how often, see [`card_drawn`](#card_drawn) |",
        "| `uncounted` | integer | the rest |",
    ]
    with pytest.raises(ValueError, match="uncounted is described neither below it nor in"):
        table(Undescribed, {"round": "the round"})


class Shapes(Value, frozen=True, omit_defaults=True, tag="shapes"):
    """An event with a field of each kind of type."""

    round: int | None
    readings: tuple[int, ...]
    rate: tuple[int, int]
    passed: bool = False
    shifts: dict[str, str] = msgspec.field(default_factory=dict)
    wagers: tuple[LockedWager, ...] = ()


def test_a_field_says_its_type_and_whether_it_may_be_null_or_left_out() -> None:
    shared = dict.fromkeys(("round", "readings", "rate", "passed", "shifts", "wagers"), "what it is")
    assert [row.split(" | ")[1] for row in table(Shapes, shared).splitlines()[2:]] == [
        "integer or null",
        "list of integers",
        "list of 2 integers",
        "boolean, may be left out",
        "object of strings, may be left out",
        "list of [LockedWager](#lockedwager), may be left out",
    ]


@pytest.mark.parametrize("line", EXAMPLE_LINES, ids=lambda line: f"{read_event(line).seq}")
def test_every_example_has_the_bytes_that_this_version_publishes(line: bytes) -> None:
    one = read_event(line)
    since_1970 = datetime.fromisoformat(one.time) - datetime.fromtimestamp(0, UTC)
    assert event_bytes(one.event, one.identity, one.seq, since_1970 // timedelta(microseconds=1) * 1000) == line


def test_the_parser_accepts_the_document() -> None:
    ran = parsed(DIRECTORY / "asyncapi.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_parser_refuses_a_document_that_is_wrong(tmp_path: Path) -> None:
    wrong = msgspec.json.decode(msgspec.json.encode(DOCUMENT))
    wrong["operations"]["publish_event"]["action"] = "sent"
    (tmp_path / "wrong.json").write_bytes(msgspec.json.encode(wrong))
    assert parsed(tmp_path / "wrong.json").returncode == 1


@pytest.mark.parametrize("name", [tag_of(kind) for kind in event_types()])
def test_every_event_is_a_message_with_a_real_example(name: str) -> None:
    message = DOCUMENT["components"]["messages"][name]
    (example,) = message["examples"]
    assert example["payload"]["type"] == f"{TYPE_PREFIX}{name}{TYPE_SUFFIX}"
    assert name in DOCUMENT["channels"]["event"]["messages"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_request_has_its_reply(verb: str) -> None:
    operation = DOCUMENT["operations"][f"receive_{verb}"]
    assert operation["action"] == "receive"
    assert DOCUMENT["channels"][f"cmd_{verb}"]["address"] == f"tableside/v1/{{site}}/{{table}}/cmd/{verb}"
    assert operation["reply"] == {"channel": {"$ref": f"#/channels/reply_{verb}"}}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one['type']}-{one['seq']}")
def test_every_example_is_what_both_schemas_say(example: dict[str, Any]) -> None:
    name = example["type"].removeprefix(TYPE_PREFIX)
    Draft202012Validator(msgspec.json.decode((DIRECTORY / f"{name}.json").read_bytes())).validate(example)
    of_document(name.removesuffix(TYPE_SUFFIX)).validate(example)


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.v1.json")), ids=lambda path: path.name)
def test_every_schema_is_one_and_speaks_its_own_dialect_alone(path: Path) -> None:
    schema = msgspec.json.decode(path.read_bytes())
    Draft202012Validator.check_schema(schema)
    assert b'"discriminator"' not in path.read_bytes()


def test_what_is_no_event_has_its_schema_too() -> None:
    wanted = {f"state_{name}.v1.json" for name in STATES} | {"info.v1.json", "reply.v1.json", "status.v1.json"}
    assert wanted <= {path.name for path in DIRECTORY.iterdir()}
    reply = Draft202012Validator(msgspec.json.decode((DIRECTORY / "reply.v1.json").read_bytes()))
    reply.validate(msgspec.json.decode(reply_bytes(b'{"transaction": "a"}')))
    with pytest.raises(ValidationError):
        reply.validate({"transaction": 5})


def test_an_event_of_another_shape_is_refused() -> None:
    wrong = next(one for one in EXAMPLES if one["type"] == "tableside.wager_settled.v1")
    wrong = {**wrong, "data": {**wrong["data"], "net_cents": 12.5}}
    with pytest.raises(ValidationError, match=r"12\.5 is not of type 'integer'"):
        of_document("wager_settled").validate(wrong)


def of_document(name: str) -> Draft7Validator:
    """The payload of a message as the AsyncAPI document has it."""
    registry: Registry[Any] = Registry().with_resource("urn:document", DRAFT7.create_resource(DOCUMENT))
    return Draft7Validator({"$ref": f"urn:document#/components/messages/{name}/payload"}, registry=registry)
