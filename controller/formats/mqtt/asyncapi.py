"""The table's MQTT contract as an AsyncAPI 3.0 document, made from the types that are encoded and decoded.

https://www.asyncapi.com/docs/reference/specification/v3.0.0. Payloads are described in the document's own schema
dialect, which is JSON Schema draft 7; the files of ``schemas`` say the same in draft 2020-12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from controller.formats.journal.stream import Ack, ReplayRequest
from controller.formats.mqtt.envelope import DeviceStatus, Envelope, Status, Topics, event_types, type_of
from controller.formats.mqtt.retained_state import STATES, Info
from controller.formats.mqtt.schemas import untagged
from controller.formats.orders.requests import VERBS, Reply
from firmware_protocols.values import tag_of

VERSION: Final = "3.0.0"
DIALECT_REFERENCE: Final = "#/components/schemas/{name}"
LOCATION: Final = {
    "site": {"description": "The property, as in the table file."},
    "table": {"description": "The table, as in the table file."},
}
QOS: Final = {"mqtt": {"qos": 1, "bindingVersion": "0.2.0"}}
RETAINED: Final = {"mqtt": {"qos": 1, "retain": True, "bindingVersion": "0.2.0"}}


def asyncapi_file(examples: Iterable[Mapping[str, Any]], version: str) -> bytes:
    """The document as JSON. ``examples`` are envelopes of real events; ``version`` is the program's."""
    return msgspec.json.format(msgspec.json.encode(_document(examples, version)), indent=2) + b"\n"


def _document(examples: Iterable[Mapping[str, Any]], version: str) -> dict[str, Any]:
    wanted: dict[str, type] = {name: kind for name, (kind, _) in VERBS.items()} | {"replay": ReplayRequest}
    kinds = [Envelope, Status, DeviceStatus, Info, Reply, Ack, *STATES.values(), *event_types(), *wanted.values()]
    _, schemas = msgspec.json.schema_components(kinds, ref_template=DIALECT_REFERENCE)
    schemas = {name: _draft_7(schema) for name, schema in schemas.items()}
    shown = {str(one["type"]): one for one in examples}
    messages = _events(schemas, shown) | _plain_messages(wanted)
    return {
        "asyncapi": VERSION,
        "info": _info(version),
        "defaultContentType": "application/json",
        "channels": _channels(wanted),
        "operations": _operations(wanted),
        "components": {"messages": messages, "schemas": schemas},
    }


def _info(version: str) -> dict[str, Any]:
    description = (
        "What a blackjack table publishes over MQTT and what it may be asked. Delivery is at least once and in the "
        "order of `seq`; drop what repeats by (`source`, `epoch`, `seq`). "
        "docs/reference/event-reference.md describes each event."
    )
    return {"title": "Tableside", "version": version, "description": description, "license": {"name": "Apache-2.0"}}


def _events(schemas: dict[str, Any], shown: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A message for each event: the envelope with its ``type`` and ``data``."""
    envelope = schemas.pop("Envelope")
    messages: dict[str, Any] = {}
    for kind in event_types():
        name = tag_of(kind)
        untagged(schemas[kind.__name__])
        wire_type = type_of(name)
        properties = {"type": {"const": wire_type}, "data": {"$ref": DIALECT_REFERENCE.format(name=kind.__name__)}}
        payload = {**envelope, "title": kind.__name__, "properties": {**envelope["properties"], **properties}}
        message = {"name": name, "title": kind.__name__, "summary": _first_line(kind), "payload": payload}
        if wire_type in shown:
            message["examples"] = [{"name": "as published", "payload": shown[wire_type]}]
        messages[name] = message
    return messages


def _plain_messages(wanted: Mapping[str, type]) -> dict[str, Any]:
    """Messages without an envelope: retained pictures, requests and replies."""
    named: dict[str, type] = {"status": Status, "device_status": DeviceStatus, "info": Info, "reply": Reply, "ack": Ack}
    named |= {f"state_{name}": kind for name, kind in STATES.items()}
    named |= {f"cmd_{name}": kind for name, kind in wanted.items()}
    return {
        name: {
            "name": name,
            "title": kind.__name__,
            "summary": _first_line(kind),
            "payload": {"$ref": DIALECT_REFERENCE.format(name=kind.__name__)},
        }
        for name, kind in named.items()
    }


def _channels(wanted: Mapping[str, type]) -> dict[str, Any]:
    topics = Topics("{site}", "{table}")
    names = [tag_of(kind) for kind in event_types()]
    channels = {
        "event": _channel(f"{topics.root}/event/{{event}}", names, "event", names),
        "alert": _channel(f"{topics.root}/alert/{{event}}", names, "event", names),
        "status": _channel(topics.status, ["status"]),
        "info": _channel(topics.info, ["info"]),
        "deviceStatus": _channel(topics.device("{device}"), ["device_status"], "device", []),
        "ack": _channel(f"{topics.root}/ack/{{consumer}}", ["ack"], "consumer", []),
        "replayed": _channel(topics.replay("{consumer}"), names, "consumer", []),
    }
    channels |= {f"state_{name}": _channel(topics.state(name), [f"state_{name}"]) for name in STATES}
    for name in wanted:
        channels[f"cmd_{name}"] = _channel(topics.command(name), [f"cmd_{name}"])
        channels[f"reply_{name}"] = _channel(topics.reply(name), ["reply"])
    return channels


def _channel(address: str, messages: list[str], parameter: str = "", values: Iterable[str] = ()) -> dict[str, Any]:
    """A topic; ``parameter`` is what it has beside site and table, ``values`` what that may be (none: anything)."""
    parameters: dict[str, Any] = dict(LOCATION)
    if parameter:
        parameters[parameter] = {"enum": list(values)} if values else {"description": "As the table file names it."}
    references = {name: {"$ref": f"#/components/messages/{name}"} for name in messages}
    return {"address": address, "messages": references, "parameters": parameters}


def _operations(wanted: Mapping[str, type]) -> dict[str, Any]:
    """What the daemon does: sends and receives are its own."""
    retained = ["status", "info", "deviceStatus", *(f"state_{name}" for name in STATES)]
    operations = {f"publish_{name}": _sends(name, QOS) for name in ("event", "alert", "replayed")}
    operations["receive_ack"] = {"action": "receive", "channel": {"$ref": "#/channels/ack"}, "bindings": QOS}
    operations |= {f"publish_{name}": _sends(name, RETAINED) for name in retained}
    for name in wanted:
        reply = {"channel": {"$ref": f"#/channels/reply_{name}"}}
        operations[f"receive_{name}"] = {
            "action": "receive",
            "channel": {"$ref": f"#/channels/cmd_{name}"},
            "reply": reply,
            "bindings": QOS,
        }
    return operations


def _sends(channel: str, bindings: dict[str, Any]) -> dict[str, Any]:
    return {"action": "send", "channel": {"$ref": f"#/channels/{channel}"}, "bindings": bindings}


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]


def _draft_7(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """A schema with what draft 2020-12 has of its own in the older words."""
    if isinstance(schema, list):
        return [_draft_7(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _draft_7(value) for key, value in schema.items()}
    if "anyOf" in found:
        # Which one it is stands in the tag of each; the older dialect knows only a property's name here.
        found.pop("discriminator", None)
    if "prefixItems" in found:
        rest = found.pop("items", None)
        found["items"] = found.pop("prefixItems")
        if rest is not None:
            found["additionalItems"] = rest
    return found
