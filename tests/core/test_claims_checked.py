"""What people say is held against what was dealt: an answer that no round began, burns beside bets, a late new shoe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import CardBurned, ShoeCounted
from controller.core.messages.floor_events import Count, InventoryEntered
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AnswerQuestion,
    ApproveOrder,
    DeclareBox,
    EnterInventory,
    ShoeChanged,
)
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import restore
from controller.formats.mqtt.retained_alerts import AlertsNow, alerts_bytes
from controller.formats.orders.requests import CommandRefused, InventoryRequest, read_command
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.readings import KeyPressed
from tests.core.rig import KEY_OF, Rig, penn

OKAFOR = Authentication("key", ("floor",))
KEYED = {"stand_key": "always", "no_more_bets": "always", "turn_key": "always"}


def table(talk: str = "", *, checked: bool = True, two: bool = False, **options: Any) -> Rig:
    rig = Rig(penn(**{**KEYED, **options}))
    take_up(rig, checked=checked, two=two)
    rig.talk(talk)
    return rig


def take_up(rig: Rig, *, checked: bool, two: bool = False) -> None:
    """The table knows what a running one does of how its house checks what people say."""
    rig.change_house(
        orders_bounded=True, proposals_bound=True, orders_traced=True, two_persons=two, floor_claims_checked=checked
    )


def alerts(rig: Rig, kind: AlertKind) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is kind]


def asked(rig: Rig) -> int:
    return rig.table.state.questions


def say(rig: Rig, answer: str, who: str = "M. Okafor") -> None:
    rig.give(AnswerQuestion(rig.now_ns, asked(rig), answer, who, OKAFOR))
    rig.pass_ms(1000)


# --- a round that began without its key -------------------------------------------------------------

UNKEYED = "1 main 100 \n 9h Ts 8d 9c \n key stand hole_turned"
"""Seventeen against nineteen, and nobody pressed *no more bets*."""


def test_no_word_takes_back_a_round_whose_deal_is_whole() -> None:
    rig = table(UNKEYED)
    say(rig, "no")
    (alert,) = alerts(rig, AlertKind.ROUND_IRREGULAR)
    assert alert.text.startswith("it was said that no round had begun, once all cards of its deal had come")
    assert (alert.round, alert.who) == (1, "M. Okafor")
    rig.key("round_closed")
    assert (rig.outcomes(), alerts(rig, AlertKind.CARD_OUT_OF_TURN)) == (["irregular"], [])


def test_in_a_journal_of_before_it_voided_the_round() -> None:
    rig = table(UNKEYED, checked=False)
    say(rig, "no")
    assert rig.outcomes() == ["void"]
    first, *_ = alerts(rig, AlertKind.CARD_OUT_OF_TURN)
    assert first.text.endswith("was drawn with no wager on the table and no burn announced")


def test_the_dealers_key_takes_it_back_no_more_than_a_person() -> None:
    rig = table(UNKEYED)
    rig.pass_ms(1000)
    rig.key("no")
    rig.key("round_closed")
    assert rig.outcomes() == ["irregular"]


def test_who_says_that_no_round_began_is_named_and_does_not_acknowledge_the_alert() -> None:
    rig = table("1 main 100 \n 9h")
    say(rig, "no")
    (alert,) = alerts(rig, AlertKind.CARD_OUT_OF_TURN)
    assert alert.text.endswith("was drawn and is of no round, as M. Okafor answered")
    assert (alert.who, rig.outcomes()) == ("M. Okafor", ["void"])
    for who in ("M. Okafor", "J. Lee"):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", OKAFOR))
    assert [one.who for one in rig.events_of(AlertAcknowledged)] == ["J. Lee"]


def test_a_card_that_finds_no_wager_is_said_to_find_none() -> None:
    rig = table("9h")
    (alert,) = alerts(rig, AlertKind.CARD_OUT_OF_TURN)
    assert alert.text.endswith("was drawn with no wager on the table and no burn announced")


# --- burns while bets lie there ---------------------------------------------------------------------

BETWEEN = "1 main 10 \n key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0 \n key round_closed"


def burned(rig: Rig, count: int, *, held: bool) -> None:
    for _ in range(count):
        rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held))
        rig.card("5d")


def burn_alerts(rig: Rig) -> list[str]:
    return [one.text.partition("lay there, ")[2] for one in alerts(rig, AlertKind.BURNED_IN_PLAY)]


@pytest.mark.parametrize("locked", [False, True])
def test_a_round_dealt_as_burns_is_an_alert_with_each_card_too_many(locked: bool) -> None:
    rig = table(f"{BETWEEN} \n 1 main 100" + "\n key no_more_bets" * locked)
    burned(rig, 4, held=True)
    numbers = ("2", "3", "4")
    assert burn_alerts(rig) == [f"number {one} without a card dealt; the house burns 1" for one in numbers]
    assert {one.round for one in alerts(rig, AlertKind.BURNED_IN_PLAY)} == {2 if locked else None}


def test_a_new_shoe_and_a_new_dealer_burn_a_card_each_beside_the_bets() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100")
    burned(rig, 1, held=False)
    burned(rig, 1, held=True)
    assert burn_alerts(rig) == []
    burned(rig, 1, held=True)
    assert burn_alerts(rig) == ["number 3 without a card dealt; the house burns 2"]


def test_a_new_shoe_that_is_taken_back_hides_no_card_burned() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100")
    rig.key("burn")
    rig.key("undo")
    burned(rig, 2, held=True)
    assert burn_alerts(rig) == ["number 2 without a card dealt; the house burns 1"]


def test_burns_are_counted_from_the_last_card_of_a_round_and_only_while_bets_lie_there() -> None:
    rig = table(BETWEEN)
    burned(rig, 3, held=True)
    rig.talk("1 main 10")
    burned(rig, 1, held=True)
    rig.talk("key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0 \n key round_closed \n 1 main 10")
    burned(rig, 1, held=True)
    assert burn_alerts(rig) == []


def test_where_no_key_ends_a_round_the_next_is_not_dealt_as_burns_either() -> None:
    rig = table("1 main 10 \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0", no_more_bets="sometimes")
    rig.leave_lying()
    rig.talk("1 main 100")
    burned(rig, 4, held=True)
    assert burn_alerts(rig) == [f"number {one} without a card dealt; the house burns 2" for one in (3, 4)]


def test_in_a_journal_of_before_such_burns_were_no_alert() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100", checked=False)
    burned(rig, 4, held=True)
    assert burn_alerts(rig) == []


# --- a new shoe between the lock and the first card -------------------------------------------------


def test_no_order_makes_a_burn_of_the_card_that_a_locked_round_is_dealt() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100 \n key no_more_bets")
    rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor", OKAFOR))
    (refused,) = rig.events_of(OrderRefused)
    assert (
        refused.reason == "the bets of a round are locked: a new shoe is announced before, or once that key is undone"
    )
    rig.talk("9h Ts 8d 9c \n key stand hole_turned round_closed")
    assert rig.postings()[1:] == ["2: spot 1 main -100.00"]


def test_a_new_shoe_is_announced_once_the_lock_is_undone() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100 \n key no_more_bets undo")
    rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor", OKAFOR))
    rig.talk("5d \n key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned round_closed")
    assert (len(rig.events_of(CardBurned)), rig.postings()[1:]) == (1, ["3: spot 1 main -100.00"])


def test_in_a_journal_of_before_it_did() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100 \n key no_more_bets", checked=False)
    rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor", OKAFOR))
    rig.card("9h")
    assert [type(one) for one in rig.events_of(OrderRefused, CardBurned)] == [CardBurned]


def test_the_dealer_is_shown_the_burn_that_is_awaited_after_the_lock() -> None:
    rig = table(f"{BETWEEN} \n 1 main 100 \n key no_more_bets burn")
    assert rig.desired.display == "Burn 1 card"
    rig.card("5d")
    assert rig.desired.display == "Round 2"


def test_a_count_of_the_shoe_before_is_taken_after_the_lock() -> None:
    rig = table(f"key burn \n 5d \n {BETWEEN} \n key burn \n 5d \n 1 main 100 \n key no_more_bets")
    rig.give(ShoeChanged(rig.now_ns, 300, "M. Okafor", OKAFOR))
    assert [type(one) for one in rig.events_of(OrderRefused, ShoeCounted)] == [ShoeCounted]


# --- a late bettor, or a newcomer, said to play once the outcome is known ---------------------------

LATE = "1 main 10 \n 3 main 10 \n Td \n 5 main 25 \n 9c Th 7s 9h 8c Ts Tc"
"""Spot 5 lays 25 between the first card and the second, and is dealt in: 19, 17 and 20 against 17."""


def late(played: str, *, checked: bool = True) -> Rig:
    rig = table(LATE, checked=checked, no_more_bets="sometimes")
    rig.pass_ms(6000)
    rig.talk(played)
    return rig


@pytest.mark.parametrize("played", ["key stand", "key stand stand stand hole_turned", "5c"])
def test_who_deals_a_late_bettor_in_once_hands_were_played_raises_an_alert(played: str) -> None:
    rig = late(played)
    say(rig, "yes")
    (alert,) = alerts(rig, AlertKind.CORRECTED_ALONE)
    assert alert.text == "M. Okafor alone: spot 5 was dealt in, said once hands were played"
    assert (alert.who, alert.spot, alert.round) == ("M. Okafor", 5, 1)


def test_by_the_keypad_it_names_the_dealer_and_no_person() -> None:
    rig = late("key stand yes")
    (alert,) = alerts(rig, AlertKind.CORRECTED_ALONE)
    assert alert.text == "dealer alone: spot 5 was dealt in, said once hands were played"
    assert not alert.who


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_who_says_so_in_time_raises_none(answer: str) -> None:
    rig = late("")
    say(rig, answer)
    assert alerts(rig, AlertKind.CORRECTED_ALONE) == []


def test_who_denies_a_late_bettor_once_hands_were_played_raises_an_alert() -> None:
    """Else who knows the outcome says *yes* where he wins and *no* where he loses."""
    rig = late("key stand stand stand hole_turned")
    say(rig, "no")
    (alert,) = alerts(rig, AlertKind.CORRECTED_ALONE)
    assert alert.text == "M. Okafor alone: spot 5 was not dealt in, said once hands were played"


MID_SHOE = "key burn \n 2c \n 1 main 10 \n key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0"
"""A round that lost; whoever bets at another spot after it comes in mid shoe."""


def newcomer(bets: str, *, checked: bool = True) -> Rig:
    rig = Rig(replace(penn(**KEYED), mid_shoe_entry="refused"))
    take_up(rig, checked=checked)
    rig.talk(f"{MID_SHOE} \n key round_closed")
    rig.pass_ms(4_000)
    rig.talk(bets)
    rig.pass_ms(2_000)
    return rig


def test_who_sends_a_newcomer_away_once_hands_were_played_raises_an_alert() -> None:
    rig = newcomer("1 main 10 \n 5 main 25 \n key no_more_bets \n 9h Th Ts 8d 6d 9c \n key stand stand hole_turned")
    say(rig, "no")
    (alert,) = alerts(rig, AlertKind.CORRECTED_ALONE)
    assert alert.text == "M. Okafor alone: spot 5 was not dealt in, said once hands were played"


@pytest.mark.parametrize(("checked", "outcome"), [(True, "irregular"), (False, "void")])
def test_a_round_dealt_to_a_newcomer_alone_is_not_voided_by_one_word(outcome: str, *, checked: bool) -> None:
    rig = newcomer("5 main 25 \n key no_more_bets \n Th Ts 6d 9c", checked=checked)
    say(rig, "no")
    rig.talk("key stand hole_turned \n 5 main 0 \n key round_closed")
    rig.pass_ms(4_000)
    assert rig.outcomes()[1] == outcome


def test_in_a_journal_of_before_a_late_answer_raised_none() -> None:
    rig = late("key stand", checked=False)
    say(rig, "yes")
    assert alerts(rig, AlertKind.CORRECTED_ALONE) == []


# --- who does not acknowledge an alert --------------------------------------------------------------


def acknowledgers(rig: Rig, alert: AlertRaised, *people: str) -> list[str]:
    """Who of these may acknowledge it: each tries."""
    for who in people:
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", OKAFOR))
    return [one.who for one in rig.events_of(AlertAcknowledged)]


def restarted(rig: Rig) -> None:
    """Go on from a checkpoint."""
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))


@pytest.mark.parametrize(
    ("checked", "named", "may"),
    [(True, "M. Okafor, J. Lee", "A. Third"), (False, "J. Lee", "M. Okafor")],
)
def test_who_proposed_what_an_alert_is_about_acknowledges_it_no_more_than_who_approved(
    checked: bool, named: str, may: str
) -> None:
    rig = table("1 main 10 \n key no_more_bets \n 9h Ts", checked=checked, two=True, maximum_cents=10_000)
    rig.give(DeclareBox(rig.now_ns, 2, 90_000, "M. Okafor", "plays cash", OKAFOR))
    rig.give(ApproveOrder(rig.now_ns, rig.table.state.progressives.ordered, "J. Lee", OKAFOR))
    (alert,) = alerts(rig, AlertKind.WAGER_OUTSIDE_LIMITS)
    restarted(rig)
    shown = msgspec.json.decode(alerts_bytes(rig.table.state), type=AlertsNow)
    assert (alert.who, shown.unacknowledged[-1].who) == (named, named)
    assert acknowledgers(rig, alert, "J. Lee", "M. Okafor", "A. Third") == [may]


def test_neither_of_two_who_counted_a_shoe_acknowledges_that_they_differ() -> None:
    rig = table(f"key burn \n 5d \n {BETWEEN} \n key burn \n 5d")
    rig.give(ShoeChanged(rig.now_ns, 411, "M. Okafor", OKAFOR))
    rig.give(ShoeChanged(rig.now_ns, 400, "J. Lee", OKAFOR))
    (alert,) = alerts(rig, AlertKind.SHOE_COUNTS_DIFFER)
    assert alert.who == "M. Okafor, J. Lee"
    assert acknowledgers(rig, alert, "M. Okafor", "J. Lee", "A. Third") == ["A. Third"]


@pytest.mark.parametrize("voided", [False, True])
def test_who_declared_a_box_before_its_round_does_not_acknowledge_the_alert_about_it(voided: bool) -> None:
    rig = table("1 main 10", maximum_cents=10_000)
    rig.give(DeclareBox(rig.now_ns, 2, 90_000, "M. Okafor", "plays cash", OKAFOR))
    rig.key("no_more_bets")
    restarted(rig)
    if voided:
        rig.key("undo")
        rig.key("no_more_bets")
    rig.talk("9h 8h Ts")
    found = alerts(rig, AlertKind.WAGER_OUTSIDE_LIMITS)
    alert = found[-1]
    assert (len(found), alert.spot, alert.who) == (1 + voided, 2, "M. Okafor")
    assert acknowledgers(rig, alert, "M. Okafor", "J. Lee") == ["J. Lee"]


def test_a_wager_of_chips_is_nobodys_order_though_a_box_was_declared_there_before() -> None:
    rig = table("1 main 10", maximum_cents=10_000)
    rig.give(DeclareBox(rig.now_ns, 2, 5_000, "M. Okafor", "plays cash", OKAFOR))
    rig.talk("2 main 900 \n key no_more_bets \n 9h 8h Ts")
    (alert,) = alerts(rig, AlertKind.WAGER_OUTSIDE_LIMITS)
    assert (alert.spot, bool(alert.who)) == (2, False)


def test_in_a_journal_of_before_its_declarer_was_not_named() -> None:
    rig = table("1 main 10", checked=False, maximum_cents=10_000)
    rig.give(DeclareBox(rig.now_ns, 2, 90_000, "M. Okafor", "plays cash", OKAFOR))
    rig.talk("key no_more_bets \n 9h 8h Ts")
    (alert,) = alerts(rig, AlertKind.WAGER_OUTSIDE_LIMITS)
    assert not alert.who


# --- a slip is one paper however it is written ------------------------------------------------------


def drop(rig: Rig, slip: str, cents: int = 20_000) -> bool:
    """Enter a drop by its slip; whether it stands."""
    before = len(rig.events_of(InventoryEntered))
    rig.give(EnterInventory(rig.now_ns, Count.DROP, cents, (), slip, "M. Okafor", "counted", vouched=OKAFOR))
    return len(rig.events_of(InventoryEntered)) > before


@pytest.mark.parametrize(
    "slip", ["Box 12", "box 12 ", "box\u00a012", "box 1\uff12", "box 12\u200b", "box12", "box 1\u0662"]
)
def test_a_slip_written_otherwise_is_entered_already(slip: str) -> None:
    rig = table()
    assert drop(rig, "box 12")
    assert not drop(rig, slip)
    assert drop(rig, "box 13")
    before = table(checked=False)
    assert drop(before, "box 12")
    assert drop(before, slip)


def test_what_was_entered_before_slips_were_folded_stands_and_is_taken_back_once() -> None:
    rig = table(checked=False)
    assert drop(rig, "Box 12")
    rig.change_house(floor_claims_checked=True)
    assert not drop(rig, "Box 12")
    assert drop(rig, "Box 12", -20_000)
    assert drop(rig, "Box 12")
    assert not drop(rig, "Box 12")


@pytest.mark.parametrize(
    ("slip", "why"),
    [
        ("b\u043ex 12", "slip: expected a number in letters of one alphabet, not of cyrillic and latin"),
        ("\u0410\u0412 12", "slip: expected the plain letters that it looks like"),
        ("\u200b", "slip: expected a number that can be seen"),
        ("4711\u0301", "slip: expected a number without marks on its figures"),
        ("471\u20dd1", "slip: expected a number without marks on its figures"),
        ("471\u2800 1", "slip: expected a number without marks on its figures"),
    ],
)
def test_a_slip_that_is_not_what_it_seems_is_refused_when_it_is_asked(slip: str, why: str) -> None:
    asks = {"kind": "drop", "cents": 100, "slip": slip, "who": "M. Okafor", "why": "counted"}
    with pytest.raises(CommandRefused, match=why):
        read_command("inventory", msgspec.json.encode(asks))


@pytest.mark.parametrize("slip", ["", "box 12", "Kasse \u00e4 7", "Kasse a\u0308\u0323 7", "\u0436\u0443\u043a 7"])
def test_a_slip_in_letters_of_the_house_is_taken(slip: str) -> None:
    asks = {"kind": "drop", "cents": 100, "slip": slip, "who": "M. Okafor", "why": "counted"}
    wanted = read_command("inventory", msgspec.json.encode(asks))
    assert isinstance(wanted, InventoryRequest)
    assert wanted.slip == slip


# --- a raise before the hole card is turned ---------------------------------------------------------


def raised_before_turn(*, checked: bool = True) -> str:
    """Spot 1 stands on twenty, as spot 2 on eighteen, and is raised seconds before the hole card is turned."""
    rig = table("1 main 100 \n 2 main 10 \n key no_more_bets \n Th 9s Ts Td 9c 9d", checked=checked)
    rig.talk("key stand stand \n 1 main 200")
    rig.leave_lying()
    rig.key("hole_turned")
    rig.leave_lying()
    (alert,) = alerts(rig, AlertKind.SETTLEMENT_DISPUTED)
    assert not alerts(rig, AlertKind.CAPPING)
    return alert.text


def test_chips_that_came_before_the_turn_are_named_as_what_they_may_be() -> None:
    lie = "200.00 lie there; they came before the hole card was turned: capping, or paid before the key"
    assert f"spot 1 main 100.00 ({lie}), spot 2 main -10.00" in raised_before_turn()
    assert "spot 1 main 100.00 (200.00 lie there), spot 2 main -10.00" in raised_before_turn(checked=False)


# --- a chip held to another antenna, or a copy of it ------------------------------------------------

WON = "1 main 100 \n 2 main 10 \n key no_more_bets \n Th 9s Ts Td 9c 9d"
"""Spot 1 has twenty and spot 2 eighteen, the dealer nineteen."""


def overpaid(disturb: Callable[[Rig], None], *, checked: bool = True) -> list[AlertKind]:
    """Spot 1 is paid 500 for 100, something having been held to an antenna; whether the payment was checked."""
    rig = table(WON, checked=checked)
    rig.pass_ms(4000)
    rig.talk("key stand stand hole_turned")
    rig.leave_lying()
    disturb(rig)
    rig.talk("1 main 600")
    rig.leave_lying()
    rig.talk("2 main 0")
    rig.leave_lying()
    rig.talk("key round_closed \n 1 main 0 \n 2 main 10")
    rig.pass_ms(3000)
    rig.talk("key no_more_bets \n 9h")
    rig.leave_lying()
    return [one.kind for one in rig.events if isinstance(one, AlertRaised) and one.spot == 1]


def beside(rig: Rig) -> None:
    """Another antenna hears the wager's chip for a second, where nobody bets."""
    rig.lay(5, "main", rig.lying[1, "main"])
    rig.pass_ms(700)
    rig.lay(5, "main", ())


