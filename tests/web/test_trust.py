"""Why a round may be believed: the chain, who signed it, the round stepped again, and a proof that others check."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import zipfile
from pathlib import Path
from typing import Final

import msgspec
import pytest
from aiohttp import ClientSession
from aiohttp.web import AppRunner
from click.testing import CliRunner
from playwright.async_api import Route, expect

from controller.cli import main
from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Sealing, seal_digest
from controller.formats.journal.signed_note import Verifier
from controller.formats.journal.tree_heads import origin
from controller.io.journal.commit_marker import head_bytes, path_of
from controller.io.journal.reader import Head, JournalReader
from controller.io.mqtt.connection import Broker
from controller.io.system.clock import SystemClock
from controller.web.admission import HostNames, Tickets
from controller.web.floor_view import FloorView
from controller.web.journals import JournalRefused, Journals, JournalTrust
from controller.web.server import application
from controller.web.sign_in import COOKIE
from controller.web.trust.chain_walk import PIECE_SECONDS, RECORDS_AT_ONCE, ChainWalk
from controller.web.trust.head_signature import HeadSignature, signed_by
from controller.web.trust.programs import (
    STEPPED_RECORDS,
    TEXT_CHARACTERS,
    SteppedRounds,
    Stepping,
    SteppingRefused,
    ran,
)
from tests.core.journals import HERE, KEY, journal_of
from tests.web.conftest import Window
from tests.web.operators import ITO, REYES, SIGNERS
from tests.web.stage import pages
from tests.web.test_accessibility import findings
from tests.web.test_round_page import JOURNAL, kept, two_rounds
from tests.web.test_sign_in import entered
from tests.web.test_table_page import dealt

OURS: Final = Sealing(KEY, HERE).verifier
FOREIGN: Final = Sealing(bytes(32), HERE).verifier
WITHOUT_EVENTS: Final = "SELECT max(number) FROM records WHERE number NOT IN (SELECT number FROM events)"
ROUND: Final = f"/api/journals/{JOURNAL}/rounds/1"


def altered(path: Path, statement: str) -> Path:
    """A journal in which somebody wrote who is not the table."""
    with sqlite3.connect(path) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
    connection.close()
    return path


async def trusted(path: Path, *verifiers: Verifier) -> JournalTrust:
    journals = Journals((path,), verifiers)
    while (found := await journals.trust(HERE, 1)).record < found.records and not found.damage:
        pass
    return found


async def stepped(rounds: SteppedRounds, of: tuple[Identity, int] = (HERE, 1)) -> Stepping:
    """What comes of it in the end, after which nothing more is stepped."""
    await rounds.finish()
    await rounds.close()
    return rounds.of(*of)


async def test_a_round_is_trusted_stepped_again_and_proven_to_others(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    path = await kept(two_rounds(), tmp_path)
    with JournalReader(path) as reader:
        head = reader.head()
    async with pages(broker, path, verifiers=(OURS,)) as at:
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        panel = window.page.get_by_role("region", name="Trust")
        await expect(panel.locator(".chain.good")).to_contain_text(f"up to event {head.seq} (record {head.number})")
        signed = f"Signed with record {head.number} at 2026-11-21"
        await expect(panel.locator(".signature.good")).to_contain_text(signed)
        await expect(panel.locator(".signature.good")).to_contain_text(f"key {OURS.key_id().hex()}")
        await panel.get_by_role("button", name="Step the round again").focus()
        await window.page.keyboard.press("Enter")
        await expect(panel.get_by_role("status")).to_contain_text("The same bytes: ", timeout=60_000)
        await panel.get_by_text("A proof for others").click()
        assert await findings(window) == []
        await panel.scroll_into_view_if_needed()
        await window.picture("round-trust")
        async with window.page.expect_download() as download:
            await panel.get_by_role("link", name="round-1.zip").click()
        archive = await (await download.value).path()
        command = await panel.locator("code").nth(1).inner_text()
        await window.page.set_viewport_size({"width": 320, "height": 640})
        assert await window.page.evaluate("document.documentElement.scrollWidth") == 320
        assert await findings(window) == []
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / "judge")
    words = [one.strip("'") for one in command.split()[1:-1]]
    checked = CliRunner().invoke(main, [*words, str(tmp_path / "judge" / "round-1")])
    assert (checked.exit_code, "proven: records" in checked.output) == (0, True), checked.output


async def test_without_a_verifier_key_the_page_says_that_it_cannot_tell_who_signed(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at, ClientSession() as client:
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(window.page.locator(".signature")).to_contain_text("Whose it is this server cannot tell")
        await expect(window.page.locator(".trust .proof")).to_have_count(0)
        async with client.get(f"{at}{ROUND}/proof") as answer:
            assert (answer.status, "tableside web --verifier" in await answer.text()) == (404, True)


async def test_what_is_refused_of_a_round_that_is_open_and_of_one_that_is_not_there(tmp_path: Path) -> None:
    journals = Journals((await kept(dealt(), tmp_path),), (OURS,))
    assert not (await journals.trust(HERE, 1)).is_closed
    with pytest.raises(JournalRefused, match="round 1 is not there, or not closed"):
        await journals.proof(HERE, 1)
    for ask in (journals.trust, journals.step_again, journals.proof):
        with pytest.raises(JournalRefused, match="has no round 9"):
            await ask(HERE, 9)


async def test_only_those_who_may_see_journals_ask_and_only_from_a_page_of_ours(broker: Broker, tmp_path: Path) -> None:
    path = await kept(two_rounds(), tmp_path)
    async with pages(broker, path, signers=SIGNERS) as at, ClientSession(headers={"Origin": at}) as client:
        for who, status in ((ITO, 403), (REYES, 200)):
            cookies = {COOKIE: await entered(client, at, who)}
            async with client.get(f"{at}{ROUND}/trust", cookies=cookies) as answer:
                assert answer.status == status
            async with client.post(f"{at}{ROUND}/replay", cookies=cookies) as answer:
                assert answer.status == status
            elsewhere = {"Origin": "https://elsewhere.example"}
            async with client.post(f"{at}{ROUND}/replay", cookies=cookies, headers=elsewhere) as answer:
                assert answer.status == 403


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            # A reading that gave no event: what is published shows nothing of it.
            f"UPDATE records SET body = CAST(body || ' ' AS BLOB) WHERE number = ({WITHOUT_EVENTS})",
            "or its events are not what was committed",
        ),
        ("DELETE FROM seals WHERE number = (SELECT max(number) FROM seals)", "are not sealed"),
    ],
)
async def test_what_somebody_else_wrote_is_no_chain(statement: str, message: str, tmp_path: Path) -> None:
    path = altered(await kept(two_rounds(), tmp_path), statement)
    assert message in (await trusted(path, OURS)).damage


async def test_an_older_copy_is_no_chain(tmp_path: Path) -> None:
    path = await kept(two_rounds(), tmp_path)
    assert (await trusted(path, OURS)).damage == ""
    later = head_bytes(Head(number=9_999, hash=bytes(32), seq=9_999))
    path_of(path).write_bytes(2 * later)
    assert "its end is lost" in (await trusted(path, OURS)).damage


async def test_a_signature_that_does_not_hold_is_wrong(tmp_path: Path) -> None:
    path = await kept(two_rounds(), tmp_path)
    assert (await trusted(path, OURS)).signature == "holds"
    assert (await trusted(path, FOREIGN)).signature == "wrong"
    with pytest.raises(JournalRefused, match="tableside web --verifier"):
        await Journals((path,), (FOREIGN,)).proof(HERE, 1)
    assert (await trusted(path)).signature == "unknown"
    with JournalReader(path) as reader:
        seal = reader.last_seal()
    assert seal is not None
    earlier, key = Identity(HERE.site, HERE.table, 1), OURS._replace(name=origin(HERE))
    assert signed_by(seal, HERE, (FOREIGN._replace(name=origin(earlier)), OURS._replace(name=origin(earlier)))) == (
        HeadSignature("holds", key)
    )
    assert signed_by(seal, HERE, (FOREIGN._replace(name=origin(earlier)),)) == HeadSignature("unknown")
    assert signed_by(None, HERE, (OURS,)) == HeadSignature("none")


async def test_a_seal_of_other_records_is_wrong(tmp_path: Path) -> None:
    """The whole chain written anew by who has not the key: what was signed is not of these records."""
    path = await kept(two_rounds(), tmp_path)
    with JournalReader(path) as reader:
        last, head = reader.last_seal(), reader.head()
        walk = ChainWalk(lambda: 0.0)
        walk.go_on(reader, head)
    assert last is not None
    assert walk.covers(last)
    assert not walk.covers(last._replace(root=bytes(32)))
    digest = seal_digest(last.number, bytes(32), last.mac, last.signature).hex()
    altered(path, f"UPDATE seals SET root = zeroblob(32), digest = x'{digest}' WHERE number = {last.number}")
    assert (await trusted(path)).signature == "wrong"


async def test_the_chain_is_recomputed_in_pieces_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    path, hours = await kept(two_rounds(), tmp_path), iter(range(10_000))
    walk = ChainWalk(lambda: next(hours) * PIECE_SECONDS)
    with JournalReader(path) as reader:
        head = reader.head()
        walk.go_on(reader, head)
        assert walk.record == RECORDS_AT_ONCE
        while walk.record < head.number:
            walk.go_on(reader, head)
        assert (walk.event, walk.damage) == (head.seq, "")


async def test_another_journal_in_its_place_is_begun_with_anew(tmp_path: Path) -> None:
    path, other = await kept(two_rounds(), tmp_path), tmp_path / "other"
    other.mkdir()
    rig = dealt()
    rig.talk("key stand")
    rig.talk("key stand")
    shorter = await kept(rig, other)
    walk = ChainWalk(lambda: 0.0)
    for one in (path, shorter, path):
        with JournalReader(one) as reader:
            head = reader.head()
            walk.go_on(reader, head)
            assert (walk.record, walk.event, walk.damage) == (head.number, head.seq, "")


def program(script: str) -> SteppedRounds:
    """Rounds stepped by something else."""
    return SteppedRounds((sys.executable, "-c", f"import sys, time\n{script}"), seconds=20.0)


def replayed(difference: object) -> str:
    answer = {"same": difference is None, "records": 9, "events": 7, "rounds": 1, "versions": ["0.1.0"]}
    return msgspec.json.encode({**answer, "difference": difference}).decode()


OTHERWISE: Final = {"number": 8, "seq": 6, "text": "recorded 1, stepped again 2" + "." * TEXT_CHARACTERS}


@pytest.mark.parametrize(
    ("script", "state", "message"),
    [
        (f"print({replayed(None)!r})", "same", ""),
        (f"print({replayed(OTHERWISE)!r}); sys.exit(1)", "differs", "record 8, event 6: recorded 1, stepped again 2"),
        (f"print({replayed(OTHERWISE | {'seq': 0})!r}); sys.exit(3)", "other_version", "record 8: recorded 1"),
        ("print('tableside: /a/journal.sqlite: gone', file=sys.stderr); sys.exit(2)", "failed", "journal.sqlite: gone"),
        ("print('no JSON')", "failed", "JSON"),
        ("sys.exit(2)", "failed", "it ended without a word"),
    ],
)
async def test_what_came_of_stepping_is_said(script: str, state: str, message: str) -> None:
    rounds = program(script)
    rounds.begin(Path("/a/journal.sqlite"), (HERE, 1), 7, 9)
    found = await stepped(rounds)
    assert found.state == state
    assert message in found.text
    assert len(found.text) <= TEXT_CHARACTERS + len("...")


async def test_one_round_is_stepped_at_a_time() -> None:
    rounds, path = program("time.sleep(60)"), Path("/a/journal.sqlite")
    assert (
        rounds.begin(path, (HERE, 1), 7, 9) == rounds.begin(path, (HERE, 1), 7, 9) == Stepping("running", 0, 9, last=7)
    )
    with pytest.raises(SteppingRefused, match="another round is being stepped"):
        rounds.begin(path, (HERE, 2), 8, 10)
    await rounds.close()


async def test_each_stepping_goes_on_from_what_those_before_kept_until_the_server_ends() -> None:
    folder = "[one for one in sys.argv if one.startswith('--states=')][0].partition('=')[2]"
    text = f"{folder} + ' ' + str(os.path.isdir({folder}))"
    difference = f"dict(number=8, seq=6, text={text})"
    printed = f"json.dumps(dict(records=9, events=7, versions=['0.1.0'], resumed=5, difference={difference}))"
    rounds, complaints = program(f"import json, os; print({printed}); sys.exit(1)"), []
    for number in (1, 2):
        rounds.begin(Path("/a/journal.sqlite"), (HERE, number), 7, 9)
        await rounds.finish()
        found = rounds.of(HERE, number)
        assert found.resumed == 5
        complaints.append(found.text)
    assert complaints[0] == complaints[1]
    _, place, is_there = complaints[0].rsplit(" ", 2)
    assert is_there == "True"
    await rounds.close()
    assert not await asyncio.to_thread(Path(place).exists)


async def test_the_page_says_which_records_were_stepped_before(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at:

        async def resumed(route: Route) -> None:
            found = await (await route.fetch()).json()
            found["stepping"] |= {"state": "same", "records": 90, "events": 104, "last": 104, "resumed": 60}
            await route.fulfill(json=found)

        await window.page.route("**/trust", resumed)
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(window.page.get_by_role("region", name="Trust").get_by_role("status")).to_contain_text(
            "The first 60 records were stepped before, for another round, and are as they were then."
        )


async def test_what_is_being_stepped_ends_with_the_server() -> None:
    rounds = program("time.sleep(60)")
    app = application(FloorView(SystemClock()), HostNames((), 0), Tickets(lambda: 0.0), Journals((), (), rounds))
    runner = AppRunner(app)
    await runner.setup()
    rounds.begin(Path("/a/journal.sqlite"), (HERE, 1), 7, 9)
    await runner.cleanup()
    async with asyncio.timeout(5.0):
        await rounds.finish()


async def test_a_program_says_how_far_it_is_and_the_rest_is_its_complaint() -> None:
    script = "import sys; sys.stderr.write('4 of 9 records stepped again\\nno\\n'); sys.exit(2)"
    counted: list[tuple[int, int]] = []
    status, _, complaint = await ran((sys.executable, "-c", script), 20.0, lambda *one: counted.append(one))
    assert (status, complaint, counted) == (2, b"no\n", [(4, 9)])


async def test_what_takes_too_long_is_ended_and_too_much_is_not_begun() -> None:
    rounds = SteppedRounds((sys.executable, "-c", "import time; time.sleep(60)"), seconds=0.1)
    rounds.begin(Path("/a/journal.sqlite"), (HERE, 1), 7, 9)
    assert "tableside replay --last 7" in (await stepped(rounds)).text
    with pytest.raises(SteppingRefused, match="run tableside replay --last 7"):
        rounds.begin(Path("/a/journal.sqlite"), (HERE, 2), 7, STEPPED_RECORDS + 1)
    away = SteppedRounds(("/no/such/program",))
    away.begin(Path("/a/journal.sqlite"), (HERE, 1), 7, 9)
    assert "No such file" in (await stepped(away)).text


async def test_what_the_readings_do_not_give_is_found_by_the_shipped_program(tmp_path: Path) -> None:
    path = altered(
        await kept(two_rounds(), tmp_path), "UPDATE events SET body = CAST(body || ' ' AS BLOB) WHERE seq = 3"
    )
    rounds = SteppedRounds()
    rounds.begin(path, (HERE, 1), 40, 60)
    found = await stepped(rounds)
    # The rig names no version.
    assert (found.state, ", event 3: recorded " in found.text) == ("other_version", True)


def test_a_journal_is_stepped_only_as_far_as_an_event(tmp_path: Path) -> None:
    path = journal_of(two_rounds(), tmp_path / "journal.sqlite")
    whole = msgspec.json.decode(CliRunner().invoke(main, ["replay", "--json", str(path)]).output)
    part = msgspec.json.decode(CliRunner().invoke(main, ["replay", "--json", "--last", "40", str(path)]).output)
    assert (whole["same"], part["same"]) == (True, True)
    assert 40 <= part["events"] < whole["events"]
    refused = CliRunner().invoke(main, ["replay", "--last", "99999", str(path)])
    assert (refused.exit_code, f"ends with event {whole['events']}" in refused.output) == (2, True)
