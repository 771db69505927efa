"""What tables retain, as figures that a real parser of OpenMetrics reads; the files shipped for other programs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from controller.formats.mqtt.envelope import device_bytes, status_bytes
from controller.formats.mqtt.retained_state import hold_bytes
from controller.io.displays.http_server import CONNECTIONS_LIMIT, answering
from controller.io.mqtt.broker import find_mosquitto, free_port, mosquitto
from controller.io.mqtt.connection import connected
from controller.io.system.clock import SystemClock
from controller.metrics.board import HELP, NAMES_LIMIT, TABLES_LIMIT, Board, Sample
from controller.metrics.endpoint import FigureCollector, serve
from tests.docs.pages import ROOT, page, sections

ROOT_TOPIC: Final = "tableside/v1/harbour/bj-1"

PICTURE: Final = re.compile(
    r"^```json (status|round|alerts|pace|stream|machine|meters)\n(.*?)^```", re.MULTILINE | re.DOTALL
)


def examples() -> Iterator[tuple[str, bytes]]:
    """The pictures that the page of events shows, by topic."""
    shown = (ROOT / "docs/reference/events.md").read_text()
    for kind, text in PICTURE.findall(shown):
        yield (f"{ROOT_TOPIC}/status" if kind == "status" else f"{ROOT_TOPIC}/state/{kind}"), text.encode()
    yield f"{ROOT_TOPIC}/device/bet_spots/3/status", device_bytes("lost", "no answer", 0)
    yield f"{ROOT_TOPIC}/state/hold", hold_bytes("record 50 could not be stepped")


def heard(at: float = 100.0) -> Board:
    board = Board()
    for topic, payload in examples():
        board.hear(topic, payload, at)
    return board


def values(board: Board, at: float = 100.0) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in board.samples(at):
        found.setdefault(sample.name, []).append(sample)
    return found


def test_every_figure_comes_of_what_the_page_of_events_shows() -> None:
    found = values(heard())
    assert set(found) == set(HELP)
    whose = {"site": "harbour", "table": "bj-1"}.items()
    assert all(whose <= one.labels.items() for some in found.values() for one in some)


@pytest.mark.parametrize(
    ("name", "labels", "value"),
    [
        ("up", {}, 1),
        ("on_hold", {}, 1),
        ("rounds_per_hour", {}, 54),
        ("answer_seconds", {}, 4.2),
        ("phase_seconds", {"phase": "playing"}, 18),
        ("alerts_waiting", {"severity": "warning"}, 1),
        ("alerts_waiting", {"severity": "critical"}, 0),
        ("device_ready", {"device": "bet_spots/3"}, 0),
        ("device_down_seconds_last_hour", {"device": "shoe"}, 12),
        ("consumer_behind_events", {"consumer": "surveillance"}, 0),
        ("meter_shown_cents", {"meter": "sevens"}, 500_085),
        ("line_open", {"line": "keypad"}, 0),
        ("line_quiet_seconds", {"line": "shoe"}, 4),
        ("journal_disk_free_bytes", {}, 79_456_894_976),
        ("second_copy_behind_records", {}, 12),
        ("second_copy_failing", {}, 0),
        ("verified_timestamp_seconds", {}, 1_795_629_607),
    ],
)
def test_a_figure_is_what_the_table_published(name: str, labels: dict[str, str], value: float) -> None:
    (found,) = [one for one in values(heard())[name] if labels.items() <= one.labels.items()]
    assert found.value == value


def test_a_table_that_says_nothing_more_is_seen_to_age() -> None:
    assert values(heard(100.0), 117.5)["heard_seconds"][0].value == 17.5


def test_what_was_not_published_is_left_out_and_never_0() -> None:
    board = Board()
    board.hear(f"{ROOT_TOPIC}/status", status_bytes("offline", 3, 0), 0)
    found = {name: some[0].value for name, some in values(board).items()}
    assert found == {"up": 0, "starts": 3, "alarms": 0, "on_hold": 0}


def test_a_hold_that_is_over_is_over() -> None:
    board = heard()
    board.hear(f"{ROOT_TOPIC}/state/hold", b"", 101)
    assert values(board)["on_hold"][0].value == 0


def test_names_without_end_are_bounded() -> None:
    board = Board()
    for number in range(TABLES_LIMIT + 10):
        board.hear(f"tableside/v1/harbour/t{number}/status", status_bytes("online", 1, 0), 0)
    for number in range(NAMES_LIMIT + 10):
        board.hear(f"tableside/v1/harbour/t1/device/d{number}/status", device_bytes("ready", "", 0), 0)
    found = values(board)
    assert (len(found["up"]), len(found["device_ready"])) == (TABLES_LIMIT, NAMES_LIMIT)


def test_phases_and_kinds_of_alerts_without_end_are_bounded() -> None:
    """Each becomes a series of the database, which whoever writes what one table retains must not fill."""
    pace = json.loads(dict(examples())[f"{ROOT_TOPIC}/state/pace"])
    many = {f"name{number}": 1 for number in range(1_000)}
    pace["figures"] |= {"phase_ms": many, "alerts": many}
    board = Board()
    board.hear(f"{ROOT_TOPIC}/state/pace", json.dumps(pace).encode(), 0)
    found = values(board)
    assert (len(found["phase_seconds"]), len(found["alerts_last_hour"])) == (NAMES_LIMIT, NAMES_LIMIT)


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_figures_over_http_as_a_parser_of_openmetrics_reads_them(tmp_path: Path) -> None:
    port, figures = free_port(), FigureCollector(SystemClock(), (tmp_path, tmp_path / "none"))
    async with mosquitto() as broker:
        async with connected(broker, "5", "table") as table:
            for topic, payload in examples():
                await table.publish(topic, payload, 1, True)
        task = asyncio.create_task(serve(broker, "+/+", ("127.0.0.1", port), figures, random.Random(1)))
        try:
            async with asyncio.timeout(60):
                while "tableside_meter_closed" not in (text := await asyncio.to_thread(scraped, port)):
                    assert not task.done()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    families = {one.name: one for one in text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]
    assert {f"tableside_{name}" for name in HELP} <= set(families)
    assert families["tableside_broker_connected"].samples[0].value == 1
    (free,) = families["tableside_disk_free_bytes"].samples
    assert free.labels == {"path": str(tmp_path)}
    assert free.value > 0


def begun(port: int) -> socket.socket:
    """A connection on which a request is begun and never ended."""
    found = socket.create_connection(("127.0.0.1", port), timeout=60)
    found.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
    return found


async def test_requests_that_are_never_ended_are_hung_up_on_and_others_are_answered() -> None:
    registry = CollectorRegistry()
    registry.register(FigureCollector(SystemClock(), ()))
    with answering("127.0.0.1", 0, make_wsgi_app(registry)) as port, contextlib.ExitStack() as kept:
        opened = [await asyncio.to_thread(begun, port) for _ in range(3 * CONNECTIONS_LIMIT)]
        for one in opened:
            kept.callback(one.close)
        # Those that are too many at once, the others when they have said nothing for so long.
        for one in reversed(opened):
            with contextlib.suppress(ConnectionResetError):
                assert await asyncio.to_thread(one.recv, 1) == b""
        async with asyncio.timeout(60):
            while "tableside_broker_connected 0.0" not in await asyncio.to_thread(scraped, port):
                pass


def scraped(port: int) -> str:
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}
    )
    with contextlib.suppress(OSError), urllib.request.urlopen(asked, timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
        return str(answer.read().decode())
    return ""


DASHBOARD: Final = json.loads((ROOT / "docs/examples/grafana/tableside.json").read_text())


def test_the_dashboard_asks_for_figures_that_there_are() -> None:
    asked = set(re.findall(r"tableside_(\w+)", json.dumps(DASHBOARD["panels"])))
    assert asked <= set(HELP) | {"disk_free_bytes", "disk_size_bytes"}
    places = [tuple(panel["gridPos"].values()) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)


ADDED_BY_PROMETHEUS: Final = {"instance", "job"}


def exposed_labels(tmp_path: Path) -> dict[str, set[str]]:
    """The labels of each figure, by its name, as a scrape has them."""
    figures = FigureCollector(SystemClock(), [tmp_path])
    for topic, payload in examples():
        figures.hear(topic, payload)
    registry = CollectorRegistry()
    registry.register(figures)
    return {family.name: {name for one in family.samples for name in one.labels} for family in registry.collect()}


def dashboard_queries() -> Iterator[tuple[str, str]]:
    """Each expression of the dashboard, with the text of its legend; those of its variables too."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"], target.get("legendFormat", "")
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"], ""


