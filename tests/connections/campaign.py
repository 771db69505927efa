"""The programs that a property connects, the real ones, at a real daemon's table: each finds what it is sent.

``python -m tests.connections.campaign``. A table plays over a Mosquitto; Home Assistant, Node-RED and Prometheus with
the dashboard of Grafana are installed from PyPI, npm and Debian, each in a folder below ``--folder``, and asked for
what they show. A program that cannot be installed is said to be not tried, and the exit status is 3.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.demo.table import SITE, TABLE
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics, device_bytes, event_bytes
from controller.formats.mqtt.retained_alerts import AlertNow, AlertsNow
from controller.formats.mqtt.retained_state import hold_bytes
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker, CheckedClient, connected
from tests.connections import installed
from tests.connections.home_assistant import Entity, HomeAssistant, complaints, home_assistant
from tests.connections.installed import NotInstalledError, python_with
from tests.connections.node_red import node_red
from tests.connections.prometheus import DASHBOARD, READ_BACK, checked, prometheus, unanswered
from tests.connections.running import until
from tests.metrics.test_metrics import examples
from tests.wiring.premises import Ear, program, ran

HERE: Final = Topics(SITE, TABLE)
ELSEWHERE: Final = Topics("harbour", "bj-9")
RAISED_NS: Final = 1_795_259_314_000_000_000
"""2026-11-21, 11:08:34."""

NODE: Final = f"tableside_{SITE}_{TABLE}"
NOT_TRIED: Final = 3
REASON: Final = "record 50 could not be stepped"
ALERT: Final = AlertNow(3, "mispay", "critical", "paid twice", 60, 3, "main", "2026-11-21T11:08:34.000000Z")


class Place(NamedTuple):
    """Where a table plays, and who hears it."""

    broker: Broker
    client: CheckedClient
    ear: Ear
    demo: Process
    folder: Path
    """Of this run; the programs are in ``programs``."""
    programs: Path

    def picture(self, topic: str) -> Any:
        """What is retained there now."""
        body = self.ear.last(topic)
        return msgspec.json.decode(body) if body else None

    async def retain(self, topic: str, body: bytes) -> None:
        """Say in the table's name what its daemon would."""
        await self.client.publish(topic, body, 1, True)

    async def ends(self) -> None:
        """The table's daemon stops."""
        if self.demo.returncode is None:
            self.demo.send_signal(signal.SIGINT)
            await until(self._is_offline, "the table is offline")

    async def _is_offline(self) -> bool:
        picture = self.picture(HERE.status)
        return picture is not None and picture["state"] == "offline"


@contextlib.asynccontextmanager
async def table(programs: Path) -> AsyncIterator[Place]:
    """A table with meters, a sign and a trigger box, whose people play until they are asked to end."""
    ear = Ear("tableside/#", "homeassistant/#")
    with tempfile.TemporaryDirectory(prefix="tableside-connections-") as name:
        async with mosquitto() as broker, ear.listening(broker), connected(broker, "5", "") as client:
            at = ("--broker", f"{broker.host}:{broker.port}", "--directory", f"{name}/demo")
            command = program("demo", "--rounds", "0", "--jackpots", "--web", "0", "--seed", "62", *at)
            demo = await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL)
            try:
                await ear.until(lambda: all(ear.last(HERE.state(one)) for one in ("felt", "meters", "pace")))
                yield Place(broker, client, ear, demo, Path(name), programs)
            finally:
                if demo.returncode is None:
                    demo.terminate()
                    await demo.wait()


# --- Home Assistant ---------------------------------------------------------------------------------


def shown(place: Place) -> dict[str, str]:
    """What it should show of the table, by what the table retains."""
    round_now, meters = place.picture(HERE.state("round")), place.picture(HERE.state("meters"))
    amounts = {f"meter_{one['meter']}": one["shown_cents"] for one in (*meters["meters"], *meters["linked"])}
    return {
        "round": str(round_now["round"]),
        "phase": round_now["phase"],
        "question": "on" if round_now["question"] else "off",
        "alerts": str(len(place.picture(HERE.state("alerts"))["unacknowledged"])),
        **{name: f"{cents // 100}.{cents % 100:02}" for name, cents in amounts.items() if cents is not None},
    }


