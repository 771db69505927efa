"""The independent table knows nothing of the program: it imports none of it, and its arithmetic is its own."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.independent.answers import answer
from tests.independent.cards import is_soft, total
from tests.independent.dues import Box, Hand, insurance_due, ladies_due, main_due, sevens_due, side_due, three_cards_due
from tests.independent.heard import Heard, Token
from tests.independent.readers import Incoming, Readers, chip, crc
from tests.independent.rounds import Round
from tests.independent.verdict import judged

HERE = Path(__file__).parent
OURS = {"controller", "devices", "firmware_protocols", "simulators", "bench"}
CASES = json.loads((HERE.parent / "cases" / "hand-cases.json").read_text(encoding="utf-8"))["cases"]


def imported(text: str) -> set[str]:
    """What a file imports, by the first two names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


def strangers(text: str) -> set[str]:
    """Imports that an independent table must not have."""
    return {
        name
        for name in imported(text)
        if name.split(".")[0] in OURS
        or (name.startswith("tests") and not name.startswith("tests.independent"))
        or name.startswith(".")
    }


def test_nothing_here_is_imported_from_the_program() -> None:
    files = sorted(HERE.glob("*.py"))
    assert len(files) > 12
    assert {path.name: strangers(path.read_text(encoding="utf-8")) for path in files} == {p.name: set() for p in files}


@pytest.mark.parametrize(
    "line", ["import controller.cli", "from devices import zones", "from tests.core.rig import Rig", "from . import x"]
)
def test_an_import_of_the_program_is_found(line: str) -> None:
    assert strangers(line)
    assert not strangers("import asyncio\nfrom tests.independent.cards import total")


def boxes_of(case: dict[str, Any]) -> dict[int, Box]:
    """The boxes of a worked hand as they stand at its end."""
    expect = case["expect"]
    spots = [int(spot) for spot, bets in case["bets"].items() if "main" in bets]
    shoe = case["shoe"][case.get("burn", 0) :]
    found: dict[int, Box] = {}
    for at, spot in enumerate(sorted(spots)):
        wager = case["bets"][str(spot)]["main"]
        dealt = [shoe[at], shoe[len(spots) + 1 + at]]
        hands = expect.get("hands", {}).get(str(spot), [dealt])
        box = Box(spot, wager, dealt, [Hand(list(cards), wager) for cards in hands])
        for act in case["actions"]:
            if act["spot"] != spot or act.get("expect") == "rejected":
                continue
            if act["act"] == "surrender":
                box.surrendered = True
            elif act["act"] == "even_money":
                box.even_money = True
            elif act["act"] == "insurance":
                box.insurance = act["amount"]
            elif act["act"] == "double":
                box.hands[act.get("hand", 0)].added = act.get("amount", wager)
        found[spot] = box
    return found


def plain(case: dict[str, Any]) -> bool:
    """Whether a case is of a card as it stands, and says its final hands where somebody drew."""
    drawn = {act["act"] for act in case["actions"]} & {"hit", "double", "split"}
    odd = {"options", "payout_unit_cents", "chip_unit_cents"} & case.keys()
    return not odd and not case["contested"] and (not drawn or "hands" in case["expect"]) and "dealer" in case["expect"]


PLAIN = [case for case in CASES if plain(case)]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: str(case["id"]))
def test_its_own_arithmetic_agrees_with_the_hands_worked_by_hand(case: dict[str, Any]) -> None:
    boxes, dealer = boxes_of(case), case["expect"]["dealer"]
    for spot, nets in case["expect"]["net_cents"].items():
        box = boxes[int(spot)]
        assert main_due(box, dealer) == nets["main"]
        if "insurance" in nets:
            assert insurance_due(box.insurance, dealer) == nets["insurance"]
        for bet, net in nets.items():
            if bet in {"lucky_ladies", "twenty_one_plus_three"}:
                assert side_due(bet, case["bets"][spot][bet], box, dealer, all_broke=False) == net


