"""The simulated devices by themselves, heard by the host's end of their protocols."""

from __future__ import annotations

import random

import pytest

from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.cards import Card
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.messages import (
    CardRead,
    ChipBlocksRead,
    ChipsInventoried,
    KeyDown,
    KeyUp,
    Message,
    ReadChipBlocks,
    ReaderDone,
    ReaderRefused,
    ReadSoftware,
    ReportKeyUps,
    ResetField,
    SendKeysAtOnce,
    ShoeAlarm,
    ShowText,
    ShowTextAt,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.shoe import bee_tek
from simulators.devices.bet_spots import SOFTWARE, BetSpotsSimulator, Flicker
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.shoe import SEQUENCE_NUMBERS, ShoeSimulator
from tests.devices.plain import PLAIN

ZONES: dict[tuple[int, int | None], tuple[int, str]] = {
    (1, 1): (1, "main"),
    (1, 2): (1, "insurance"),
    (2, 1): (2, "main"),
}
CHIPS = tuple(f"E0040100000000{number:02X}" for number in range(30))

both_buses = pytest.mark.parametrize("codec", [PLAIN, feig_obid.CODEC], ids=["plain", "feig_obid"])


def ask(readers: BetSpotsSimulator, codec: Codec, question: Message) -> tuple[Message, ...]:
    wire = codec.open(LineEnd.HOST)
    return wire.feed(readers.receive(wire.encode(question)))


# --- shoe -------------------------------------------------------------------------------------------


def test_a_shoe_says_what_is_drawn() -> None:
    shoe = ShoeSimulator(bee_tek.CODEC)
    heard = bee_tek.CODEC.open(LineEnd.HOST).feed(
        shoe.draw(Card("Td")) + shoe.misread() + shoe.alarm("E3", "Card Not Read") + shoe.draw(Card("2s"), burn=True)
    )
    assert heard == (
        CardRead(Card("Td")),
        CardRead(None),
        ShoeAlarm("E3", "Card Not Read"),
        CardRead(Card("2s")),
    )


def test_a_shoe_takes_no_orders() -> None:
    shoe = ShoeSimulator(bee_tek.CODEC)
    assert shoe.receive(b"anything") + shoe.idle() == b""


def test_draw_numbers_begin_again_after_one_byte() -> None:
    shoe = ShoeSimulator(PLAIN, numbered=True)
    wire = PLAIN.open(LineEnd.HOST)
    draws = [wire.feed(shoe.draw(Card("8h"))) for _ in range(SEQUENCE_NUMBERS + 1)]
    assert draws[0] == draws[-1] == (CardRead(Card("8h"), sequence=0),)
    assert draws[-2] == (CardRead(Card("8h"), sequence=255),)


def test_a_shoe_cannot_say_an_alarm_its_protocol_has_not() -> None:
    with pytest.raises(ValueError, match="no words"):
        ShoeSimulator(bee_tek.CODEC).alarm("nonsense<", "")


# --- keypad -----------------------------------------------------------------------------------------


def test_releases_are_reported_only_when_asked_to() -> None:
    codec = matrix_orbital.CODEC
    keypad, wire = KeypadSimulator(codec), codec.open(LineEnd.HOST)
    assert keypad.press("P") == (b"P", b"")
    keypad.receive(wire.encode(SendKeysAtOnce()) + wire.encode(ReportKeyUps()))
    assert keypad.is_set_up
    assert wire.feed(b"".join(keypad.press("P"))) == (KeyDown("P"), KeyUp("P"))
    keypad.power_cycle()
    assert keypad.press("P") == (b"P", b"")


def test_worn_contacts_say_a_key_twice_at_either_edge() -> None:
    wire = matrix_orbital.CODEC.open(LineEnd.HOST)
    keypad = KeypadSimulator(matrix_orbital.CODEC, chance=random.Random(1), bounces_per_mille=1000)
    assert keypad.press("P") == (b"P", b"")
    keypad.receive(wire.encode(ReportKeyUps()))
    assert keypad.press("P") == (b"PpP", b"pPp")


def test_the_display_shows_the_last_text() -> None:
    codec = matrix_orbital.CODEC
    keypad, wire = KeypadSimulator(codec), codec.open(LineEnd.HOST)
    keypad.receive(wire.encode(ShowText("spot 3: how many cards?")) + wire.encode(ShowText("thank you")))
    keypad.idle()
    assert keypad.shown == "thank you"


def test_a_text_written_somewhere_leaves_the_rest_of_the_display() -> None:
    codec = matrix_orbital.CODEC
    keypad, wire = KeypadSimulator(codec), codec.open(LineEnd.HOST)
    for column, row, text in ((3, 2, "JACKPOT 12,345.67"), (1, 1, "Table 7"), (18, 2, "99"), (19, 4, "beyond")):
        keypad.receive(wire.encode(ShowTextAt(column, row, text)))
    keypad.idle()
    assert keypad.rows == ("Table 7", "  JACKPOT 12,345.99", "", " " * 18 + "be")
    keypad.receive(wire.encode(ShowText("spot 3: how many cards?")))
    keypad.idle()
    assert keypad.rows == ("spot 3: how many car", "ds?", "", "")


# --- bet spots --------------------------------------------------------------------------------------


@both_buses
def test_readers_answer_for_themselves(codec: Codec) -> None:
    readers = BetSpotsSimulator(codec, ZONES)
    readers.lay(1, "insurance", CHIPS[:2])
    assert ask(readers, codec, ReadSoftware(2)) == (SoftwareRead(2, SOFTWARE),)
    assert ask(readers, codec, ResetField(2)) == (ReaderDone(2, "reset_field"),)
    assert ask(readers, codec, TakeInventory(1, 2)) == (ChipsInventoried(1, CHIPS[:2]),)
    assert ask(readers, codec, TakeInventory(2, 1)) == (ChipsInventoried(2, ()),)
    (refusal,) = ask(readers, codec, TakeInventory(2, 2))
    assert isinstance(refusal, ReaderRefused)
    assert ask(readers, codec, TakeInventory(3, 1)) == ()


@both_buses
def test_a_tall_stack_comes_in_parts_and_counts_once(codec: Codec) -> None:
    readers = BetSpotsSimulator(codec, ZONES, most_per_answer=12)
    readers.lay(1, "main", CHIPS)
    assert ask(readers, codec, TakeInventory(1, 1)) == (ChipsInventoried(1, CHIPS[:12], more=True),)
    assert ask(readers, codec, TakeInventory(1, 1, more=True)) == (ChipsInventoried(1, CHIPS[12:24], more=True),)
    assert readers.inventories(1, "main") == 0
    assert ask(readers, codec, TakeInventory(1, 1, more=True)) == (ChipsInventoried(1, CHIPS[24:]),)
    assert (readers.inventories(1, "main"), readers.inventories(2, "main")) == (1, 0)


def test_a_chip_sends_its_memory_to_the_reader_it_lies_on() -> None:
    codec = feig_obid.CODEC
    readers = BetSpotsSimulator(codec, ZONES, values={CHIPS[0]: 2_500})
    readers.lay(1, "insurance", CHIPS[:2])
    assert ask(readers, codec, ReadChipBlocks(1, CHIPS[0], 0, 2)) == (
        ChipBlocksRead(1, ("43485031", "000009C4"), (0, 0)),
    )
    assert ask(readers, codec, ReadChipBlocks(1, CHIPS[1], 1, 1)) == (ChipBlocksRead(1, ("00000000",), (0,)),)
    for question in (ReadChipBlocks(2, CHIPS[0], 0, 2), ReadChipBlocks(1, CHIPS[2], 0, 2)):
        (refusal,) = ask(readers, codec, question)
        assert isinstance(refusal, ReaderRefused)
        assert refusal.status == 0x01
    (refusal,) = ask(readers, codec, ReadChipBlocks(1, CHIPS[0], 27, 2))
    assert isinstance(refusal, ReaderRefused)
    assert refusal.status == 0x11


def test_a_reader_switched_off_is_silent() -> None:
    readers = BetSpotsSimulator(PLAIN, ZONES)
    readers.power(1, on=False)
    assert ask(readers, PLAIN, ReadSoftware(1)) == ()
    assert ask(readers, PLAIN, TakeInventory(1, 1)) == ()
    assert len(ask(readers, PLAIN, ReadSoftware(2))) == 1
    readers.power(1, on=True)
    assert len(ask(readers, PLAIN, ReadSoftware(1))) == 1


def test_flicker_misses_a_chip_but_never_more_often_in_a_row_than_it_may() -> None:
    readers = BetSpotsSimulator(PLAIN, ZONES, flicker=Flicker(missed=500, most_in_a_row=2), chance=random.Random(7))
    readers.lay(1, "main", CHIPS[:3])
    missed = []
    for _ in range(300):
        (answer,) = ask(readers, PLAIN, TakeInventory(1, 1))
        assert isinstance(answer, ChipsInventoried)
        assert set(answer.chips) < set(CHIPS[:3]) or answer.chips == CHIPS[:3]
        missed.append(len(answer.chips) < 3)
        assert (readers.steady(1, "main") == 0) is missed[-1]
    runs = "".join("m" if miss else "." for miss in missed)
    assert "mm" in runs
    assert "mmm" not in runs
    assert 60 < sum(missed) < 200


def test_a_doubtful_inventory_says_so() -> None:
    readers = BetSpotsSimulator(PLAIN, ZONES, flicker=Flicker(doubtful=1000), chance=random.Random(7))
    readers.lay(1, "main", CHIPS[:3])
    (answer,) = ask(readers, PLAIN, TakeInventory(1, 1))
    assert isinstance(answer, ChipsInventoried)
    assert answer.doubtful
    assert len(answer.chips) == 2


def test_laying_begins_the_steady_count_anew() -> None:
    readers = BetSpotsSimulator(PLAIN, ZONES)
    for _ in range(3):
        ask(readers, PLAIN, TakeInventory(1, 1))
    assert readers.steady(1, "main") == 3
    readers.lay(1, "main", CHIPS[:1])
    assert (readers.steady(1, "main"), readers.inventories(1, "main")) == (0, 3)


def test_what_is_not_there_is_refused() -> None:
    readers = BetSpotsSimulator(PLAIN, ZONES)
    with pytest.raises(ValueError, match="no antenna reads spot 9 main"):
        readers.lay(9, "main", ())
    with pytest.raises(ValueError, match="no reader 9"):
        readers.power(9, on=True)
    with pytest.raises(ValueError, match="chance"):
        BetSpotsSimulator(PLAIN, ZONES, flicker=Flicker(missed=1))
    with pytest.raises(ValueError, match="chance"):
        readers.flicker(Flicker(missed=1))
