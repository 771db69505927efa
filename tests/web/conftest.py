"""A real broker and a real browser for every test of the pages."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from PIL import Image
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker

CHROMIUM: Final = shutil.which("chromium")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PICTURES: Final = Path(__file__).resolve().parents[2] / "docs" / "pictures"
WRITES_PICTURES: Final = "TABLESIDE_PICTURES" in os.environ
"""The pictures of the docs are those that tests take: with this variable set they are put there."""

COLOURS: Final = 256
PATIENCE_SECONDS: Final = 30.0


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    """A real Mosquitto."""
    if find_mosquitto() is None:
        pytest.skip("Mosquitto is not installed; run .ci/servers")
    async with mosquitto() as running:
        yield running


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    """A real Chromium."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; run .ci/servers")
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


class Window:
    """A page in the browser, what it complained of, and everything it was sent."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.frames: list[str] = []
        self._arrived = asyncio.Event()
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("websocket", lambda socket: socket.on("framereceived", self._sent))

    def _sent(self, frame: object) -> None:
        self.frames.append(str(frame))
        self._arrived.set()

    async def until_sent(self, text: str) -> None:
        """Wait until the page has been sent this, since its frames were last cleared."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not any(text in frame for frame in self.frames):
                self._arrived.clear()
                await self._arrived.wait()

    async def picture(self, name: str, scale: float = 1.0) -> None:
        """What is to be seen now, as a picture for the docs where those are being made; ``scale``: smaller."""
        png = await self.page.screenshot(animations="disabled", scale="css")
        assert png.startswith(b"\x89PNG")
        if WRITES_PICTURES:
            PICTURES.mkdir(exist_ok=True)
            path = PICTURES / f"{name}.png"
            path.write_bytes(png)
            with Image.open(path) as image:
                size = round(image.width * scale), round(image.height * scale)
                whole = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
                palette = whole.quantize(COLOURS, Image.Quantize.FASTOCTREE)
                whole.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)


@pytest.fixture
async def context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    """A browser's window of its own, in the dark, with the clock of the examples."""
    made = await chromium.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="dark", timezone_id="UTC", locale="en-GB"
    )
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
async def window(context: BrowserContext) -> AsyncIterator[Window]:
    """One page; what it complains of is a failure."""
    made = Window(await context.new_page())
    yield made
    # The pages' server ends before its page is closed, which tries once more to reach it.
    assert [one for one in made.complaints if "ERR_CONNECTION_REFUSED" not in one] == []
