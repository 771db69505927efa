"""The draw: uniform without a remainder, mixed from all its sources, never the same twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.formats.journal.records import Identity
from controller.reports.audit.mystery_proof import Bounds, moved_by, trigger_cents
from controller.trigger_box.pool import NOISE_BYTES, POOL_BYTES, Noise, RandomStream, mix
from tests.trigger_box.rig import noises

HERE = Identity("harbour", "bj-1", 7)
POOL = bytes(POOL_BYTES)


class Raw(RandomStream):
    """A stream that gives chosen bytes, and then only those that are always refused or never matter."""

    def __init__(self, raw: int, size: int) -> None:
        super().__init__(b"")
        self.raw = raw.to_bytes(size, "big")
        self.asked = 0

    def take(self, count: int) -> bytes:
        self.asked += 1
        if self.asked > 1:
            raise LookupError("drawn again")
        assert count == len(self.raw)
        return self.raw


@pytest.mark.parametrize("limit", [*range(1, 260), 500, 1_000, 4_095, 4_096, 4_097, 10_000])
def test_every_number_has_as_many_ways_as_every_other(limit: int) -> None:
    """All raw values there are: each is accepted as itself or drawn again, none is folded onto another."""
    bits = (limit - 1).bit_length()
    size = (bits + 7) // 8
    found = dict.fromkeys(range(limit), 0)
    refused = 0
    for raw in range(1 << bits):
        stream = Raw(raw, size)
        try:
            found[stream.below(limit)] += 1
        except LookupError:
            refused += 1
    assert set(found.values()) == {1}
    assert refused == (1 << bits) - limit


@given(limit=st.integers(1, 10**12), root=st.binary(min_size=64, max_size=64))
def test_a_number_lies_below_its_limit(limit: int, root: bytes) -> None:
    assert 0 <= RandomStream(root).below(limit) < limit


def test_there_is_nothing_below_zero() -> None:
    with pytest.raises(ValueError, match="below 0"):
        RandomStream(b"").below(0)


def test_each_source_alone_changes_everything() -> None:
    base = Noise(b"\1" * NOISE_BYTES, b"\2" * NOISE_BYTES)
    drawn = {
        mix(pool, noise)[1].take(32)
        for pool, noise in (
            (POOL, base),
            (b"\1" + POOL[1:], base),
            (POOL, base._replace(device=b"\3" * NOISE_BYTES)),
            (POOL, base._replace(system=b"\3" * NOISE_BYTES)),
        )
    }
    assert len(drawn) == 4


def test_the_pool_does_not_give_away_what_was_drawn_from_it() -> None:
    pool, mixed = mix(POOL, next(noises(1)))
    assert pool not in (POOL, mixed.take(POOL_BYTES))


@pytest.mark.parametrize(
    ("pool", "noise"),
    [
        (b"", Noise(b"\1" * 64, b"\2" * 64)),
        (POOL, Noise(b"\1" * 63, b"\2" * 64)),
        (POOL, Noise(b"\1" * 64, b"")),
        (POOL, Noise(b"\1" * 64, b"\1" * 64)),
    ],
)
def test_a_source_that_gave_nothing_is_refused(pool: bytes, noise: Noise) -> None:
    with pytest.raises(ValueError, match="both sources"):
        mix(pool, noise)


def test_a_thousand_restarts_never_begin_alike() -> None:
    """As long as either the pool goes on or a source gives something else."""
    pool, firsts = POOL, set()
    same = Noise(b"\1" * NOISE_BYTES, b"\2" * NOISE_BYTES)
    for _ in range(1_000):
        pool, mixed = mix(pool, same)
        firsts.add(mixed.take(16))
    assert len(firsts) == 1_000


def test_clones_of_one_store_go_different_ways() -> None:
    one, other = mix(POOL, next(noises(1))), mix(POOL, next(noises(2)))
    assert one[0] != other[0]
    assert one[1].take(32) != other[1].take(32)


def test_nothing_random_is_shown() -> None:
    assert repr(next(noises(1))) == "Noise(...)"
    assert repr(RandomStream(b"\1" * 64)) == "Mixed(...)"


# --- the share ----------------------------------------------------------------------------------------


def test_the_worked_examples_of_the_page() -> None:
    """docs/reference/mystery-trigger.md prints these."""
    share = bytes(range(32))
    bounds = Bounds(25_000, 100_000)
    assert [moved_by(share, HERE, cycle, bounds.width) for cycle in (1, 2, 3)] == EXAMPLES
    assert trigger_cents(25_000, share, HERE, 1, bounds) == 25_000 + EXAMPLES[0]
    assert trigger_cents(99_999, share, HERE, 1, bounds) == 24_999 + EXAMPLES[0]


EXAMPLES = [24384, 41287, 6346]


@given(share=st.binary(min_size=32, max_size=32), low=st.integers(1, 300), width=st.integers(1, 300))
def test_every_number_of_the_box_leads_to_another_trigger(share: bytes, low: int, width: int) -> None:
    """So a trigger is uniform as soon as one side is: the box's number, or what follows from the share."""
    bounds = Bounds(low, low + width)
    triggers = {trigger_cents(drawn, share, HERE, 1, bounds) for drawn in range(low, low + width)}
    assert triggers == set(range(low, low + width))
