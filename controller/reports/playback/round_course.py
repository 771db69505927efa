"""A round moment by moment: each statement, the readings it rests on, and the felt as it was published by then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from controller.core.messages.events import CardDrawn, CardOpened, ChipsChanged, RoundClosed, RoundPending
from controller.formats.journal.records import Identity, RecordDamaged, openings, opens
from controller.formats.mqtt.retained_layout import FeltNow, FeltPicture
from controller.reports.playback.round_index import RoundEntry
from controller.reports.round_narrative import JournalEvent, story


class Moment(msgspec.Struct, frozen=True):
    """A statement of the round. ``reading`` gave it, ``readings`` it rests on; ``felt`` is the place of its picture.

    ``spot`` is the one it names, null where it names none.
    """

    seq: int
    time: str
    reading: int
    name: str
    text: str
    readings: tuple[int, ...]
    felt: int
    spot: int | None = None


class Commitment(msgspec.Struct, frozen=True):
    """A card that was committed to. ``holds`` is null while it is closed; else whether its opening fits."""

    card: int
    face: str | None
    holds: bool | None


class RoundCourse(msgspec.Struct, frozen=True):
    """A round: its moments in order, the pictures of the felt they name, and its cards' commitments.

    ``before`` and ``after`` are the rounds of the journal beside it, null where there is none; ``time_zone`` is the
    house's.
    """

    site: str
    table: str
    epoch: int
    round: int
    outcome: str
    moments: tuple[Moment, ...]
    felts: tuple[FeltNow, ...]
    commitments: tuple[Commitment, ...]
    before: int | None = None
    after: int | None = None
    time_zone: str = "UTC"


def course_of(identity: Identity, found: RoundEntry, events: Sequence[JournalEvent]) -> RoundCourse:
    """How a round went. ``events`` are those of the journal from its first to its last."""
    lines = {line.seq: line for line in story(events, found.round)}
    picture = FeltPicture()
    for lying in found.lying:
        picture.lay(*lying)
    felts: list[FeltNow] = []
    moments: list[Moment] = []
    is_next_begun = is_over = False
    for one in events:
        about = getattr(one.event, "round", None)
        is_next_begun = is_next_begun or (isinstance(about, int) and about > found.round)
        # What is published of this round once the next has begun changes nothing of the next one's felt, and chips
        # that move once this one is over are the next round's bets.
        is_others = is_next_begun or (is_over and isinstance(one.event, ChipsChanged))
        if about == found.round or (about is None and not is_others):
            picture.take(one.seq, one.event)
        is_over = is_over or (about == found.round and isinstance(one.event, RoundPending | RoundClosed))
        line = lines.get(one.seq)
        if line is None:
            continue
        now = msgspec.structs.replace(picture.now(), seq=0)
        if not felts or felts[-1] != now:
            felts.append(now)
        spot = getattr(one.event, "spot", None)
        moments.append(
            Moment(one.seq, one.time, one.reading, line.event, line.text, line.readings, len(felts) - 1, spot)
        )
    return RoundCourse(
        identity.site,
        identity.table,
        identity.epoch,
        found.round,
        found.outcome,
        tuple(moments),
        tuple(felts),
        commitments(identity, found.round, events),
    )


def course_lines(course: RoundCourse) -> Iterator[str]:
    """The same as lines of text, with what each rests on."""
    yield f"{course.site}/{course.table}/{course.epoch} round {course.round}: {course.outcome or 'open'}"
    for one in course.moments:
        readings = " ".join(map(str, one.readings))
        yield f"{one.time}  {one.text}   [event {one.seq}; readings {readings}]"


def commitments(identity: Identity, number: int, events: Iterable[JournalEvent]) -> tuple[Commitment, ...]:
    """Every card of a round, held against its commitment as anybody may."""
    promised: dict[int, str] = {}
    opened: dict[int, CardOpened] = {}
    for one in events:
        match one.event:
            case CardDrawn(round=drawn_in, card=card, commitment=commitment) if drawn_in == number:
                promised[card] = commitment
            case CardOpened(card):
                opened[card] = one.event
            case _:
                pass
    return tuple(_held(identity, card, promised[card], opened.get(card)) for card in sorted(promised))


def _held(identity: Identity, card: int, commitment: str, opening: CardOpened | None) -> Commitment:
    if opening is None:
        return Commitment(card, None, None)
    try:
        face, nonce = openings((opening,))[card]
    except RecordDamaged:
        return Commitment(card, opening.face, holds=False)
    return Commitment(card, opening.face, opens(commitment, face, nonce, identity, card))
