"""What people ask for over MQTT: read strictly, and answered with what was expected."""

from __future__ import annotations

import json

import msgspec
import pytest

from controller.core.game.rule_checks import CENTS_LIMIT
from controller.core.messages.floor_events import ChipCount, Count
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AdjustWager,
    AnswerQuestion,
    ApproveOrder,
    AssignCard,
    DeclareBox,
    EnterInventory,
    PayJackpot,
    ProposeMeterChange,
    ReopenMeter,
    SetCard,
    ShoeChanged,
    VerifyJackpot,
    VoidRound,
    WithdrawOrder,
)
from controller.core.meters.state import Adjustment
from controller.core.refusal_reason import RefusalReason
from controller.formats.orders.requests import (
    VERBS,
    CommandRefused,
    DeclareBoxRequest,
    VoidRequest,
    input_of,
    is_signed,
    named_in,
    read_command,
    reply_bytes,
)
from firmware_protocols.cards import Card


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("answer", AnswerQuestion(5, 1, "no", "name")),
        ("ack", AcknowledgeAlert(5, 1, "name", "")),
        ("new-shoe", ShoeChanged(5, -1, "name")),
        ("inventory", EnterInventory(5, Count.FILL, 50_000, (), "", "name", "rack low")),
        ("void", VoidRound(5, 1, "name", "misdeal")),
        ("set-card", SetCard(5, 17, Card("8h"), "name", "seen on the felt")),
        ("assign-card", AssignCard(5, 17, 3, "name", "seen on the felt")),
        ("declare-box", DeclareBox(5, 3, 2500, "name", "plays cash")),
        ("adjust", AdjustWager(5, 1, 3, "main", 0, "name", "dead hand")),
        ("verify-jackpot", VerifyJackpot(5, 1, "name", "cards seen")),
        ("pay-jackpot", PayJackpot(5, 1, "another name", "hand pay slip 12")),
        (
            "order-move",
            ProposeMeterChange(5, "sevens", Adjustment("meter", -700_000, "equipment_correction"), "name", "counted"),
        ),
        ("approve-order", ApproveOrder(5, 1, "another name")),
        ("withdraw-order", WithdrawOrder(5, 1, "name", "counted again")),
        ("reopen-meter", ReopenMeter(5, "pit_sevens", "name", "sign and link agree")),
    ],
)
def test_the_example_of_each_verb_is_taken(verb: str, given: object) -> None:
    assert input_of(read_command(verb, VERBS[verb][1].encode()), 5) == given


def test_every_verb_is_in_that_list() -> None:
    corrections = {"ack", "answer", "new-shoe", "void", "set-card", "assign-card", "declare-box", "adjust"}
    corrections |= {"inventory"}
    assert set(VERBS) == corrections | {
        "verify-jackpot",
        "pay-jackpot",
        "order-move",
        "approve-order",
        "withdraw-order",
        "reopen-meter",
    }


@pytest.mark.parametrize("words", ["Th", "TH", "th", "tH", "10h", "10H", " 10h ", "T♥"])
def test_the_ten_of_hearts_is_named_as_people_name_it(words: str) -> None:
    body = msgspec.json.encode({"card": 17, "face": words, "who": "name", "why": "seen"})
    assert input_of(read_command("set-card", body), 5) == SetCard(5, 17, Card("Th"), "name", "seen")


@pytest.mark.parametrize("words", ["None", "NONE"])
def test_a_card_is_struck_in_any_case(words: str) -> None:
    body = msgspec.json.encode({"card": 17, "face": words, "who": "name", "why": "read twice"})
    assert input_of(read_command("set-card", body), 5) == SetCard(5, 17, None, "name", "read twice")


@pytest.mark.parametrize(("words", "choice"), [("YES", "yes"), ("No", "no"), (" yes ", "yes"), ("2S*", "2s*")])
def test_a_choice_is_answered_in_any_case(words: str, choice: str) -> None:
    body = msgspec.json.encode({"question": 4, "answer": words, "who": "name"})
    assert input_of(read_command("answer", body), 5) == AnswerQuestion(5, 4, choice, "name")


