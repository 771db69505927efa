"""A real Node-RED with the flow that is shipped."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from controller.io.mqtt.broker import free_port
from controller.io.mqtt.connection import Broker
from tests.connections.running import lay, running, until
from tests.docs.pages import ROOT

SETTINGS: Final = """\
module.exports = {{
  flowFile: "flow.json", uiHost: "127.0.0.1", uiPort: {port}, credentialSecret: false,
  logging: {{ console: {{ level: "info" }} }},
  telemetry: {{ enabled: false, updateNotification: false }},
}};
"""
DEBUG: Final = re.compile(r"\[debug:(?P<node>[^\]]*)\] ?(?P<text>.*)")
NOT_OURS: Final = ("credentials", "Projects disabled")


class NodeRed:
    """One that runs the flow."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def lines(self) -> list[str]:
        """What it said."""
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def messages(self) -> list[tuple[str, str]]:
        """What its last nodes were given: the node, and the message."""
        log = "\n".join(self.lines())
        found = (DEBUG.search(line) for line in log.splitlines())
        return [(one["node"], one["text"].strip(" '")) for one in found if one]

    def complaints(self) -> list[str]:
        """What it said was wrong."""
        return [line for line in self.lines() if re.search(r"\[(warn|error)\]", line) and not names_ours(line)]


def names_ours(line: str) -> bool:
    """Whether a line is of our bare settings, and not of the flow."""
    return any(one in line for one in NOT_OURS)


@contextlib.asynccontextmanager
async def node_red(program: Path, folder: Path, broker: Broker) -> AsyncIterator[NodeRed]:
    """One that runs the flow on this broker, whose address alone is changed in it."""
    flow = json.loads((ROOT / "docs/examples/node-red/flow.json").read_text(encoding="utf-8"))
    for node in flow:
        if node["type"] == "mqtt-broker":
            node |= {"broker": broker.host, "port": str(broker.port)}
    lay(folder, {"flow.json": json.dumps(flow), "settings.js": SETTINGS.format(port=free_port())})
    log = folder / "output.log"
    async with running(log, program, "--userDir", folder, "--settings", folder / "settings.js"):
        one = NodeRed(log)

        async def connected() -> bool:
            return any("Connected to broker" in line for line in one.lines())

        await until(connected, "Node-RED is connected to the broker")
        yield one
