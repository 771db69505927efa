"""A journal set back, with the head file it had then: whoever keeps a later head shows it, and nobody else can."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.commands import restore
from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Sealing, signed_head
from controller.formats.journal.stream import ConsumerNow, StreamNow, ack_bytes, stream_genesis
from controller.io.journal.anchors import SUFFIX, Anchors, lost_to
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.durable_file import DurableFile, head_path
from controller.reports.audit.durable_follower import NOTHING, Follower
from tests.io.broker_rig import PATIENCE_SECONDS
from tests.io.second_copy_rig import House
from tests.io.stream_rig import CONSUMER, HERE, Kept, Table, consumer, exported, table, turn
from tests.journal_key import KEY, key_file

needs_broker = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with mosquitto() as found:
        yield found


PARTS = ("", "-head")


def set_aside(journal: Path, folder: Path) -> Path:
    """A copy of a journal at rest with all that lies beside it, as whoever has the PC may make one."""
    folder.mkdir()
    for part in PARTS:
        shutil.copy(f"{journal}{part}", folder)
    return folder


def noted(journal: Path) -> bool:
    return Path(f"{journal}{SUFFIX}").exists()


def put_back(journal: Path, folder: Path) -> None:
    for part in PARTS:
        shutil.copy(folder / f"{journal.name}{part}", f"{journal}{part}")


async def played_and_kept(directory: Path, broker: Broker) -> tuple[Path, Path]:
    """A journal of ten events, and a copy of it with four; the consumer has all ten, and the journal's head."""
    journal, file = directory / "journal.sqlite", directory / "held.jsonl"
    async with table(journal, broker) as running, consumer(file, broker) as kept:
        await running.deal(4)
        await kept.until(exported(journal))
    older = set_aside(journal, directory / "older")
    async with table(journal, broker) as running, consumer(file, broker) as kept:
        await running.deal(6)
        await until_headed(running, kept)
    return journal, older


async def until_headed(running: Table, kept: Kept) -> None:
    """Until the consumer keeps the head that the journal has now."""
    now = await running.journal.signed_head()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not head_path(kept.path).exists() or head_path(kept.path).read_text() != now:
            await turn()


async def ended(running: Table) -> str:
    with pytest.raises(JournalDamaged) as damage:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await running.anchors.run()
    return str(damage.value)


@needs_broker
async def test_an_older_journal_ends_when_a_durable_consumer_shows_a_later_head(tmp_path: Path, broker: Broker) -> None:
    journal, older = await played_and_kept(tmp_path, broker)
    put_back(journal, older)
    async with table(journal, broker) as running, consumer(tmp_path / "held.jsonl", broker):
        why = await ended(running)
    assert f"consumer {CONSUMER} keeps a signed head of record 10, and this journal ends with record 4" in why
    assert "restore --aside" in why
    assert "begin-epoch" in why


@needs_broker
async def test_what_was_shown_once_keeps_the_older_journal_from_starting_and_from_being_put_back(
    tmp_path: Path, broker: Broker
) -> None:
    journal, older = await played_and_kept(tmp_path, broker)
    newer = set_aside(journal, tmp_path / "newer")
    put_back(journal, older)
    async with table(journal, broker) as running, consumer(tmp_path / "held.jsonl", broker):
        await ended(running)
    for _ in range(2):
        with pytest.raises(JournalDamaged, match=r"keeps a signed head of record 10"):
            async with table(journal, broker):
                pass
    with_key = ["--key", str(key_file(tmp_path))]
    lacking = [*with_key, "--aside", str(older / journal.name), str(journal)]
    ran = CliRunner().invoke(restore.command, lacking)
    assert (ran.exit_code, "record 10" in ran.output, "begin-epoch" in ran.output) == (2, True, True), ran.output
    ran = CliRunner().invoke(restore.command, [*with_key, "--aside", str(newer / journal.name), str(journal)])
    assert ran.exit_code == 0, ran.output
    async with table(journal, broker) as running:
        assert running.journal.head.number == 10
    assert not noted(journal)


