"""What a table does with what it should never get: noise, strange chips and cards, and lines that come and go."""

from __future__ import annotations

from typing import Any

import pytest

from controller.core.messages.alerts import (
    CardOutsideRound,
    CardsMayBeMissing,
    CardUnreadable,
    ChipSeenTwice,
    CloseRefused,
    KeyRefused,
    LineErrors,
    SpotReaderLost,
    UnknownChip,
)
from controller.core.messages.events import (
    CardDrawn,
    ChipsChanged,
    DeviceStatusChanged,
    Event,
    QuestionAsked,
    RoundClosed,
)
from firmware_protocols.cards import Card
from firmware_protocols.codec import LineEnd
from firmware_protocols.shoe import bee_tek
from tests.wiring.premises import TOPICS, Premises, json_of

CLEAN = """
    3 main 20
    no_more_bets
    Th 9c Kd 8s
    stand
    hole_turned
    3 main 40
    3 main 0
    round_closed
"""
"""Twenty against seventeen: the wager is paid."""

STRANGER = "E004015099FFFFFF"
"""A chip that is not in the registry."""


async def assert_played_out(house: Premises, answer: str = "") -> None:
    """Round 1 is settled as won after all, and the table plays on; ``answer``: the key that its question takes."""
    await house.talk(f"{answer}\nstand\nhole_turned\n3 main 40\n3 main 0\nround_closed".strip())
    assert (await house.ear.event(RoundClosed, round=1)).outcome == "settled"
    assert house.ear.due()[1, 3, "main"] == (2000, 2000)
    await assert_goes_on(house, 2)


async def assert_goes_on(house: Premises, number: int) -> None:
    """A clean round settles right, as round ``number``."""
    await house.talk(CLEAN)
    assert (await house.ear.event(RoundClosed, round=number)).outcome == "settled"
    assert house.ear.due()[number, 3, "main"] == (2000, 2000)
    await house.until_published()
    await house.stop()
    await house.assert_published_once()


async def alert(house: Premises, kind: type[Event], name: str, **fields: Any) -> Event:
    """An event of a kind that went out as an alert too."""
    found: Event = await house.ear.event(kind, **fields)
    await house.ear.until(lambda: house.ear.last(f"{TOPICS.root}/alert/{name}") is not None)
    return found


@pytest.mark.parametrize(
    ("device", "data"),
    [
        ("shoe", b"\x00\xff\xfe garbage \x80" * 5),
        ("shoe", b" [Game]<Car"),
        ("shoe", b" [Game]<Card:1S> "),
        ("bet_spots", bytes(range(1, 60))),
        ("bet_spots", b"\x02\x00"),
        ("keypad", b"\x00\x7f\xff!!"),
    ],
)
async def test_noise_is_reported_and_the_table_goes_on(house: Premises, device: str, data: bytes) -> None:
    house.bench.say(device, data)
    troubled = await alert(house, LineErrors, "line_errors", device=device)
    assert isinstance(troubled, LineErrors)
    assert troubled.reason
    if device == "shoe":
        # The end of the noise, if the line falls silent in the middle of a token, must not fall into the round.
        wire = bee_tek.CODEC.open(LineEnd.HOST)
        await house.ear.event(LineErrors, len((*wire.feed(data), *wire.idle())))
    await assert_goes_on(house, 1)


async def test_noise_on_all_lines_in_the_middle_of_a_round(house: Premises) -> None:
    """What could not be read on the shoe's line may have been a card, so somebody has to say that it was none."""
    await house.talk("3 main 20\nno_more_bets\nTh 9c Kd 8s")
    await house.ear.event(CardDrawn, 4)
    for device in ("shoe", "bet_spots", "keypad"):
        house.bench.say(device, b"\x00\xff" * 20)
        await house.ear.event(LineErrors, device=device)
    await house.bench.looked()
    await house.ear.event(QuestionAsked, round=1)
    await house.talk("no\nstand\nhole_turned\n3 main 40\n3 main 0\nround_closed")
    assert (await house.ear.event(RoundClosed, round=1)).outcome == "settled"
    assert len(house.ear.events(QuestionAsked)) == 1
    await assert_goes_on(house, 2)


@pytest.mark.parametrize("answer", ["yes", ""])
async def test_a_card_damaged_on_the_line_is_never_settled_without(house: Premises, answer: str) -> None:
    """A player hits eleven and gets a ten. Unheard, the hand would have stood on eleven and lost."""
    await house.talk("3 main 20\nno_more_bets\n5h 9c 6d 8s")
    await house.ear.event(CardDrawn, 4)
    house.bench.say("shoe", b" [Game]<Card:1S> ")
    missing = await alert(house, CardsMayBeMissing, "cards_may_be_missing", round=1)
    assert isinstance(missing, CardsMayBeMissing)
    assert missing.reason == "the shoe's line was disturbed"
    await house.talk(f"{answer}\nstand\nhole_turned\n3 main 40\n3 main 0\nround_closed")
    await assert_goes_on(house, 2)
    assert house.ear.outcomes() == ["irregular", "settled"]
    assert set(house.ear.due()) == {(2, 3, "main")}


async def test_a_card_that_the_shoe_cannot_read(house: Premises) -> None:
    await house.talk("3 main 20\nno_more_bets\nTh 9c")
    house.bench.say("shoe", b" [Game]<Game> ")
    await alert(house, CardUnreadable, "card_unreadable")
    await house.talk("8s\nround_closed")
    await house.ear.event(CloseRefused, round=1)
    await house.talk("round_closed\n3 main 0")
    assert (await house.ear.event(RoundClosed, round=1)).outcome == "irregular"
    await assert_goes_on(house, 2)


