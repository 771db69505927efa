"""JSON Schemas (draft 2020-12) of everything published, made from the types that are encoded."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.formats.journal.stream import Ack, ReplayRequest, StreamNow
from controller.formats.mqtt.envelope import TYPE_SUFFIX, DeviceStatus, Envelope, Status, event_types, type_of
from controller.formats.mqtt.retained_state import STATES, Info
from controller.formats.orders.requests import Reply
from firmware_protocols.values import tag_of

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_files() -> dict[str, bytes]:
    """Content by file name: ``card_drawn.v1.json`` for each event, and the rest by its own name."""
    files: dict[str, Any] = {f"{tag_of(kind)}{TYPE_SUFFIX}.json": _event_schema(kind) for kind in event_types()}
    files[f"status{TYPE_SUFFIX}.json"] = _plain_schema(Status)
    files[f"device_status{TYPE_SUFFIX}.json"] = _plain_schema(DeviceStatus)
    files[f"stream{TYPE_SUFFIX}.json"] = _plain_schema(StreamNow)
    files[f"ack{TYPE_SUFFIX}.json"] = _plain_schema(Ack)
    files[f"replay{TYPE_SUFFIX}.json"] = _plain_schema(ReplayRequest)
    files[f"info{TYPE_SUFFIX}.json"] = _plain_schema(Info)
    files[f"reply{TYPE_SUFFIX}.json"] = _plain_schema(Reply)
    files |= {f"state_{name}{TYPE_SUFFIX}.json": _plain_schema(kind) for name, kind in STATES.items()}
    files = {name: _without_discriminators(schema) for name, schema in files.items()}
    return {name: msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n" for name, schema in files.items()}


def untagged(schema: dict[str, Any]) -> dict[str, Any]:
    """An event's schema as the data of an envelope, where its name stands outside. The schema itself is changed."""
    schema["properties"].pop("type")
    schema["required"].remove("type")
    return schema


def _without_discriminators(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """A schema in its own dialect alone: ``discriminator`` is OpenAPI's, and the tag of each variant says the same."""
    match schema:
        case dict():
            named = "anyOf" in schema
            return {
                key: _without_discriminators(one) for key, one in schema.items() if not named or key != "discriminator"
            }
        case list():
            return [_without_discriminators(one) for one in schema]
        case _:
            return schema


def _plain_schema(kind: type) -> dict[str, Any]:
    (reference,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    return {"$schema": DIALECT, **reference, "$defs": components}


def _event_schema(kind: type) -> dict[str, Any]:
    """The envelope with ``type`` and ``data`` of one event; what later versions may add is not forbidden."""
    references, components = msgspec.json.schema_components([Envelope, kind], ref_template="#/$defs/{name}")
    data = untagged(components[kind.__name__])
    envelope = components.pop("Envelope")
    envelope["title"] = kind.__name__
    envelope["description"] = data.pop("description")
    envelope["properties"]["type"] = {"const": type_of(tag_of(kind))}
    envelope["properties"]["specversion"] = {"const": "1.0"}
    envelope["properties"]["data"] = references[1]
    return {"$schema": DIALECT, **envelope, "$defs": components}
