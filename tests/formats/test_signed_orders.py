"""Orders signed by who gives them: taken at one table and once, and held against the journal years later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.messages.floor_events import ChipCount, Count
from controller.core.messages.inputs import AnswerQuestion, EnterInventory, SetCard, SignedOrder, VoidRound
from controller.core.persons import UNAUTHENTICATED, Authentication, Person, SignedText, not_second_reason
from controller.formats.journal.records import Identity, seal, stamp
from controller.formats.orders.epoch_authorization import OrderSigner
from controller.formats.orders.operators import ChannelUser, OperatorRefused, read_operators, read_request, read_signers
from controller.formats.orders.requests import CommandRefused, input_of, read_command
from controller.formats.orders.signed_orders import (
    FRESH_MS,
    TEXT_LIMIT_BYTES,
    OrderText,
    Signatures,
    SignedRequest,
    order_in,
    order_text,
)
from controller.formats.text.toml_schema import ConfigError
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 7)
OKAFOR, REYES = OrderSigner(b"o" * 40), OrderSigner(b"r" * 40)
FLOOR, WATCH = frozenset({"floor"}), frozenset({"surveillance"})
KNOWN = Signatures(HERE, {OKAFOR.public: ChannelUser(FLOOR, "M. Okafor"), REYES.public: ChannelUser(WATCH, "J. Reyes")})  # type: ignore[arg-type]
VOID = {"round": 1, "who": "M. Okafor", "why": "foul deal"}
BY_SIGNATURE = Authentication("signature", ("floor",))
NUMBER = 1_763_000_000_000
NOW_NS = NUMBER * 1_000_000


def ordered(signer: OrderSigner = OKAFOR, request: dict[str, Any] = VOID, number: int = NUMBER, **text: Any) -> bytes:
    """What is sent; ``text`` are fields that are signed otherwise."""
    signed = signer.sign(msgspec.structs.replace(order_text(HERE, number, "void", request), **text))
    return msgspec.json.encode(SignedRequest(signed.text, signed.key, signed.signature, "token"))


def test_a_signed_order_is_its_signers_whoever_brings_it() -> None:
    for vouched in (UNAUTHENTICATED, Authentication("socket", ("auditor",), 1001)):
        taken = KNOWN.taken("void", ordered(), vouched, {}, NOW_NS)
        assert taken.vouched == Authentication("signature", ("floor",))
        assert msgspec.json.decode(taken.request) == VOID
        assert taken.order is not None
        assert (taken.order.number, taken.order.signed.key) == (NUMBER, OKAFOR.public)
    frames = [b"tableside.operator.v1", b"harbour/bj-1", b"void", ordered()]
    assert read_request(frames, "harbour/bj-1", ChannelUser(frozenset({"auditor"}))).payload == ordered()


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (ordered(OrderSigner(b"x" * 40)), "of no operator of this table"),
        (ordered().replace(b"foul deal", b"fine deal"), "of no operator of this table"),
        (ordered(REYES), "the key is J. Reyes's; sign in that name"),
        (ordered(REYES, {**VOID, "who": "J. Reyes"}), "void is for floor; you are surveillance"),
        (ordered(request={"round": 1, "why": "foul deal"}), "sign in that name"),
        (ordered(epoch=6), "signed for harbour/bj-1 in epoch 6; this is harbour/bj-1 in 7"),
        (ordered(table="harbour/bj-2"), "signed for harbour/bj-2 in epoch 7"),
        (ordered(verb="adjust"), "the order that was signed is 'adjust', not 'void'"),
        (ordered(what="tableside.begin_epoch.v1"), "expected tableside.order.v1"),
        (ordered(number=0), "expected a signed order"),
        (b'{"signature": "00", "round": 1, "who": "M. Okafor", "why": "foul deal"}', "expected a signed order"),
    ],
)
def test_what_is_not_signed_for_this_table_by_who_may_is_refused(sent: bytes, why: str) -> None:
    with pytest.raises(CommandRefused, match=why):
        KNOWN.taken("void", sent, Authentication("key", ("floor",)), {}, NOW_NS)


def test_a_signed_order_that_no_table_knows_is_refused() -> None:
    with pytest.raises(CommandRefused, match="unknown command 'deal'; expected one of"):
        KNOWN.taken("deal", ordered(verb="deal"), UNAUTHENTICATED, {}, NOW_NS)


def test_an_order_is_taken_once() -> None:
    for last in (NUMBER, NUMBER + 1):
        with pytest.raises(CommandRefused, match="was given before"):
            KNOWN.taken("void", ordered(), UNAUTHENTICATED, {OKAFOR.public: last}, NOW_NS)
    assert KNOWN.taken(
        "void", ordered(), UNAUTHENTICATED, {OKAFOR.public: NUMBER - 1, REYES.public: NUMBER}, NOW_NS
    ).order


@pytest.mark.parametrize("away_ms", [-FRESH_MS, -1, 0, FRESH_MS])
def test_an_order_is_taken_within_minutes_of_its_signing(away_ms: int) -> None:
    assert KNOWN.taken("void", ordered(number=NUMBER + away_ms), UNAUTHENTICATED, {}, NOW_NS).order


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (NUMBER - FRESH_MS - 1, "300 s behind this table's clock"),
        (NUMBER - 3 * 3_600_000, "10800 s behind this table's clock"),
        (NUMBER + FRESH_MS + 1, "300 s ahead of this table's clock"),
        (2**53, "s ahead of this table's clock"),
        (1, "s behind this table's clock"),
    ],
)
def test_an_order_that_was_withheld_or_is_signed_for_later_is_refused(number: int, message: str) -> None:
    """Whoever carries an order cannot keep it for hours, even one that was refused; nobody signs ahead."""
    with pytest.raises(
        CommandRefused, match=f"{message}: check the clock of the machine that signs, then sign it again"
    ):
        KNOWN.taken("void", ordered(number=number), UNAUTHENTICATED, {}, NOW_NS)


def written(text: str) -> bytes:
    """An order whose text was written by hand, signed."""
    signature = OKAFOR._private.sign(text.encode()).hex()
    return msgspec.json.encode(SignedRequest(text, OKAFOR.public, signature))


@pytest.mark.parametrize("padding", [" " * 60_000, "\n" * 9_000])
def test_blanks_in_a_signed_text_fill_no_journal(padding: str) -> None:
    """The journal and the proof of the round keep what was signed to the letter."""
    text = msgspec.json.encode(order_text(HERE, NUMBER, "void", VOID)).decode()
    sent = written(f"{text[:-1]}{padding}}}")
    expected = f"expected at most {TEXT_LIMIT_BYTES} bytes, got {len(text) + len(padding)}; leave out blanks"
    with pytest.raises(CommandRefused, match=expected):
        KNOWN.taken("void", sent, UNAUTHENTICATED, {}, NOW_NS)
    # An indented text is as good as another.
    assert KNOWN.taken("void", written(text.replace(",", ",\n    ")), UNAUTHENTICATED, {}, NOW_NS).order


def test_a_transaction_within_the_signed_text_fills_no_journal_either() -> None:
    with pytest.raises(CommandRefused, match="leave out blanks and transaction"):
        KNOWN.taken("void", ordered(request={**VOID, "transaction": "x" * 9_000}), UNAUTHENTICATED, {}, NOW_NS)


def test_an_order_of_which_every_field_is_at_its_limit_is_taken() -> None:
    widest = "\U00020000" * 200
    chips = {str(value): 2**20 for value in range(999_999_960, 1_000_000_000)}
    cents = sum(int(value) * count for value, count in chips.items())
    asked = {"kind": "fill", "cents": cents, "chips": chips, "slip": widest, "who": "M. Okafor", "why": widest}
    request = {**asked, "gaming_day": "2026-11-28", "shift": widest}
    assert KNOWN.taken("inventory", ordered(request=request, verb="inventory"), UNAUTHENTICATED, {}, NOW_NS).order


def test_a_padded_order_on_record_still_holds() -> None:
    """It was taken by the rules of its time."""
    signed = OKAFOR.sign(order_text(HERE, NUMBER, "void", {**VOID, "transaction": "x" * 9_000}))
    given = VoidRound(5, 1, "M. Okafor", "foul deal", BY_SIGNATURE)
    body = seal(
        stamp(given, HERE, 1, at_ns=5, wall_ns=5, nonce=bytes(32), order=SignedOrder(signed, NUMBER)), KEY, HERE
    )
    found = order_in(body, HERE, dict(KNOWN.signers))
    assert found is not None
    assert not found.wrong


def test_where_signatures_are_required_nothing_else_is_taken() -> None:
    plain = msgspec.json.encode(VOID)
    assert KNOWN.taken("void", plain, UNAUTHENTICATED, {}, NOW_NS) == (None, plain, UNAUTHENTICATED)
    with pytest.raises(CommandRefused, match="takes signed orders alone"):
        KNOWN._replace(required=True).taken("void", plain, Authentication("key", ("floor",)), {}, NOW_NS)


def test_two_signatures_are_two_persons_and_one_is_not() -> None:
    floor, watch = Authentication("signature", ("floor",)), Authentication("signature", ("floor", "surveillance"))
    assert not not_second_reason(Person("M. Okafor", floor), Person("J. Reyes", watch), "proposed it")
    assert not not_second_reason(
        Person("M. Okafor", Authentication("key", ("floor",))), Person("J. Reyes", watch), "proposed it"
    )
    assert not_second_reason(Person("M. Okafor", floor), Person("m.  okafor", watch), "proposed it")
    assert not_second_reason(
        Person("M. Okafor", floor), Person("J. Reyes", Authentication("socket", ("floor",), 1001)), "proposed it"
    )
    assert not_second_reason(Person("M. Okafor", floor), Person("J. Reyes", UNAUTHENTICATED), "proposed it")


def record(change: Callable[[VoidRound, SignedOrder], tuple[VoidRound, SignedOrder]]) -> bytes:
    """The body of a record of a signed order, in which something was changed by who has the table's key."""
    taken = KNOWN.taken("void", ordered(), UNAUTHENTICATED, {}, NOW_NS)
    made = input_of(read_command("void", taken.request), 5, taken.vouched)
    assert isinstance(made, VoidRound)
    assert taken.order is not None
    wanted, order = change(made, taken.order)
    return seal(stamp(wanted, HERE, 1, at_ns=5, wall_ns=5, nonce=bytes(32), order=order), KEY, HERE)


