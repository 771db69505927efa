"""What people rightly do beside a payment accuses nobody; what cannot be right is reported, as is what left unbet."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.raised_alerts import AlertKind
from controller.core.surveillance.payment_course import SLIP_NS, Course, is_put_right
from controller.core.surveillance.payment_judgement import PaymentTerms, judge
from controller.core.table.payments import WagerDue, ZoneContent, ZoneHistory
from tests.core.alerting import kinds, next_bets, raised
from tests.core.rig import MS, Rig, penn

KEYED = {"stand_key": "always", "turn_key": "always"}
TWO_BOXES = "1 main 100 \n 2 main 100 \n key no_more_bets \n"
ONE_LOSES = f"{TWO_BOXES} Th 9h Ts 6d Kd 7c \n key stand stand hole_turned"
"""Spot 1 has sixteen, spot 2 nineteen, the dealer seventeen."""
BOTH_WIN = f"{TWO_BOXES} Th 9h 7s 9d Kd Tc \n key stand stand hole_turned"
ONE_PUSHES = f"{TWO_BOXES} Th 9h 7s 7d Kd Tc \n key stand stand hole_turned"
NATURAL = f"{TWO_BOXES} Ah 9h 6s Kd Kd Tc"
INSURED = f"{TWO_BOXES} Th 9h As 9d Kd Kc \n 1 insurance 50 \n key insurance_closed stand stand hole_turned"
SURRENDERED = "1 main 100 \n key no_more_bets \n Th Ts 6d 9c \n key surrender hole_turned"
SPLIT = "1 main 100 \n key no_more_bets \n 8h 7s 8d Td \n 1 main 200 \n key split \n"
SPLIT_WON = f"{SPLIT} Th \n key stand \n Ts \n key stand hole_turned"
ONE_WON_THE_DOUBLE_LOST = f"{SPLIT} Th \n key stand \n 3s \n 1 main 300 \n key double \n 5c \n key hole_turned"

SLOW_MS = 2_000
"""The interval of a change before a reader that looks once a second."""


class GatheringRig(Rig):
    gathers_moves = True


def table(talk: str, *, by_course: bool = True, gathers: bool = False) -> Rig:
    rig = (GatheringRig if gathers else Rig)(penn(**KEYED))
    rig.change_house(payments_by_course=by_course)
    rig.talk(talk)
    rig.pass_ms(3_000)
    return rig


def moved(rig: Rig, *contents: int, spot: int = 1, zone: str = "main", gap_ms: int = 5_000, wide_ms: int = 100) -> None:
    """A zone's contents, in dollars, one after the other."""
    for dollars in contents:
        rig.chips(spot, zone, 100 * dollars, spread_ms=wide_ms)
        rig.pass_ms(gap_ms)


def carried(rig: Rig, spot: int, other: int, dollars: int, after_ms: int) -> None:
    """A payment is laid at a box, and carried on to another."""
    lay, paid = rig.lying[spot, "main"], (f"E00402000000{dollars:04}",)
    rig.values[paid[0]] = 100 * dollars
    rig.lay(spot, "main", (*lay, *paid))
    rig.pass_ms(after_ms)
    rig.lay(spot, "main", lay)
    rig.lay(other, "main", (*rig.lying[other, "main"], *paid))
    rig.pass_ms(2_000)


def alert_amounts(rig: Rig) -> list[tuple[str, int | None, int | None]]:
    return [(alert.kind.value, alert.net_cents, alert.paid_cents) for alert in raised(rig)]


def looks(*contents: tuple[int, tuple[str, ...]], wide_ns: int = MS, gap_ns: int = 6_000 * MS) -> ZoneHistory:
    """A zone's contents with their chips from the lock on; each lies for a while."""
    found = [ZoneContent(0, 0, 0, *contents[0])]
    for at, (cents, chips) in enumerate(contents[1:], start=1):
        more = max(cents - found[-1].cents, 0)
        fewer = max(found[-1].cents - cents, 0)
        found.append(ZoneContent(at, at * gap_ns, at * gap_ns + wide_ns, cents, chips, more, fewer))
    return ZoneHistory(1, "main", contents[0][0], tuple(found))


def came_between(first_ns: int, last_ns: int, chip: str = "b") -> ZoneHistory:
    """Another zone, to which a chip came between two moments."""
    empty, came = ZoneContent(0, 0, 0, 0, ()), ZoneContent(1, first_ns, last_ns, 100, (chip,), 100)
    return ZoneHistory(2, "main", 0, (empty, came))


def found(watch: ZoneHistory, net: int, *others: ZoneHistory, one_move_ns: int = 800 * MS) -> AlertKind | None:
    wrong = judge(watch, WagerDue(1, "main", 100, net, 1), PaymentTerms(1, course=Course(others, one_move_ns)))
    return None if wrong is None else wrong.kind


