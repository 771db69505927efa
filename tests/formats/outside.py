"""What should not come from outside, and every function that reads what does, found by the code itself."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable
from functools import partial
from typing import Final

import controller
from controller.core.persons import SignedText
from controller.formats.mqtt.envelope import DeviceStatus, Status
from controller.formats.mqtt.retained_state import STATES, Info
from controller.formats.orders.epoch_authorization import EpochProposal
from controller.formats.orders.operators import PROTOCOL, RIGHTS, ROLES, ChannelUser
from controller.formats.orders.requests import VERBS
from controller.formats.text.safe_parse import READERS, SIZE_LIMIT_BYTES
from controller.metrics.board import STATES as METRICS
from controller.pool.wire import PROTOCOL as LINK

for module in pkgutil.walk_packages(controller.__path__, "controller."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)

EVERYBODY: Final = ChannelUser(frozenset(ROLES), "M. Okafor")

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
    "controller.formats.orders.requests.read_command": commands,
    "controller.formats.orders.requests.order_in_form": commands,
    "controller.formats.orders.epoch_authorization._order": lambda read, data: [lambda: read(data)],
    "controller.formats.orders.epoch_authorization._value": lambda read, data: [
        lambda: read(SignedText(data.decode(errors="replace"), "", ""), EpochProposal)
    ],
    "controller.formats.cases.reconstruct_input.parsed": lambda read, data: [
        lambda: read(data.decode(errors="replace"), 1)
    ],
    "controller.metrics.board.read_picture": lambda read, data: [
        partial(read, data, kind) for kind in (*METRICS.values(), DeviceStatus, Status)
    ],
    "controller.reports.audit.durable_follower.read_place": lambda read, data: [lambda: read(data)],
    "controller.formats.cases.settle_input.parse_json": lambda read, data: [lambda: read(data)],
    "controller.formats.config.known_edges.read": lambda read, data: [lambda: read(data.decode(errors="replace"))],
    "controller.formats.config.known_edges.read_sides": lambda read, data: [
        lambda: read(data.decode(errors="replace"))
    ],
    "controller.reports.audit.mystery_events._envelope": lambda read, data: [lambda: read(data)],
    "controller.formats.orders.operators._body": lambda read, data: [lambda: read(data)],
    "controller.formats.orders.operators.read_request": requests,
    "controller.formats.mqtt.envelope.read_event": lambda read, data: [lambda: read(data)],
    "controller.formats.mqtt.envelope.read_status": lambda read, data: [lambda: read(data)],
    "controller.formats.journal.stream.read_ack": lambda read, data: [lambda: read(data)],
    "controller.formats.journal.stream.read_replay": lambda read, data: [lambda: read(data, 1)],
    "controller.formats.orders.signed_orders.read_signed": lambda read, data: [
        lambda: read(data),
        lambda: read(json.dumps({"text": data.decode("latin-1"), "key": "", "signature": ""}).encode()),
    ],
    "controller.formats.journal.stream.read_stream": lambda read, data: [lambda: read(data)],
    "controller.reports.audit.stream_audit.read_message": lambda read, data: [lambda: read(data)],
    "controller.io.mqtt.request.read_reply": lambda read, data: [lambda: read(data), lambda: read(None)],
    "controller.web.sign_in.read_sign_in": lambda read, data: [
        lambda: read(data),
        lambda: read(json.dumps({"text": data.decode("latin-1"), "key": "", "signature": ""}).encode()),
    ],
    "controller.web.languages.read_texts": lambda read, data: [lambda: read(data)],
    "controller.web.table_view.read_as": lambda read, data: [
        partial(read, data, kind, 1024 * 1024) for kind in (*STATES.values(), Status, Info, DeviceStatus)
    ],
    "controller.pool.wire.from_link": lambda read, data: [
        lambda: read([LINK, data]),
        lambda: read([data]),
        lambda: read([]),
    ],
    "controller.pool.wire.from_table": lambda read, data: [lambda: read([LINK, data]), lambda: read([data, data])],
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


def put(name: str, data: bytes) -> int:
    """Hand ``data`` to a reader in every way it can be reached: it answers, or refuses as it says. How many ways."""
    read, refusal = READERS[name]
    refusals = () if refusal is None else (refusal,)
    calls = HANDED[name](read, data)
    for call in calls:
        outcome = "answered"
        try:
            call()
        except refusals as error:
            outcome = str(error)
        assert outcome, name
        assert "cannot be read" not in outcome, "nobody thought of this one"
    return len(calls)
