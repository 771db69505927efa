"""What chips, cards and keys mean while hands are played and paid."""

from __future__ import annotations

import pytest

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.messages.events import CardDrawn, RoundClosed, WagerSettled
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn as CardReading
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen
from tests.core.houses import rules_of
from tests.core.rig import MS, SPOTS, Rig, penn
from tests.core.summaries import RoundSummary, round_summary, summary

KEYED = penn(stand_key="always")
UNKEYED = penn()
CLASSIC = rules_of("classic-shoe-and-pitch", stand_key="always")
PITCH = rules_of("pitch-h17", stand_key="always")
AT_ONCE = penn(stand_key="always", busts_taken="at_once")
IRREGULAR = RoundSummary([], [], [], ["RoundIrregular"])

ELEVEN = "1 main 10 \n 6h 9c 5d 8s \n"
EIGHTS = "1 main 10 \n 8h 9c 8d 8s \n"
ACES = "1 main 10 \n Ah 9c Ad 8s \n"
SIXTEEN = "1 main 10 \n Th 9c 6d 8s \n"
TEN_MORE = "1 main 10 \n Th 6c 8d Ts \n Tc"
"""A ten that breaks whoever takes it."""
TWELVE_BESIDE = "1 main 10 \n 2 main 10 \n Th 7h 9c 6d 5d 8s \n "
SEVENTEEN_BESIDE = "1 main 10 \n 2 main 10 \n Th 7h 9c 6d Td 8s \n"