def test_no_face_strikes_a_card() -> None:
    body = b'{"card": 17, "face": "none", "who": "name", "why": "read twice"}'
    assert input_of(read_command("set-card", body), 5) == SetCard(5, 17, None, "name", "read twice")


@pytest.mark.parametrize("verb", VERBS)
def test_unknown_keys_missing_keys_and_wrong_types_are_refused_with_what_was_expected(verb: str) -> None:
    example = msgspec.json.decode(VERBS[verb][1])
    wrong: list[object] = [{**example, "whom": 1}, {**example, "who": 5}, [], "text"]
    wrong += [{key: value for key, value in example.items() if key != gone} for gone in example]
    for body in wrong:
        with pytest.raises(CommandRefused) as refused:
            read_command(verb, msgspec.json.encode(body))
        assert VERBS[verb][1] in str(refused.value)
    with pytest.raises(CommandRefused):
        read_command(verb, b"\xff")


@pytest.mark.parametrize("words", ["", "  ", "x" * 201])
def test_nobody_and_no_reason_are_refused(words: str) -> None:
    for key in ("who", "why"):
        body = {"round": 1, "who": "name", "why": "misdeal", key: words}
        with pytest.raises(CommandRefused, match=f"{key}: expected 1 to 200 characters"):
            read_command("void", msgspec.json.encode(body))


@pytest.mark.parametrize(
    ("verb", "field", "request_of"),
    [
        ("answer", "answer", '{"question": 1, "answer": "%s", "who": "name"}'),
        ("ack", "note", '{"alert": 1, "who": "name", "note": "%s"}'),
        ("adjust", "bet", '{"round": 1, "spot": 3, "bet": "%s", "net_cents": 0, "who": "name", "why": "seen"}'),
        ("reopen-meter", "meter", '{"meter": "%s", "who": "name", "why": "seen"}'),
        (
            "order-move",
            "move",
            (
                '{"meter": "m", "move": {"type": "grant", "round": 1, "spot": 1, "bet": "m", "row": "%s"}, "who": "n",'
                ' "why": "w"}'
            ),
        ),
    ],
)
def test_no_text_of_a_request_is_longer_than_a_sentence_or_two(verb: str, field: str, request_of: str) -> None:
    read_command(verb, (request_of % ("x" * 200)).encode())
    with pytest.raises(CommandRefused, match=f"^{field}: expected at most 200 characters$"):
        read_command(verb, (request_of % ("x" * 201)).encode())


FULLEST = [
    b"[" + b",".join([b"[]"] * 20_000) + b"]",
    b"[" + b",".join([b"1.5"] * 15_000) + b"]",
    b"{" + b",".join(b'"%d":1' % number for number in range(6_000)) + b"}",
]
"""Values in thousands, in some 60 KiB."""


@pytest.mark.parametrize("crowd", FULLEST)
@pytest.mark.parametrize("verb", VERBS)
def test_no_request_has_values_by_the_thousand(verb: str, crowd: bytes) -> None:
    """Each takes its time to read, and a request is read several times on its way."""
    example = VERBS[verb][1].encode()
    for key in (*msgspec.json.decode(example), "transaction", "unknown"):
        body = example.removesuffix(b"}") + b',"%s":%s}' % (key.encode(), crowd)
        with pytest.raises(CommandRefused, match=r"^more than 1000 values; expected"):
            read_command(verb, body)
        assert not is_signed(body)
        assert named_in(body) == ""
    assert msgspec.json.decode(reply_bytes(body))["transaction"] is None


def test_a_reason_with_commas_is_no_crowd() -> None:
    why = "seen, " * 33
    body = {"round": 1, "who": "M. Okafor", "why": why, "transaction": list(range(700))}
    assert read_command("void", msgspec.json.encode(body)) == VoidRequest(
        1, "M. Okafor", why, transaction=list(range(700))
    )


