from __future__ import annotations

import datetime as dt
import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.core.game.wager import Basis, LockedWager
from controller.core.messages.alerts import Alert, BetIncreasedAfterLock
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardDrawn,
    CardOpened,
    DeviceStatusChanged,
    Event,
    RoundClosed,
    WagerSettled,
)
from controller.core.messages.house import GamingDay
from controller.formats.journal.records import Identity, commit
from controller.formats.mqtt.envelope import (
    PayloadRefused,
    Topics,
    device_bytes,
    event_bytes,
    event_types,
    own_event,
    read_event,
    status_bytes,
    utc_text,
)
from controller.formats.mqtt.schemas import schema_files
from controller.reports.audit.stream_audit import Watcher, event_line
from firmware_protocols.cards import Card

HERE = Identity(site="harbour", table="bj-1", epoch=3)
TOPICS = Topics(site="harbour", table="bj-1")
# Left to itself hypothesis takes the factory of a default for a value.
st.register_type_strategy(
    GamingDay, st.builds(GamingDay, st.text(), st.text(), st.dictionaries(st.text(), st.text(), max_size=3))
)
events = st.one_of(*(st.from_type(kind) for kind in event_types()))

SETTLED = WagerSettled(
    round=4,
    spot=2,
    bet="main",
    wager_cents=2500,
    net_cents=3750,
    basis=Basis.EVIDENCE,
    readings=(7, 9),
    why="A natural pays 3 to 2.",
)


def test_a_settlement_on_the_wire() -> None:
    assert msgspec.json.decode(event_bytes(SETTLED, HERE, 42, 1_764_000_000_123_456_789)) == {
        "specversion": "1.0",
        "id": "harbour/bj-1/3/42",
        "source": "/harbour/bj-1",
        "type": "tableside.wager_settled.v1",
        "time": "2025-11-24T16:00:00.123456Z",
        "datacontenttype": "application/json",
        "epoch": 3,
        "seq": 42,
        "subject": "round/4/spot/2",
        "data": {
            "round": 4,
            "spot": 2,
            "bet": "main",
            "wager_cents": 2500,
            "net_cents": 3750,
            "basis": "evidence",
            "readings": [7, 9],
            "why": "A natural pays 3 to 2.",
            "jackpot_cents": 0,
        },
    }


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(event=events, seq=st.integers(1, 2**31 - 1), wall_ns=st.integers(0, 2**62))
def test_every_event_comes_back_as_it_went_out(event: Event, seq: int, wall_ns: int) -> None:
    payload = event_bytes(event, HERE, seq, wall_ns)
    published = own_event(payload)
    assert (published.event, published.identity, published.seq) == (event, HERE, seq)
    assert event_bytes(published.event, HERE, seq, wall_ns) == payload


@given(wall_ns=st.integers(0, 2**61))
def test_times_are_rfc_3339_in_utc(wall_ns: int) -> None:
    read = dt.datetime.fromisoformat(utc_text(wall_ns))
    since = read - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert since // dt.timedelta(microseconds=1) == wall_ns // 1000


@given(payload=st.binary(max_size=200))
def test_any_other_bytes_are_refused(payload: bytes) -> None:
    with pytest.raises(PayloadRefused):
        read_event(payload)


def test_an_envelope_that_contradicts_itself_is_refused() -> None:
    payload = event_bytes(SETTLED, HERE, 42, 0)
    for old, new in (
        (b'"seq":42', b'"seq":43'),
        (b'"epoch":3', b'"epoch":4'),
        (b"wager_settled.v1", b"wager_settled.v2"),
    ):
        assert old in payload
        with pytest.raises(PayloadRefused):
            read_event(payload.replace(old, new))


def test_an_envelope_passed_on_in_another_form_is_the_same_event() -> None:
    payload = event_bytes(SETTLED, HERE, 42, 0)
    backwards = dict(reversed(json.loads(payload).items()))
    for other in (json.dumps(json.loads(payload)), json.dumps(backwards)):
        assert read_event(other.encode()) == own_event(payload)


def test_an_event_of_another_name_than_its_envelope_says_is_refused() -> None:
    payload = event_bytes(SETTLED, HERE, 42, 0)
    other = payload.replace(b'"data":{', b'"data":{"type":"round_closed",')
    body = b'{"data":{"specversion":"1.0","id":"","source":"","type":"tableside.wager_settled.v1"},' + payload[1:]
    twice = payload[:-1] + b',"type":"tableside.round_closed.v1"}'
    assert read_event(payload).event == SETTLED
    for refused in (other, body, twice):
        with pytest.raises(PayloadRefused):
            own_event(refused)


def test_topics() -> None:
    assert TOPICS.event(SETTLED) == "tableside/v1/harbour/bj-1/event/wager_settled"
    late = BetIncreasedAfterLock(round=1, spot=1, zone="main", before_cents=0, after_cents=500)
    assert isinstance(late, Alert)
    assert not isinstance(SETTLED, Alert)
    assert TOPICS.alert(late) == "tableside/v1/harbour/bj-1/alert/bet_increased_after_lock"
    assert TOPICS.verb(TOPICS.command("answer")) == "answer"
    assert TOPICS.verb("tableside/v1/harbour/bj-1/cmd/") is None
    assert TOPICS.verb("tableside/v1/harbour/bj-2/cmd/answer") is None
    for verb in ("x" * 33, "answer/1", "Answer", "answer\n", "\x1b[2J", "x" * 65_000):
        assert TOPICS.verb(f"{TOPICS.root}/cmd/{verb}") is None


