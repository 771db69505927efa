"""A real Home Assistant: set up as its owner does it, over its own interface, and asked for what it found."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from aiohttp import ClientError, ClientSession

from controller.io.mqtt.broker import free_port
from controller.io.mqtt.connection import Broker
from tests.connections.running import lay, running, until

CONFIGURATION: Final = """\
homeassistant:
  name: Pit
  time_zone: UTC
  currency: USD
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
onboarding:
"""
OWNER: Final = {"name": "Pit", "username": "pit", "password": "a long one for the pit", "language": "en"}


class Entity(NamedTuple):
    """What it shows of one thing."""

    state: str
    attributes: dict[str, Any]


class HomeAssistant:
    """One that runs; ``token`` is its owner's."""

    def __init__(self, client: ClientSession, at: str) -> None:
        self._client = client
        self._at = at
        self._token: dict[str, str] = {}

    async def post(self, path: str, body: object) -> dict[str, Any]:
        """Ask it to do something."""
        async with self._client.post(f"{self._at}{path}", json=body, headers=self._token) as answer:
            assert answer.ok, f"{path}: {answer.status} {await answer.text()}"
            found: dict[str, Any] = await answer.json()
            return found

    async def answers(self) -> bool:
        """Whether it is there."""
        try:
            async with self._client.get(f"{self._at}/api/onboarding") as answer:
                return answer.ok
        except ClientError:
            return False

    async def own(self) -> None:
        """Become its owner, as in its first minute."""
        entry = await self.post("/api/onboarding/users", {**OWNER, "client_id": self._at})
        form = {"grant_type": "authorization_code", "code": entry["auth_code"], "client_id": self._at}
        async with self._client.post(f"{self._at}/auth/token", data=form) as answer:
            self._token = {"Authorization": f"Bearer {(await answer.json())['access_token']}"}

    async def connect(self, broker: Broker) -> None:
        """Add the integration *MQTT*, as in its settings."""
        flow = await self.post("/api/config/config_entries/flow", {"handler": "mqtt"})
        entered = {"broker": broker.host, "port": broker.port}
        done = await self.post(f"/api/config/config_entries/flow/{flow['flow_id']}", entered)
        assert done["type"] == "create_entry", done

    async def entities(self) -> dict[str, Entity]:
        """What it shows, by the identity that each thing was announced with."""
        async with self._client.get(f"{self._at}/api/states", headers=self._token) as answer:
            states = {one["entity_id"]: one for one in await answer.json()}
        return {
            one["unique_id"]: Entity(states[one["entity_id"]]["state"], states[one["entity_id"]]["attributes"])
            for one in await self._registry()
            if one["entity_id"] in states
        }

    async def _registry(self) -> list[dict[str, Any]]:
        async with self._client.ws_connect(f"{self._at}/api/websocket") as socket:
            await socket.receive_json()
            await socket.send_json({"type": "auth", "access_token": self._token["Authorization"].split()[1]})
            await socket.receive_json()
            await socket.send_json({"id": 1, "type": "config/entity_registry/list"})
            found: list[dict[str, Any]] = (await socket.receive_json())["result"]
        return found


@contextlib.asynccontextmanager
async def home_assistant(program: Path, folder: Path, broker: Broker) -> AsyncIterator[HomeAssistant]:
    """One that has never been sent anything, on this broker."""
    port = free_port()
    lay(folder, {"configuration.yaml": CONFIGURATION.format(port=port)})
    # It installs what it lacks by the pip that it finds first.
    path = {"PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin"}
    async with running(folder / "output.log", program, "-c", folder, more=path), ClientSession() as client:
        one = HomeAssistant(client, f"http://127.0.0.1:{port}")
        await until(one.answers, "Home Assistant answers")
        await one.own()
        await one.connect(broker)
        yield one


def complaints(folder: Path) -> list[str]:
    """What it said was wrong, of MQTT or of a template."""
    log = (folder / "output.log").read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in log if ("ERROR" in line or "WARNING" in line) and ("mqtt" in line or "template" in line)]
