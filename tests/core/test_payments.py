"""Paid against due: what is reported at the next lock, and everything people rightly do with chips, which is not."""

from __future__ import annotations

import pytest

from controller.core.messages.events import CardDrawn
from controller.core.messages.inputs import AdjustWager, DaemonStarted, SetCard
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import ChipsSeen
from tests.core.alerting import at_table, dealt, kinds, lost, next_bets, raised, won
from tests.core.rig import MS, Rig


@pytest.mark.parametrize(
    "changes",
    [
        [5000],
        [5000, 0],
        [5000, 2500],
        [3500, 5000, 0],
        [3500, 1000, 2500, 0],
        [5000, 7500],
        [0, 2500, 5000],
        [5000, 0, 2500],
    ],
    ids=["left", "picked up", "let ride", "in two steps", "picked up between", "pressed", "changed first", "bet anew"],
)
def test_a_right_payment_is_no_alert_however_people_handle_it(changes: list[int]) -> None:
    rig = at_table()
    won(rig)
    for cents in changes:
        rig.chips(1, "main", cents)
    next_bets(rig)
    assert kinds(rig) == []


def test_the_payment_and_a_hand_that_takes_the_wager_at_one_look_are_told_apart_by_their_chips() -> None:
    rig = at_table()
    won(rig)
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", ("E004010000000001",))
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(
    ("changes", "kind", "paid"),
    [
        ([], "mispay", 0),
        ([4500], "mispay", 2000),
        ([5500], "mispay", 3000),
        ([4500, 0], "mispay", 2000),
        ([7500, 0], "mispay", 5000),
        ([0], "winning_bet_taken", -2500),
    ],
    ids=["not paid", "too little", "too much", "too little and gone", "twice", "taken"],
)
def test_a_winner_who_is_not_paid_to_the_chip_is_reported(changes: list[int], kind: str, paid: int) -> None:
    rig = at_table()
    won(rig)
    for cents in changes:
        rig.chips(1, "main", cents)
    rig.key("round_closed")
    assert kinds(rig) == []
    next_bets(rig)
    (alert,) = raised(rig)
    assert (alert.kind, alert.net_cents, alert.paid_cents) == (kind, 2500, paid)
    assert (alert.round, alert.spot, alert.zone) == (1, 1, "main")


def test_a_payment_put_right_before_the_next_lock_is_no_alert() -> None:
    rig = at_table()
    won(rig)
    rig.chips(1, "main", 4500)
    rig.key("round_closed")
    rig.chips(1, "main", 5000)
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([0], []),
        ([1500, 0], []),
        ([0, 2500], []),
        ([], ["losing_bet_left"]),
    ],
    ids=["taken", "in two steps", "bet anew", "left"],
)
def test_a_lost_wager_is_taken(changes: list[int], found: list[str]) -> None:
    rig = at_table()
    lost(rig)
    for cents in changes:
        rig.chips(1, "main", cents)
    next_bets(rig)
    assert kinds(rig) == found


def test_a_lost_wager_that_is_paid_is_reported_even_if_all_of_it_is_gone_then() -> None:
    rig = at_table()
    lost(rig)
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", (*rig.lying[1, "main"], "E004010000000001"))
    rig.chips(1, "main", 0)
    next_bets(rig)
    (alert,) = raised(rig)
    assert (alert.kind, alert.net_cents, alert.paid_cents) == (AlertKind.MISPAY, -2500, 2500)


def test_what_was_added_goes_back_against_a_natural_even_if_the_broken_hand_was_taken() -> None:
    for back in (1000, 0):
        # Without the second change the dealer took the one half and the player the other between two looks.
        rig = at_table()
        rig.talk("1 main 10\n2 main 10\nkey no_more_bets\n6h Th Td 5s 9s As\n1 main 20\nkey double\nTc\nkey stand")
        rig.talk("key hole_turned")
        rig.chips(1, "main", 0)
        if back:
            rig.chips(1, "main", back)
        rig.chips(2, "main", 0)
        next_bets(rig)
        assert kinds(rig) == []


def test_a_payment_that_a_reader_reports_after_the_close_was_made_before_it() -> None:
    rig = at_table()
    lost(rig)
    rig.chips(1, "main", 0)
    late_ns = rig.now_ns
    rig.key("round_closed")
    rig.values["E004010000000009"] = 500
    rig.give(ChipsSeen(1, "main", ("E004010000000009",), late_ns, late_ns + MS))
    assert not rig.table.state.paid[-1].watches["1/main"].looks[-1].closed
    rig.chips(1, "main", 2000)
    assert rig.table.state.paid[-1].watches["1/main"].looks[-1].closed


def test_chips_reported_in_an_interval_that_holds_the_close_may_be_the_next_bet() -> None:
    rig = at_table()
    won(rig)
    # Paid and picked up between two looks.
    rig.chips(1, "main", 0, spread_ms=2_000)
    before_ns = rig.now_ns
    rig.key("round_closed")
    rig.pass_ms(1_000)
    rig.values["E004010000000009"] = 10_000
    rig.give(ChipsSeen(1, "main", ("E004010000000009",), before_ns, rig.now_ns))
    next_bets(rig)
    assert kinds(rig) == []


def test_a_push_may_be_left_taken_or_pressed() -> None:
    for changes in ([], [0], [5000], [1000, 0]):
        rig = at_table()
        dealt(rig, "Th 9d 9s Td")
        rig.talk("key stand hole_turned")
        for cents in changes:
            rig.chips(1, "main", cents)
        next_bets(rig)
        assert kinds(rig) == []