def test_status_payloads() -> None:
    assert msgspec.json.decode(status_bytes("online", 7, 0)) == {
        "state": "online",
        "session": 7,
        "since": "1970-01-01T00:00:00.000000Z",
        "alarms": [],
    }
    assert msgspec.json.decode(device_bytes("lost", "unplugged", 0))["detail"] == "unplugged"


def test_every_event_has_a_schema_without_its_inner_name() -> None:
    files = schema_files()
    for kind in event_types():
        names = [name for name in files if msgspec.json.decode(files[name]).get("title") == kind.__name__]
        assert len(names) == 1
        schema = msgspec.json.decode(files[names[0]])
        assert set(schema["$defs"][kind.__name__]["properties"]) == set(kind.__struct_fields__)


# --- watching ---------------------------------------------------------------------------------------


def see(watcher: Watcher, event: Event, seq: int, identity: Identity = HERE) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return watcher.see(TOPICS.event(event), event_bytes(event, identity, seq, 0))


CLOSED = RoundClosed(round=1, dealer=(), legal_plays=1, outcome="settled")
NONCE = bytes(range(32))


def drawn(face_nonce: bytes = NONCE) -> CardDrawn:
    return CardDrawn(round=1, card=12, position=0, commitment=commit(Card.AH, face_nonce, HERE, 12))


def test_a_sound_stream_has_no_complaints() -> None:
    watcher = Watcher()
    stream: list[Event] = [drawn(), CardOpened(card=12, face="Ah", nonce=NONCE.hex()), SETTLED, CLOSED]
    for seq, event in enumerate(stream, start=10):
        lines, complaints = see(watcher, event, seq)
        assert len(lines) == 1
        assert not complaints


def test_a_gap_and_a_new_epoch_are_reported() -> None:
    watcher = Watcher()
    see(watcher, CLOSED, 5)
    assert see(watcher, CLOSED, 8)[1] == ("harbour/bj-1: events 6 to 7 are missing",)
    later = Identity(site="harbour", table="bj-1", epoch=4)
    assert "epoch 4 follows epoch 3" in see(watcher, CLOSED, 1, later)[1][0]
    assert see(watcher, CLOSED, 2, later) == ((event_line_at(CLOSED, 2),), ())


def event_line_at(event: Event, seq: int) -> str:
    return f"00:00:00.000 harbour/bj-1 {seq:>6} {event_line(event)}"


def test_a_repeat_is_passed_over_and_a_second_content_is_reported() -> None:
    watcher = Watcher()
    see(watcher, CLOSED, 5)
    assert see(watcher, CLOSED, 5) == ((), ())
    assert see(watcher, SETTLED, 5) == ((), ("harbour/bj-1: event 5 came twice with different contents",))


def test_a_card_opened_as_another_is_reported() -> None:
    watcher = Watcher()
    see(watcher, drawn(), 5)
    (complaint,) = see(watcher, CardOpened(card=12, face="As", nonce=NONCE.hex()), 6)[1]
    assert "not what was committed" in complaint
    (complaint,) = see(watcher, CardOpened(card=12, face="1s", nonce=NONCE.hex()), 7)[1]
    assert "cannot be read" in complaint


def test_the_watcher_shows_the_rest_and_refuses_strangers() -> None:
    watcher = Watcher()
    assert watcher.see(TOPICS.status, b'{"state":\n"online"}').lines == ('harbour/bj-1 status {"state": "online"}',)
    assert watcher.see(TOPICS.state("round"), b"{}").lines == ("harbour/bj-1 state/round {}",)
    assert watcher.see("elsewhere", b"").complaints
    assert watcher.see(TOPICS.event(SETTLED), b"junk").complaints
    assert watcher.see(TOPICS.event(CLOSED), event_bytes(SETTLED, HERE, 1, 0)).complaints
    assert watcher.see(TOPICS.root + "/alert/bet_increased_after_lock", b"") == ((), ())


@given(topic=st.text(max_size=40), payload=st.binary(max_size=80))
def test_nothing_that_is_published_stops_the_watcher(topic: str, payload: bytes) -> None:
    for one in (topic, f"tableside/v1/{topic}", f"tableside/v1/a/b/event/{topic}"):
        assert isinstance(Watcher().see(one, payload).complaints, tuple)


def test_lines_do_not_repeat_what_only_machines_need() -> None:
    line = event_line(BettingClosed(round=1, wagers=(LockedWager(spot=1, bet="main", cents=500),)))
    assert line == "betting_closed round=1 wagers=[1/main/500]"
    # What is null or a truth in the message is so in the line.
    assert event_line(CardDealt(round=1, card=4, spot=0, hand=None)) == "card_dealt round=1 card=4 spot=0 hand=null"
    assert "nonce" not in event_line(CardOpened(card=1, face="Ah", nonce="00"))
    assert event_line(DeviceStatusChanged(device="shoe", state="lost", detail="")).endswith("detail=''")
