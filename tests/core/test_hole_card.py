"""The hole card stays closed until the dealer's hand turns it, whatever the table believes about the deal.

Until then not a byte that leaves the table differs between any two faces of the card that is physically the hole card,
and that card is never opened: in every house, with one irregularity of the deal, whatever order or key comes when.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.messages.advice import DealerAction, PaymentAdvised
from controller.core.messages.alerts import BetDecreasedAfterLock, RoundIrregular
from controller.core.messages.events import CardOpened, DealUnconfirmed, HoleCardRevealed, KeyUndone
from controller.core.messages.inputs import DeclareBox, SetCard, ShoeChanged, VoidRound
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import CardDrawn, DeviceHealth, HealthState
from simulators.people.simulated_table import StandKey
from tests.core.hole_doings import KEYS, ORDERS
from tests.core.hole_rounds import IRREGULARITIES, PROFILES, RANKS, Case, assert_secret
from tests.core.rig import Rig

TURN_KEYS: Final = ("always", "sometimes")


@pytest.mark.parametrize("irregularity", IRREGULARITIES)
@pytest.mark.parametrize("profile", PROFILES)
def test_no_byte_depends_on_the_hole_card_whatever_is_wrong_with_the_deal(profile: str, irregularity: str) -> None:
    for seed, turn_key in product(range(2), TURN_KEYS):
        assert_secret(Case(profile, irregularity, (), seed, turn_key=turn_key))


PAIRS: Final = (
    "such a chip handed back in the deal and a card missed",
    "chips on boxes that are not dealt to and a card missed",
    "chips on boxes that are not dealt to and burn pressed in vain",
    "burn pressed in vain and burn pressed in vain",
    "a card missed and a card missed",
    "a chip on a box that is not dealt to and two cards drawn at once",
)
"""Irregularities that together make the hole card one of the table's first cards, or a player's for certain."""


@pytest.mark.parametrize("irregularities", PAIRS)
@pytest.mark.parametrize("profile", PROFILES)
def test_nor_where_two_irregularities_move_it_far(profile: str, irregularities: str) -> None:
    for seed in range(4):
        assert_secret(Case(profile, irregularities, (), 200 + seed, turn_key=TURN_KEYS[seed % 2], boxes=(1, 1)))


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
    """Cards come in an even rhythm; whoever plays takes his time."""

    def deal(self, faces: str, *, pause_ms: int = 2_000) -> None:
        for face in faces.split():
            self.card(face)
        self.pass_ms(pause_ms)

    def card(self, face: str | None) -> None:
        self.pass_ms(450)
        self.give(CardDrawn(self.now_ns, None if face is None else Card(face)))


def table(turn_key: str = "always", **options: object) -> Table:
    return Table(rules(turn_key, **options))


def rules(turn_key: str = "always", **options: object) -> Rules:
    return profile_files.load("borgata", {"stand_key": "always", "turn_key": turn_key, **options}).rules


def opened(rig: Rig) -> str:
    return " ".join(event.face for event in rig.events_of(CardOpened))


def reasons(rig: Rig) -> list[str]:
    return [event.reason for event in rig.events_of(DealUnconfirmed)]


BETS: Final = "1 main 10 \n 2 main 10 \n key no_more_bets"
DEAL: Final = "Th 9h 6c Td 8h 5s"


def dealt(turn_key: str = "always", cards: str = DEAL, **options: object) -> Table:
    rig = table(turn_key, **options)
    rig.talk(BETS)
    rig.deal(cards)
    return rig


def last_card(rig: Rig) -> int:
    assert rig.table.state.round is not None
    return rig.table.state.round.cards.drawn[-1].number


def test_the_cards_lie_open_once_the_rhythm_says_that_the_deal_is_done() -> None:
    rig = table()
    rig.talk(BETS)
    rig.deal(DEAL, pause_ms=500)
    assert opened(rig) == ""
    rig.pass_ms(1_000)
    assert opened(rig) == "Th 9h 6c Td 8h"
    assert reasons(rig) == []


def test_no_more_bets_pressed_again_says_it_sooner() -> None:
    rig = table()
    rig.talk(BETS)
    rig.deal(DEAL, pause_ms=100)
    rig.key("no_more_bets")
    assert opened(rig) == "Th 9h 6c Td 8h"


def test_where_it_is_the_only_way_the_rhythm_says_nothing() -> None:
    rig = dealt(deal_key="always")
    assert opened(rig) == ""
    rig.key("no_more_bets")
    assert opened(rig) == "Th 9h 6c Td 8h"


@pytest.mark.parametrize("key", ["no_more_bets", "burn"])
@pytest.mark.parametrize("deal_key", ["always", "sometimes"])
def test_pressed_once_the_players_have_exchanged_their_chips_it_is_still_the_deals(deal_key: str, key: str) -> None:
    rig = table("sometimes", deal_key=deal_key)
    rig.talk(BETS)
    rig.deal(DEAL, pause_ms=100)
    rig.chips(1, "main", 1000)
    rig.chips(2, "main", 1000)
    rig.key(key)
    assert rig.events_of(HoleCardRevealed) == []
    assert rig.outcomes() == []


def test_where_the_house_always_says_it_by_that_key_the_first_press_is_the_deals_whatever_the_rhythm_was() -> None:
    rig = table("sometimes", deal_key="always")
    rig.talk(f"{BETS} \n Th 9h 6c \n 1 main 20")
    rig.deal("Td 8h 5s")
    assert reasons(rig) == ["chips moved in the deal"]
    rig.talk("1 main 0 \n 2 main 0 \n 1 main 10 \n key no_more_bets")
    assert rig.events_of(HoleCardRevealed) == []


def test_cards_that_are_reported_late_take_back_a_confirmation_by_the_pause_before_them() -> None:
    """One box plays without chips, and the shoe, which numbers its draws, is not heard after four of six cards."""
    rig = table()
    rig.talk("1 main 10 \n key no_more_bets")
    rig.deal("Th 9h 6c Td", pause_ms=0)
    since_ns = rig.now_ns
    rig.pass_ms(3_000)
    for face in ("8h", "5s"):
        rig.give(CardDrawn(rig.now_ns, Card(face), since_ns=since_ns))
        rig.pass_ms(10)
    rig.pass_ms(3_000)
    assert (opened(rig), reasons(rig)) == ("Th 9h 6c", ["a card told late may have followed the deal at once"])


def test_a_card_of_the_deal_that_is_reported_late_leaves_its_rhythm_uncertain() -> None:
    rig = table()
    rig.talk(f"{BETS} \n Th 9h 6c Td 8h")
    rig.give(CardDrawn(rig.now_ns, Card("5s"), since_ns=rig.now_ns - 400_000_000))
    rig.pass_ms(3_000)
    assert (opened(rig), reasons(rig)) == ("", ["a card was told late"])


def test_taken_back_it_closes_what_is_still_to_come() -> None:
    rig = table()
    rig.talk(BETS)
    rig.deal(DEAL, pause_ms=100)
    rig.talk("key no_more_bets undo")
    assert [event.meaning for event in rig.events_of(KeyUndone)] == ["no_more_bets"]
    rig.talk("key hit \n 2c")
    assert opened(rig) == "Th 9h 6c Td 8h"
    assert reasons(rig) == ["the key that said the deal is done was taken back"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Th 9h 6c Td", "a pause after card 4 of 6"),
        (f"{DEAL} 4d", "a card followed the deal at once"),
    ],
)
def test_another_number_of_cards_keeps_the_deal_closed_until_the_turn(text: str, reason: str) -> None:
    rig = dealt(cards=text)
    assert (opened(rig), reasons(rig)) == ("", [reason])
    rig.talk("key round_closed round_closed")
    assert len(opened(rig).split()) == len(text.split())


def test_a_key_or_a_chip_between_the_cards_does_too() -> None:
    for between, reason in (
        ("key call_floor", "a key was pressed in the deal"),
        ("1 main 20", "chips moved in the deal"),
    ):
        rig = table()
        rig.talk(f"{BETS} \n Th 9h 6c")
        rig.talk(between)
        rig.deal("Td 8h 5s")
        assert (opened(rig), reasons(rig)) == ("", [reason])


def test_what_was_not_confirmed_is_published_at_the_turn() -> None:
    rig = dealt(cards=DEAL, deal_gap_s=4)
    rig.talk("key stand stand")
    rig.pass_ms(10)
    rig.talk("key hole_turned \n Tc \n 1 main 20 \n 2 main 20 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]


def test_the_last_stand_turns_nothing_and_undo_plays_on_against_a_closed_card() -> None:
    rig = dealt()
    rig.talk("key stand stand")
    assert rig.events_of(HoleCardRevealed) == []
    rig.talk("key undo hit \n 3c \n key stand hole_turned")
    assert len(rig.events_of(HoleCardRevealed)) == 1


def test_once_it_is_turned_nothing_before_it_is_taken_back() -> None:
    rig = dealt()
    rig.talk("key stand stand hole_turned undo undo")
    assert [event.meaning for event in rig.events_of(KeyUndone)] == ["hole_turned"]


def test_chips_that_are_taken_turn_nothing() -> None:
    rig = dealt("sometimes")
    rig.talk("key stand stand \n 1 main 0 \n 2 main 0")
    rig.pass_ms(20_000)
    assert rig.events_of(HoleCardRevealed) == []
    rig.key("round_closed")
    assert len(rig.events_of(HoleCardRevealed)) == 1


@pytest.mark.parametrize("stand_key", ["always", "sometimes"])
@pytest.mark.parametrize("deal_key", ["always", "sometimes"])
def test_no_chips_that_make_a_hit_look_like_a_double_turn_it_where_the_dealer_keys_it(
    stand_key: str, deal_key: str
) -> None:
    """A player with 11 adds a chip, draws once as if he doubled, and goes on drawing: that card is not the dealer's."""
    rig = table(stand_key=stand_key, deal_key=deal_key)
    rig.talk("1 main 10 \n key no_more_bets")
    rig.deal("5h 9c 6d 5s")
    rig.talk("key no_more_bets" if deal_key == "always" else "")
    rig.talk("1 main 20 \n 2c \n 3d \n 4c")
    rig.pass_ms(60_000)
    assert (rig.events_of(HoleCardRevealed), "5s" in opened(rig)) == ([], False)