RAISES: dict[str, tuple[Rules, str, RoundSummary]] = {
    "a double": (
        KEYED,
        ELEVEN + "1 main 20 \n key double \n 9d \n key hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], []),
    ),
    "its key may come first": (
        KEYED,
        ELEVEN + "key double \n 1 main 20 \n 9d \n key hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], []),
    ),
    "its key may be missing": (
        KEYED,
        ELEVEN + "1 main 20 \n 9d \n key hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], []),
    ),
    "but not its chips": (KEYED, ELEVEN + "key double \n 9d \n key hole_turned", IRREGULAR),
    "its key comes once": (KEYED, ELEVEN + "key double \n 1 main 20 \n key double", IRREGULAR),
    "a double for less": (
        KEYED,
        ELEVEN + "1 main 15 \n key double \n 9d \n key hole_turned",
        RoundSummary(["1 main +15.00"], [], ["1 doubled 0 for 5"], []),
    ),
    "more than the wager is no double": (
        KEYED,
        ELEVEN + "1 main 25 \n key hit \n 9d \n key stand hole_turned",
        RoundSummary(["1 main +10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "not after its third card": (
        KEYED,
        ELEVEN + "key hit \n 2c \n 1 main 20 \n key stand hole_turned",
        RoundSummary(["1 main -10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "a later content is compared with what a dropped change left": (
        KEYED,
        ELEVEN + "1 main 25 \n 1 main 35 \n key double \n 9d \n key hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], ["ChipsUnexplained"]),
    ),
    "only nine to eleven": (
        PITCH,
        SIXTEEN + "1 main 20 \n key stand hole_turned",
        RoundSummary(["1 main -10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "an ace and an eight are nineteen": (
        PITCH,
        "1 main 10 \n Ah 9c 8d 8s \n 1 main 20 \n key stand hole_turned",
        RoundSummary(["1 main +10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "eleven on the strict card too": (
        PITCH,
        ELEVEN + "1 main 20 \n key double \n 9d \n key hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], []),
    ),
    "a raised pair is doubled or split, and here both win the same": (
        UNKEYED,
        "1 main 10 \n 8h 6c 8d 6s \n 1 main 20 \n 3c 2c Td",
        RoundSummary(["1 main +20.00"], [], [], []),
    ),
    "a raised pair that got one card and no dealer card was doubled": (
        UNKEYED,
        EIGHTS + "1 main 20 \n 2c \n key hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], []),
    ),
    "the split key settles it": (
        KEYED,
        EIGHTS + "1 main 20 \n key split \n Tc \n key stand \n Th \n key stand hole_turned",
        RoundSummary(["1 main +20.00"], [], ["1 split to 2"], []),
    ),
    "so does the double key": (
        KEYED,
        EIGHTS + "key double \n 1 main 20 \n Tc \n key hole_turned",
        RoundSummary(["1 main -20.00"], [], ["1 doubled 0 for 10"], []),
    ),
    "a split is for the whole wager": (
        KEYED,
        EIGHTS + "1 main 15 \n Tc \n key hole_turned",
        RoundSummary(["1 main -15.00"], [], ["1 doubled 0 for 5"], []),
    ),
    "a split hand may be doubled": (
        KEYED,
        EIGHTS + "1 main 20 \n key split \n 3c \n 1 main 30 \n key double \n Td \n Th \n key stand hole_turned",
        RoundSummary(["1 main +30.00"], [], ["1 split to 2", "1 doubled 0 for 10"], []),
    ),
    "a split ace takes one card": (
        KEYED,
        ACES + "1 main 20 \n key split \n 2c 9d \n key hole_turned",
        RoundSummary(["1 main +0.00"], [], ["1 split to 2"], []),
    ),
    "aces are split once": (
        KEYED,
        ACES + "1 main 20 \n key split \n As \n 1 main 30 \n 9d \n key hole_turned",
        RoundSummary(["1 main +0.00"], [], ["1 split to 2"], ["ChipsUnexplained"]),
    ),
    "aces are split again where the card has it": (
        CLASSIC,
        ACES + "1 main 20 \n key split \n As \n 1 main 30 \n key split \n 9c 8d 9d \n key hole_turned",
        RoundSummary(["1 main +30.00"], [], ["1 split to 2", "1 split to 3"], []),
    ),
    "or may stand": (
        CLASSIC,
        ACES + "1 main 20 \n key split \n As \n key stand \n 9d \n key hole_turned",
        RoundSummary(["1 main +0.00"], [], ["1 split to 2"], []),
    ),
}


@pytest.mark.parametrize("name", RAISES)
def test_raised_chips(name: str) -> None:
    rules, talk, expected = RAISES[name]
    assert round_summary(rules, talk) == expected


SPLIT_AND_BROKE = EIGHTS + "1 main 20 \n key split \n 5c \n key hit \n Tc \n"

TAKINGS: dict[str, tuple[Rules, str, RoundSummary]] = {
    "a broken split hand may be taken": (
        KEYED,
        SPLIT_AND_BROKE + "1 main 10 \n Th \n key stand hole_turned",
        RoundSummary(["1 main +0.00"], [], ["1 split to 2"], []),
    ),
    "it need not be": (
        AT_ONCE,
        SPLIT_AND_BROKE + "Th \n key stand hole_turned",
        RoundSummary(["1 main +0.00"], [], ["1 split to 2"], []),
    ),
    "its double is taken with it": (
        KEYED,
        EIGHTS
        + "1 main 20 \n key split \n 5c \n 1 main 30 \n key double \n Tc \n 1 main 10 \n Th \n key stand hole_turned",
        RoundSummary(["1 main -10.00"], [], ["1 split to 2", "1 doubled 0 for 10"], []),
    ),
    "an amount that no broken hand has is no taking": (
        KEYED,
        SPLIT_AND_BROKE + "1 main 15 \n Th \n key stand hole_turned",
        RoundSummary(["1 main +0.00"], [], ["1 split to 2"], ["ChipsUnexplained"]),
    ),
    "and it is taken once": (
        KEYED,
        EIGHTS
        + "1 main 20 \n key split \n 8c \n 1 main 30 \n key split \n 5c Tc \n 1 main 20 \n 3h \n 1 main 10 \n Tc Kd \n"
        + "key stand hole_turned",
        RoundSummary(["1 main +10.00"], [], ["1 split to 2", "1 split to 3"], ["ChipsUnexplained"]),
    ),
    "a broken spot is emptied": (
        KEYED,
        SEVENTEEN_BESIDE + "key hit \n Tc \n 1 main 0 \n key stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main +0.00"], [], [], []),
    ),
    "at any later moment": (
        KEYED,
        SEVENTEEN_BESIDE + "key hit \n Tc \n key stand \n 1 main 0 \n key hole_turned",
        RoundSummary(["1 main -10.00", "2 main +0.00"], [], [], []),
    ),
    "where busts are taken at once before the next card": (
        AT_ONCE,
        TWELVE_BESIDE + "key hit \n Tc \n key hit \n 5c \n 1 main 0 \n key stand hole_turned",
        RoundSummary(["1 main -10.00"], [], [], ["RoundIrregular"]),
    ),
    "elsewhere after it too": (
        KEYED,
        TWELVE_BESIDE + "key hit \n Tc \n key hit \n 5c \n 1 main 0 \n key stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main +0.00"], [], [], []),
    ),
    "and before the turn": (
        AT_ONCE,
        SEVENTEEN_BESIDE + "key hit \n Tc \n key stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main +0.00"], [], [], ["RoundIrregular"]),
    ),
    "a spot that did not break is not emptied": (
        KEYED,
        SEVENTEEN_BESIDE + "key stand \n 1 main 0 \n key stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main +0.00"], [], [], ["ChipsUnexplained"]),
    ),
    "no payment before the dealer's hand is complete": (
        KEYED,
        "1 main 10 \n Th 2c 9d 3s \n key stand \n 1 main 20 \n Tc 2h \n key hole_turned",
        RoundSummary(["1 main +10.00"], [], [], ["ChipsUnexplained", "RoundIrregular"]),
    ),
    "payment of any amount once it may be": (
        KEYED,
        SIXTEEN + "key stand \n 1 main 13",
        RoundSummary(["1 main -10.00"], [], [], []),
    ),
}


