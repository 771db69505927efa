"""What the box keeps secret: opened with both keys in its own place, and by nothing else; shown nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.formats.journal.records import Identity
from controller.trigger_box.sealing import SealBroken, SealContext, Sealer, Secret
from tests.trigger_box.rig import OPERATIONS, SURVEILLANCE

PLACE = SealContext(Identity("harbour", "bj-1", 7), 3, bytes(range(32)))
SECRET = Secret(73_123, bytes(range(32, 64)))
NONCE = b"n" * 12


def sealer() -> Sealer:
    return Sealer(OPERATIONS, SURVEILLANCE)


def test_what_was_sealed_is_opened() -> None:
    assert sealer().open(PLACE, sealer().seal(PLACE, SECRET, NONCE)) == SECRET
    assert sealer().open_pool(PLACE, sealer().seal_pool(PLACE, b"\7" * 64, NONCE)) == b"\7" * 64


def test_the_seal_has_one_length_whatever_the_number() -> None:
    assert len({len(sealer().seal(PLACE, Secret(number, bytes(32)), NONCE)) for number in (0, 1, 10**12)}) == 1


@pytest.mark.parametrize(
    "keys",
    [
        (OPERATIONS, bytes(32)),
        (bytes(32), SURVEILLANCE),
        (SURVEILLANCE, OPERATIONS),
    ],
)
def test_one_role_alone_opens_nothing(keys: tuple[bytes, bytes]) -> None:
    sealed = sealer().seal(PLACE, SECRET, NONCE)
    with pytest.raises(SealBroken):
        Sealer(*keys).open(PLACE, sealed)


@pytest.mark.parametrize("keys", [(OPERATIONS, OPERATIONS), (OPERATIONS, b""), (b"x" * 31, SURVEILLANCE)])
def test_two_roles_have_two_keys(keys: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError, match="key"):
        Sealer(*keys)


@pytest.mark.parametrize(
    "elsewhere",
    [
        PLACE._replace(cycle=4),
        PLACE._replace(identity=Identity("harbour", "bj-1", 8)),
        PLACE._replace(identity=Identity("harbour", "bj-2", 7)),
        PLACE._replace(commitment=bytes(32)),
    ],
)
def test_a_seal_opens_in_its_own_place_only(elsewhere: SealContext) -> None:
    with pytest.raises(SealBroken):
        sealer().open(elsewhere, sealer().seal(PLACE, SECRET, NONCE))


def test_a_pool_does_not_pass_for_a_secret() -> None:
    with pytest.raises(SealBroken):
        sealer().open(PLACE, sealer().seal_pool(PLACE, bytes(40), NONCE))


@given(at=st.integers(0, 67), bit=st.integers(0, 7))
@settings(max_examples=60)
def test_a_changed_bit_is_found(at: int, bit: int) -> None:
    sealed = bytearray(sealer().seal(PLACE, SECRET, NONCE))
    sealed[at] ^= 1 << bit
    with pytest.raises(SealBroken):
        sealer().open(PLACE, bytes(sealed))


def test_nothing_secret_is_shown() -> None:
    shown = f"{SECRET} {SECRET!r} {sealer()!r}"
    for part in ("73123", SECRET.key.hex(), OPERATIONS.hex(), repr(SECRET.key)):
        assert part not in shown
    with pytest.raises(SealBroken) as refused:
        sealer().open(PLACE, sealer().seal(PLACE._replace(cycle=9), SECRET, NONCE))
    assert "73123" not in f"{refused.value} {refused.value.__cause__!r}"