@needs_broker
async def test_an_older_journal_that_has_gone_on_past_the_head_is_another_one(tmp_path: Path, broker: Broker) -> None:
    journal, older = await played_and_kept(tmp_path, broker)
    put_back(journal, older)
    async with table(journal, broker) as running:
        await running.deal(20, b"another record")
    async with table(journal, broker) as running, consumer(tmp_path / "held.jsonl", broker):
        assert "of record 10 with other records up to it than this journal has" in await ended(running)


@needs_broker
async def test_a_journal_of_an_earlier_epoch_is_set_back_too(tmp_path: Path, broker: Broker) -> None:
    journal = tmp_path / "journal.sqlite"
    async with table(journal, broker) as running:
        await running.deal(2)
        later = Sealing(KEY, Identity("harbour", "bj-1", 4))
        head = signed_head(later.seal(1, bytes(32), bytes(32)), later.verifier)
        payload = ack_bytes(4, 0, bytes(32), head)
        await running.consumers.take_ack(CONSUMER, payload)
        assert "of epoch 4, and this journal is of epoch 3" in await ended(running)


@needs_broker
@pytest.mark.parametrize("key", [KEY, bytes([1] * 32)], ids=["the_key_of_now", "the_key_before"])
async def test_who_keeps_a_head_of_an_earlier_epoch_is_heard_though_the_key_was_changed_with_it(
    tmp_path: Path, broker: Broker, key: bytes
) -> None:
    """What the key of then has signed says nothing of this journal; its keeper shows it until the next one comes."""
    earlier = Sealing(key, Identity("harbour", "bj-1", 2))
    head = signed_head(earlier.seal(90, bytes(32), bytes(32)), earlier.verifier)
    async with table(tmp_path / "journal.sqlite", broker) as running:
        await running.deal(2)
        genesis = stream_genesis(HERE)
        await running.consumers.take_ack(CONSUMER, ack_bytes(HERE.epoch, 0, genesis, head))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not any(one.head_size == 90 for now in running.stream_states for one in now.consumers):
                await turn()
        assert not any(now.alarms for now in running.stream_states)
    assert not noted(tmp_path / "journal.sqlite")


