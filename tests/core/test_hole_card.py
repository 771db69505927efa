"""The hole card stays closed until the dealer's hand turns it, whatever the table believes about the deal.

Until then not a byte that leaves the table differs between any two faces of the card that is physically the hole card,
and that card is never opened: in every house, with one irregularity of the deal, whatever order or key comes when.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from controller.core.events import CardOpened, DealUnconfirmed
from controller.core.rules import Rules
from controller.io import profile_files
from firmware_protocols.cards import DECK
from simulators.felt import StandKey
from tests.core.hole_rounds import IRREGULARITIES, KEYS, ORDERS, PROFILES, Case, assert_secret
from tests.core.rig import MS, Rig

TURN_KEYS: Final = ("always", "sometimes")


@pytest.mark.parametrize("irregularity", IRREGULARITIES)
@pytest.mark.parametrize("profile", PROFILES)
def test_no_byte_depends_on_the_hole_card_whatever_is_wrong_with_the_deal(profile: str, irregularity: str) -> None:
    for seed, turn_key in product(range(2), TURN_KEYS):
        assert_secret(Case(profile, irregularity, (), seed, turn_key=turn_key))


@pytest.mark.parametrize("doing", [one.__name__ for one in (*ORDERS, *KEYS)])
@pytest.mark.parametrize("profile", PROFILES)
def test_nor_whatever_order_or_key_comes_meanwhile(profile: str, doing: str) -> None:
    for seed, irregularity in enumerate(IRREGULARITIES):
        assert_secret(Case(profile, irregularity, (doing,), 100 + seed, turn_key=TURN_KEYS[seed % 2]))


@pytest.mark.parametrize("stand_key", ["always", "sometimes", "never"])
def test_nor_by_any_of_the_52_faces(stand_key: StandKey) -> None:
    assert_secret(Case("hollywood-penn-national", "honest", ("strike",), 7, stand_key), DECK)


def test_nor_by_chips_that_players_move_where_the_dealer_keys_the_turn() -> None:
    for seed in range(20):
        assert_secret(Case(PROFILES[seed % len(PROFILES)], "honest", ("touch", "touch"), seed))


def test_without_the_guard_each_irregularity_and_the_orders_of_the_floor_show_it() -> None:
    """That the tests above can fail: the same rounds by the rules of journals before the guard."""
    shown = set()
    for name, doing in [*((name, "nothing") for name in IRREGULARITIES), ("honest", "declare"), ("honest", "strike")]:
        for seed in range(12):
            try:
                assert_secret(Case("borgata", name, (doing,), seed, turn_key=""))
            except AssertionError:
                shown.add((name, doing))
                break
    assert shown >= {(name, "nothing") for name in IRREGULARITIES if name != "honest"}
    assert shown >= {("honest", "declare"), ("honest", "strike")}


# --- round by round ---------------------------------------------------------------------------------


class Table(Rig):
    """Cards of the deal come in an even rhythm; whoever plays takes his time."""

    def deal(self, faces: str, *, pause_ms: int = 2_000) -> None:
        for face in faces.split():
            self.card(face)
        self.pass_ms(pause_ms)

    def card(self, face: str | None) -> None:
        self.pass_ms(400)
        super().card(face)
        self.now_ns -= 500 * MS


def table(turn_key: str = "always", **options: object) -> Table:
    return Table(rules(turn_key, **options))


def rules(turn_key: str = "always", **options: object) -> Rules:
    return profile_files.load("borgata", {"stand_key": "always", "turn_key": turn_key, **options}).rules


def opened(rig: Rig) -> str:
    return " ".join(event.face for event in rig.told(CardOpened) if isinstance(event, CardOpened))


def reasons(rig: Rig) -> list[str]:
    return [event.reason for event in rig.told(DealUnconfirmed) if isinstance(event, DealUnconfirmed)]
