"""Journals that a page may look into: opened read-only for each request, in a thread of their own."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from controller.core.messages.events import BettingClosed, CardDrawn, CardOpened, RoundClosed, RoundPending
from controller.formats.journal.records import Identity, RecordDamaged, openings, unseal
from controller.formats.journal.signed_note import Verifier
from controller.formats.mqtt.envelope import PayloadRefused, own_event, utc_text
from controller.formats.replay import house_of
from controller.io.journal.commit_marker import HeadFileDamaged, read_head_file
from controller.io.journal.errors import JournalDamaged, NotAJournal
from controller.io.journal.reader import JournalReader
from controller.io.journal.stream import every_checked_event
from controller.reports.playback.play_counts import LegalPlays, play_counts
from controller.reports.playback.round_course import RoundCourse, course_of
from controller.reports.playback.round_index import RoundEntry, RoundIndex
from controller.reports.playback.round_search import search_of
from controller.reports.round_narrative import JournalEvent
from controller.web.trust.chain_walk import ChainWalk
from controller.web.trust.head_signature import HeadSignature, Signature, signed_by
from controller.web.trust.programs import ProofNotMade, SteppedRounds, Stepping, SteppingRefused, proof
from firmware_protocols import readings

LISTED: Final = 200
"""Rounds that one search lists."""

COUNTED_READINGS: Final = 400
"""Readings of a round that plays are counted after: several times those of the longest."""

T = TypeVar("T")


class JournalRefused(Exception):  # noqa: N818 - named for what happened
    """What was asked for cannot be read; the text says why."""


class RoundsFound(msgspec.Struct, frozen=True):
    """The rounds that a search found, ``at_most`` so many; ``is_cut``: earlier ones fit too.

    ``mistakes``: fields that were not understood, or that name what the journal has not, and what is expected there;
    then no round is listed. ``time_zone`` is the house's.
    """

    rounds: list[RoundEntry]
    at_most: int
    is_cut: bool
    time_zone: str = "UTC"
    mistakes: dict[str, tuple[str, ...]] = {}


class JournalTrust(msgspec.Struct, frozen=True):
    """Why a round of a journal may be believed, as far as is known now.

    The chain was recomputed to ``record`` of ``records``, which ``event`` is the last of; ``damage`` says what is wrong
    with the next. The head of ``signed_record`` was signed at ``signed_at`` by the key with the id ``key``, where
    ``signature`` is ``holds``; ``verifier`` is the line that others check it with. ``last`` is the round's last event.
    """

    record: int
    records: int
    event: int
    damage: str
    signature: Signature
    signed_record: int
    signed_at: str
    key: str
    verifier: str
    last: int
    is_closed: bool
    stepping: Stepping


class Journals:
    """The journals that were named, by site, table and epoch; ``verifiers``: what their heads are held against."""

    def __init__(
        self, paths: Iterable[Path], verifiers: Sequence[Verifier] = (), stepped: SteppedRounds | None = None
    ) -> None:
        self._paths = tuple(paths)
        self._verifiers = tuple(verifiers)
        self._stepped = stepped or SteppedRounds()
        self._indexes: dict[Identity, RoundIndex] = {}
        self._walks: dict[Identity, ChainWalk] = {}
        self._one_at_a_time = asyncio.Lock()
        self._one_proof_at_a_time = asyncio.Lock()

    @property
    def are_named(self) -> bool:
        """Whether there is any to look into."""
        return bool(self._paths)

    async def listed(self) -> list[dict[str, Any]]:
        """Every journal that can be read now."""
        return await self._read(self._listed)

    async def found(self, identity: Identity, query: Mapping[str, str]) -> RoundsFound:
        """The rounds that fit what was typed, the latest first.

        Raises:
            JournalRefused: there is no such journal, or it cannot be read.
        """
        return await self._read(lambda: self._found(identity, query))

    async def course(self, identity: Identity, number: int) -> RoundCourse:
        """How a round went.

        Raises:
            JournalRefused: there is no such round, or it cannot be read.
        """
        return await self._read(lambda: self._course(identity, number))

    async def plays(self, identity: Identity, number: int) -> tuple[LegalPlays, ...]:
        """How many legal plays explained a closed round after each of its readings.

        Raises:
            JournalRefused: there is no such round, it is open, or it cannot be read.
        """
        return await self._read(lambda: self._plays(identity, number))

    async def trust(self, identity: Identity, number: int) -> JournalTrust:
        """Why a round may be believed; each time it is asked a further piece of the chain is recomputed.

        Raises:
            JournalRefused: there is no such round, or it cannot be read.
        """
        return await self._read(lambda: self._trust(identity, number))

    async def step_again(self, identity: Identity, number: int) -> Stepping:
        """Begin to step a round again from its inputs.

        Raises:
            JournalRefused: there is no such round, it cannot be read, or not be stepped now.
        """
        path, last, record = await self._read(lambda: self._end_of(identity, number))
        try:
            return self._stepped.begin(path, (identity, number), last, record)
        except SteppingRefused as error:
            raise JournalRefused(str(error)) from error

    async def proof(self, identity: Identity, number: int) -> bytes:
        """What ``tableside export --proof`` writes of a closed round, as a ZIP archive.

        Raises:
            JournalRefused: there is no such round, or it cannot be proven.
        """
        path, signed = await self._read(lambda: self._signature(identity, number))
        if signed.verifier is None or signed.signature != "holds":
            raise JournalRefused("no verifier key that the journal's head is signed with: tableside web --verifier")
        async with self._one_proof_at_a_time:
            try:
                return await proof(path, number, signed.verifier)
            except ProofNotMade as error:
                raise JournalRefused(str(error)) from error

    async def close(self) -> None:
        """Stop what is under way."""
        await self._stepped.close()

    async def _read(self, work: Callable[[], T]) -> T:
        async with self._one_at_a_time:
            try:
                return await asyncio.to_thread(work)
            except (NotAJournal, JournalDamaged, HeadFileDamaged, PayloadRefused, RecordDamaged, OSError) as error:
                raise JournalRefused(str(error)) from error

    def _listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for path in self._paths:
            try:
                with JournalReader(path) as reader:
                    one = reader.identity
                    found.append(
                        {"site": one.site, "table": one.table, "epoch": one.epoch, "events": reader.head().seq}
                    )
            except (NotAJournal, JournalDamaged) as error:
                found.append({"path": path.name, "refused": str(error)})
        return found

    def _reader(self, identity: Identity) -> JournalReader:
        for path in self._paths:
            try:
                reader = JournalReader(path)
            except (NotAJournal, JournalDamaged):
                continue
            if reader.identity == identity:
                return reader
            reader.close()
        raise JournalRefused(f"no journal of {identity.text()} was named; see: tableside web --journal")

    def _index(self, identity: Identity) -> RoundIndex:
        with self._reader(identity) as reader:
            # Only of a journal that there is: an address may name any.
            index = self._indexes.setdefault(identity, RoundIndex())
            index.take(_journal_events(reader, index.seq + 1))
        return index

    def _round(self, identity: Identity, number: int) -> RoundEntry:
        found = self._index(identity).rounds.get(number)
        if found is None:
            raise JournalRefused(f"{identity.text()} has no round {number}")
        return found

    def _found(self, identity: Identity, query: Mapping[str, str]) -> RoundsFound:
        index = self._index(identity)
        wanted, mistakes = search_of(query, index)
        found = [] if mistakes else list(itertools.islice(index.found(wanted), LISTED + 1))
        return RoundsFound(found[:LISTED], LISTED, len(found) > LISTED, index.day.time_zone, mistakes)

    def _course(self, identity: Identity, number: int) -> RoundCourse:
        found = self._round(identity, number)
        index = self._indexes[identity]
        with self._reader(identity) as reader:
            course = course_of(identity, found, list(_journal_events(reader, found.first, found.last)))
        before = max((one for one in index.rounds if one < number), default=None)
        after = min((one for one in index.rounds if one > number), default=None)
        return msgspec.structs.replace(course, before=before, after=after, time_zone=index.day.time_zone)

    def _plays(self, identity: Identity, number: int) -> tuple[LegalPlays, ...]:
        found = self._round(identity, number)
        if not found.outcome:
            raise JournalRefused(f"round {number} is open: its plays are counted once it is closed")
        with self._reader(identity) as reader:
            events = list(_journal_events(reader, found.first, found.last))
            locked = next((one for one in events if isinstance(one.event, BettingClosed)), None)
            if locked is None or not isinstance(locked.event, BettingClosed):
                return ()
            known = openings(one.event for one in events if isinstance(one.event, CardOpened))
            first = min(one.reading for one in events)
            starts = [
                row.number for row in reader.events_with(b'"tableside.table_started.v1"') if row.seq < found.first
            ]
            house = house_of(unseal(next(iter(reader.records(starts[-1]))).body, None, {}, identity))
            rows = itertools.islice(reader.records(first), COUNTED_READINGS)
            # Of other rounds are the cards that come while its answer is awaited, and the one that may have ended it.
            last, own = _evidence_of(number, events)
            stamped = (unseal(row.body, None, known, identity) for row in rows if row.number <= last)
            given = (one for one in stamped if not isinstance(one.input, readings.CardDrawn) or one.number in own)
            return tuple(play_counts(house, locked.event, given))

    def _end_of(self, identity: Identity, number: int) -> tuple[Path, int, int]:
        """The journal of a round, the round's last event, and that one's record."""
        found = self._round(identity, number)
        with self._reader(identity) as reader:
            return reader.path, found.last, reader.event(found.last).number

    def _signature(self, identity: Identity, number: int) -> tuple[Path, HeadSignature]:
        self._round(identity, number)
        with self._reader(identity) as reader:
            return reader.path, signed_by(reader.last_seal(), identity, self._verifiers)

    def _trust(self, identity: Identity, number: int) -> JournalTrust:
        found = self._round(identity, number)
        with self._reader(identity) as reader:
            # Read before the journal is: a table at work moves both on, the head file last.
            noted = read_head_file(reader.path)
            reader.connection.execute("BEGIN")
            head, seal = reader.head(), reader.last_seal()
            walk = self._walks.setdefault(identity, ChainWalk(time.monotonic))
            walk.go_on(reader, head)
            sealed = 0 if seal is None else seal.number
            damage = walk.damage or (reader.lost_since(noted) if noted is not None else None) or ""
            if not damage and sealed and sealed != head.number:
                damage = f"records {sealed + 1} to {head.number} are not sealed: not the table's program wrote them"
            signed = signed_by(seal, identity, self._verifiers)
            if seal is not None and walk.record == sealed and not walk.covers(seal):
                signed = HeadSignature("wrong", signed.verifier)
            last = next(iter(reader.records(sealed)), None) if sealed else None
            return JournalTrust(
                record=walk.record,
                records=head.number,
                event=walk.event,
                damage=damage,
                signature=signed.signature,
                signed_record=sealed,
                signed_at="" if last is None else utc_text(unseal(last.body, None, {}, identity).wall_ns),
                key="" if signed.verifier is None else signed.verifier.key_id().hex(),
                verifier="" if signed.verifier is None else signed.verifier.text(),
                last=found.last,
                is_closed=bool(found.outcome),
                stepping=self._stepped.of(identity, number),
            )


def _journal_events(reader: JournalReader, first: int, last: int | None = None) -> Iterable[JournalEvent]:
    for row in every_checked_event(reader, first, last):
        one = own_event(row.body)
        yield JournalEvent(one.seq, row.number, one.time, one.event)


def _evidence_of(number: int, events: Iterable[JournalEvent]) -> tuple[int, frozenset[int]]:
    """The last reading of a round that ended, and the readings of its cards."""
    cards, ends = set[int](), list[int]()
    for one in events:
        match one.event:
            case CardDrawn(round, card) if round == number:
                cards.add(card)
            case RoundPending(round) | RoundClosed(round) if round == number:
                ends.append(one.reading)
            case _:
                pass
    return min(ends), frozenset(cards)