def signed_as(order: SignedOrder, **fields: Any) -> SignedOrder:
    return SignedOrder(msgspec.structs.replace(order.signed, **fields), order.number)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda given, order: (given, order), ""),
        (lambda given, order: (msgspec.structs.replace(given, round=2), order), "the record is not the void that was"),
        (lambda given, order: (msgspec.structs.replace(given, who="J. Lee"), order), "the record is not the void"),
        (
            lambda given, order: (msgspec.structs.replace(given, vouched=Authentication("key", ("floor",))), order),
            "the record does not say that a signature vouched for it",
        ),
        (lambda given, order: (given, SignedOrder(order.signed, NUMBER + 1)), "its number is not the one"),
        (lambda given, order: (given, signed_as(order, key=REYES.public)), "the signature does not hold"),
        (lambda given, order: (given, signed_as(order, signature="00")), "the signature does not hold"),
        (lambda given, order: (given, signed_as(order, text="{}")), "expected a signed order"),
    ],
)
def test_a_record_is_held_against_what_was_signed(change: Any, wrong: str) -> None:
    found = order_in(record(change), HERE)
    assert found is not None
    assert (found.wrong[: len(wrong)], bool(found.wrong)) == (wrong, bool(wrong))
    assert found.number in {NUMBER, NUMBER + 1}


