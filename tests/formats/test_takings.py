"""What a table took, out of what it published, against what the people at it know to be true."""

from __future__ import annotations

import csv
import io
import random

import msgspec
import pytest

from controller.core.game.rules import Rules
from controller.core.messages.events import WagerSettled
from controller.core.messages.inputs import AdjustWager, SetCard, VoidRound
from controller.formats.mqtt.envelope import Published
from controller.formats.text.tabular import as_csv, as_json_lines
from controller.io.files import profile_files
from controller.reports.revenue_rows import RoundRow, Takings, WagerRow, takings, win_per_handle
from firmware_protocols.cards import Card
from simulators.people.acts import RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.accounts import hold_whole, published
from tests.core.rig import Rig

PENN = "hollywood-penn-national"
ROUNDS = 25


def a_rig() -> Rig:
    rack = Rack()
    rules: Rules = profile_files.load(PENN, {"stand_key": "always"}).rules
    return Rig(rules, {chip: rack.value_cents((chip,)) for chip in chips_of(rack)})


def chips_of(rack: Rack) -> list[str]:
    return [line.split(",")[0] for line in rack.registry_csv().splitlines()[1:]]


def played(rig: Rig, rounds: int = ROUNDS) -> list[RoundPlayed]:
    acts = play(house_from(profile_files.raw(PENN)), random.Random(11), Rack(), (1, 4), rounds=rounds)
    truths = rig.perform(acts)
    rig.key("round_closed")
    return truths


@pytest.fixture(scope="module")
def night() -> tuple[list[Published], Takings, list[RoundPlayed]]:
    rig = a_rig()
    rounds = played(rig)
    events = published(rig.events)
    return events, takings(events), rounds


def test_every_wager_is_a_row_with_what_it_was_truly_due(
    night: tuple[list[Published], Takings, list[RoundPlayed]],
) -> None:
    _, found, rounds = night
    truth = {(one.round, w.spot, w.bet): (w.wager_cents, w.net_cents) for one in rounds for w in one.wagers}
    rows = {(row.round, row.spot, row.bet): (row.wager_cents, row.net_cents) for row in found.wagers}
    assert rows == truth


def test_what_doubles_and_splits_added_is_handle(night: tuple[list[Published], Takings, list[RoundPlayed]]) -> None:
    _, found, _ = night
    staked: dict[tuple[int, int], int] = {}
    for hand in found.hands:
        staked[hand.round, hand.spot] = staked.get((hand.round, hand.spot), 0) + hand.stake_cents
    mains = [row for row in found.wagers if row.bet == "main"]
    assert any(row.handle_cents > row.wager_cents for row in mains)
    assert all(row.handle_cents == staked.get((row.round, row.spot), row.wager_cents) for row in mains)


def test_rounds_add_up_to_their_wagers_and_hours_to_the_night(
    night: tuple[list[Published], Takings, list[RoundPlayed]],
) -> None:
    events, found, rounds = night
    assert [row.round for row in found.rounds] == [one.round for one in rounds]
    for row in found.rounds:
        own = [wager for wager in found.wagers if wager.round == row.round]
        assert row.win_cents == sum(wager.win_cents for wager in own)
        assert row.handle_cents == sum(wager.handle_cents for wager in own)
        assert row.started < row.closed
        assert events[row.last_seq - 1].time == row.closed
    sums = found.sums()
    assert sum(row.win_cents for row in sums) == sum(row.win_cents for row in found.rounds)
    assert sum(row.wagers for row in sums) == len(found.wagers)


def test_the_dealer_of_each_round_has_faces(night: tuple[list[Published], Takings, list[RoundPlayed]]) -> None:
    _, found, rounds = night
    assert [row.dealer for row in found.rounds] == [" ".join(one.dealer) for one in rounds]


def test_a_voided_round_took_nothing() -> None:
    rig = a_rig()
    rounds = played(rig, rounds=2)
    rig.give(VoidRound(rig.now_ns, rounds[0].round, "M. Okafor", "a foul deal"))
    found = takings(published(rig.events))
    first, second = found.rounds
    assert (first.outcome, first.handle_cents, first.win_cents) == ("void", 0, 0)
    assert second.handle_cents > 0
    assert {row.basis for row in found.wagers if row.round == first.round} == {"floor"}