def named_labels(expression: str, legend: str) -> set[str]:
    """The labels that a query names: of series, of what they are added up by, of its legend, of a variable's values."""
    chosen = [name for inside in re.findall(r"\{([^}]*)\}", expression) for name in re.findall(r"(\w+)\s*=", inside)]
    groups = [name for inside in re.findall(r"\bby \(([^)]*)\)", expression) for name in re.findall(r"\w+", inside)]
    values = re.findall(r",\s*(\w+)\)$", expression) if expression.startswith("label_values(") else []
    return {*chosen, *groups, *values, *re.findall(r"\{\{(\w+)\}\}", legend)}


def test_the_dashboard_names_labels_that_its_figures_have(tmp_path: Path) -> None:
    labels, asked = exposed_labels(tmp_path), list(dashboard_queries())
    assert len(asked) > len(DASHBOARD["panels"])
    for expression, legend in asked:
        figures = re.findall(r"\btableside_\w+", expression)
        assert figures
        for figure in figures:
            assert named_labels(expression, legend) <= labels[figure] | ADDED_BY_PROMETHEUS, expression


def test_the_page_names_every_figure() -> None:
    named = {row[0].strip("`") for row in sections(page("metrics.md"))["Figures"].rows()}
    assert named == {f"tableside_{name}" for name in HELP} | {
        "tableside_broker_connected",
        "tableside_disk_free_bytes",
        "tableside_disk_size_bytes",
    }


FLOW: Final = json.loads((ROOT / "docs/examples/node-red/flow.json").read_text())


def test_every_wire_of_the_flow_leads_to_a_node_of_it() -> None:
    nodes = {node["id"]: node for node in FLOW}
    assert len(nodes) == len(FLOW)
    for node in FLOW:
        assert all(wire in nodes for wires in node.get("wires", []) for wire in wires)
        assert node.get("broker", "tableside-broker") in {"tableside-broker", "127.0.0.1"}