async def shows(home: HomeAssistant, expected: Callable[[], dict[str, str]], what: str) -> dict[str, Entity]:
    """Wait until it shows what is expected at that moment; all that it shows then."""
    found: dict[str, Entity] = {}

    async def is_shown() -> bool:
        found.clear()
        found.update({name.removeprefix(f"{NODE}_"): one for name, one in (await home.entities()).items()})
        return all(name in found and found[name].state == state for name, state in expected().items())

    await until(is_shown, f"Home Assistant shows {what}")
    return dict(found)


async def tried_home_assistant(place: Place) -> str:
    """It finds the table, follows it, and shows its hold, alerts, devices, meters and end."""
    hass = await installed.home_assistant(place.programs / "home-assistant")
    at = ("--broker", f"{place.broker.host}:{place.broker.port}")
    status, output, _ = await ran("home-assistant", *at)
    assert status == 0, output
    topics = output.split()
    announced = [msgspec.json.decode(place.ear.last(topic) or b"") for topic in topics]
    unique = {one["unique_id"].removeprefix(f"{NODE}_") for one in announced}
    folder = place.folder / "home-assistant"
    async with home_assistant(hass, folder, place.broker) as home:
        found = await shows(home, lambda: shown(place), "the table")
        assert unique == set(found) & unique, sorted(unique - set(found))
        rounds = {found["round"].state}
        while len(rounds) < 3:
            await place.ear.until(lambda: str(place.picture(HERE.state("round"))["round"]) not in rounds)
            rounds.add((await shows(home, lambda: shown(place), "the next round"))["round"].state)
        await place.retain(HERE.state("hold"), hold_bytes(REASON))
        held = await shows(home, lambda: {"hold": "on"}, "the hold")
        assert held["hold"].attributes["reason"] == REASON
        await place.retain(HERE.state("hold"), b"")
        await shows(home, lambda: {"hold": "off"}, "the release")
        await place.retain(HERE.state("alerts"), msgspec.json.encode(AlertsNow(3, 1, (ALERT,))))
        await shows(home, lambda: {"alerts": "1"}, "an alert")
        await place.retain(HERE.device("shoe"), device_bytes("lost", "no answer", 0))
        await shows(home, lambda: {"device_shoe": "off"}, "a lost shoe")
        await place.ends()
        await shows(home, lambda: dict.fromkeys(unique, "unavailable"), "that the table stopped")
        await ran("home-assistant", "--remove", *at)
        await until(lambda: gone(home), "that the table was taken back")
    assert not complaints(folder), complaints(folder)
    return f"{len(unique)} things found and followed over {len(rounds)} rounds, a hold, an alert, a lost shoe, the end"


async def gone(home: HomeAssistant) -> bool:
    """Whether nothing of the table is left."""
    return not any(name.startswith(NODE) for name in await home.entities())


# --- Node-RED ---------------------------------------------------------------------------------------


def alerts() -> tuple[bytes, bytes]:
    """A warning and a critical alert of another table."""
    identity = Identity(ELSEWHERE.site, ELSEWHERE.table, 1)
    warning = AlertRaised(1, AlertKind.BET_TOUCHED, Severity.WARNING, "taken back after the deal")
    critical = AlertRaised(2, AlertKind.MISPAY, Severity.CRITICAL, "paid twice")
    return event_bytes(warning, identity, 1, RAISED_NS), event_bytes(critical, identity, 2, RAISED_NS)


