"""``tableside mystery verify`` as a test lab types it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from click.testing import CliRunner

from controller.commands.mystery import command
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from tests.journal_key import KEY
from tests.trigger_box.nights import IDENTITY, ROUNDS, hash_after, lines, night, of, played

NIGHT = played(ROUNDS)
WHOLE = len(NIGHT)


def stream_now(bodies: tuple[bytes, ...]) -> bytes:
    """What the table says on ``state/stream``."""
    seq = len(bodies)
    state = {"epoch": 7, "session": 1, "seq": seq, "published": seq, "hash": hash_after(bodies, seq).hex()}
    return msgspec.json.encode({**state, "consumers": [], "alarms": [], "time": "2026-11-21T12:00:00Z"})


def verified(file: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, ["verify", str(file), *options])
    return done.exit_code, done.output


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join((*NIGHT, stream_now(NIGHT))))
    status, output = verified(file)
    hits = sum(b"tableside.jackpot_hit.v1" in body for body in NIGHT)
    assert status == 0, output
    assert output.splitlines()[0] == f"given   events 1 to {WHOLE}, none missing between"
    assert output.count("proven  cycle") == hits > 0
    assert output.count("unknown ") == 1
    assert f"{hits} proven" in output.splitlines()[-1]
    printed = json.loads(verified(file, "--json")[1])
    assert [cycle["hit"] for cycle in printed["cycles"]] == [True] * hits + [False]
    file.write_bytes(b"\n".join((*NIGHT[:-9], stream_now(NIGHT))))
    status, output = verified(file)
    assert status == 1
    assert f"missing: events {WHOLE - 8} to {WHOLE}" in output.splitlines()[0]
    assert json.loads(verified(file, "--json")[1])["missing"] == [[WHOLE - 8, WHOLE]]
    events = night()
    of(events, "jackpot_hit")["data"]["cents"] += 1
    file.write_bytes(b"\n".join(lines(events)))
    assert verified(file)[0] == 1
    file.write_text("nothing\n")
    assert verified(file)[0] == 2


def test_a_hash_that_somebody_else_kept_is_held_against_the_file(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join(NIGHT))
    kept = f"{WHOLE}:{hash_after(NIGHT, WHOLE).hex()}"
    status, output = verified(file, "--stream-hash", kept)
    assert (status, "no hash of the stream" in output) == (0, False)
    status, output = verified(file, "--stream-hash", f"{WHOLE}:{'0' * 64}")
    assert (status, "the hash of the stream differs" in output) == (1, True)
    assert "expected an event's number, a colon and 64 hex digits" in verified(file, "--stream-hash", "5:x")[1]


async def test_a_journal_is_read_and_one_changed_behind_its_hashes_is_named(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    journal = await Journal.open(file, IDENTITY, key=KEY)
    bodies = played(4)
    await journal.commit([JournalEntry(seq, b"record", ((seq, body),)) for seq, body in enumerate(bodies, start=1)])
    await journal.close()
    status, output = verified(file)
    assert status == 0, output
    assert output.splitlines()[0] == f"given   events 1 to {len(bodies)}, none missing between"
    assert "no hash of the stream" not in output
    text = file.read_bytes()
    place = text.index(b'"units":17333333')
    file.write_bytes(text[:place] + text[place:].replace(b"17333333", b"17333334", 1))
    status, output = verified(file)
    assert status == 1
    assert "WRONG   the journal is damaged: record " in output
