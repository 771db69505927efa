"""The process: it hears what is retained at a broker, and answers HTTP with the figures in OpenMetrics."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import structlog
from prometheus_client import make_wsgi_app
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry

from controller.io.displays.http_server import answering
from controller.io.mqtt.connection import Broker, Protocol, connected
from controller.io.mqtt.intake import AS_WORKED_OFF
from controller.io.mqtt.reconnection import Reconnection
from controller.io.system.clock import Clock
from controller.metrics.board import HELP, Board

HEARD: Final = ("status", "device/#", "state/+")
NANOSECONDS: Final = 1_000_000_000

log = structlog.get_logger(__name__)


class FigureCollector(Collector):
    """What prometheus_client asks when somebody asks it; HTTP is answered in threads of their own."""

    def __init__(self, clock: Clock, disks: Sequence[Path]) -> None:
        self._clock = clock
        self._disks = disks
        self._board = Board()
        self._lock = threading.Lock()
        self.is_connected = False

    def hear(self, topic: str, payload: bytes) -> None:
        """A message of the broker's."""
        with self._lock:
            self._board.hear(topic, payload, self._seconds())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Every figure, each name once."""
        with self._lock:
            samples = list(self._board.samples(self._seconds()))
        found: dict[str, GaugeMetricFamily] = {}
        for name, labels, value in samples:
            family = found.get(name)
            if family is None:
                family = found[name] = GaugeMetricFamily(f"tableside_{name}", HELP[name], labels=list(labels))
            family.add_metric(list(labels.values()), float(value))
        yield from (found[name] for name in HELP if name in found)
        broker = GaugeMetricFamily("tableside_broker_connected", "1: the broker is there")
        broker.add_metric([], float(self.is_connected))
        yield broker
        yield from self._disk_families()

    def _disk_families(self) -> Iterator[GaugeMetricFamily]:
        free = GaugeMetricFamily("tableside_disk_free_bytes", "Free on the disk of this path", labels=["path"])
        size = GaugeMetricFamily("tableside_disk_size_bytes", "Size of the disk of this path", labels=["path"])
        for path in self._disks:
            try:
                found = os.statvfs(path)
            except OSError as error:
                log.warning("disk cannot be looked at", path=str(path), reason=error.strerror)
                continue
            free.add_metric([str(path)], found.f_bavail * found.f_frsize)
            size.add_metric([str(path)], found.f_blocks * found.f_frsize)
        if self._disks:
            yield from (free, size)

    def _seconds(self) -> float:
        return self._clock.monotonic_ns() / NANOSECONDS


async def serve(
    broker: Broker, tables: str, address: tuple[str, int], figures: FigureCollector, chance: random.Random
) -> None:
    """Answer at ``address`` until cancelled; a broker that is away is waited for.

    Raises:
        OSError: the address is taken, or a certificate or key cannot be read.
    """
    registry = CollectorRegistry()
    registry.register(figures)
    host, port = address
    reconnection = Reconnection(broker, chance)

    async def listen(protocol: Protocol) -> None:
        async with connected(broker, protocol, "", inbound=AS_WORKED_OFF) as client:
            for rest in HEARD:
                await client.subscribe(f"tableside/v1/{tables}/{rest}", qos=0)
            figures.is_connected = True
            reconnection.worked()
            async for message in client.messages:
                figures.hear(str(message.topic), message.payload)

    def away(error: Exception) -> None:
        figures.is_connected = False
        log.error("broker away", reason=f"{broker.host}:{broker.port}: {error}")

    with answering(host, port, make_wsgi_app(registry)) as found:
        log.info("metrics", url=f"http://{host}:{found}/metrics")
        await reconnection.keep(listen, away)