def test_a_dealer_who_draws_and_has_not_pressed_the_key_closes_the_round_and_it_is_settled() -> None:
    rig = dealt()
    rig.talk("key stand stand \n Tc \n 1 main 20 \n 2 main 20")
    assert rig.events_of(HoleCardRevealed) == []
    rig.key("round_closed")
    assert len(rig.events_of(HoleCardRevealed)) == 1
    assert (rig.postings(), rig.outcomes()) == (["1: spot 1 main -10.00", "1: spot 2 main -10.00"], ["settled"])


def test_a_card_that_only_the_dealer_can_have_turns_it_where_no_key_need_say_so() -> None:
    rig = dealt("sometimes")
    rig.talk("key stand stand \n Tc")
    rig.pass_ms(100)
    assert len(rig.events_of(HoleCardRevealed)) == 1


def test_after_a_correction_only_the_key_or_the_close_turns_it() -> None:
    assert_secret(Case("hollywood-perryville", "honest", ("name_card",), 23394400, "sometimes", boxes=(1, 1)))
    rig = dealt("sometimes")
    assert rig.table.state.round is not None
    rig.give(SetCard(rig.now_ns, rig.table.state.round.cards.drawn[0].number, Card("9c"), "floor", "misread"))
    rig.talk("key stand stand \n Tc")
    rig.pass_ms(100)
    assert rig.events_of(HoleCardRevealed) == []