def test_what_the_floor_ruled_is_what_counts() -> None:
    rig = a_rig()
    (rounds,) = played(rig, rounds=1)
    (spot, *_) = (wager.spot for wager in rounds.wagers if wager.bet == "main")
    rig.give(AdjustWager(rig.now_ns, rounds.round, spot, "main", 700, "M. Okafor", "paid by courtesy"))
    rows = {row.spot: row for row in takings(published(rig.events)).wagers if row.bet == "main"}
    assert (rows[spot].net_cents, rows[spot].basis, rows[spot].why) == (700, "floor", "paid by courtesy")
    assert rows[spot].win_cents == -700


@pytest.mark.parametrize(
    ("win", "handle", "hold"),
    [(0, 0, 0), (50, 1000, 500), (-50, 1000, -500), (1, 3, 3333), (2, 3, 6667), (1, 20000, 1)],
)
def test_hold_is_win_by_handle(win: int, handle: int, hold: int) -> None:
    assert win_per_handle(win, handle) == hold


def test_rows_are_written_as_json_lines_and_csv(night: tuple[list[Published], Takings, list[RoundPlayed]]) -> None:
    _, found, _ = night
    lines = as_json_lines(found.rounds).splitlines()
    assert [msgspec.json.decode(line, type=RoundRow) for line in lines] == list(found.rounds)
    read = list(csv.DictReader(io.StringIO(as_csv(RoundRow, found.rounds).decode())))
    assert [row["win_cents"] for row in read] == [str(row.win_cents) for row in found.rounds]


def test_a_cell_that_would_be_a_formula_is_text() -> None:
    row = WagerRow(1, "t", 1, 1, "main", 100, 100, None, "floor", "=1+1")
    (read,) = csv.DictReader(io.StringIO(as_csv(WagerRow, [row]).decode()))
    assert (read["why"], read["net_cents"]) == ("'=1+1", "")


def test_wagers_of_an_irregular_round_are_open_in_every_account() -> None:
    rig = Rig(profile_files.load(PENN, {"stand_key": "always"}).rules)
    rig.talk("1 main 25\n2 main 10\nkey no_more_bets\nTh 9s 7d Qs 9d Td\nkey hit stand yes stand round_closed")
    assert rig.outcomes() == ["irregular"]
    found = takings(published(rig.events))
    assert [(row.spot, row.state, row.wager_cents) for row in found.wagers] == [(1, "open", 2500), (2, "open", 1000)]
    assert (found.rounds[0].open_wagers, found.rounds[0].open_cents) == (2, 3500)
    hold_whole(rig)


def a_card_named(face: str) -> Rig:
    """A round of 17 against 19 in which the floor names the player's second card, then closed."""
    rig = Rig(profile_files.load(PENN, {"stand_key": "always"}).rules)
    rig.talk("1 main 25\nkey no_more_bets\nTh 9s 7d Td\nkey stand hole_turned")
    assert rig.table.state.round is not None
    second = rig.table.state.round.cards.drawn[2].number
    rig.give(SetCard(rig.now_ns, second, Card(face), "M. Okafor", "seen on video"))
    rig.key("round_closed")
    return rig


def test_a_hand_shows_the_card_that_the_floor_named_and_its_total() -> None:
    found = takings(published(a_card_named("8d").events))
    assert [(row.cards, row.total) for row in found.hands] == [("Th 8d", 18)]


def test_a_hand_that_is_not_completed_again_has_the_total_of_its_faces() -> None:
    """A natural by the shoe, a surrender by the card that lay there."""
    rig = Rig(profile_files.load(PENN, {"stand_key": "always"}).rules)
    rig.talk("1 main 25\n2 main 25\nkey no_more_bets\nQs 5d 7d As 6d Tc")
    rig.talk("1 main 0\nkey stand hole_turned")
    assert rig.table.state.round is not None
    second = rig.table.state.round.cards.drawn[3].number
    rig.give(SetCard(rig.now_ns, second, Card("9c"), "M. Okafor", "seen on video"))
    rig.key("round_closed")
    hands = takings(published(rig.events)).hands
    assert [(row.cards, row.total) for row in hands if row.spot == 1] == [("Qs 9c", 19)]


def test_a_round_that_no_legal_play_explains_has_no_hands() -> None:
    found = takings(published(a_card_named("Ad").events))
    assert [(row.outcome, row.hands) for row in found.rounds] == [("irregular", 0)]
    assert not found.hands


def test_an_account_that_misses_a_wager_is_found_out() -> None:
    rig = a_rig()
    played(rig, rounds=2)
    hold_whole(rig)
    settled = next(event for event in rig.events if isinstance(event, WagerSettled))
    rig.events.remove(settled)
    with pytest.raises(AssertionError):
        hold_whole(rig)
