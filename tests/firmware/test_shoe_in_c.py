"""A shoe in C, written from docs/reference/reference-shoe.md, before the session of the table: no silent loss."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.firmware.bench import Bench, built
from tests.firmware.campaign import night

NO_COMPILER = "no C compiler here: run .ci/servers"

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason=NO_COMPILER)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("shoe"))


@pytest.fixture
def bench(tmp_path: Path, program: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, program, random.Random(1))
    yield made
    made.close()


def test_it_says_who_and_how_it_is(bench: Bench) -> None:
    bench.plug()
    bench.calm_down()
    assert bench.states[-1] == "ready"
    assert {serial for serial, _ in bench.known} == {"C0001", "C0002"}
    assert set(bench.complaints) == {"shoe_exchanged"}


def test_cards_are_reported_once_and_in_order_by_two_shoes_in_turn(bench: Bench) -> None:
    bench.plug()
    bench.calm_down()
    for count in (3, 7, 1, 5):
        for _ in range(count):
            bench.draw()
        bench.exchange()
        bench.kill()
        bench.plug()
        bench.calm_down()
    assert bench.findings() == []
    assert len(bench.journal) == sum(len(shoe.left) for shoe in bench.shoes) == 16


def test_it_holds_its_cards_back_when_a_hundred_and_twenty_are_kept_and_lets_go_again(bench: Bench) -> None:
    bench.plug()
    bench.calm_down()
    bench.kill()
    for _ in range(125):
        bench.draw()
    assert len(bench.shoe.left) == 120
    bench.calm_down()
    bench.draw()
    bench.calm_down()
    assert len(bench.journal) == len(bench.shoe.left) == 121
    assert bench.findings() == []


def test_it_goes_on_over_the_ring_of_its_memory(bench: Bench) -> None:
    bench.plug()
    bench.calm_down()
    for _ in range(4):
        for _ in range(100):
            bench.draw()
        bench.power_cycle()
        bench.calm_down()
        bench.exchange()
    assert bench.findings() == []
    assert len(bench.journal) == 400


def test_a_brown_out_after_each_byte_of_a_record_loses_no_card_without_a_word(bench: Bench) -> None:
    bench.plug()
    bench.calm_down()
    for written in range(10):
        bench.shoe.act(b"C", written)
        bench.draw()
        bench.power_cycle()
        bench.settle()
    assert bench.findings() == []
    faces = [card.face for _, _, card in bench.journal]
    assert None in faces
    assert "shoe_restarted" in bench.complaints


@pytest.mark.parametrize("seed", range(4))
def test_a_night_of_kills_exchanges_and_failing_memories(tmp_path: Path, program: Path, seed: int) -> None:
    bench, _ = night(tmp_path, program, seed, 12)
    assert bench.findings() == []
    assert bench.journal