def test_a_pause_turns_it_where_a_card_has_ended_the_play_and_no_key_says_so() -> None:
    rig = dealt("sometimes", "Th 9h 6c Ad 2h 5s")
    rig.talk("key hit \n Tc")
    rig.pass_ms(2_900)
    assert rig.events_of(HoleCardRevealed) == []
    rig.pass_ms(200)
    assert len(rig.events_of(HoleCardRevealed)) == 1


def test_a_struck_card_moves_the_count_and_opens_nothing() -> None:
    rig = dealt()
    before = opened(rig)
    assert rig.table.state.round is not None
    rig.give(SetCard(rig.now_ns, rig.table.state.round.cards.drawn[0].number, None, "floor", "a burn"))
    rig.talk("key stand")
    rig.pass_ms(5_000)
    assert (opened(rig), reasons(rig)) == (before, ["a card was struck"])


def test_a_declared_box_does_too() -> None:
    rig = dealt()
    before = opened(rig)
    rig.give(DeclareBox(rig.now_ns, 5, 1000, "floor", "cash"))
    rig.pass_ms(5_000)
    assert (opened(rig), reasons(rig)) == (before, ["a box was declared"])


def test_a_void_round_opens_no_hole_card_and_what_follows_it_stays_closed() -> None:
    rig = dealt()
    hole = last_card(rig)
    rig.give(VoidRound(rig.now_ns, 1, "floor", "misdeal"))
    assert rig.outcomes() == ["void"]
    rig.talk("4c 5c")
    assert hole not in {event.card for event in rig.events_of(CardOpened)}
    assert opened(rig) == "Th 9h 6c Td 8h"
    assert hole in {kept.number for kept in rig.table.state.shoe.closed}