@pytest.mark.parametrize("key", ["who", "why"])
def test_words_are_as_long_as_what_they_stand_for(key: str) -> None:
    """One ligature stands for a sentence of eighteen letters, and to compare names takes as long as they are."""
    body = {"round": 1, "who": "M. Okafor", "why": "foul deal"}
    read_command("void", msgspec.json.encode({**body, key: "\ufdfa" * (5 if key == "who" else 11)}))
    with pytest.raises(CommandRefused, match=f"^{key}: expected 1 to 200 characters that can be seen$"):
        read_command("void", msgspec.json.encode({**body, key: "\ufdfa" * 12}))
    slip = {"kind": "fill", "cents": 100, "who": "M. Okafor", "why": "counted", "slip": "\ufdfa" * 12}
    with pytest.raises(CommandRefused, match=r"^slip: expected at most 200 characters$"):
        read_command("inventory", msgspec.json.encode(slip))


@pytest.mark.parametrize("verb", VERBS)
def test_a_refusal_does_not_repeat_all_that_it_was_given(verb: str) -> None:
    """It goes into the log and into the reply."""
    for name in ("x" * 60_000, "\U000e0041" * 15_000):
        for body in ({name: 1}, {**msgspec.json.decode(VERBS[verb][1]), name: 1}):
            with pytest.raises(CommandRefused) as refused:
                read_command(verb, msgspec.json.encode(body))
            assert len(str(refused.value)) < 800
    with pytest.raises(CommandRefused) as refused:
        read_command("x" * 60_000, b"{}")
    assert len(str(refused.value)) < 800


@pytest.mark.parametrize("nothing", ["\u2065", "\ufff3", "\U000e0002", "\U000e0fff", "\ue000"])
def test_a_slip_with_a_character_that_is_no_letter_would_be_the_same_paper_again(nothing: str) -> None:
    body = {"kind": "fill", "cents": 100_000, "chips": {"2500": 40}, "slip": f"47{nothing}11", "who": "a", "why": "b"}
    with pytest.raises(CommandRefused, match="slip: expected a number that can be seen"):
        read_command("inventory", msgspec.json.encode(body))


def test_a_note_is_kept_and_no_longer_than_a_sentence_or_two() -> None:
    body = {"alert": 3, "who": "name", "note": "put back"}
    assert input_of(read_command("ack", msgspec.json.encode(body)), 5) == AcknowledgeAlert(5, 3, "name", "put back")
    with pytest.raises(CommandRefused, match="note: expected at most 200 characters"):
        read_command("ack", msgspec.json.encode({**body, "note": "x" * 201}))


@pytest.mark.parametrize("words", ["1h", "8", "HEART"])
def test_a_name_that_is_no_cards_is_left_to_the_table_to_refuse(words: str) -> None:
    body = msgspec.json.encode({"card": 17, "face": words, "who": "name", "why": "seen"})
    assert input_of(read_command("set-card", body), 5) == SetCard(5, 17, None, "name", "seen", misnamed=words)


def test_an_unknown_verb_is_answered_with_the_others() -> None:
    with pytest.raises(CommandRefused, match="expected one of answer, ack, new-shoe, inventory, void"):
        read_command("close", b"{}")


def test_a_reply_echoes_the_transaction_of_whatever_came() -> None:
    refusal = RefusalReason("round_in_play", "no")
    assert msgspec.json.decode(reply_bytes(b'{"transaction": [1]}', refusal))["transaction"] == [1]
    refused = {"status": "refused", "text": "no", "transaction": None, "reason_code": "round_in_play"}
    assert msgspec.json.decode(reply_bytes(b"\xff", refusal)) == refused
    accepted = {"status": "accepted", "text": "", "transaction": 1, "reason_code": None}
    assert msgspec.json.decode(reply_bytes(b'{"transaction": 1}')) == accepted


@pytest.mark.parametrize("cents", [CENTS_LIMIT + 1, -CENTS_LIMIT - 1, 10**30])
def test_no_amount_is_above_the_ceiling(cents: int) -> None:
    box = {"spot": 3, "cents": cents, "who": "M. Okafor", "why": "plays cash"}
    due = {"round": 1, "spot": 3, "bet": "main", "net_cents": cents, "who": "M. Okafor", "why": "dead hand"}
    for verb, body in (("declare-box", box), ("adjust", due)):
        with pytest.raises(CommandRefused, match="cents"):
            read_command(verb, json.dumps(body).encode())


def test_the_ceiling_itself_is_an_amount() -> None:
    box = {"spot": 3, "cents": CENTS_LIMIT, "who": "M. Okafor", "why": "plays cash"}
    assert isinstance(read_command("declare-box", json.dumps(box).encode()), DeclareBoxRequest)