def test_a_natural_is_due_after_the_payout_unit() -> None:
    for paid, found in ((6200, []), (6250, ["mispay"])):
        rig = at_table(payout_unit_cents=100)
        dealt(rig, "Ah 7d Ks Td")
        rig.chips(1, "main", paid)
        rig.talk("key hole_turned")
        next_bets(rig)
        assert kinds(rig) == found


def test_nobody_is_called_wrongly_paid_whose_reader_was_lost() -> None:
    rig = at_table()
    won(rig)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.answer("no")
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize("paid", [[430, 0], [300, 0], [450, 300, 0]], ids=["at once", "taken first", "put right"])
def test_what_a_losing_split_hand_staked_may_be_picked_up_with_the_rest_before_it_is_seen_to_be_taken(
    paid: list[int],
) -> None:
    # Threes split twice, one hand doubled for less: 130.00 lose, two hands of 75.00 win against eighteen.
    rig = at_table()
    rig.talk("1 main 75 \n key no_more_bets \n 3c 8d 3d Th \n 1 main 150 \n key split \n 3h")
    rig.talk("1 main 225 \n key split \n 4s \n 1 main 280 \n key double \n 9h 2h Ks 4c \n key stand")
    rig.talk("9h 9c \n key hole_turned")
    for dollars in paid:
        rig.talk(f"1 main {dollars}")
    next_bets(rig)
    assert rig.postings() == ["1: spot 1 main +20.00"]
    assert kinds(rig) == []


@pytest.mark.parametrize(("look_ms", "found"), [(1_000, []), (100, ["mispay"])])
def test_what_goes_back_of_a_double_to_a_natural_may_have_lain_there_between_two_looks(
    look_ms: int, found: list[str]
) -> None:
    """Nineteen doubles and breaks; both wagers are taken, and the dealer's natural takes the first alone."""
    rig = at_table()
    rig.chips(2, "main", 1000)
    dealt(rig, "9h 8c Kd Jh Tc Ad")
    rig.key("double")
    rig.chips(1, "main", 5000, spread_ms=look_ms)
    rig.talk("Ks")
    rig.chips(1, "main", 0, spread_ms=look_ms)
    rig.talk("key hit \n 2s \n key stand hole_turned \n 2 main 0 \n key round_closed")
    next_bets(rig)
    assert kinds(rig) == found


# --- a due that is corrected -----------------------------------------------------------------------


def named(rig: Rig, *faces: str) -> None:
    """The floor names the player's first card, again and again."""
    (first, *_) = [event.card for event in rig.events if isinstance(event, CardDrawn)]
    for face in faces:
        rig.give(SetCard(rig.now_ns, first, Card(face), "M. Okafor", "seen on the felt"))
        rig.pass_ms(100)


def bounded() -> Rig:
    """A table of which what one person orders has bounds."""
    rig = at_table()
    rig.change_house(orders_bounded=True)
    return rig


@pytest.mark.parametrize(("paid", "found"), [(4500, ["mispay"]), (5000, [])])
def test_a_card_named_otherwise_and_back_leaves_the_payment_to_be_judged(paid: int, found: list[str]) -> None:
    rig = bounded()
    won(rig)
    named(rig, "2h", "Th")
    rig.chips(1, "main", paid)
    next_bets(rig)
    assert [kind for kind in kinds(rig) if kind != "corrected_alone"] == found


@pytest.mark.parametrize(("changes", "found"), [([0], []), ([], ["losing_bet_left"])])
def test_a_payment_is_held_against_the_due_as_it_is_at_last(changes: list[int], found: list[str]) -> None:
    rig = bounded()
    won(rig)
    named(rig, "2h")
    for cents in changes:
        rig.chips(1, "main", cents)
    next_bets(rig)
    assert [kind for kind in kinds(rig) if kind != "corrected_alone"] == found


def test_what_people_rule_of_a_wager_themselves_is_not_held_against_its_chips() -> None:
    rig = bounded()
    won(rig)
    rig.chips(1, "main", 5000)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 0, "M. Okafor", "dead hand"))
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(("faces", "found"), [(["2h"], ["mispay"]), (["9h"], ["mispay"]), (["Td"], [])])
def test_a_due_that_changes_after_the_next_lock_is_held_against_what_was_paid(
    faces: list[str], found: list[str]
) -> None:
    """The round waits for an answer about two other boxes; the side wager of the third was paid as twenty."""
    rig = bounded()
    rig.change_house(rules=profile_files.load("hollywood-penn-national", {}).rules)
    rig.talk("1 main 10 \n 2 main 10 \n 3 main 10 \n 3 lucky_ladies 5")
    rig.talk("5h 5c Th Tc 6d 5s Ts 7s \n 9c \n key hole_turned")
    rig.values["E004010000000001"] = 2000
    rig.lay(3, "lucky_ladies", (*rig.lying[3, "lucky_ladies"], "E004010000000001"))
    rig.talk("3 main 20 \n key round_closed \n 1 main 0 \n 2 main 0 \n Th 9c Kd 8s")
    assert [waited.number for waited in rig.table.state.waiting] == [1]
    third = [event.card for event in rig.events if isinstance(event, CardDrawn)][2]
    for face in faces:
        rig.give(SetCard(rig.now_ns, third, Card(face), "M. Okafor", "seen on the felt"))
    paid = [one for one in raised(rig) if (one.round, one.zone) == (1, "lucky_ladies") and one.net_cents is not None]
    assert [one.kind for one in paid] == found