def test_enough_worked_hands_are_held_against_it() -> None:
    assert len(PLAIN) > 15


def test_totals() -> None:
    assert [total(cards.split()) for cards in ("Ah 9c", "Ah Ac 9d", "Th 9c 5d", "Ah Kc 5d")] == [20, 21, 24, 16]
    assert [is_soft(cards.split()) for cards in ("Ah 6c", "Ah Kc 6d")] == [True, False]


def test_the_rows_of_the_side_wagers() -> None:
    ladies = [ladies_due(1, cards.split(), ["Ac", "Kd"]) for cards in ("Qh Qh", "Qd Qd", "Qh Jh", "Ah 9c", "Th 9c")]
    assert ladies == [1000, 25, 10, 4, -1]
    cards = ("2h 3h Ah", "7c 7d 7h", "Kc Qd Ah", "Kc 2d Ah", "2h 9h Kh")
    assert [three_cards_due(1, one.split()) for one in cards] == [30, 20, 10, -1, 5]
    sevens = [sevens_due(one.split()[:2], one.split()[2]) for one in ("7c 7c 7c", "7h 7d 7d", "7c 2c 7h", "2c 3c 7h")]
    assert sevens == [None, 249_500, 500, -500]


def test_frames_of_the_page_are_understood_and_answered() -> None:
    assert crc(b"123456789") == (0x6F91).to_bytes(2, "little")
    readers = Readers([1], lambda place: [chip("E004015020922C6E")] if place == (1, 1) else [])
    asked = bytes.fromhex("0801B0011001")
    (request,) = Incoming().take(b"\x00\x04" + asked + crc(asked))
    assert readers.reply(request).hex().upper() == "1101B00001030" + "0E004015020922C6ED9EA"
    empty = bytes.fromhex("0801B0011002")
    (request,) = Incoming().take(empty + crc(empty))
    assert readers.reply(request).hex().upper() == "0601B0018039"
    (request,) = Incoming().take(bytes.fromhex("05FF65E5CB"))
    assert request.control == 0x65


def test_people_answer_what_they_saw() -> None:
    split = Box(3, 1000, hands=[Hand(["8c", "Td", "3h"], 1000), Hand(["8d", "Tc"], 1000, added=500)])
    gone = Box(5, 1000, hands=[Hand(["Tc", "6d"], 1000)], surrendered=True)
    now = Round(4, {3: split, 5: gone})
    answers = [
        answer("Spot 3: how many cards in hand 1?", ["2", "3"], now, now),
        answer("Spot 3: how many hands?", ["1", "2"], now, now),
        answer("Did spot 3 double?", ["yes", "no"], now, now),
        answer("Did spot 5 surrender?", ["yes", "no"], now, now),
        answer("How many cards lie at spots 3,5?", ["3s", "(23)s", "(32)s", "(32)2"], now, now),
        answer("What is the time?", [], now, now),
    ]
    assert answers == ["3", "2", "yes", "yes", "(32)s", None]


def with_events(heard: Heard, *events: tuple[str, dict[str, Any]]) -> Heard:
    """Events as a broker brings them."""
    for seq, (name, data) in enumerate(events, start=1):
        heard.take(f"tableside/v1/lab/t/event/{name}", json.dumps({"seq": seq, "data": data}).encode())
    return heard


def table(*events: tuple[str, dict[str, Any]]) -> tuple[list[Round], Heard]:
    """Two rounds of one box of ten dollars, nineteen against eighteen; of the first these things are published."""
    rounds = []
    heard = Heard()
    drawn: list[tuple[str, dict[str, Any]]] = []
    for number in (1, 2):
        box = Box(1, 1000, ["Th", "9c"], [Hand(["Th", "9c"], 1000)])
        rounds.append(Round(number, {1: box}, ["Tc", "8d"], over=True))
        heard.tokens.append(Token(number, "Th"))
        drawn.append(("card_drawn", {"card": number, "round": number}))
    return rounds, with_events(heard, *drawn, *events)


