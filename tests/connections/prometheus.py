"""A real Prometheus that scrapes the figures, and Grafana's dashboard asked of it panel by panel."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from aiohttp import ClientSession

from controller.io.mqtt.broker import free_port
from controller.io.mqtt.connection import Broker
from tests.connections.running import lay, running, until
from tests.docs.pages import ROOT
from tests.wiring.premises import program

SCRAPES: Final = """\
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: tableside
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""
DASHBOARD: Final = ROOT / "docs/examples/grafana/tableside.json"
NAMED: Final = re.compile(r"\{\{(\w+)\}\}")

READ_BACK: Final = """\
import json, sys
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

def lost(given, read, path):
    match given, read:
        case dict(), dict():
            for key, value in given.items():
                yield from lost(value, read.get(key), f"{path}/{key}")
        case list(), list() if len(given) == len(read):
            for at, value in enumerate(given):
                yield from lost(value, read[at], f"{path}/{at}")
        case _ if given != read:
            yield path

register_default_plugins()
given = json.load(open(sys.argv[1]))
read = json.loads(JSONEncoder().encode(Dashboard.from_json(given)))
print(json.dumps(list(lost(given, read, ""))))
"""


class Prometheus:
    """One that scrapes the figures of a broker's tables."""

    def __init__(self, client: ClientSession, at: str, figures: str) -> None:
        self._client = client
        self._at = at
        self._figures = figures

    async def text(self) -> str:
        """The figures as it is given them."""
        async with self._client.get(self._figures) as answer:
            return await answer.text()

    async def ask(self, path: str, **query: str) -> Any:
        """Its answer."""
        async with self._client.get(f"{self._at}/api/v1/{path}", params=query) as answer:
            found = await answer.json()
        assert found["status"] == "success", found
        return found["data"]

    async def series(self, expression: str) -> list[dict[str, str]]:
        """The labels of each series that answers an expression."""
        found = await self.ask("query", query=expression)
        return [one["metric"] for one in found["result"]]

    async def is_up(self) -> bool:
        """Whether it scrapes."""
        return bool(await self.series("up == 1"))


@contextlib.asynccontextmanager
async def prometheus(server: str, folder: Path, broker: Broker) -> AsyncIterator[Prometheus]:
    """One beside a ``tableside metrics`` of this broker."""
    figures, port = free_port(), free_port()
    lay(folder, {"prometheus.yml": SCRAPES.format(port=figures)})
    metrics = program("metrics", "--broker", f"{broker.host}:{broker.port}", "--listen", f"127.0.0.1:{figures}")
    command = (server, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}")
    async with (
        running(folder / "metrics.log", *metrics, "--disk", str(folder)),
        running(folder / "output.log", *command, f"--web.listen-address=127.0.0.1:{port}"),
        ClientSession() as client,
    ):
        one = Prometheus(client, f"http://127.0.0.1:{port}", f"http://127.0.0.1:{figures}/metrics")
        await until(one.is_up, "Prometheus scrapes the figures")
        yield one


async def checked(tool: str, *arguments: str, given: str = "") -> str:
    """What ``promtool check`` says of this; it must be content."""
    process = await asyncio.create_subprocess_exec(tool, "check", *arguments, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate(given.encode())
    assert process.returncode == 0, output.decode()
    return output.decode()


def panels() -> list[tuple[str, str, str]]:
    """Title, expression and legend of each query of the dashboard, for all sites and tables."""
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [
        (panel["title"], target["expr"].replace("$site", ".*").replace("$table", ".*"), target.get("legendFormat", ""))
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
    ]


async def unanswered(of: Prometheus) -> list[str]:
    """The queries of the dashboard that find no series, or none with the labels that its legend names."""
    wrong = []
    for title, expression, legend in panels():
        found = await of.series(expression)
        if not found or any(not set(NAMED.findall(legend)) <= set(labels) for labels in found):
            wrong.append(f"{title}: {expression} found {found}")
    return wrong
