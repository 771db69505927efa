"""The pages over HTTPS, with a certificate as ``tableside keys certificate`` makes it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from playwright.async_api import Browser, expect

from controller.cli import main
from controller.commands.web import tls_of
from controller.io.mqtt.connection import Broker
from controller.web.sign_in import COOKIE
from tests.web.conftest import Window
from tests.web.operators import OKAFOR, SIGNERS, sign_in
from tests.web.stage import pages, staged
from tests.web.test_table_page import HERE, dealt


async def test_one_signs_in_over_https_and_the_cookie_never_goes_without_it(
    broker: Broker, chromium: Browser, tmp_path: Path
) -> None:
    for words in (["authority", str(tmp_path)], ["certificate", str(tmp_path), "pit-3", "--host", "127.0.0.1"]):
        made = CliRunner().invoke(main, ["keys", *words])
        assert made.exit_code == 0, made.output
    tls = tls_of(tmp_path / "pit-3.pem", tmp_path / "pit-3.key")
    # The browser has no list of authorities to which ours could be added without its own database.
    context = await chromium.new_context(ignore_https_errors=True)
    async with staged(broker, dealt()), pages(broker, signers=SIGNERS, tls=tls) as at:
        assert at.startswith("https://")
        window = Window(await context.new_page())
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".head .state.live")).to_be_visible()
        await sign_in(window, OKAFOR)
        await expect(window.page.locator(".due.pays")).to_have_text("+$37.50")
        (cookie,) = await context.cookies()
        assert (cookie["name"], cookie["secure"], cookie["httpOnly"]) == (COOKIE, True, True)
        assert window.complaints == []
    await context.close()
