"""What a journal opens is held against what it committed to: also sealed with the table's own key, it is that card."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from bench.replay import HERE, KEY, kept, recorded
from controller.commands import verify
from controller.core.messages.events import CardDrawn, CardOpened, Event
from controller.formats.journal.records import commit
from controller.formats.mqtt.envelope import own_event
from controller.io.copies.segment_folder import survey
from controller.io.copies.segment_writer import Disk, SegmentWriter, next_rows
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.reports.audit.commitment_check import first_refuted
from firmware_protocols.cards import Card

ENTRIES = [entry._replace(checkpoint=None) for entry in recorded(2, (2, 3), "always", 1).entries]


def with_opening(change: Callable[[CardOpened], CardOpened], which: int) -> list[JournalEntry]:
    """The night's entries, with one of the openings changed as a program with the table's key may write it."""
    left, found = which, list[JournalEntry]()
    for entry in ENTRIES:
        events = list(entry.events)
        for at, (seq, body) in enumerate(events):
            opened = own_event(body).event
            if isinstance(opened, CardOpened):
                if left == 0:
                    events[at] = seq, body.replace(_data(opened), _data(change(opened)))
                left -= 1
        found.append(entry._replace(events=tuple(events)))
    return found


def _data(opened: CardOpened) -> bytes:
    return f'"face":"{opened.face}","nonce":"{opened.nonce}"'.encode()


def other_face(opened: CardOpened) -> CardOpened:
    return replace(opened, face="Ah" if opened.face != "Ah" else "Kh")


def other_nonce(opened: CardOpened) -> CardOpened:
    return replace(opened, nonce="00" * 32)


def copied(journal: Path, folder: Path) -> Path:
    """A second copy of a journal."""
    folder.mkdir()
    writer = SegmentWriter.resume(folder, survey(folder, HERE), Disk())
    with JournalReader(journal) as reader:
        while rows := next_rows(reader.connection, writer.reached.rows):
            writer.append(rows)
    writer.close()
    return folder


def verified(place: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(verify.command, [str(place), *words])
    return done.exit_code, done.output


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "table.key"
    path.touch(0o600)
    path.write_text(f"{KEY.hex()}\n", encoding="ascii")
    return str(path)


def test_a_night_of_which_every_card_is_opened_as_it_was_drawn_is_whole(tmp_path: Path, key: str) -> None:
    journal = tmp_path / "journal.sqlite"
    asyncio.run(kept(journal, ENTRIES))
    for place in (journal, copied(journal, tmp_path / "copy")):
        assert verified(place, "--key", key)[0] == 0


@pytest.mark.parametrize("which", [0, 5])
@pytest.mark.parametrize("change", [other_face, other_nonce])
def test_a_card_that_is_opened_as_another_is_named(
    change: Callable[[CardOpened], CardOpened], which: int, tmp_path: Path, key: str
) -> None:
    journal = tmp_path / "journal.sqlite"
    asyncio.run(kept(journal, with_opening(change, which)))
    opened = [
        one for entry in ENTRIES for _, body in entry.events if isinstance(one := own_event(body).event, CardOpened)
    ]
    face = change(opened[which]).face
    said = f"card {opened[which].card} was opened as {face}, which is not the face that was committed to"
    for place in (journal, copied(journal, tmp_path / "copy")):
        for words in ((), ("--key", key)):
            assert verified(place, *words) == (1, f"{place}: not what was committed to: {said}\n")
        status, line = verified(place, "--json")
        assert (status, json.loads(line)["wrong_opening"]) == (1, said)


DRAWN = commit(Card("5s"), bytes(32), HERE, 3)
OPENED = CardOpened(3, "5s", bytes(32).hex())


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((CardDrawn(1, 3, None, DRAWN), OPENED), None),
        (
            (CardDrawn(1, 3, None, DRAWN), OPENED, replace(OPENED, face="6s")),
            "card 3 was opened as 6s, and had been opened before, or was never drawn",
        ),
        ((OPENED,), "card 3 was opened as 5s, and had been opened before, or was never drawn"),
        (
            (CardDrawn(1, 3, None, DRAWN), OPENED, CardDrawn(1, 3, None, commit(Card("6s"), bytes(32), HERE, 3))),
            "card 3 was committed to behind card 3: a card is committed to once, and in order",
        ),
    ],
)
def test_a_card_is_committed_to_once_and_opened_once(events: tuple[Event, ...], said: str | None) -> None:
    """Else what is written behind a journal opens the same card as another, and each opening seems to hold."""
    assert first_refuted(HERE, events) == said


def of_another_version(body: bytes) -> bytes:
    """An opening that lacks what this version reads."""
    return body.replace(b'"nonce":', b'"salt":') if b"card_opened" in body else body


def test_an_opening_that_this_version_cannot_read_is_named_in_one_line(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    entries = [
        entry._replace(events=tuple((seq, of_another_version(body)) for seq, body in entry.events)) for entry in ENTRIES
    ]
    asyncio.run(kept(journal, entries))
    for place in (journal, copied(journal, tmp_path / "copy")):
        status, line = verified(place)
        assert status == 2
        assert line.startswith(f"tableside: {place}: not an event: ")
        assert line.count("\n") == 1