@pytest.mark.parametrize("hole", RANKS)
def test_what_is_advised_of_a_void_round_says_nothing_of_it(hole: Card) -> None:
    """Two hands of 17: the sum of what they would win against the dealer's cards is 0 where these are 17 too."""
    rig = table()
    rig.talk("1 main 10 \n key no_more_bets")
    rig.deal(f"7h 6d 7c {hole}")
    rig.talk("1 main 20 \n key split \n Qs \n key stand \n Qd \n key stand")
    rig.give(VoidRound(rig.now_ns, 1, "floor", "misdeal"))
    ((line,),) = (event.lines for event in rig.events_of(PaymentAdvised))
    assert (line.spot, line.hand, line.move, line.cents) == (1, None, DealerAction.LEAVE, 0)


def void(rig: Table) -> None:
    rig.give(VoidRound(rig.now_ns, rig.table.state.rounds, "floor", "misdeal"))


def deny(rig: Table) -> None:
    rig.table = replace(rig.table, house=replace(rig.house, floor_claims_checked=False))
    rig.answer("no")


def strike_hole(rig: Table) -> None:
    rig.give(SetCard(rig.now_ns, last_card(rig), None, "floor", "a burn"))
    void(rig)


def press_burn(rig: Table) -> None:
    rig.key("burn")


def order_new_shoe(rig: Table) -> None:
    rig.give(ShoeChanged(rig.now_ns, -1, "floor"))


SHOE_OVER: Final = (press_burn, order_new_shoe)
"""What says that the shoe is over."""


@pytest.mark.parametrize("over", SHOE_OVER)
@pytest.mark.parametrize(
    ("bets", "leave"),
    [
        (BETS, void),
        (BETS, strike_hole),
        ("1 main 10 \n 2 main 10", deny),
        ("", None),
        (f"{BETS} \n key {' '.join(['burn'] * 6)}", void),
    ],
    ids=["void", "struck and void", "no round, a person said", "no bets seen", "burns pressed in vain"],
)
def test_the_end_of_a_shoe_opens_no_card_drawn_since_the_last_turn(
    bets: str, leave: Callable[[Table], None] | None, over: Callable[[Table], None]
) -> None:
    rig = table(no_more_bets="always", new_shoe_burns=1)
    rig.talk(bets)
    rig.deal(DEAL)
    before = opened(rig)
    if leave:
        leave(rig)
    over(rig)
    assert (opened(rig), rig.events_of(HoleCardRevealed)) == (before, [])
    rig.talk("7c \n 1 main 0 \n 2 main 0 \n 1 main 10 \n key no_more_bets")
    rig.deal("Kh Kc Kd Ks")
    assert "5s" not in opened(rig)
    rig.talk("key stand hole_turned")
    assert set(opened(rig).split()) == {*(() if "burn" in bets else DEAL.split()), "Kh", "Kc", "Kd", "Ks"}