def test_whose_a_key_is_is_for_the_file_of_operators_to_say() -> None:
    body = record(lambda given, order: (given, order))
    right = order_in(body, HERE, KNOWN.signers)
    assert right is not None
    assert (right.verb, right.who, right.wrong) == ("void", "M. Okafor", "")
    for signers in ({}, {OKAFOR.public: ChannelUser(FLOOR, "J. Lee")}):  # type: ignore[arg-type]
        wrong = order_in(body, HERE, signers)
        assert wrong is not None
        assert wrong.wrong == "the key is not M. Okafor's"
    watching = order_in(body, HERE, {OKAFOR.public: ChannelUser(WATCH, "M. Okafor")})  # type: ignore[arg-type]
    assert watching is not None
    assert watching.wrong == "void is for floor; you are surveillance"
    elsewhere = order_in(body, Identity("harbour", "bj-1", 8))
    assert elsewhere is not None
    assert "in epoch 7" in elsewhere.wrong


def test_a_record_nobody_signed_is_as_before() -> None:
    given = VoidRound(5, 1, "M. Okafor", "foul deal", UNAUTHENTICATED)
    body = seal(stamp(given, HERE, 1, at_ns=5, wall_ns=5, nonce=bytes(32)), KEY, HERE)
    assert b"order" not in body
    assert order_in(body, HERE) is None