SETTLED = {"round": 1, "spot": 1, "bet": "main", "wager_cents": 1000, "net_cents": 1000, "basis": "evidence"}
LADIES = {**SETTLED, "bet": "lucky_ladies", "wager_cents": 500, "net_cents": -500}
END = ("round_closed", {"round": 1, "outcome": "settled"})
OPEN = ("wager_unresolved", {"round": 1, "spot": 1, "bet": "main"})
ALERT = ("alert_raised", {"kind": "capping", "round": 1, "text": "spot 1"})


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        ([("wager_settled", SETTLED), END], ""),
        ([OPEN, END], ""),
        ([("round_closed", {"round": 1, "outcome": "irregular"})], ""),
        ([("wager_settled", {**SETTLED, "net_cents": -1000}), END], "silent"),
        ([("wager_settled", {**SETTLED, "wager_cents": 900}), END], "silent"),
        ([("wager_settled", SETTLED), ("wager_settled", LADIES), END], "silent"),
        (
            [("wager_settled", SETTLED), ("betting_closed", {"round": 1, "wagers": [{**LADIES, "cents": 5}]}), END],
            "silent",
        ),
        ([END], "neither"),
        ([("wager_settled", SETTLED), END, ALERT], "accused"),
        ([("wager_settled", SETTLED)], "unended"),
    ],
)
def test_what_must_not_be_is_found(events: list[tuple[str, dict[str, Any]]], fault: str) -> None:
    verdict = judged(*table(*events))
    faults = {name: getattr(verdict, name) for name in ("silent", "neither", "accused", "unended", "broken")}
    assert {name for name, found in faults.items() if found} == ({fault} if fault else set())


def test_a_wager_that_no_reader_reported_is_counted_apart_where_its_spot_was_published_as_unwatched() -> None:
    verdict = judged(*table(("spot_reader_lost", {"round": 1, "spot": 1}), END))
    assert (verdict.unseen, verdict.faults) == (1, [])


def test_a_wrong_settlement_that_the_program_doubts_itself_is_not_silent() -> None:
    wrong = {**SETTLED, "net_cents": -1000}
    verdict = judged(*table(("wager_settled", wrong), ("settlement_disputed", SETTLED), END))
    assert verdict.faults == []
    assert verdict.doubted == 1


def test_a_round_whose_cards_went_into_another_was_never_published() -> None:
    rounds, heard = table(("wager_settled", SETTLED), END)
    rounds.append(Round(3, {}, []))
    assert judged(rounds, heard).unended == ["round 2 (2) has no end"]
    rounds.append(Round(4, {}, []))
    assert judged(rounds, heard).unended == ["round 2 (2) has no end", "round 3 was never published"]


def test_a_card_that_nobody_heard_moves_no_other_and_a_round_without_any_is_no_fault() -> None:
    heard = Heard()
    heard.tokens = [
        Token(1, "Th"),
        Token(2, "9c", heard=False),
        Token(2, "8c", heard=False),
        Token(3, "9c"),
        Token(3, "Ah"),
    ]
    faces = {4: "Th", 7: "9c", 9: "Ah"}
    drawn = [("card_drawn", {"card": card, "round": 1 if card == 4 else 2}) for card in faces]
    with_events(heard, *drawn, *(("card_opened", {"card": card, "face": face}) for card, face in faces.items()))
    assert (heard.rounds(), heard.unheard()) == ({1: 1, 2: 3}, {2})
    rounds = [Round(1, {}, []), Round(2, {}, []), Round(3, {}, []), Round(4, {}, [])]
    verdict = judged(rounds, heard)
    assert (verdict.lost, verdict.unended) == (1, ["round 1 (1) has no end", "round 3 (2) has no end"])