@pytest.mark.parametrize("name", TAKINGS)
def test_taken_and_paid(name: str) -> None:
    rules, talk, expected = TAKINGS[name]
    found = round_summary(rules, talk)
    assert sorted(found.settled) == expected.settled
    assert found[1:] == expected[1:]


def test_no_card_follows_payment_in_a_round() -> None:
    rig = Rig(KEYED)
    rig.talk(SIXTEEN + "key stand \n 1 main 20 \n 9h")
    assert rig.outcomes() == ["settled"]
    last = rig.events_of(CardDrawn)[-1]
    assert isinstance(last, CardDrawn)
    assert (last.round, last.position) == (2, 0)


KEYS: dict[str, tuple[Rules, str, RoundSummary]] = {
    "a digit names the spot in play": (
        KEYED,
        SIXTEEN + "key 1 stand hole_turned",
        RoundSummary(["1 main -10.00"], [], [], []),
    ),
    "not one that is not in play": (KEYED, "1 main 10 \n 2 main 10 \n Th 7h 9c 6d Td 8s \n key 2 stand", IRREGULAR),
    "nor one without a wager": (KEYED, SIXTEEN + "key 3 stand", IRREGULAR),
    "hit forces the next card": (KEYED, SIXTEEN + "key hit stand yes", IRREGULAR),
    "hit gives the card": (
        KEYED,
        SIXTEEN + "key hit \n 5c \n key hole_turned",
        RoundSummary(["1 main +10.00"], [], [], []),
    ),
    "a hand of 21 takes no key": (
        KEYED,
        SIXTEEN + "key hit \n 5c \n key stand",
        RoundSummary(["1 main +10.00"], [], [], ["RoundIrregular"]),
    ),
    "a doubled hand takes none": (
        KEYED,
        ELEVEN + "1 main 20 \n key double \n 2d \n key stand",
        RoundSummary(["1 main -20.00"], [], ["1 doubled 0 for 10"], ["RoundIrregular"]),
    ),
    "the hole card is turned when all have played": (KEYED, SIXTEEN + "key hole_turned", IRREGULAR),
    "and once": (
        KEYED,
        SIXTEEN + "key stand hole_turned hole_turned",
        RoundSummary(["1 main -10.00"], [], [], ["RoundIrregular"]),
    ),
    "insurance is closed once": (KEYED, SIXTEEN + "key insurance_closed insurance_closed", IRREGULAR),
    "nothing is decided before the deal is over": (KEYED, "1 main 10 \n Th 9c \n key stand", IRREGULAR),
    "always: stopping below 21 needs its key": (KEYED, TEN_MORE, RoundSummary(["1 main -10.00"], [], [], [])),
    "sometimes: it may be silent": (UNKEYED, TEN_MORE, RoundSummary([], ["1 main -10.00 or +10.00"], [], [])),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys(name: str) -> None:
    rules, talk, expected = KEYS[name]
    assert round_summary(rules, talk) == expected


def between(rig: Rig, *, chips_from: int, chips_to: int) -> None:
    """A card at 500 ms from now; the wager of spot 1 was doubled somewhere between two moments around it."""
    start = rig.now_ns
    rig.now_ns = start + 500 * MS
    rig.give(CardReading(rig.now_ns, Card("5c")))
    rig.now_ns = start + max(chips_to, 500) * MS
    rig.values["E00409"] = 1000
    chips = (*rig.lying[1, "main"], "E00409")
    rig.give(ChipsSeen(1, "main", chips, start + chips_from * MS, start + chips_to * MS))
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
    rig.talk("key round_closed")
    rig.pass_ms(100)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (200, 400, RoundSummary(["1 main +20.00"], [], ["1 doubled 0 for 10"], [])),
        (200, 600, RoundSummary([], ["1 main +10.00 or +20.00"], [], [])),
        (500, 500, RoundSummary([], ["1 main +10.00 or +20.00"], [], [])),
        (600, 800, RoundSummary(["1 main +10.00"], [], [], [])),
    ],
)
def test_chips_and_a_card_are_ordered_only_as_far_as_their_times_are(
    first: int, last: int, expected: RoundSummary
) -> None:
    """Before the card the chips are a double; after it they can only be the payment."""
    rig = Rig(UNKEYED)
    rig.talk("1 main 10 \n Th 9c 5d 8s")
    between(rig, chips_from=first, chips_to=last)
    assert summary(rig) == expected


