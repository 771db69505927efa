"""The technician's page in a real browser: which line, since when, and what nobody reports."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
import pytest
from aiohttp import ClientSession
from playwright.async_api import FilePayload, expect

from controller.core.messages.alerts import DeviceAlarm, LineErrors
from controller.core.messages.events import DeviceStatusChanged, Event, SoftwareChecked
from controller.formats.journal.stream import ConsumerNow, StreamNow
from controller.formats.mqtt.envelope import event_bytes, event_name, status_bytes, utc_text
from controller.formats.mqtt.retained_machine import DiskNow, LineNow, MachineNow, SecondCopyNow, VerificationNow
from controller.formats.mqtt.retained_state import DeviceFigures, PaceNow
from controller.formats.text.struct_decoder import HINTS_LIMIT
from controller.io.mqtt.broker import free_port, mosquitto
from controller.io.mqtt.connection import Broker
from controller.io.system.clock import SystemClock
from controller.web.sign_in import COOKIE
from controller.web.table_file_check import checked
from tests.web.conftest import Window
from tests.web.floor import PLAYED
from tests.web.operators import ITO, LEE, OKAFOR, SIGNERS, Person
from tests.web.stage import Stage, pages, staged
from tests.web.test_accessibility import findings
from tests.web.test_secrecy import EVERYTHING, HOSTILE
from tests.web.test_sign_in import entered
from tests.web.test_table_page import dealt
from tests.wiring.premises import TABLE_FILE

HERE: Final = "/technician/harbour/bj-1"
SPARK: Final = "1 complaint in the last hour, heard by this program"
FULL: Final = "the journal's disk fills: 812 MB are free"


async def publish_events(stage: Stage, *events: Event) -> None:
    """The table publishes these, after all it published."""
    for seq, event in enumerate(events, start=9_000):
        body = event_bytes(event, stage.identity, seq, SystemClock().wall_ns())
        await stage.retain(f"{stage.topics.root}/event/{event_name(event)}", body)


def machine(time: str, **changed: Any) -> MachineNow:
    """A table PC whose shoe is unplugged, while its journal is looked through."""
    lines = (
        LineNow("bet_spots", "feig_obid", "/dev/tableside/bet_spots", True, 0, 0),
        LineNow("keypad", "matrix_orbital", "/dev/tableside/keypad", True, None, 0),
        LineNow("shoe", "bee_tek", "/dev/tableside/shoe", False, None, 3),
    )
    copy = SecondCopyNow("/media/copy", 2_610, 2_612, "")
    verification = VerificationNow("running", 1_200, 2_612, time)
    found = MachineNow(time, lines, DiskNow(79_456_894_976, 270_513_299_456), copy, verification)
    return msgspec.structs.replace(found, **changed)


async def troubled(stage: Stage, text: str = "no answer on /dev/shoe", noise: str = "expected 8 bytes") -> None:
    """A shoe that is away, a keypad with noise on its line, a consumer that is behind, a disk that fills."""
    await stage.device("shoe", "lost", text)
    figures = (DeviceFigures("shoe", "lost", 2, 340, 1, 0), DeviceFigures("keypad", "ready", 0, 0, 0, 3))
    pace = PaceNow(9_000, msgspec.structs.replace(PLAYED, devices=figures))
    await stage.retain(stage.topics.state("pace"), msgspec.json.encode(pace))
    consumers = (ConsumerNow("surveillance", 9_000, 0, 0, 2_610), ConsumerNow("accounting", 8_100, 900, 75))
    head = "tableside/harbour/bj-1/1795259812\n2612\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    time = utc_text(SystemClock().wall_ns())
    await stage.retain(stage.topics.state("machine"), msgspec.json.encode(machine(time)))
    stream = StreamNow(1_795_259_812, 101, 9_000, 9_000, "00" * 32, consumers, (FULL,), time, head)
    await stage.retain(stage.topics.state("stream"), msgspec.json.encode(stream))
    await stage.retain(stage.topics.status, status_bytes("online", 101, SystemClock().wall_ns(), (FULL,)))
    await publish_events(
        stage,
        DeviceStatusChanged("shoe", "lost", text),
        LineErrors("keypad", noise, "ff00"),
        DeviceAlarm("bet_spots/1", "7", "antenna detuned"),
        SoftwareChecked("hour", True, "00", 5_064, "", ""),
    )


async def test_each_line_says_how_it_is_and_what_it_last_complained_of(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        rows = window.page.locator(".lines tbody tr")
        await expect(rows).to_have_count(3)
        await expect(window.page.locator(".program")).to_contain_text("no check has been heard")
        await troubled(stage)
        await expect(rows.nth(1)).to_contain_text("keypad")
        await expect(rows.nth(2)).to_contain_text("no answer on /dev/shoe")
        await expect(rows.nth(2)).to_contain_text("down 2 times, 5 min, 1 alarm")
        await expect(rows.nth(1)).to_contain_text("3 damaged messages")
        await expect(rows.nth(0)).to_contain_text("antenna detuned")
        await expect(window.page.locator(".alarms li")).to_have_text([FULL])
        await expect(window.page.locator(".journal .bad")).to_contain_text("900 events behind")
        await expect(window.page.locator(".journal")).to_contain_text("of 2612 records")
        await expect(window.page.locator(".program")).to_contain_text("all 5064 match the list")
        machine = window.page.locator(".machine")
        await expect(machine).to_contain_text("74.0 GiB of 251.9 GiB free (29 %)")
        await expect(machine).to_contain_text("/media/copy has 2610 of 2612 records")
        await expect(machine).to_contain_text("1200 of 2612 records read (45 %)")
        await expect(rows.nth(1)).to_contain_text("/dev/tableside/keypad matrix_orbital")
        await expect(rows.nth(1)).to_contain_text("no byte yet")
        await expect(rows.nth(2)).to_contain_text("not open, 3 attempts in a row to open it have failed")
        await expect(rows.nth(0).locator("td[data-head='Last byte']")).to_have_text(re.compile(r"^\d+ s ago$"))
        await expect(rows.nth(0).locator(".spark")).to_have_attribute("aria-label", SPARK)
        await expect(rows.nth(0).locator(".spark rect.full")).to_have_count(1)
        await window.picture("technician")
        frames = "".join(window.frames)
        assert '"face":"Qs"' not in frames
        assert "queen of spades" not in await window.page.evaluate(EVERYTHING)


async def test_disk_copy_and_verification_are_shown_in_words(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        disk, copied, verified = (window.page.locator(".machine dd").nth(place) for place in range(3))
        await expect(disk).to_have_text("not known")
        time = utc_text(SystemClock().wall_ns())
        failing = SecondCopyNow("/media/copy", 9, 2_612, "there is no such folder")
        for verification, message in (
            (VerificationNow("due", 0, 0, None), "none has ended since the table started"),
            (VerificationNow("running", 0, 0, None), "under way"),
            (VerificationNow("failed", 0, 0, time), "could not be done the journal was whole at"),
            (VerificationNow("whole", 0, 0, time), "the journal was whole at"),
        ):
            for copy, of_copy in ((None, "the table file names none"), (failing, "there is no such folder")):
                now = machine(time, disk=None, second_copy=copy, verification=verification)
                await stage.retain(stage.topics.state("machine"), msgspec.json.encode(now))
                await expect(verified).to_contain_text(message)
                await expect(copied).to_contain_text(of_copy)
        assert await findings(window) == []


@pytest.mark.parametrize("colours", ["dark", "light"])
async def test_it_fits_a_phone_and_nothing_serious_is_found(colours: Any, broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await troubled(stage)
        await window.page.emulate_media(color_scheme=colours)
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".lines tbody tr")).to_have_count(3)
        assert await findings(window) == []
        await window.page.set_viewport_size({"width": 320, "height": 700})
        assert await window.page.evaluate("document.documentElement.scrollWidth") == 320
        assert await findings(window) == []


async def test_while_nothing_is_heard_of_a_table_nobody_says_that_nothing_needs_attention(window: Window) -> None:
    alarms, port = window.page.locator(".alarms"), free_port()
    async with pages(Broker("127.0.0.1", port)) as at:
        async with mosquitto(port=port) as broker, staged(broker, dealt()):
            await window.page.goto(at + HERE)
            await expect(alarms).to_contain_text("The table reports nothing that needs attention.")
        await expect(window.page.locator(".notice.stale")).to_contain_text("The broker is away")
        await expect(alarms).to_contain_text("what needs attention is unknown")
        await expect(alarms).not_to_contain_text("reports nothing")


async def test_what_needed_attention_stays_shown_while_the_broker_is_away(window: Window) -> None:
    alarms, port = window.page.locator(".alarms"), free_port()
    async with pages(Broker("127.0.0.1", port)) as at:
        async with mosquitto(port=port) as broker, staged(broker, dealt()) as stage:
            await troubled(stage)
            await window.page.goto(at + HERE)
            await expect(alarms).to_contain_text(FULL)
        await expect(window.page.locator(".notice.stale")).to_contain_text("The broker is away")
        await expect(alarms).to_contain_text(FULL)


async def test_a_table_that_was_never_heard_is_not_being_connected_to(broker: Broker, window: Window) -> None:
    async with pages(broker) as at:
        await window.page.goto(f"{at}/technician/harbour/bj-9")
        await expect(window.page.get_by_role("status")).to_contain_text("No table harbour/bj-9 has been heard")
        await expect(window.page.locator("main")).to_be_empty()


async def test_what_a_line_says_is_text(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".lines tbody tr")).to_have_count(3)
        await troubled(stage, HOSTILE, HOSTILE)
        await expect(window.page.locator(".lines tbody tr").nth(1)).to_contain_text(HOSTILE)
        await expect(window.page.locator(".lines tbody tr").nth(2)).to_contain_text(HOSTILE)
        assert await window.page.evaluate("window.pwned") is None
        assert await window.page.locator("img").count() == 0


WRONG: Final = """[table]
site = "harbour"
name = "bj 1"
profile = "hollywood-penn-national"
<img src=x onerror="window.pwned=1">
"""


async def test_the_mistakes_of_a_table_file_are_marked_at_their_lines(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()), pages(broker) as at:
        await window.page.goto(at + HERE)
        panel = window.page.locator(".table-file")
        for text, marked, message in (
            (WRONG, [5], "in: <img src=x"),
            (WRONG.rpartition("<img")[0], [1, 3], "[table] name: expected"),
        ):
            file: FilePayload = {"name": "table.toml", "mimeType": "text/plain", "buffer": text.encode()}
            await panel.locator("input").set_input_files(file)
            await expect(panel).to_contain_text(message)
            places = await panel.locator("li").evaluate_all(MARKED)
            assert places == marked
        assert await window.page.evaluate("window.pwned") is None
        assert await findings(window) == []
        await panel.scroll_into_view_if_needed()
        await window.picture("table-file")
        right = TABLE_FILE.format(host="127.0.0.1", port=1883, ports="/dev").encode()
        await panel.locator("input").set_input_files({"name": "table.toml", "mimeType": "text/plain", "buffer": right})
        await expect(panel.locator("[role=status]")).to_have_text("The format is right.")


MARKED: Final = "lines => lines.flatMap((one, at) => one.classList.contains('wrong') ? [at + 1] : [])"


@pytest.mark.parametrize(("who", "status"), [(None, 403), (LEE, 403), (ITO, 200), (OKAFOR, 200)])
async def test_table_files_are_looked_at_for_those_who_see_lines(
    who: Person | None, status: int, broker: Broker
) -> None:
    async with pages(broker, signers=SIGNERS) as at, ClientSession() as client:
        cookie = {} if who is None else {COOKIE: await entered(client, at, who)}
        for text in (b"[table]", b"\xff", b"x" * 70_000):
            own = {"Origin": at}
            async with client.post(f"{at}/api/table-file", headers=own, cookies=cookie, data=text) as answer:
                assert answer.status in {status, 413}
                if answer.status == 200:
                    assert await answer.json() != []
        async with client.post(f"{at}/api/table-file", cookies=cookie, data=b"") as answer:
            assert answer.status == 403


def test_of_thousands_of_unknown_keys_some_are_asked_whether_another_was_meant() -> None:
    text = "[table]\n" + "".join(f"name{number} = 1\n" for number in range(4_000))
    found = [one.text for one in checked(text.encode()) if "unknown key" in one.text]
    assert len(found) == 4_000
    assert 0 < len([one for one in found if "did you mean name?" in one]) <= HINTS_LIMIT