async def test_nor_does_one_that_lies_beside_the_journal_keep_the_next_epoch_from_starting(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.commit([JournalEntry(1, b"record")])
    await journal.close()
    earlier = Sealing(bytes([1] * 32), Identity("harbour", "bj-1", 2))
    head = signed_head(earlier.seal(90, bytes(32), bytes(32)), earlier.verifier)
    await asyncio.to_thread(Path(f"{path}{SUFFIX}").write_text, f"the box\n{head}", encoding="utf-8")
    with JournalReader(path) as reader:
        assert lost_to(reader, Sealing(KEY, HERE), path) is None


@needs_broker
async def test_a_head_that_the_table_did_not_sign_ends_nothing_and_is_reported(tmp_path: Path, broker: Broker) -> None:
    journal = tmp_path / "journal.sqlite"
    strange = Sealing(bytes([1] * 32), HERE)
    other = Sealing(KEY, Identity("harbour", "bj-2", 3))
    async with table(journal, broker) as running:
        await running.deal(2)
        for signer in (strange, other):
            head = signed_head(signer.seal(50, bytes(32), bytes(32)), signer.verifier)
            await running.consumers.take_ack(CONSUMER, ack_bytes(3, 0, bytes(32), head))
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not any("no head that this table has signed" in str(now.alarms) for now in running.stream_states):
                    await turn()
    assert not noted(journal)
    async with table(journal, broker):
        pass


async def test_heads_that_the_journal_has_are_held_against_it_and_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    running = Anchors(journal)
    heads = [""]
    for number in range(1, 6):
        await journal.commit([JournalEntry(number, b"record")])
        heads.append(await running.signed_head())
    assert [await running.shown("box", head) for head in heads[1:]] == [""] * 5
    earlier = Sealing(KEY, Identity("harbour", "bj-1", 2))
    assert await running.shown("box", signed_head(earlier.seal(90, bytes(32), bytes(32)), earlier.verifier)) == ""
    await journal.close()


async def test_a_second_copy_that_comes_late_shows_what_the_journal_has_lost(tmp_path: Path) -> None:
    """Its device was away when the table started, so nothing was held against it."""
    house = House(tmp_path)
    await house.played(4)
    older = set_aside(house.journal, tmp_path / "older")
    await house.played(6)
    put_back(house.journal, older)
    house.device.number = 1
    storage = await house.open()
    anchors = Anchors(storage.journal)
    assert storage.second is not None
    storage.second.shown = anchors.shown
    house.device.number = 7
    with pytest.raises(JournalDamaged, match="keeps a signed head of record 10, and this journal ends with record 4"):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await anchors.run()
    await house.close()


async def test_with_the_second_copy_set_back_too_only_another_holder_shows_it(tmp_path: Path) -> None:
    """Whoever has both devices has both; a copy of as many records as the journal has nothing to say."""
    house = House(tmp_path)
    await house.played(4)
    older, older_copy = set_aside(house.journal, tmp_path / "older"), tmp_path / "older-copy"
    shutil.copytree(house.copy, older_copy)
    await house.played(6)
    storage = await house.open()
    later = await storage.journal.signed_head()
    await house.close()
    put_back(house.journal, older)
    shutil.rmtree(house.copy)
    shutil.copytree(older_copy, house.copy)
    storage = await house.open()
    assert (storage.journal.head.number, house.copied()) == (4, 4)
    anchors = Anchors(storage.journal)
    found = "trigger box keeps a signed head of record 10, and this journal ends with record 4"
    assert await anchors.shown("trigger box", later) == found
    with pytest.raises(JournalDamaged, match=found):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await anchors.run()
    await house.close()
    assert noted(house.journal)
    with pytest.raises(JournalDamaged, match=r"trigger box keeps a signed head of record 10"):
        await house.open()


@needs_broker
async def test_without_anybody_outside_an_older_journal_with_its_head_file_starts(
    tmp_path: Path, broker: Broker
) -> None:
    """What cannot be noticed: the pages say so."""
    journal, older = await played_and_kept(tmp_path, broker)
    put_back(journal, older)
    async with table(journal, broker) as running:
        assert running.journal.head.number == 4


# --- what a consumer does ---------------------------------------------------------------------------


def stream(size: int, epoch: int = 3, *, shown: int | None = None) -> StreamNow:
    """What the table says; ``shown``: the size of the head that it has seen of us, None if it does not wait for us."""
    sealing = Sealing(KEY, Identity("harbour", "bj-1", epoch))
    head = signed_head(sealing.seal(size, bytes(32), bytes(32)), sealing.verifier)
    own = () if shown is None else (ConsumerNow(CONSUMER, 0, 0, 0, shown),)
    return StreamNow(epoch, 1, 0, 0, "", own, (), "", head)


def test_a_consumer_keeps_the_furthest_head_and_no_other() -> None:
    follower = Follower("harbour", "bj-1", CONSUMER, NOTHING)
    assert follower.see_stream(stream(7), 0.0).head == stream(7).tree_head
    assert follower.see_stream(stream(7), 1.0).head == ""
    assert follower.see_stream(stream(5), 2.0).head == ""
    assert follower.see_stream(stream(1, epoch=4), 3.0).head == stream(1, epoch=4).tree_head
    assert follower.see_stream(stream(90, epoch=3), 4.0).head == ""
    assert follower.head == stream(1, epoch=4).tree_head


def test_a_head_is_kept_until_the_table_has_seen_it() -> None:
    """A journal set back that has gone on has a head of more records, and not of these."""
    follower = Follower("harbour", "bj-1", CONSUMER, NOTHING)
    follower.see_stream(stream(7, shown=0), 0.0)
    assert follower.ack_due() is not None
    assert follower.see_stream(stream(90, shown=0), 1.0).head == ""
    assert follower.ack_due() is not None
    assert follower.ack_due() is None
    assert follower.head == stream(7).tree_head
    assert follower.see_stream(stream(90, shown=7), 2.0).head == stream(90).tree_head


def test_the_head_is_there_again_when_the_file_is_opened(tmp_path: Path) -> None:
    file = DurableFile(tmp_path / "held.jsonl", "harbour", "bj-1")
    assert file.head == ""
    file.keep_head(stream(7).tree_head)
    file.close()
    again = DurableFile(tmp_path / "held.jsonl", "harbour", "bj-1")
    assert again.head == stream(7).tree_head
    assert Follower("harbour", "bj-1", CONSUMER, NOTHING, again.head).see_stream(stream(6), 0.0).head == ""
    again.close()