def test_a_count_names_its_chips_the_highest_value_first() -> None:
    body = b'{"kind": "fill", "cents": 102000, "chips": {"250": 8, "2500": 40}, "slip": "4711", "who": "a", "why": "b"}'
    chips = (ChipCount(2_500, 40), ChipCount(250, 8))
    assert input_of(read_command("inventory", body), 5) == EnterInventory(
        5, Count.FILL, 102_000, chips, "4711", "a", "b"
    )


def test_a_count_may_name_the_gaming_day_and_shift_it_belongs_to() -> None:
    body = b'{"kind": "drop", "cents": 1, "gaming_day": "yesterday", "shift": "swing", "who": "a", "why": "b"}'
    given = input_of(read_command("inventory", body), 5)
    assert given == EnterInventory(5, Count.DROP, 1, (), "", "a", "b", "yesterday", "swing")


@pytest.mark.parametrize(
    ("day", "message"),
    [
        ('"gaming_day": "tomorrow"', "^gaming_day: expected a date such as 2026-11-21, today or yesterday$"),
        ('"gaming_day": "21.11.2026"', "^gaming_day: expected a date such as 2026-11-21, today or yesterday$"),
        ('"gaming_day": "1999-12-31"', "gaming_day"),
        ('"gaming_day": "2026-02-30"', "expected a date such as 2026-11-21, got 2026-02-30"),
        ('"shift": "swing"', "expected gaming_day with it"),
    ],
)
def test_a_count_of_no_gaming_day_is_refused(day: str, message: str) -> None:
    body = f'{{"kind": "drop", "cents": 1, {day}, "who": "a", "why": "b"}}'
    with pytest.raises(CommandRefused, match=message):
        read_command("inventory", body.encode())


@pytest.mark.parametrize(
    ("chips", "message"),
    [
        ('{"2500": 40}', "come to 100000 cents, and cents says 102000"),
        ('{"2500": 0}', "how many of 2500 cents, got 0"),
        ('{"25.00": 40}', '^chips: expected cents, such as "2500"$'),
        ('{"0": 40}', "chips"),
        ('{"-2500": 40}', "chips"),
        ('{"2500": 40.5}', "chips"),
        ('{"10000": 12, "2500": -7, "500": -1}', "expected more than 0 of 2500 cents, as of the whole count, got -7"),
    ],
)
def test_a_count_that_is_none_is_refused(chips: str, message: str) -> None:
    body = f'{{"kind": "fill", "cents": 102000, "chips": {chips}, "who": "a", "why": "b"}}'
    with pytest.raises(CommandRefused, match=message):
        read_command("inventory", body.encode())


@pytest.mark.parametrize(
    ("chips", "message"),
    [
        (
            {"10000": 3, "2500": -8},
            "expected more than 0 of 2500 cents, as of the whole count, got -8; enter what goes",
        ),
        ({"10000": -3, "2500": 8}, "expected less than 0 of 2500 cents, as of the whole count, got 8; enter what"),
        (
            {"10000": 1, "2500": -4},
            "expected more than 0 of 2500 cents, as of the whole count, got -4; enter what goes",
        ),
    ],
)
@pytest.mark.parametrize("kind", Count)
def test_chips_come_or_go_and_no_count_has_both(kind: Count, chips: dict[str, int], message: str) -> None:
    """Less than no chips of a value lie nowhere, and the amount would hide how many came."""
    cents = sum(int(value) * count for value, count in chips.items())
    body = {"kind": kind, "cents": cents, "chips": chips, "who": "a", "why": "b"}
    with pytest.raises(CommandRefused, match=message):
        read_command("inventory", msgspec.json.encode(body))


def test_a_count_that_takes_another_back_has_less_than_none_of_each_value() -> None:
    body = {"kind": "fill", "cents": -50_000, "chips": {"10000": -3, "2500": -8}, "who": "a", "why": "b"}
    given = input_of(read_command("inventory", msgspec.json.encode(body)), 5)
    assert given == EnterInventory(5, Count.FILL, -50_000, (ChipCount(10_000, -3), ChipCount(2_500, -8)), "", "a", "b")


