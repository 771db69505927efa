"""What is new to a page: made once for all that have seen as much, and no page is woken for another's table."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from controller.formats.mqtt.envelope import Status
from controller.formats.mqtt.retained_state import Info
from controller.io.system.clock import SystemClock
from controller.web.floor_view import FloorView, PageReader, Seen
from controller.web.visibility import WHOLE, sight_of

OURS: Final = "harbour/bj-1"
ANOTHER: Final = "harbour/bj-2"
INFO: Final = Info("0.1.0", "hollywood-penn-national", "00" * 32, {}, 2_500, 200_000)
PUBLIC: Final = sight_of(())


def report_alarm(floor: FloorView, table: str, alarm: str) -> None:
    """The table says how it is."""
    floor.take(
        f"tableside/v1/{table}/status", msgspec.json.encode(Status("online", 1, "2026-07-04T20:00:00.000Z", (alarm,)))
    )


def test_a_page_of_one_table_is_woken_by_that_table_alone() -> None:
    floor = FloorView(SystemClock())
    ours, pit = asyncio.Event(), asyncio.Event()
    floor.wait(ours, OURS)
    floor.wait(pit, "*")
    report_alarm(floor, ANOTHER, "the disk is full")
    assert (ours.is_set(), pit.is_set()) == (False, True)
    report_alarm(floor, OURS, "the disk is full")
    assert ours.is_set()


def test_twenty_pages_that_have_seen_as_much_are_sent_what_was_made_once() -> None:
    floor = FloorView(SystemClock())
    report_alarm(floor, OURS, "the disk is full")
    pages = [PageReader(floor, OURS) for _ in range(20)]
    first = [page.news() for page in pages]
    view = floor.tables[OURS]
    made = floor.made.news(view, Seen(0, 0, WHOLE, in_short=False))
    assert made.raw is not None
    assert all(message is not None and bytes(made.raw) in message for message in first)
    assert floor.made.news(view, Seen(0, 0, WHOLE, in_short=False)) is made
    report_alarm(floor, OURS, "the disk has room again")
    assert floor.made.news(view, Seen(0, 0, WHOLE, in_short=False)) is not made


def test_who_may_see_less_is_not_sent_what_was_made_for_another() -> None:
    floor = FloorView(SystemClock())
    report_alarm(floor, OURS, "the disk is full")
    whole, public = PageReader(floor, OURS).news(), PageReader(floor, OURS, PUBLIC).news()
    assert whole is not None
    assert b"the disk is full" in whole
    assert public is not None
    assert b"the disk is full" not in public


def test_a_page_that_has_seen_less_is_sent_more() -> None:
    floor = FloorView(SystemClock())
    report_alarm(floor, OURS, "the disk is full")
    early = PageReader(floor, OURS)
    early.news()
    floor.take(f"tableside/v1/{OURS}/info", msgspec.json.encode(INFO))
    late = PageReader(floor, OURS)
    news, whole = early.news(), late.news()
    assert news is not None
    assert b"the disk is full" not in news
    assert whole is not None
    assert b"the disk is full" in whole


def test_a_text_that_turns_its_direction_is_shown_to_do_so() -> None:
    """Whoever names themselves so that it reads as another's name would stand there as that person."""
    floor = FloorView(SystemClock())
    report_alarm(floor, OURS, "J. \u202eseyeR")
    news = PageReader(floor, OURS).news()
    assert news is not None
    assert "J. \\u202eseyeR" in msgspec.json.decode(news)["tables"][OURS]["status"]["alarms"]
