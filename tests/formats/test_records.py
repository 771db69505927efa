from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.game.rules import Options, Rules
from controller.core.messages.events import CardOpened
from controller.core.messages.house import House
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted, Input
from controller.formats.journal.records import (
    DISTURBED_BYTES,
    Identity,
    RecordDamaged,
    chain,
    commit,
    genesis,
    open_checkpoint,
    openings,
    opens,
    seal,
    seal_checkpoint,
    stamp,
    unseal,
)
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import CardDrawn, ChipsSeen, DeviceHealth, HealthState, KeyPressed, LineDisturbed

HERE = Identity(site="harbour", table="bj-1", epoch=3)
KEY = bytes(range(32))
OTHER_KEY = bytes(reversed(range(32)))

faces = st.one_of(st.none(), st.sampled_from(DECK))
nonces = st.binary(min_size=32, max_size=32)
times = st.integers(0, 2**62)
texts = st.text(max_size=20)
cards = st.builds(CardDrawn, at_ns=times, face=faces, burn=st.booleans(), sequence=st.none() | st.integers(0, 10_000))
houses = st.builds(
    House,
    rules=st.builds(Rules, name=texts, max_hands=st.integers(1, 8), options=st.just(Options())),
    chips=st.dictionaries(texts, st.integers(1, 100_000), max_size=3),
    keys=st.dictionaries(texts, texts, max_size=3),
    profile_hash=texts,
    readers=st.dictionaries(texts, st.tuples(st.integers(1, 7)), max_size=2),
    shoe_numbers_cards=st.booleans(),
)
inputs = st.one_of(
    cards,
    st.builds(
        ChipsSeen, spot=st.integers(1, 7), zone=texts, chips=st.tuples(texts, texts), after_ns=times, by_ns=times
    ),
    st.builds(KeyPressed, at_ns=times, key=texts, held=st.booleans()),
    st.builds(DeviceHealth, device=texts, state=st.sampled_from(HealthState), at_ns=times, detail=texts),
    st.builds(LineDisturbed, device=texts, reason=texts, data=st.binary(max_size=64), at_ns=times),
    st.builds(DaemonStarted, at_ns=times, version=texts, house=houses),
    st.builds(AnswerQuestion, at_ns=times, question=times, answer=texts, who=texts),
)


@given(given_input=inputs, nonce=nonces, number=st.integers(1, 2**40), at_ns=times, wall_ns=times)
def test_whoever_has_the_key_reads_every_record_as_it_was_stamped(
    given_input: Input, nonce: bytes, number: int, at_ns: int, wall_ns: int
) -> None:
    stamped = stamp(given_input, HERE, number, at_ns=at_ns, wall_ns=wall_ns, nonce=nonce)
    assert unseal(seal(stamped, KEY, HERE), KEY, {}, HERE) == stamped


@given(card=cards, nonce=nonces)
def test_without_key_and_opening_a_card_stays_closed(card: CardDrawn, nonce: bytes) -> None:
    stamped = stamp(card, HERE, 7, at_ns=1, wall_ns=2, nonce=nonce)
    closed = unseal(seal(stamped, KEY, HERE), None, {}, HERE)
    assert closed.closed
    assert closed.nonce == b""
    assert closed.input == msgspec.structs.replace(card, face=None)
    assert closed.commitment == stamped.commitment


@given(card=cards, nonce=nonces)
def test_a_published_opening_replaces_the_key(card: CardDrawn, nonce: bytes) -> None:
    stamped = stamp(card, HERE, 7, at_ns=1, wall_ns=2, nonce=nonce)
    opened = openings([CardOpened(card=7, face=card.face.value if card.face else "??", nonce=nonce.hex())])
    assert unseal(seal(stamped, KEY, HERE), None, opened, HERE) == stamped


def test_a_record_is_as_long_for_every_face_and_never_holds_it_in_clear() -> None:
    nonce = bytes(32)
    bodies = {
        face: seal(stamp(CardDrawn(at_ns=5, face=face), HERE, 1, at_ns=5, wall_ns=6, nonce=nonce), KEY, HERE)
        for face in (*DECK, None)
    }
    assert len({len(body) for body in bodies.values()}) == 1
    assert len(set(bodies.values())) == 53
    for body in bodies.values():
        clear = msgspec.json.decode(body)
        assert clear["input"]["face"] is None
        assert clear["nonce"] == ""


@given(true=faces, claimed=faces, nonce=nonces, number=st.integers(1, 1000))
def test_a_commitment_opens_to_one_face_at_one_place_only(
    true: Card | None, claimed: Card | None, nonce: bytes, number: int
) -> None:
    commitment = commit(true, nonce, HERE, number)
    assert opens(commitment, claimed, nonce, HERE, number) == (claimed is true)
    assert not opens(commitment, true, nonce, HERE, number + 1)
    assert not opens(commitment, true, nonce, Identity(site="harbour", table="bj-2", epoch=3), number)
    assert not opens(commitment, true, bytes(32) if nonce != bytes(32) else bytes([1] * 32), HERE, number)


def test_a_false_opening_is_damage() -> None:
    stamped = stamp(CardDrawn(at_ns=1, face=Card.AH), HERE, 7, at_ns=1, wall_ns=2, nonce=bytes(32))
    with pytest.raises(RecordDamaged, match="record 7"):
        unseal(seal(stamped, KEY, HERE), None, {7: (Card.AS, bytes(32))}, HERE)