async def test_a_chip_that_is_not_the_houses_counts_as_nothing(house: Premises) -> None:
    await house.talk("3 main 20")
    ours = house.bench.content(3, "main")
    house.bench.lay(3, "main", (*ours, STRANGER))
    await alert(house, UnknownChip, "unknown_chip", spot=3, zone="main", chip=STRANGER)
    await house.talk("no_more_bets\nTh 9c Kd 8s\nstand\nhole_turned")
    house.bench.lay(3, "main", ours)
    await house.bench.looked()
    await house.talk("3 main 40\n3 main 0\nround_closed")
    assert (await house.ear.event(RoundClosed, round=1)).outcome == "settled"
    assert house.ear.due()[1, 3, "main"] == (2000, 2000)
    await assert_goes_on(house, 2)


async def test_a_chip_at_two_spots_counts_where_it_was_heard_first(house: Premises) -> None:
    """Where it lay before no fall is reported, as that would look like a surrender; it counts at one zone."""
    await house.talk("3 main 20\n5 main 20")
    mine, theirs = house.bench.content(3, "main"), house.bench.content(5, "main")
    house.bench.lay(5, "main", mine)
    conflict = await alert(house, ChipSeenTwice, "chip_seen_twice", chip=mine[0])
    assert isinstance(conflict, ChipSeenTwice)
    assert conflict.zones == ("3/main", "5/main")
    await house.ear.event(ChipsChanged, spot=5, zone="main", after_cents=0)
    house.bench.lay(5, "main", theirs)
    await house.ear.event(ChipsChanged, 2, spot=5, zone="main", after_cents=2000)
    assert [one.after_cents for one in house.ear.events(ChipsChanged) if one.spot == 3] == [2000]
    await house.talk("5 main 0")
    await assert_goes_on(house, 1)


async def test_a_card_with_no_bets_on_the_table(house: Premises) -> None:
    house.bench.draw(Card("7d"))
    found = await alert(house, CardOutsideRound, "card_outside_round")
    (drawn,) = house.ear.events(CardDrawn)
    assert (drawn.round, drawn.position) == (None, None)
    assert isinstance(found, CardOutsideRound)
    assert found.card == drawn.card
    await assert_goes_on(house, 1)


async def test_keys_that_mean_nothing_now(house: Premises) -> None:
    await house.talk("hit\nno_more_bets\nround_closed\nyes")
    await house.ear.event(KeyRefused, 4)
    assert [one.meaning for one in house.ear.events(KeyRefused)] == ["hit", "no_more_bets", "round_closed", "yes"]
    await assert_goes_on(house, 1)


async def status(house: Premises, device: str, state: str, count: int = 1) -> None:
    """Wait until a device's state was published as an event, and is what its retained status says."""
    await house.ear.event(DeviceStatusChanged, count, device=device, state=state)
    topic = TOPICS.device(device)
    await house.ear.until(lambda: (json_of(house.ear.last(topic)) or {}).get("state") == state)


async def test_the_shoe_is_unplugged_in_the_middle_of_a_round(house: Premises) -> None:
    """A card may have been drawn meanwhile: the table asks, and goes on when the answer is that none was."""
    await house.talk("3 main 20\nno_more_bets\nTh 9c Kd 8s")
    await house.ear.event(CardDrawn, 4)
    house.bench.unplug("shoe")
    await status(house, "shoe", "lost")
    house.bench.plug("shoe")
    await status(house, "shoe", "ready", 2)
    missing = await alert(house, CardsMayBeMissing, "cards_may_be_missing", round=1)
    assert isinstance(missing, CardsMayBeMissing)
    assert missing.reason == "the shoe was not connected"
    await house.ear.event(QuestionAsked, round=1)
    await assert_played_out(house, "no")


async def test_the_readers_are_unplugged_in_the_middle_of_a_round(house: Premises) -> None:
    """Any chip may have moved unseen: what the cards and keys prove alone is settled, and the alert says so."""
    await house.talk("3 main 20\nno_more_bets\nTh 9c Kd 8s")
    await house.ear.event(CardDrawn, 4)
    house.bench.unplug("bet_spots")
    await status(house, "bet_spots/3", "lost")
    await alert(house, SpotReaderLost, "spot_reader_lost", round=1, spot=3)
    house.bench.plug("bet_spots")
    for spot in range(1, 8):
        await status(house, f"bet_spots/{spot}", "ready", 2)
    await house.bench.looked()
    await assert_played_out(house)


async def test_the_keypad_is_unplugged_in_the_middle_of_a_round(house: Premises) -> None:
    """Nothing is lost but the keys that were not pressed."""
    await house.talk("3 main 20\nno_more_bets\nTh 9c Kd 8s")
    await house.ear.event(CardDrawn, 4)
    house.bench.unplug("keypad")
    await status(house, "keypad", "lost")
    house.bench.plug("keypad")
    await status(house, "keypad", "ready", 2)
    await house.talk("stand\nhole_turned\n3 main 40\n3 main 0\nround_closed")
    assert (await house.ear.event(RoundClosed, round=1)).outcome == "settled"
    await assert_goes_on(house, 2)


async def test_one_reader_without_power_takes_only_its_own_spot_away(house: Premises) -> None:
    simulator = house.bench.readers
    simulator.power(5, on=False)
    await status(house, "bet_spots/5", "lost")
    await house.talk(CLEAN)
    assert (await house.ear.event(RoundClosed, round=1)).outcome == "settled"
    simulator.power(5, on=True)
    await status(house, "bet_spots/5", "ready", 2)
    await assert_goes_on(house, 2)
