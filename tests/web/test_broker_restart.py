"""A broker that goes and comes again: each live page says so meanwhile, keeps what was heard, and then goes on."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest
from playwright.async_api import expect

from controller.io.mqtt.broker import free_port, mosquitto
from controller.io.mqtt.connection import Broker
from tests.progressive.live import MeterRig
from tests.web.conftest import Window
from tests.web.stage import pages, staged

RECONNECTION_MS: Final = 20_000


class Shown(NamedTuple):
    """Of a page: where it is, and places, each with what is written there."""

    path: str
    live: tuple[str, str]
    away: tuple[str, str]
    kept: tuple[str, str]
    """What is heard before the broker goes, and is still there while it is away."""
    held: tuple[str, str]
    """What the page says of a hold that begins after the broker is back."""


AWAY: Final = "The broker is away. What is shown was heard"
REASON: Final = "the floor looks at the meter"
PAGES: Final = {
    "dealer": Shown(
        "/dealer/harbour/bj-1",
        (".head .state", "live"),
        ("main [role=status]", AWAY),
        (".phase-word", "Bets open"),
        ("main [role=status]", REASON),
    ),
    "sign": Shown(
        "/sign/harbour/bj-1",
        (".least:empty + .digits", "$10,000.00"),
        (".least", "at least"),
        (".digits", "$10,000.00"),
        (".least", "at least"),
    ),
    "technician": Shown(
        "/technician/harbour/bj-1",
        (".head .state", "live"),
        (".notice.stale", AWAY),
        (".lines tbody", "keypad"),
        (".notice.held", REASON),
    ),
    "pit": Shown(
        "/pit",
        (".tile .state", "open"),
        (".notice.stale", "The broker is away"),
        (".tile", "bj-1"),
        (".tile.need-held", REASON),
    ),
    "tables": Shown("/", (".tables .state.live", ""), (".tables .state.stale", ""), (".tables", "bj-1"), (".held", "")),
}


@pytest.mark.parametrize("shown", PAGES.values(), ids=PAGES)
async def test_each_page_outlives_its_broker(shown: Shown, window: Window) -> None:
    async def says(place: tuple[str, str]) -> None:
        selector, text = place
        await expect(window.page.locator(selector).first).to_contain_text(text, timeout=RECONNECTION_MS)

    port = free_port()
    async with pages(Broker("127.0.0.1", port)) as at:
        async with mosquitto(port=port) as first, staged(first, MeterRig()):
            await window.page.goto(at + shown.path)
            await says(shown.live)
            await says(shown.kept)
        await says(shown.away)
        await says(shown.kept)
        async with mosquitto(port=port) as second, staged(second, MeterRig()) as stage:
            await says(shown.live)
            await stage.hold(REASON)
            await says(shown.held)