def copied(rig: Rig) -> None:
    """A copy of the chip of spot 2 is held over spot 1."""
    own = rig.lying[1, "main"]
    rig.lay(1, "main", (*own, *rig.lying[2, "main"]))
    rig.pass_ms(700)
    rig.lay(1, "main", own)


def carried(rig: Rig) -> None:
    """The chip leaves its zone while another still hears it: nobody knows where it lay."""
    own = rig.lying[1, "main"]
    rig.lay(5, "main", own)
    rig.pass_ms(300)
    rig.lay(1, "main", ())
    rig.pass_ms(300)
    rig.lay(1, "main", own)
    rig.lay(5, "main", ())


@pytest.mark.parametrize("disturb", [beside, copied])
def test_what_is_held_to_an_antenna_switches_no_check_of_a_payment_off(disturb: Callable[[Rig], None]) -> None:
    assert overpaid(disturb) == [AlertKind.MISPAY]
    assert AlertKind.MISPAY not in overpaid(disturb, checked=False)


def test_a_payment_is_checked_that_is_made_meanwhile() -> None:
    def held(rig: Rig) -> None:
        rig.lay(5, "main", rig.lying[1, "main"])
        rig.talk("1 main 600")
        rig.lay(5, "main", ())

    assert overpaid(held) == [AlertKind.MISPAY]


def test_where_nobody_knows_at_which_zone_a_chip_lay_nothing_is_said_of_its_payment() -> None:
    assert overpaid(carried) == []


def test_a_chip_that_is_heard_at_two_zones_as_soon_as_it_is_laid_says_nothing_of_either() -> None:
    def laid_between(rig: Rig) -> None:
        rig.talk("1 main 150")
        rig.lay(5, "main", rig.lying[1, "main"][-1:])
        rig.pass_ms(700)
        rig.lay(5, "main", ())

    assert overpaid(laid_between) == []