@pytest.mark.parametrize(
    "unseen", ["   ", "\u200b", "\u2060\u200d", "\u3164", "\x00 \x01", "\u202e", "\u00a0\u2028", "\u2800"]
)
@pytest.mark.parametrize("key", ["who", "why"])
def test_a_name_or_reason_of_which_nothing_is_seen_is_none(key: str, unseen: str) -> None:
    body = {"round": 1, "who": "M. Okafor", "why": "foul deal", key: unseen}
    with pytest.raises(CommandRefused, match=f"{key}: expected 1 to 200 characters that can be seen"):
        read_command("void", json.dumps(body).encode())


READ_BACKWARDS = "\u202e4711\u202c"
"""A page shows it as 1174."""


@pytest.mark.parametrize(
    ("verb", "key", "body"),
    [
        ("inventory", "slip", {"kind": "fill", "cents": 5_000, "who": "M. Okafor", "why": "rack low"}),
        ("inventory", "why", {"kind": "drop", "cents": 5_000, "who": "M. Okafor"}),
        ("void", "who", {"round": 1, "why": "foul deal"}),
        ("void", "why", {"round": 1, "who": "M. Okafor"}),
        ("void", "case", {"round": 1, "who": "M. Okafor", "why": "foul deal"}),
        ("ack", "note", {"alert": 1, "who": "M. Okafor"}),
        ("withdraw-order", "why", {"order": 1, "who": "M. Okafor"}),
        ("reopen-meter", "meter", {"who": "M. Okafor", "why": "sign and link agree"}),
        ("answer", "answer", {"question": 1, "who": "M. Okafor"}),
    ],
)
def test_words_that_read_as_others_than_they_are_are_refused(verb: str, key: str, body: dict[str, object]) -> None:
    expected = rf"^{key}: expected plain text on one line, got the unseen character U\+202E; type it anew"
    with pytest.raises(CommandRefused, match=expected):
        read_command(verb, msgspec.json.encode({**body, key: f"a{READ_BACKWARDS}"}))


@pytest.mark.parametrize(
    "mark", ["\u202a", "\u2066", "\u200f", "\u061c", "\u200b", "\u00ad", "\n", "\r", "\t", "\x1b", "\x85", "\u2028"]
)
def test_a_reason_is_on_one_line_and_moves_nothing_on_a_page(mark: str) -> None:
    body = {"round": 1, "who": "M. Okafor", "why": f"foul{mark}deal"}
    with pytest.raises(CommandRefused, match=rf"^why: expected plain text .* U\+{ord(mark):04X};"):
        read_command("void", msgspec.json.encode(body))


@pytest.mark.parametrize(
    "why",
    [
        "M\u00fcller: zu fr\u00fch gezogen \u2013 Tisch 3",
        "\u0627\u0634\u062a\u0628\u0627\u0647 \u0645\u06cc\u200c\u0634\u0648\u062f",
        "\u914d\u724c\u932f\u8aa4\u3000\u7b2c3\u5c40",
        "dealer said \U0001f937\u200d\u2642\ufe0f",
    ],
)
def test_a_reason_in_any_language_is_taken_as_it_is_written(why: str) -> None:
    read_command("void", msgspec.json.encode({"round": 1, "who": "M. Okafor", "why": why}))


def test_what_comes_back_in_the_reply_alone_may_hold_anything() -> None:
    body = {"round": 1, "who": "M. Okafor", "why": "foul deal", "transaction": READ_BACKWARDS}
    read_command("void", msgspec.json.encode(body))


@pytest.mark.parametrize("unseen", [" ", "\u200b", "\u2800", "\u3164"])
@pytest.mark.parametrize("verb", ["void", "adjust"])
def test_a_case_number_of_which_nothing_is_seen_is_none(verb: str, unseen: str) -> None:
    body = {"round": 1, "who": "M. Okafor", "why": "foul deal", "case": unseen}
    more = {"spot": 1, "bet": "main", "net_cents": 0} if verb == "adjust" else {}
    with pytest.raises(CommandRefused, match="case: expected a number that can be seen"):
        read_command(verb, json.dumps({**body, **more}).encode())
    read_command(verb, json.dumps({**body, **more, "case": ""}).encode())
