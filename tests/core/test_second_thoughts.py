"""What a player lays too much, or gives up again, before a card has come: nobody's offence, and no part of the bet."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HandDoubled, SpotSurrendered
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import QuickReaders, accused, alerts, deal, draw, table
from tests.core.rig import MS

KEYED = {"stand_key": "always", "turn_key": "always"}


def dealt(cards: str = "6h 9h Ts 5d Kd 7c") -> QuickReaders:
    """Two boxes, the first of which plays eleven against a ten."""
    rig = table("1 main 100 \n 2 main 100 \n key no_more_bets", **KEYED)
    deal(rig, cards)
    return rig


def finish(rig: QuickReaders, *, pays: int) -> None:
    """The doubled hand gets twenty; the dealer has seventeen."""
    rig.pass_ms(1_500)
    rig.talk("9s")
    rig.pass_ms(2_000)
    rig.talk("key stand hole_turned")
    rig.pass_ms(2_000)
    for act in (f"1 main {pays}", "2 main 200", "1 main 0", "2 main 0", "key round_closed"):
        rig.talk(act)
        rig.pass_ms(1_500)


@pytest.mark.parametrize("change_ms", [1_600, 2_800])
def test_a_chip_too_large_for_a_double_is_changed(change_ms: int) -> None:
    rig = dealt()
    rig.talk("key double")
    rig.chips(1, "main", 60_000)
    rig.pass_ms(change_ms)
    rig.exchange(1, "main", 20_000)
    finish(rig, pays=400)
    assert rig.postings() == ["1: spot 1 main +200.00", "1: spot 2 main +100.00"]
    assert accused(rig) == []


def changed_before_the_card(profile: str, cycle_ms: int, *, heeded: bool = True) -> HumanRig:
    """A hand of eleven; the reader shows what lies there after the change only once the card has come."""
    rig = HumanRig(profile_files.load(profile, {"turn_key": "sometimes"}).rules, {}, cycle_ms=cycle_ms)
    rig.change_house(exchanges_in_play=heeded, looks_reckoned=heeded)
    rig.reads_display = False
    rig.play("1 main 10 / 2 main 10 / wait 6 / deal 6h Th 5d 5c Td 7d / wait 3 / 1 main 35 / wait 2.5 / 1 main 20")
    rig.play("wait 0.3 / Ks / wait 3 / 3c / wait 2 / Kc / wait 2 / 1 main 40 / wait 1 / 1 main 0 / 2 main 20 / wait 1")
    rig.play("2 main 0 / wait 4 / 1 main 10 / wait 6 / deal Th 9c 8c / wait 10")
    return rig


@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national"])
@pytest.mark.parametrize("cycle_ms", [350, 700, 1_000])
def test_it_may_be_changed_just_before_the_card(profile: str, cycle_ms: int) -> None:
    rig = changed_before_the_card(profile, cycle_ms)
    assert "1: spot 1 main +20.00" in rig.postings()
    assert accused(rig) == []


def test_in_journals_of_before_what_was_too_much_lay_at_the_card() -> None:
    assert "1: spot 1 main +20.00" not in changed_before_the_card("borgata", 350, heeded=False).postings()


END = "wait 6 / deal Th 9c 8c 9d 8d Td / wait 10"


def played(profile: str, text: str, cycle_ms: int) -> HumanRig:
    """A round at which nobody presses a key, and the next deal."""
    rig = keyless(profile, cycle_ms)
    rig.play(f"{text} / {END}")
    return rig


@pytest.mark.parametrize("back_s", ["0.2", "0.6", "1"])
@pytest.mark.parametrize("cycle_ms", [350, 500, 850, 1_000])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national"])
def test_what_is_too_much_is_handed_back_within_a_second_of_the_card(profile: str, cycle_ms: int, back_s: str) -> None:
    """Eleven doubles with 25, is given 15 back and gets a six; thirteen of the dealer draws and breaks."""
    deal = "5 main 10 / 7 main 20 / wait 6 / deal 6s 6c 6d 5h 5s 7s / wait 4 / 5 main 35 / wait 1 / 5 main 20"
    doubled = f"wait {back_s} / 6s / wait 2 / 7 main 40 / wait 0.5 / As / wait 3 / Qh / wait 1"
    rig = played(
        profile, f"{deal} / {doubled} / 7 main 80 / wait 1 / 5 main 40 / wait 1 / 5 main 10 / 7 main 20", cycle_ms
    )
    assert sorted(rig.postings()) == ["1: spot 5 main +20.00", "1: spot 7 main +40.00"]
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national"])
def test_handed_back_once_the_card_is_there_it_is_left_to_the_floor(profile: str, cycle_ms: int) -> None:
    deal = "5 main 10 / 7 main 20 / wait 6 / deal 6s 6c 6d 5h 5s 7s / wait 4 / 5 main 35 / wait 1 / 6s"
    rest = "wait 1.5 / 5 main 20 / wait 2 / 7 main 40 / wait 0.5 / As / wait 3 / Qh / wait 1 / 7 main 80 / wait 1"
    rig = played(profile, f"{deal} / {rest} / 5 main 40 / wait 1 / 5 main 10 / 7 main 20", cycle_ms)
    assert (rig.postings(), len(rig.irregularities())) == ([], 1)
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national"])
def test_a_part_of_a_natural_s_payment_that_is_picked_up_leaves_no_double(profile: str, cycle_ms: int) -> None:
    """Fifteen dollars for a natural of ten, of which its player picks up ten; nineteen beats eighteen."""
    natural = "1 main 10 / 2 main 10 / wait 6 / deal Ah Th 5c Kd 9d 3s / wait 3 / 1 main 25 / wait 3 / 1 main 15"
    rig = played(profile, f"{natural} / wait 4 / Th / wait 2 / 2 main 20 / wait 2 / 2 main 10", cycle_ms)
    assert "1: spot 1 main +15.00" in rig.postings()
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", [350, 450, 700])
@pytest.mark.parametrize("profile", profile_files.names())
def test_nor_of_a_hand_that_is_split(profile: str, cycle_ms: int) -> None:
    """Eights are split; the second hand doubles with 35 and is given 15 back; the dealer breaks."""
    deal = "2 main 20 / 3 main 20 / wait 6 / deal 8h 7d 5c 8c 8c Qc / wait 4 / 2 main 40 / wait 1 / Ah / wait 2 / 2s"
    doubled = "wait 1 / 2 main 75 / wait 2 / 2 main 60 / wait 2 / Qc / wait 3 / Qs / wait 1 / 3 main 0 / wait 2 / Tc"
    rig = played(
        profile, f"{deal} / {doubled} / wait 2 / 2 main 120 / wait 1 / 3 main 20 / wait 2 / 2 main 20", cycle_ms
    )
    assert sorted(rig.postings()) in ([], ["1: spot 2 main +60.00", "1: spot 3 main -20.00"])
    assert accused(rig) == []


def test_one_that_stays_until_the_card_is_no_double() -> None:
    rig = dealt()
    rig.talk("key double")
    rig.chips(1, "main", 60_000)
    rig.pass_ms(5_000)
    finish(rig, pays=1_200)
    assert AlertKind.CAPPING in accused(rig)


def test_what_a_reader_misses_between_two_looks_is_waited_for() -> None:
    """Sixty, sixty more and twenty back; no two inventories in a row show the hundred and twenty."""
    rig = dealt()
    rig.talk("key double")
    rig.chips(1, "main", 16_000, spread_ms=1_400)
    sixty, since_ns = rig.lying[1, "main"], rig.now_ns - 700 * MS
    rig.pass_ms(2_000)
    forty = "E0040000000000AA"
    rig.lying[1, "main"], rig.values[forty] = (*sixty, forty), 4_000
    rig.give(ChipsSeen(1, "main", tuple(sorted((*sixty, forty))), since_ns, rig.now_ns))
    finish(rig, pays=400)
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [10_000]
    assert accused(rig) == []


@pytest.mark.parametrize("lies_ms", [1_500, 5_000])
@pytest.mark.parametrize("parts", [("200",), ("160", "200")], ids=["at once", "in two stacks"])
def test_a_double_that_is_given_up_before_its_card_accuses_nobody(lies_ms: int, parts: tuple[str, ...]) -> None:
    rig = dealt("Th 9h Ts 6d Kd 7c")
    own = rig.lying[1, "main"]
    for part in parts:
        rig.talk(f"1 main {part}")
    rig.pass_ms(lies_ms)
    rig.lay(1, "main", own)
    rig.pass_ms(3_000)
    rig.talk("key surrender")
    rig.pass_ms(2_000)
    rig.talk("key stand hole_turned")
    rig.pass_ms(2_000)
    for act in ("2 main 200", "1 main 50", "1 main 0", "2 main 0", "key round_closed"):
        rig.talk(act)
        rig.pass_ms(2_000)
    assert [one.spot for one in rig.events if isinstance(one, SpotSurrendered)] == [1]
    assert rig.postings() == ["1: spot 1 main -50.00", "1: spot 2 main +100.00"]
    assert alerts(rig, *AlertKind) == [AlertKind.CHIPS_UNEXPLAINED]


def test_one_that_is_taken_back_once_its_card_is_seen_is_an_offence() -> None:
    rig = dealt()
    own = rig.lying[1, "main"]
    rig.talk("key double \n 1 main 200")
    rig.pass_ms(1_000)
    rig.talk("2c")
    rig.pass_ms(1_000)
    rig.lay(1, "main", own)
    rig.pass_ms(4_000)
    rig.talk("key stand hole_turned")
    rig.pass_ms(4_000)
    assert AlertKind.PINCHING in accused(rig)


@pytest.mark.parametrize("beside_ms", [100, 900])
def test_the_next_bet_beside_a_naturals_payment_is_none_of_it(beside_ms: int) -> None:
    rig = dealt("Ah 9h 6s Kd Kd Tc")
    rig.talk("1 main 250")
    rig.pass_ms(beside_ms)
    rig.talk("1 main 275")
    rig.pass_ms(4_000)
    rig.talk("key stand hole_turned \n Kh")
    for act in ("2 main 200", "2 main 0", "key round_closed", "3 main 10", "key no_more_bets"):
        rig.talk(act)
        rig.pass_ms(3_000)
    assert rig.postings() == ["1: spot 1 main +150.00", "1: spot 2 main +100.00"]
    assert alerts(rig, AlertKind.MISPAY) == []


@pytest.mark.parametrize(
    ("between", "message"),
    [("", "taken back before a card or key"), ("Tc", "put right within moments")],
    ids=["nothing between", "a card between"],
)
def test_chips_heard_at_a_wager_and_gone_before_the_lock_is_known_accuse_nobody(between: str, message: str) -> None:
    """A side wager that lies near is heard there until it is taken, say."""
    rig = table("1 main 100 \n 2 main 100")
    own = rig.lying[1, "main"]
    rig.late = True
    draw(rig, *["Th", "9h", "5s", "7d", "Kd"], *([] if between else ["Tc"]))
    heard, rig.values["E0040000000000AA"] = (*own, "E0040000000000AA"), 50_000
    for chips in (heard, own):
        rig.pass_ms(400)
        rig.give(ChipsSeen(1, "main", tuple(sorted(chips)), rig.now_ns - 90 * MS, rig.now_ns))
        draw(rig, *(between.split() if chips is heard else ()))
    rig.late = False
    rig.pass_ms(9_000)
    (alert,) = (one for one in rig.events if isinstance(one, AlertRaised))
    assert (alert.kind, message in alert.text) == (AlertKind.CHIPS_UNEXPLAINED, True)


def test_those_that_stay_are_an_offence() -> None:
    rig = table("1 main 100 \n 2 main 100")
    rig.late = True
    draw(rig, *["Th", "9h", "5s", "7d", "Kd", "Tc"])
    rig.chips(1, "main", 60_000)
    rig.late = False
    rig.pass_ms(9_000)
    assert accused(rig) == [AlertKind.CAPPING]
