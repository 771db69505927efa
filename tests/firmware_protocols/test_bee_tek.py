"""The Bee-Tek shoe: its words. Vectors are in the transcript."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.cards import DECK, Card
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import CardRead, LineFault, Message, ShoeAlarm
from firmware_protocols.shoe.bee_tek import CODEC, TOKEN_LIMIT

SUITS = {"C": "c", "D": "d", "H": "h", "S": "s"}
RANKS = {**{rank: rank for rank in "23456789TJQKA"}, "10": "T"}


def _heard(text: str) -> tuple[Message, ...]:
    host = CODEC.open(LineEnd.HOST)
    return host.feed(text.encode("ascii")) + host.idle()


@pytest.mark.parametrize("mode", ["Game", "Manual Burn Cards"])
def test_all_faces_in_both_modes_and_none_is_a_burn(mode: str) -> None:
    for rank, our_rank in RANKS.items():
        for suit, our_suit in SUITS.items():
            assert _heard(f" [{mode}]<Card:{rank}{suit}> ") == (CardRead(Card(our_rank + our_suit)),)


def test_the_shoe_end_says_every_card_differently() -> None:
    assert len({CODEC.open(LineEnd.DEVICE).encode(CardRead(card)) for card in DECK}) == len(DECK) == 52


@given(st.text(st.sampled_from("0123456789TJQKACDHSXcdhs "), max_size=4))
def test_any_other_code_is_a_fault_that_names_it(code: str) -> None:
    known = code[:-1] in RANKS and code[-1:] in SUITS
    (heard,) = _heard(f" [Game]<Card:{code}> ")
    if known:
        assert isinstance(heard, CardRead)
    else:
        assert isinstance(heard, LineFault)
        assert f"{code!r}" in heard.reason
        assert heard.data == f"[Game]<Card:{code}>".encode()


@pytest.mark.parametrize(
    "message",
    [
        CardRead(Card("4s"), burn=True),
        CardRead(None, burn=True),
        CardRead(Card("4s"), sequence=7),
        ShoeAlarm("X1", ""),
        ShoeAlarm("E3", "a > b"),
        ShoeAlarm("E3", "a [b"),
        ShoeAlarm("E3", "\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ShoeAlarm("E3", "line\nend"),
        ShoeAlarm("E3", "x" * TOKEN_LIMIT),
        ShoeAlarm("W01", "text"),
        ShoeAlarm("W0a", ""),
        ShoeAlarm("E3 Card", "Not Read"),
    ],
)
def test_what_would_not_arrive_as_meant_is_refused(message: Message) -> None:
    with pytest.raises(ValueError, match="no words"):
        CODEC.open(LineEnd.DEVICE).encode(message)


def test_a_token_longer_than_any_known_is_given_up() -> None:
    host = CODEC.open(LineEnd.HOST)
    heard = host.feed(b"[Game]<Alarm:E3 " + b"x" * TOKEN_LIMIT + b"> [Game]<Card:4S> ")
    assert heard[-1] == CardRead(Card("4s"))
    assert all(isinstance(message, LineFault) for message in heard[:-1])
