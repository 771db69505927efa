"""``tableside reconstruct`` where readings of the evidence are easily taken for others: small rounds worked by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from controller.commands.reconstruct import command

Line = dict[str, Any]
CLOSE: Line = {"close": True}
HPN = "hollywood-penn-national"


def table(profile: str, wagers: dict[str, dict[str, int]] | None = None, **options: Any) -> Line:
    return {"profile": profile, "options": options, "wagers": wagers or {"1": {"main": 1000}}}


def cards(faces: str) -> list[Line]:
    return [{"card": face} for face in faces.split()]


def main(cents: int, spot: int = 1) -> Line:
    return {"spot": spot, "zone": "main", "cents": cents}


def reconstruct(*lines: Line | list[Line]) -> dict[str, Any]:
    whole = [one for line in lines for one in (line if isinstance(line, list) else [line])]
    ran = CliRunner().invoke(command, ["-"], input="\n".join(json.dumps(line) for line in whole))
    assert ran.exit_code == 0, ran.output
    answer: dict[str, Any] = json.loads(ran.output)
    return answer


def test_even_money_may_be_shown_by_chips_by_the_name_the_option_has_on_the_page() -> None:
    by_chips = reconstruct(table("borgata", even_money="chips"), cards("As Ad Kc 7h"), main(2000), CLOSE)
    by_key = reconstruct(table("borgata", even_money="key"), cards("As Ad Kc 7h"), main(2000), CLOSE)
    # The rise may be even money or the payment of a natural that waited: both remain.
    assert (by_chips["plays"], by_chips["possible_cents"]) == (2, {"1": {"main": [1000, 1500]}})
    assert (by_key["plays"], by_key["possible_cents"]) == (1, {"1": {"main": [1500]}})


def test_when_the_shoe_reads_changes_nothing_for_cards_that_have_left_it() -> None:
    ahead = reconstruct(table(HPN, reads="ahead"), cards("Ts 7c 9h Td"), CLOSE)
    assert ahead == reconstruct(table(HPN), cards("Ts 7c 9h Td"), CLOSE)
    text = json.dumps(table(HPN, reads="late"))
    assert "options.reads: expected one of on_draw, ahead" in CliRunner().invoke(command, ["-"], input=text).output


def test_without_a_hole_card_every_play_counts_once_and_the_second_card_is_the_dealers() -> None:
    open_round = reconstruct(table("borgata", hole_card="none"), cards("Ts 7c 9h"))
    assert (open_round["plays"], open_round["dealer"]) == (1, ["7c"])
    closed = reconstruct(table("borgata", hole_card="none"), cards("Ts 7c 9h"), {"key": "stand"}, cards("Td"), CLOSE)
    assert (closed["plays"], closed["dealer"], closed["due_cents"]) == (1, ["7c", "Td"], {"1": {"main": 1000}})


def test_without_a_hole_card_a_dealer_nobody_waits_for_takes_no_second() -> None:
    answer = reconstruct(table("borgata", hole_card="none"), cards("Ts 7c 9h 8d"), main(0), CLOSE)
    # Broken by the fourth card, or stood on 19 and taken against 15, which is no end: one play.
    assert (answer["plays"], answer["dealer"], answer["due_cents"]) == (1, ["7c"], {"1": {"main": -1000}})


def test_without_a_hole_card_losing_insurance_is_certain_whichever_card_is_the_second() -> None:
    wagers = {"1": {"main": 500}, "4": {"main": 1000}}
    insured = {"spot": 4, "zone": "insurance", "cents": 250}
    answer = reconstruct(
        table("classic-shoe-and-pitch", wagers, hole_card="none"), cards("2h 4h Ah 2d Qs"), insured, cards("9d 8s 7s")
    )
    assert answer["due_cents"]["4"]["insurance"] in {None, -250}
    closed = reconstruct(
        table("classic-shoe-and-pitch", wagers, hole_card="none"),
        cards("2h 4h Ah 2d Qs"),
        insured,
        cards("9d 8s 7s"),
        CLOSE,
    )
    assert closed["due_cents"]["4"]["insurance"] == -250


def test_a_press_one_card_late_lies_before_the_chips_that_came_since() -> None:
    wagers = {"1": {"main": 1000}, "2": {"main": 1000}}
    dealt = [card | {"t": second} for second, card in enumerate(cards("Ts 6d 7c 9h 5s Td"), start=1)]
    late: list[Line] = [{"card": "Ts", "t": 8}, {"key": "stand", "spot": 1, "t": 9}, main(2000, 2) | {"t": [7, 7.5]}]
    strict = reconstruct(table("borgata", wagers, stand_key="always"), dealt, late, CLOSE)
    slack = reconstruct(table("borgata", wagers, stand_key="always", key_slack=1), dealt, late, CLOSE)
    assert strict["plays"] == 0
    # The stand of spot 1 came before spot 2 laid the chips of its double.
    assert (slack["plays"], slack["stakes"]) == (1, {"1": [1000], "2": [2000]})


def test_a_change_that_means_nothing_has_moved_the_chips_all_the_same() -> None:
    answer = reconstruct(
        table("classic-shoe-and-pitch", busts_taken="at_once"),
        cards("6s 8s 8h"),
        main(0),
        cards("9c 8c"),
        {"key": "hole_turned"},
        CLOSE,
    )
    # The wager was lifted while the cards were dealt; when the hand broke there was nothing left to take.
    assert [alert["after_cents"] for alert in answer["alerts"]] == [0]
    assert (answer["plays"], answer["due_cents"]) == (1, {"1": {"main": -1000}})


def test_a_due_is_given_as_soon_as_no_further_card_can_change_it() -> None:
    wagers = {"6": {"main": 500}, "7": {"main": 1500}}
    early = reconstruct(table("borgata", wagers), cards("Td 5c 2d Ah"))
    assert early["due_cents"]["6"] == {"main": 750}
    # The dealer holds 18 whatever spot 7 does, and 17 has lost to it.
    stood = reconstruct(table("borgata", wagers), cards("Td 5c 8d 7h 5s Th"), {"key": "stand", "spot": 6})
    assert stood["due_cents"] == {"6": {"main": -500}, "7": {"main": None}}


def test_a_natural_that_may_still_take_even_money_is_not_due_yet() -> None:
    assert reconstruct(table("borgata"), cards("As Ad Kc 7h"))["due_cents"] == {"1": {"main": None}}
    closed = reconstruct(table("borgata"), cards("As Ad Kc 7h"), {"key": "insurance_closed"})
    assert closed["due_cents"] == {"1": {"main": 1500}}


def test_an_unread_card_is_only_what_the_plays_take_it_for_in_a_side_wager_too() -> None:
    wagers = {"5": {"main": 500, "lucky_ladies": 500}}
    answer = reconstruct(table(HPN, wagers), cards("?? Ks Kh 4h"), CLOSE)
    # The dealer drew nothing to 14: the box must have had a natural, and an ace with a king is no 20.
    assert (answer["plays"], answer["due_cents"]) == (4, {"5": {"main": 750, "lucky_ladies": -500}})


@pytest.mark.parametrize("up", ["7c", "Ac", "Kc"])
def test_an_ez_bust_wager_against_another_up_card_is_alerted(up: str) -> None:
    laid = {"spot": 1, "zone": "ez_bust", "cents": 500}
    answer = reconstruct(table(HPN), cards(f"Ts {up} 9h Td"), laid, CLOSE)
    assert [alert["zone"] for alert in answer["alerts"]] == ["ez_bust"]
    assert "ez_bust" not in answer["due_cents"]["1"]


def test_plays_so_far_count_a_wager_of_nothing_as_no_wager() -> None:
    wagers = {"2": {"main": 1000}, "4": {"main": 1000}}
    answer = reconstruct(table("borgata", wagers, surrender="late"), cards("9s Th Ad 5s 9s 5c"), main(500, 4))
    assert (answer["plays"], answer["due_cents"]["4"]) == (1, {"main": -500})


def test_a_surrender_that_only_a_person_has_said_is_one() -> None:
    person_answer = {"answer": {"spot": 1, "surrendered": True}}
    answer = reconstruct(table(HPN), cards("Ts 7c 6h Td"), person_answer, CLOSE)
    assert (answer["plays"], answer["due_cents"]) == (1, {"1": {"main": -500}})
    assert reconstruct(table("pitch-h17"), cards("Ts 7c 6h Td"), person_answer, CLOSE)["plays"] == 0


def test_without_a_hole_card_an_ez_bust_wager_calls_for_no_second_card_once_everybody_broke() -> None:
    laid = {"spot": 5, "zone": "ez_bust", "cents": 500}
    answer = reconstruct(
        table(HPN, {"5": {"main": 500}}, hole_card="none"), cards("8d 4s Ac"), laid, cards("8d Tc"), CLOSE
    )
    # Both cards were the player's, who broke: a push. Or both the dealer's, who broke.
    assert (answer["plays"], answer["possible_cents"]["5"]) == (2, {"main": [-500, 500], "ez_bust": [0, 500]})


def test_a_double_at_a_dead_reader_may_be_for_any_number_of_the_smallest_chip() -> None:
    dead = {"health": "reader 1", "from": 5, "to": 999}
    lines = [card | {"t": second} for second, card in enumerate(cards("6s 7c 5h Td 9c"), start=1)]
    answer = reconstruct(table("borgata", {"1": {"main": 2000}}, chip_unit_cents=500), lines, dead, CLOSE)
    assert answer["possible_cents"]["1"]["main"] == [2000, 2500, 3000, 3500, 4000]
    assert answer["plays"] == 5


def test_a_box_declared_after_the_cards_was_in_play_from_the_first() -> None:
    dealt = cards("Ts 9c 7c 9h 9d Td")
    keys: list[Line] = [{"key": "stand", "spot": 1}, {"key": "stand"}]
    declared = {"declare": {"spot": 4, "main": 500}}
    early = reconstruct(table("borgata", stand_key="always"), declared, dealt, keys, CLOSE)
    late = reconstruct(table("borgata", stand_key="always"), dealt, keys, declared, CLOSE)
    assert late == early
    assert late["due_cents"] == {"1": {"main": 1000}, "4": {"main": 500}}


def test_where_no_play_is_left_nothing_is_answered_but_why() -> None:
    answer = reconstruct(table("pitch-h17"), cards("Ts 7c 9h Td Tc 2c"), CLOSE)
    assert {name for name, value in answer.items() if value is not None} == {"plays", "irregularity", "alerts"}
    assert answer["plays"] == 0


# --- what is said before the first card, or after the last line ---------------------------------------


def each(*lines: Line | list[Line]) -> list[dict[str, Any]]:
    """The answer after every line."""
    whole = [one for line in lines for one in (line if isinstance(line, list) else [line])]
    ran = CliRunner().invoke(command, ["-", "--each"], input="\n".join(json.dumps(line) for line in whole))
    assert ran.exit_code == 0, ran.output
    return [json.loads(line) for line in ran.output.splitlines()]


@pytest.mark.parametrize("key", ["stand", "insurance_closed", "hole_turned", "surrender"])
def test_a_key_before_the_first_card_is_not_dropped_and_leaves_no_play(key: str) -> None:
    early = reconstruct(table(HPN), {"key": key}, cards("Ts 7c 9h Td"), CLOSE)
    assert (early["plays"], early["irregularity"]) == (0, "no legal play explains the evidence")
    assert each(table(HPN), {"key": key})[-1]["plays"] == 0


def test_a_key_reported_before_the_cards_belongs_where_its_time_lies() -> None:
    dealt = [{"card": face, "t": at} for at, face in enumerate(["Ts", "7c", "9h", "Td"], start=1)]
    late = reconstruct(table(HPN, stand_key="always"), {"key": "stand", "t": 4.5}, dealt, CLOSE)
    assert (late["plays"], late["due_cents"]) == (1, {"1": {"main": 1000}})
    never = reconstruct(table(HPN, stand_key="always"), dealt, CLOSE)
    assert never["plays"] == 0


def test_an_answer_holds_whenever_it_is_said() -> None:
    dealt = cards("2s 7c 3h Td 4d 5d 6d")
    for count in (2, 4):
        person_answer = {"answer": {"spot": 1, "hand": 0, "cards": count}}
        first, last = (
            reconstruct(table(HPN), person_answer, dealt, CLOSE),
            reconstruct(table(HPN), dealt, person_answer, CLOSE),
        )
        assert first == last == reconstruct(table(HPN), dealt, CLOSE, person_answer)
    assert reconstruct(table(HPN), {"answer": {"spot": 4, "doubled": True}}, dealt, CLOSE)["irregularity"] == (
        "an answer names spot 4, which has no wager"
    )


def test_chips_at_a_spot_overtake_its_declaration_as_at_the_table() -> None:
    declared = {"declare": {"spot": 2, "main": 2000}}
    dealt = cards("Ts 9s 7c 9h Ks Td")
    with_chips = reconstruct(table(HPN), declared, main(3000, 2), dealt, CLOSE)
    assert with_chips["stakes"] == {"1": [1000], "2": [3000]}
    assert with_chips == reconstruct(table(HPN), main(3000, 2), declared, dealt, CLOSE)
    assert reconstruct(table(HPN), declared, main(3000, 2), main(0, 2), dealt, CLOSE)["stakes"] == {
        "1": [1000],
        "2": [2000],
    }


def test_a_round_closed_before_its_first_card_has_no_play() -> None:
    closed = reconstruct(table(HPN), CLOSE)
    assert (closed["plays"], closed["irregularity"]) == (0, "the round was closed before the deal was complete")


def test_files_as_editors_write_them_are_read() -> None:
    text = "\n".join(json.dumps(line) for line in [table(HPN), *cards("Ts 7c 9h Td"), CLOSE])
    plain = CliRunner().invoke(command, ["-"], input=text).output
    for written in (f"\ufeff{text}", text.replace("\n", "\r\n"), f"{text}\n\n", text.replace("\n", "\n \t\n")):
        assert CliRunner().invoke(command, ["-"], input=written).output == plain