def test_an_operator_may_have_a_key_to_sign_and_none_to_connect() -> None:
    file = f'[[operator]]\nname = "M. Okafor"\nroles = ["floor"]\nsigns = ["{OKAFOR.public}"]\n'
    assert read_operators(file, "operators.toml") == {}
    assert read_signers(file, "operators.toml")[OKAFOR.public].name == "M. Okafor"
    with pytest.raises(ConfigError, match="expected keys, signs or both"):
        read_signers('[[operator]]\nname = "M. Okafor"\nroles = ["floor"]\n', "operators.toml")


@given(st.binary(max_size=200), st.sampled_from(["text", "key", "signature"]))
def test_no_bytes_pass_for_a_signed_order(data: bytes, field: str) -> None:
    sent = SignedRequest(**{**msgspec.json.decode(ordered()), field: data.decode("latin-1")})
    with pytest.raises((CommandRefused, OperatorRefused)):
        KNOWN.taken("void", msgspec.json.encode(sent), UNAUTHENTICATED, {}, NOW_NS)


def test_what_is_signed_is_the_text_as_it_is_sent() -> None:
    """In any order of keys and with any blanks: a browser's own JSON."""
    text = order_text(HERE, NUMBER, "void", VOID)
    spaced = msgspec.json.format(msgspec.json.encode(text), indent=2).decode()
    signature = OKAFOR.sign(text)
    with pytest.raises(CommandRefused, match="no operator"):
        KNOWN.taken(
            "void",
            msgspec.json.encode(SignedRequest(spaced, OKAFOR.public, signature.signature)),
            UNAUTHENTICATED,
            {},
            NOW_NS,
        )
    assert isinstance(text, OrderText)
    assert signature == SignedText(msgspec.json.encode(text).decode(), OKAFOR.public, signature.signature)


def test_over_mqtt_nobody_asks_in_the_name_of_somebody_with_a_key() -> None:
    owned = KNOWN._replace(owners=frozenset({"M. Okafor"}))
    for who in ("M. Okafor", "m. okafor", "Okafor"):
        unsigned = msgspec.json.encode({**VOID, "who": who})
        with pytest.raises(CommandRefused, match=r"M\. Okafor has a key") as refused:
            owned.taken("void", unsigned, UNAUTHENTICATED, {}, NOW_NS)
        assert refused.value.reason.code == "not_entitled"
    own = Authentication("key", ("floor",))
    assert owned.taken("void", msgspec.json.encode(VOID), own, {}, NOW_NS).vouched == own
    assert owned.taken("void", ordered(), UNAUTHENTICATED, {}, NOW_NS).vouched.by == "signature"
    other = msgspec.json.encode({**VOID, "who": "A. Lee"})
    assert owned.taken("void", other, UNAUTHENTICATED, {}, NOW_NS).request == other