def test_a_count_that_nothing_confirmed_turns_no_card_of_a_round_that_was_void() -> None:
    """The round is voided and yet played on: what its players draw the table takes for another's deal."""
    rig = dealt("sometimes", cards="Th 2h 6c Td 8h 5s")
    void(rig)
    rig.talk("2c 2d 2s \n 3c 3d 3s \n 1 main 0 \n 2 main 0 \n 1 main 10 \n 4c")
    assert len(rig.events_of(HoleCardRevealed)) == 1
    void(rig)
    order_new_shoe(rig)
    assert "5s" not in opened(rig)


def test_the_burns_of_a_shoe_are_not_shown_because_somebody_says_that_it_is_over() -> None:
    rig = table(new_shoe_burns=1)
    rig.talk("key burn \n 7c")
    rig.pass_ms(2_000)
    rig.talk(BETS)
    rig.deal(DEAL)
    assert "7c" not in opened(rig)
    rig.talk("key stand stand hole_turned \n Tc \n 1 main 20 \n 2 main 20 \n key round_closed burn")
    assert "7c" not in opened(rig)


def test_a_burn_just_before_the_deal_may_have_been_its_first_card() -> None:
    """The key was pressed in vain, and a player draws as fast as the dealer deals."""
    rig = table()
    rig.talk("1 main 10 \n 2 main 10 \n key burn")
    rig.deal(f"{DEAL} 2c")
    assert (opened(rig), reasons(rig)) == ("", ["a burn came just before the deal"])


def test_a_deal_that_a_void_round_lies_before_is_confirmed_by_no_rhythm() -> None:
    """A round is voided after its first card and played on; its player draws as fast as the dealer deals."""
    rig = table()
    rig.talk("1 main 10 \n key no_more_bets")
    rig.card("Th")
    void(rig)
    rig.deal("6c 9s 5s 2c")
    assert (opened(rig), reasons(rig)) == ("", ["cards of no round have been drawn since the last turn"])


def test_a_card_that_follows_cards_of_no_round_is_closed() -> None:
    rig = table()
    rig.talk("Th 9h 6c")
    rig.talk("1 main 10")
    rig.deal("5s 4c")
    assert opened(rig) == ""


# --- a player who draws at once ---------------------------------------------------------------------

PHANTOM: Final = "1 main 10 \n 2 main 10 \n 5 main 10 \n key no_more_bets"
"""The chip on spot 5 is no bet to the dealer, who deals to two boxes."""


def hits(rig: Table, faces: str, gap_ms: int) -> None:
    """Cards that a player draws, one so long after another."""
    for face in faces.split():
        rig.pass_ms(gap_ms)
        rig.give(CardDrawn(rig.now_ns, Card(face)))


@pytest.mark.parametrize("gaps_ms", [(700, 700), (450, 700), (700, 450), (900, 900)])
def test_two_cards_drawn_at_once_are_not_taken_for_the_deal_of_a_box_that_was_not_dealt_to(
    gaps_ms: tuple[int, int],
) -> None:
    rig = table()
    rig.talk(PHANTOM)
    rig.deal(DEAL, pause_ms=0)
    for face, gap_ms in zip(("2c", "3d"), gaps_ms, strict=True):
        hits(rig, face, gap_ms)
    rig.pass_ms(5_000)
    assert opened(rig) == ""
    rig.talk("key stand stand")
    hits(rig, "4c", 900)
    assert (opened(rig), reasons(rig)) == ("", ["its last cards came slowly enough to be drawn ones"])


def test_nor_one_card_where_a_card_of_the_deal_was_missed() -> None:
    rig = table()
    rig.talk(BETS)
    rig.deal("Th 9h 6c 8h 5s", pause_ms=0)
    hits(rig, "2c", 700)
    rig.pass_ms(5_000)
    assert opened(rig) == ""