# --- a payment at the wrong box ---------------------------------------------------------------------


@pytest.mark.parametrize("after_ms", [800, 1_500, 3_500])
def test_a_payment_laid_at_a_losing_box_and_carried_on_is_no_alert(after_ms: int) -> None:
    rig = table(ONE_LOSES)
    carried(rig, 1, 2, 100, after_ms)
    moved(rig, 0)
    moved(rig, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(
    ("contents", "kind"),
    [
        ((150, 200, 100, 0), "chips_unexplained"),
        ((200, 0), "mispay"),
        ((200, 300, 0), "mispay"),
        ((200, 100, 0), "chips_unexplained"),
    ],
    ids=["two stacks", "left with the wager", "and still more", "one stack"],
)
def test_a_payment_at_a_losing_box_that_lies_nowhere_else_is_reported(contents: tuple[int, ...], kind: str) -> None:
    """It may lie in the rack again, or in the player's hand."""
    rig = table(ONE_LOSES)
    moved(rig, *contents[:-1], gap_ms=600)
    moved(rig, 0)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == [kind]


@pytest.mark.parametrize(("dollars", "alerts"), [(200, [("chips_unexplained", -10_000, 10_000)]), (150, [])])
def test_what_leaves_a_losing_box_before_the_wager_was_a_bet_too_early_or_a_payment(
    dollars: int, alerts: list[tuple[str, int, int]]
) -> None:
    rig = table(ONE_LOSES)
    moved(rig, dollars, 100, 0)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert alert_amounts(rig) == alerts


@pytest.mark.parametrize("contents", [(200, 100, 0), (200, 0)])
def test_where_readers_look_seldom_a_slip_at_a_losing_box_accuses_nobody(contents: tuple[int, ...]) -> None:
    rig = table(ONE_LOSES)
    moved(rig, *contents, gap_ms=500, wide_ms=SLOW_MS)
    moved(rig, 200, 0, spot=2, wide_ms=SLOW_MS)
    next_bets(rig)
    assert set(kinds(rig)) <= {"chips_unexplained"}


def test_chips_that_came_to_another_box_long_after_were_not_carried_there() -> None:
    watch = looks((100, ("a",)), (200, ("a", "b")), (100, ("a",)), (0, ()))
    left_ns = watch.looks[1].last_ns
    assert found(watch, -100, came_between(left_ns + 10, left_ns + 20)) is None
    assert found(watch, -100, came_between(left_ns + SLIP_NS + 1, left_ns + SLIP_NS + 2)) is AlertKind.CHIPS_UNEXPLAINED
    assert found(watch, -100, came_between(1, 2)) is AlertKind.CHIPS_UNEXPLAINED
    assert not is_put_right(watch, 1)


# --- the next bet beside the payment ----------------------------------------------------------------


@pytest.mark.parametrize("next_bet", [5, 25, 400])
def test_the_payment_and_the_next_bet_beside_it_at_one_look_are_no_alert(next_bet: int) -> None:
    rig = table(BOTH_WIN)
    moved(rig, 200 + next_bet, wide_ms=SLOW_MS)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize("gap_ms", [500, 900, 1_300])
def test_a_natural_that_is_paid_before_the_others_and_bets_anew_beside_it_is_no_alert(gap_ms: int) -> None:
    rig = table(NATURAL, gathers=True)
    moved(rig, 250, gap_ms=gap_ms)
    moved(rig, 275)
    rig.talk("key stand hole_turned \n Kh")
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


def test_a_split_box_that_is_paid_and_bets_beside_at_one_look_is_no_alert() -> None:
    rig = table(SPLIT_WON)
    moved(rig, 300)
    moved(rig, 425, wide_ms=SLOW_MS)
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(
    "contents",
    [(125, 225), (125, 225, 325), (125, 225, 0, 50)],
    ids=["before", "before and after", "and is another then"],
)
def test_the_next_bet_may_lie_there_before_the_payment_comes(contents: tuple[int, ...]) -> None:
    rig = table(BOTH_WIN)
    moved(rig, *contents)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize("contents", [(150, 50), (150, 50, 300), (300, 200)])
def test_the_next_bet_beside_a_lost_wager_outlasts_it(contents: tuple[int, ...]) -> None:
    rig = table(ONE_LOSES)
    moved(rig, *contents)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


def test_a_quick_reader_distinguishes_an_overpayment_from_the_next_bet_beside_a_payment() -> None:
    rig = table(BOTH_WIN)
    moved(rig, 225, 0)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert alert_amounts(rig) == [("mispay", 10_000, 12_500)]


def test_change_that_is_taken_before_the_chips_are_picked_up_may_be_missed_by_a_slow_reader() -> None:
    rig = table(NATURAL)
    rig.talk("key stand hole_turned \n Kh")
    moved(rig, 600)
    moved(rig, 0, wide_ms=SLOW_MS)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert alert_amounts(rig) == [("chips_unexplained", 15_000, 50_000)]


# --- insurance against the wager --------------------------------------------------------------------


@pytest.mark.parametrize("main", [(0,), ()], ids=["both picked up", "the wager rides"])
def test_insurance_that_is_settled_against_the_wager_is_no_alert(main: tuple[int, ...]) -> None:
    """The dealer's natural: insurance of 50 wins 100, the wager of 100 is lost; both are the player's as they lie."""
    rig = table(INSURED)
    moved(rig, 0, zone="insurance")
    moved(rig, *main)
    moved(rig, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


def test_who_is_paid_the_insurance_and_keeps_the_wager_is_reported() -> None:
    rig = table(INSURED)
    moved(rig, 150, 0, zone="insurance")
    moved(rig, 0, spot=2)
    next_bets(rig)
    assert alert_amounts(rig) == [("losing_bet_left", -10_000, 0)]


def test_insurance_that_is_paid_too_little_is_not_settled_against_the_wager() -> None:
    rig = table(INSURED)
    moved(rig, 75, 0, zone="insurance")
    moved(rig, 0)
    moved(rig, 0, spot=2)
    next_bets(rig)
    assert alert_amounts(rig) == [("mispay", 10_000, 2_500)]


# --- more than is due, which leaves unbet -----------------------------------------------------------


@pytest.mark.parametrize(
    ("talk", "contents", "net"),
    [
        (BOTH_WIN, (200, 700, 0), 10_000),
        (ONE_PUSHES, (600, 0), 0),
        (SPLIT_WON, (400, 900, 0), 20_000),
        (SURRENDERED, (50, 550, 0), -5_000),
        (SURRENDERED, (150, 0), -5_000),
        (ONE_WON_THE_DOUBLE_LOST, (100, 600, 0), -10_000),
    ],
    ids=["win", "push", "split", "surrender", "half beside", "split, the lost taken"],
)
def test_more_than_is_due_that_leaves_unbet_is_reported_and_accuses_nobody(
    talk: str, contents: tuple[int, ...], net: int
) -> None:
    rig = table(talk)
    moved(rig, *contents)
    if "2 main" in talk:
        moved(rig, *([] if net == 0 else [200]), 0, spot=2)
    next_bets(rig)
    (alert,) = [one for one in raised(rig) if one.spot == 1]
    assert (alert.kind, alert.net_cents, alert.severity) == ("chips_unexplained", net, "warning")
    assert "had more beside it than was due, which left and was not bet" in alert.text


@pytest.mark.parametrize(
    "contents",
    [(200, 700), (200, 225, 0), (200, 700, 200, 0), (200, 0, 500, 0), (200, 700, 0, 600)],
    ids=["pressed", "a tip", "thought better of", "another bet", "coloured up"],
)
def test_what_players_do_with_a_right_payment_is_no_alert(contents: tuple[int, ...]) -> None:
    rig = table(BOTH_WIN)
    moved(rig, *contents)
    moved(rig, 200, 0, spot=2)
    next_bets(rig)
    assert kinds(rig) == []


def test_more_that_lies_beside_and_is_carried_on_is_no_alert() -> None:
    rig = table(BOTH_WIN)
    moved(rig, 200)
    carried(rig, 1, 2, 500, 3_000)
    moved(rig, 0)
    next_bets(rig)
    assert AlertKind.CHIPS_UNEXPLAINED not in kinds(rig)


@pytest.mark.parametrize(
    ("contents", "kind"),
    [((150, 50, 0), None), ((150, 0), "chips_unexplained")],
    ids=["half laid beside first", "all picked up"],
)
def test_half_of_a_surrendered_wager_laid_beside_it_goes_back_once_the_wager_is_taken(
    contents: tuple[int, ...], kind: str | None
) -> None:
    rig = table(SURRENDERED)
    moved(rig, *contents)
    next_bets(rig)
    assert kinds(rig) == ([] if kind is None else [kind])


def test_before_a_slow_reader_both_may_have_been_done() -> None:
    rig = table(SURRENDERED)
    moved(rig, 150, 0, wide_ms=SLOW_MS)
    next_bets(rig)
    assert kinds(rig) == []


def test_a_lost_wager_that_was_taken_before_a_slow_reader_looked_may_be_the_next_bet_withdrawn() -> None:
    lost = looks((100, ("a",)), (300, ("b",)), (0, ()), wide_ns=SLOW_MS * MS)
    assert found(lost, -100) is None
    assert found(replace(lost, looks=tuple(replace(look, last_ns=look.first_ns) for look in lost.looks)), -100) is (
        AlertKind.CHIPS_UNEXPLAINED
    )


# --- a split box ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("talk", "contents", "wrong"),
    [
        (ONE_WON_THE_DOUBLE_LOST, (600, 0), (-10_000, 30_000)),
        (SPLIT_WON, (500, 0), (20_000, 30_000)),
    ],
    ids=["all treated as won", "a hand too many"],
)
def test_a_split_box_is_paid_no_more_than_its_hands_won_on_what_they_staked(
    talk: str, contents: tuple[int, ...], wrong: tuple[int, int]
) -> None:
    rig = table(talk)
    moved(rig, *contents)
    next_bets(rig)
    assert alert_amounts(rig) == [("mispay", *wrong)]


# --- the key pressed first, or not at all -----------------------------------------------------------


@pytest.mark.parametrize(
    ("talk", "contents", "wrong"),
    [
        (BOTH_WIN, (600, 0), [("mispay", 10_000, 50_000)]),
        (BOTH_WIN, (200, 700, 0), []),
        (ONE_LOSES, (400, 0), [("chips_unexplained", -10_000, 30_000)]),
        (ONE_LOSES, (150, 50), []),
        (SURRENDERED, (600, 0), [("chips_unexplained", -5_000, 50_000)]),
    ],
    ids=["win", "pressed, and withdrawn", "lost", "bet beside", "surrendered"],
)
def test_the_key_that_closes_the_round_pressed_before_paying_hides_no_payment(
    talk: str, contents: tuple[int, ...], wrong: list[tuple[str, int, int]]
) -> None:
    rig = table(f"{talk} \n key round_closed")
    rig.pass_ms(1_000)
    moved(rig, *contents)
    rig.talk("5 main 10 \n key no_more_bets")
    assert [one for one in alert_amounts(rig) if one[1] != 10_000 or one[2] != 0] == wrong


def test_an_overpaid_winner_is_not_said_to_have_lost_his_wager_where_no_key_closes_the_round() -> None:
    watch = looks((100, ("a",)), (600, ("a", "b")), (0, ()))
    over = replace(watch, looks=(watch.looks[0], *(replace(look, over=True) for look in watch.looks[1:])))
    assert found(over.closed_once_over(), 100) is AlertKind.MISPAY
    taken = looks((100, ("a",)), (0, ()), (500, ("b",)))
    closed = replace(taken, looks=(taken.looks[0], *(replace(look, closed=True) for look in taken.looks[1:])))
    assert found(closed, 100) is AlertKind.WINNING_BET_TAKEN


def test_where_readers_look_seldom_a_payment_may_have_been_picked_up_before_the_next_bet() -> None:
    """Nothing is seen to come before the close; the next bets lie beside the wager after it."""
    watch = looks((100, ("a",)), (140, ("a", "b")), (500, ("a", "b", "c")))
    closed = replace(watch, looks=(watch.looks[0], *(replace(look, closed=True) for look in watch.looks[1:])))
    terms = PaymentTerms(1, hidden=True, course=Course(()))
    owed = WagerDue(1, "main", 100, 100, 1)
    assert judge(closed, owed, terms) is None
    assert judge(closed, owed, terms._replace(hidden=False)) is not None


def test_a_line_that_never_held_what_was_wagered_is_not_judged() -> None:
    """Insurance of 100 by the cards, of which the looks show 50 and then 500."""
    watch = replace(looks((0, ()), (50, ("a",)), (500, ("a", "b")), (0, ())), wager_cents=0)
    wrong = judge(watch, WagerDue(1, "insurance", 100, 200, 1), PaymentTerms(1, later=True, course=Course(())))
    assert wrong is None


# --- journals of before -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("talk", "contents", "wrong"),
    [
        (ONE_LOSES, (200, 100, 0), ["mispay"]),
        (BOTH_WIN, (225,), ["mispay"]),
        (BOTH_WIN, (200, 700, 0), []),
        (ONE_PUSHES, (600, 0), []),
        (SPLIT_WON, (500, 0), []),
    ],
)
def test_in_a_journal_of_before_payments_were_judged_without_their_course(
    talk: str, contents: tuple[int, ...], wrong: list[str]
) -> None:
    rig = table(talk, by_course=False)
    moved(rig, *contents, wide_ms=SLOW_MS)
    next_bets(rig)
    assert [one.kind.value for one in raised(rig) if one.spot == 1] == wrong