async def tried_node_red(place: Place) -> str:
    """Its flow puts each alert into words once, parts the critical from others, and a table that stops."""
    program_of = await installed.node_red(place.programs / "node-red")
    async with node_red(program_of, place.folder / "node-red", place.broker) as flow:
        for body in alerts():
            # The broker may deliver an event twice.
            for _ in range(2):
                await place.client.publish(f"{ELSEWHERE.root}/event/alert_raised", body, 1)
        await place.ends()
        expected = {
            ("others", "11:08:34 harbour/bj-9 warning: taken back after the deal"),
            ("critical: put your pager here", "11:08:34 harbour/bj-9 critical: paid twice"),
            ("a table stopped", HERE.status),
        }

        async def are_passed() -> bool:
            return expected <= set(flow.messages())

        await until(are_passed, "Node-RED passes the alerts and the table's end")
        passed = flow.messages()
        assert all(passed.count(one) == 1 for one in expected), passed
        assert not flow.complaints(), flow.complaints()
    return f"{len(passed)} messages passed: alerts once each, a table that stopped"


# --- Prometheus, and the dashboard of Grafana -------------------------------------------------------


async def tried_prometheus(place: Place) -> str:
    """It scrapes the figures, and each query of the dashboard finds its series."""
    server, tool = installed.prometheus()
    for topic, body in examples():
        await place.retain(topic.replace("bj-1", "example"), body)
    async with prometheus(server, place.folder / "prometheus", place.broker) as scraping:
        await checked(tool, "config", str(place.folder / "prometheus/prometheus.yml"))
        await checked(tool, "metrics", given=await scraping.text())
        wrong: list[str] = []

        async def is_answered() -> bool:
            wrong[:] = await unanswered(scraping)
            return not wrong

        try:
            await until(is_answered, "each panel finds its series")
        except AssertionError as error:
            raise AssertionError(f"{error}: {wrong}") from None
        tables = await scraping.ask("label/table/values")
        assert {TABLE, "example"} <= set(tables), tables
        names = await scraping.ask("label/__name__/values")
    ours = [one for one in names if one.startswith("tableside_")]
    return f"{len(ours)} figures of {len(tables)} tables scraped, promtool is content, every panel finds its series"


async def tried_dashboard(place: Place) -> str:
    """Grafana's own library of its schema reads the whole dashboard, and loses nothing but a note of Grafana's own."""
    programs = await python_with(place.programs / "grafana-schema", installed.SCHEMA)
    lost = json.loads(await installed.does(programs / "python", "-c", READ_BACK, DASHBOARD))
    assert all(path.endswith("/definition") for path in lost), lost
    return f"read by {installed.SCHEMA.partition('==')[0]}"


TRIED: Final[dict[str, Callable[[Place], Awaitable[str]]]] = {
    "prometheus": tried_prometheus,
    "grafana-schema": tried_dashboard,
    "node-red": tried_node_red,
    "home-assistant": tried_home_assistant,
}


async def campaign(given: argparse.Namespace) -> int:
    """Each program at a table of its own; the exit status."""
    not_tried = 0
    for name in given.programs or TRIED:
        began = time.monotonic()
        async with table(given.folder) as place:
            try:
                summary = await TRIED[name](place)
            except NotInstalledError as error:
                not_tried += 1
                summary = f"not tried: {error}"
        print(f"{name}: {summary} ({time.monotonic() - began:.0f} s)", flush=True)
    return NOT_TRIED if not_tried else 0


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(TRIED)}; all without")
    parser.add_argument("--folder", type=Path, default=Path("build/connections"), help="where they are installed")
    given = parser.parse_args()
    if unknown := set(given.programs) - set(TRIED):
        parser.error(f"{', '.join(unknown)}: expected of {', '.join(TRIED)}")
    if find_mosquitto() is None:
        sys.exit("the campaign needs Mosquitto")
    given.folder = given.folder.absolute()
    given.folder.mkdir(parents=True, exist_ok=True)
    sys.exit(asyncio.run(campaign(given)))


if __name__ == "__main__":
    main()