def test_drawn_as_fast_as_the_dealer_deals_only_the_key_tells_them_apart() -> None:
    rig = table(deal_key="always")
    rig.talk(PHANTOM)
    rig.deal(DEAL, pause_ms=100)
    rig.key("no_more_bets")
    hits(rig, "2c 3d", 450)
    rig.pass_ms(5_000)
    assert (opened(rig), reasons(rig)) == ("", ["a key was pressed in the deal"])


@pytest.mark.parametrize(("deal_key", "after"), [("always", "Th 9h 6c Td 8h"), ("sometimes", "")])
def test_a_slow_last_card_is_the_deals_only_where_the_house_always_says_so_by_its_key(
    deal_key: str, after: str
) -> None:
    rig = table(deal_key=deal_key)
    rig.talk(BETS)
    rig.deal("Th 9h 6c Td 8h", pause_ms=450)
    rig.card("5s")
    rig.pass_ms(5_000)
    assert opened(rig) == ""
    rig.key("no_more_bets")
    assert opened(rig) == after


def test_nobody_slows_the_rhythm_by_which_their_draws_are_judged() -> None:
    rig = table()
    for _ in range(12):
        rig.talk("1 main 10 \n 5 main 10 \n key no_more_bets")
        rig.deal("Th 6c 8h 5s", pause_ms=0)
        hits(rig, "2c 3d", 1_300)
        rig.talk("key hole_turned round_closed round_closed \n 1 main 0 \n 5 main 0")
    before = opened(rig)
    rig.talk("1 main 10 \n 5 main 10 \n key no_more_bets")
    rig.deal("Th 6c 8h 5s", pause_ms=0)
    hits(rig, "2c 3d", 1_300)
    rig.pass_ms(10_000)
    assert opened(rig) == before


# --- the keypad is lost, and perhaps back -----------------------------------------------------------


def away(rig: Table) -> None:
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("keypad", state, rig.now_ns))
        rig.pass_ms(100)


def test_a_keypad_that_was_away_lets_no_pause_turn_the_card_and_its_key_does_once_it_is_back() -> None:
    rig = dealt("always", "Th 9h 6c Ad 2h 5s")
    away(rig)
    rig.talk("key hit \n Tc")
    rig.pass_ms(60_000)
    assert rig.events_of(HoleCardRevealed) == []
    rig.talk("key hole_turned \n Tc")
    assert len(rig.events_of(HoleCardRevealed)) == 1


@pytest.mark.parametrize("next_bets", ["1 main 30", "1 main 30 \n key no_more_bets"], ids=["card", "key"])
def test_of_a_turn_that_was_not_heard_the_next_deal_ends_the_round_and_opens_nothing(next_bets: str) -> None:
    rig = dealt()
    away(rig)
    rig.talk("Tc \n 1 main 0 \n 2 main 20 \n 2 main 0")
    rig.pass_ms(60_000)
    rig.talk(next_bets)
    rig.deal("Kh Kc Kd Ks")
    (irregular,) = (event for event in rig.events_of(RoundIrregular))
    assert irregular.reason == "it ended with its hole card not said to be turned: the keypad was lost"
    assert (rig.outcomes(), rig.events_of(HoleCardRevealed)) == (["irregular"], [])
    assert "5s" not in opened(rig)
    rig.talk("key stand hole_turned")
    rig.talk("1 main 0 \n key round_closed burn")
    assert "5s" in opened(rig)


def test_where_only_the_key_confirms_a_deal_no_rhythm_does_while_the_keypad_is_away() -> None:
    rig = table(deal_key="always")
    rig.talk(BETS)
    away(rig)
    rig.deal(DEAL)
    assert opened(rig) == ""


def test_chips_that_leave_between_the_lock_and_the_end_of_the_deal_are_an_alert() -> None:
    rig = table()
    rig.talk(f"{BETS} \n Th 9h 6c \n 2 main 0")
    moved = [event for event in rig.events if isinstance(event, BetDecreasedAfterLock)]
    assert [(event.spot, event.after_cents) for event in moved] == [(2, 0)]


def test_honest_rounds_settle_as_they_did() -> None:
    rig = dealt()
    rig.talk("key stand stand hole_turned \n Tc \n 1 main 20 \n 2 main 20 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]
    assert rig.outcomes() == ["settled"]