def test_another_tables_key_opens_nothing() -> None:
    body = seal(stamp(CardDrawn(at_ns=1, face=Card.AH), HERE, 7, at_ns=1, wall_ns=2, nonce=bytes(32)), KEY, HERE)
    with pytest.raises(RecordDamaged, match="does not open with this key"):
        unseal(body, OTHER_KEY, {}, HERE)
    with pytest.raises(RecordDamaged, match="does not open with this key"):
        unseal(body, KEY, {}, Identity(site="harbour", table="bj-1", epoch=4))


@given(body=st.binary(max_size=300))
def test_any_bytes_are_a_record_or_damage(body: bytes) -> None:
    with pytest.raises(RecordDamaged):
        unseal(body, KEY, {}, HERE)


def test_a_stamp_needs_its_random_bytes_and_a_closed_one_cannot_be_sealed() -> None:
    with pytest.raises(ValueError, match="32 random bytes"):
        stamp(CardDrawn(at_ns=1, face=Card.AH), HERE, 7, at_ns=1, wall_ns=2, nonce=b"short")
    stamped = stamp(CardDrawn(at_ns=1, face=Card.AH), HERE, 7, at_ns=1, wall_ns=2, nonce=bytes(32))
    with pytest.raises(ValueError, match="withheld"):
        seal(msgspec.structs.replace(stamped, closed=True), KEY, HERE)
    with pytest.raises(ValueError, match="32 bytes"):
        seal(stamped, b"short", HERE)


def test_openings_that_are_none_are_damage() -> None:
    with pytest.raises(RecordDamaged, match="card 4"):
        openings([CardOpened(card=4, face="11", nonce="00")])


@given(
    first=st.lists(st.binary(max_size=5), min_size=1, max_size=4),
    second=st.lists(st.binary(max_size=5), min_size=1, max_size=4),
)
def test_the_chain_tells_every_division_of_the_same_bytes_apart(first: list[bytes], second: list[bytes]) -> None:
    begin = genesis(HERE)
    same = chain(begin, 1, first[0], first[1:]) == chain(begin, 1, second[0], second[1:])
    assert same == (first == second)


def test_the_chain_depends_on_whose_journal_it_is() -> None:
    assert genesis(HERE) != genesis(Identity(site="harbour", table="bj-1", epoch=4))
    assert len(genesis(HERE)) == 32


@given(checkpoint=st.binary(max_size=3000))
def test_a_checkpoint_opens_at_its_place_with_its_key_only(checkpoint: bytes) -> None:
    sealed = seal_checkpoint(checkpoint, KEY, 9, bytes(32))
    assert open_checkpoint(sealed, KEY, 9, bytes(32)) == checkpoint
    for key, number, place in ((OTHER_KEY, 9, bytes(32)), (KEY, 8, bytes(32)), (KEY, 9, bytes([1] * 32))):
        with pytest.raises(RecordDamaged):
            open_checkpoint(sealed, key, number, place)


@given(one=st.binary(max_size=900), other=st.binary(max_size=900))
def test_checkpoints_of_like_size_are_as_long_as_each_other(one: bytes, other: bytes) -> None:
    assert len(seal_checkpoint(one, KEY, 1, bytes(32))) == len(seal_checkpoint(other, KEY, 1, bytes(32)))


def test_a_checkpoint_cut_short_is_damage() -> None:
    for length in range(60):
        with pytest.raises(RecordDamaged):
            open_checkpoint(seal_checkpoint(b"x", KEY, 1, bytes(32))[:length], KEY, 1, bytes(32))


def test_damaged_bytes_of_a_shoe_are_sealed_like_a_card() -> None:
    heard = LineDisturbed(device="shoe", reason="card code '8H'", data=b"[Game]<Card:8H", at_ns=5)
    stamped = stamp(heard, HERE, 7, at_ns=5, wall_ns=6, nonce=bytes(range(32)))
    body = seal(stamped, KEY, HERE)
    assert b"8H" not in body
    assert len(body) == len(
        seal(stamp(LineDisturbed("shoe", "", b"", 5), HERE, 7, at_ns=5, wall_ns=6, nonce=bytes(32)), KEY, HERE)
    )
    assert unseal(body, KEY, {}, HERE).input == heard
    without = unseal(body, None, {}, HERE)
    assert (without.input, without.closed) == (LineDisturbed(device="shoe", reason="", data=b"", at_ns=5), True)


@pytest.mark.parametrize(("data", "blocks"), [((0, 64), 1), ((400, 700), 2), ((800, 1200), 4)])
def test_bytes_of_a_shoe_of_any_length_are_sealed_in_a_few_lengths(data: tuple[int, int], blocks: int) -> None:
    """A length shows at most which power of two it is below; what a codec keeps of a fault is one length."""
    found = {
        len(
            seal(
                stamp(LineDisturbed("shoe", "x" * 40, bytes(size), 5), HERE, 7, at_ns=5, wall_ns=6, nonce=bytes(32)),
                KEY,
                HERE,
            )
        )
        for size in data
    }
    assert len(found) == 1
    assert found.pop() >= blocks * DISTURBED_BYTES
