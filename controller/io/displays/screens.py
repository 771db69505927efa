"""What is shown beside MQTT, to screens on the same PC and to video: the tap and the line feed, where there are any."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

from controller.core.messages.events import Event
from controller.formats.config.table_file import LineFeedSection, TapSection
from controller.formats.mqtt.envelope import Topics, utc_text
from controller.io.displays.line_feed import LineFeed
from controller.io.displays.tap import DisplayTap
from controller.io.system.clock import Clock
from controller.reports.video_overlay import Overlay


class Displays:
    """Shows what was committed, in order. Nothing here waits for a display, and no display can stop the table."""

    def __init__(
        self, topics: Topics, clock: Clock, tap: TapSection | None = None, feed: LineFeedSection | None = None
    ) -> None:
        self._topics = topics
        self._tap = DisplayTap(Path(tap.socket), clock) if tap else None
        self._feed = LineFeed(feed.host, feed.port) if feed else None
        self._overlay = Overlay()

    def show_events(self, events: Sequence[Event], bodies: Sequence[bytes], wall_ns: int) -> None:
        """Show events, with their payloads and the time when they were published."""
        time = utc_text(wall_ns)
        for event, body in zip(events, bodies, strict=True):
            if self._tap:
                self._tap.show(self._topics.event(event), body)
            if self._feed:
                self._feed.say(self._overlay.lines(event, time))

    def retained(self, topic: str, payload: bytes) -> None:
        """What is retained on a topic from now on."""
        if self._tap:
            self._tap.show(topic, payload, retained=True)

    def services(self) -> Iterator[tuple[str, Callable[[], Coroutine[Any, Any, None]]]]:
        """What must go on beside the table, by name."""
        if self._tap:
            yield "tap", self._tap.run
        if self._feed:
            yield "line feed", self._feed.run