def test_a_record_of_before_that_did_not_say_who_vouched_still_holds() -> None:
    """Orders about cards, boxes, counts and alerts were recorded without it; those on wagers never were."""
    named = {"card": 17, "face": "8h", "who": "M. Okafor", "why": "seen on the felt"}
    signers = dict(KNOWN.signers)
    for verb, request, wrong in (("set-card", named, ""), ("void", VOID, "does not say that a signature")):
        signed = OKAFOR.sign(order_text(HERE, NUMBER, verb, request))
        given = input_of(read_command(verb, msgspec.json.encode(request)), 5)
        order = SignedOrder(signed, NUMBER)
        body = seal(stamp(given, HERE, 1, at_ns=5, wall_ns=5, nonce=bytes(32), order=order), KEY, HERE)
        found = order_in(body, HERE, signers)
        assert found is not None
        assert wrong in found.wrong
        assert bool(wrong) == bool(found.wrong)


@pytest.mark.parametrize(
    ("verb", "request_now", "before"),
    [
        (
            "set-card",
            {"card": 17, "face": "10h", "who": "M. Okafor", "why": "seen on the felt"},
            SetCard(5, 17, None, "M. Okafor", "seen on the felt", misnamed="10h"),
        ),
        (
            "answer",
            {"question": 4, "answer": "YES", "who": "M. Okafor"},
            AnswerQuestion(5, 4, "YES", "M. Okafor", BY_SIGNATURE),
        ),
    ],
)
def test_a_record_of_before_that_took_words_to_the_letter_still_holds(
    verb: str, request_now: dict[str, object], before: SetCard | AnswerQuestion
) -> None:
    """A card was named, and a question answered, only as the table writes it; the refusal is on record."""
    signed = OKAFOR.sign(order_text(HERE, NUMBER, verb, request_now))
    now = input_of(read_command(verb, msgspec.json.encode(request_now)), 5, BY_SIGNATURE)
    other = replace(before, card=18) if isinstance(before, SetCard) else replace(before, answer="NO")
    for recorded, is_right in ((before, True), (now, True), (other, False)):
        order = SignedOrder(signed, NUMBER)
        body = seal(stamp(recorded, HERE, 1, at_ns=5, wall_ns=5, nonce=bytes(32), order=order), KEY, HERE)
        found = order_in(body, HERE, dict(KNOWN.signers))
        assert found is not None
        assert (found.wrong == "") is is_right


def test_an_order_on_record_that_would_be_refused_now_still_holds() -> None:
    """It was taken by the rules of its time; what was signed is compared with what the table was given."""
    chips = {"10000": 3, "2500": -8}
    asked = {"kind": "fill", "cents": 10_000, "chips": chips, "who": "M. Okafor", "why": "changed", "slip": "4711"}
    with pytest.raises(CommandRefused, match="of 2500 cents"):
        read_command("inventory", msgspec.json.encode(asked))
    signed = OKAFOR.sign(order_text(HERE, NUMBER, "inventory", asked))
    counted = (ChipCount(10_000, 3), ChipCount(2_500, -8))
    given = EnterInventory(5, Count.FILL, 10_000, counted, "4711", "M. Okafor", "changed", vouched=BY_SIGNATURE)
    for recorded, wrong in ((given, ""), (replace(given, chips=counted[:1]), "is not the inventory that was signed")):
        order = SignedOrder(signed, NUMBER)
        body = seal(stamp(recorded, HERE, 1, at_ns=5, wall_ns=5, nonce=bytes(32), order=order), KEY, HERE)
        found = order_in(body, HERE, dict(KNOWN.signers))
        assert found is not None
        assert wrong in found.wrong
        assert bool(wrong) == bool(found.wrong)