def test_a_round_of_one_play_says_so() -> None:
    rig = Rig(KEYED)
    rig.talk(SIXTEEN + "key stand hole_turned round_closed")
    (closed,) = rig.events_of(RoundClosed)
    assert isinstance(closed, RoundClosed)
    assert (closed.legal_plays, closed.outcome) == (1, "settled")


PAYMENTS: dict[str, tuple[str, list[int]]] = {
    "won": (TEN_MORE + "\n 1 main 20", [1000]),
    "won and picked up": (TEN_MORE + "\n 1 main 20 \n 1 main 0", [1000, -1000]),
    "taken": (TEN_MORE + "\n 1 main 0", [-1000]),
    "untouched": (TEN_MORE, []),
    "a push or a bust, untouched: nothing was taken and nothing paid": ("1 main 10 \n Th 6c 8d 7s 5c", []),
    "a push or a bust, taken or picked up": ("1 main 10 \n Th 6c 8d 7s 5c \n 1 main 0", [-1000, 0]),
    "paid what no play has due": (TEN_MORE + "\n 1 main 13", []),
}


@pytest.mark.parametrize("name", PAYMENTS)
def test_what_is_still_open_is_settled_as_paid_where_that_fits_one_play(name: str) -> None:
    talk, fitting = PAYMENTS[name]
    rig = Rig(UNKEYED)
    rig.talk(talk + "\n key round_closed")
    rig.pass_ms(100)
    settled = [(e.net_cents, e.basis) for e in rig.events_of(WagerSettled)]
    assert settled == ([(fitting[0], Basis.PAID)] if len(fitting) == 1 else [])


@pytest.mark.parametrize(("spread_ms", "settled"), [(200, [(0, Basis.PAID)]), (900, [])])
def test_that_no_payment_was_seen_is_no_push_where_it_may_have_been_picked_up_between_two_looks(
    spread_ms: int, settled: list[tuple[int, Basis]]
) -> None:
    """Nineteen pushes, or was hit and won; what is seen is that chips of the next bet came beside the wager."""
    rig = Rig(UNKEYED, {"A": 1000, "B": 500})
    rig.lay(1, "main", ("A",))
    rig.talk("Th 6c 9d 7s 2c 4c")
    rig.pass_ms(2_000)
    rig.lay(1, "main", ("A", "B"), spread_ms=spread_ms)
    rig.talk("key round_closed")
    rig.pass_ms(100)
    assert [(e.net_cents, e.basis) for e in rig.events_of(WagerSettled)] == settled


@pytest.mark.parametrize(("pause_s", "settled"), [(2, [(1000, Basis.PAID)]), (9, [])])
def test_what_is_laid_after_a_pause_may_be_the_next_bet_and_no_payment(
    pause_s: int, settled: list[tuple[int, Basis]]
) -> None:
    """Ten was hit to fifteen, or stood and the dealer broke; as much as the wager is laid beside it."""
    rig = Rig(UNKEYED)
    rig.talk(TEN_MORE)
    rig.pass_ms(1_000 * pause_s)
    rig.talk("1 main 20 \n key round_closed")
    rig.pass_ms(100)
    assert [(e.net_cents, e.basis) for e in rig.events_of(WagerSettled)] == settled
