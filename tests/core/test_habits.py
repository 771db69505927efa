"""A small part of ``make campaign-habits``: honest people at unkind tables, whatever keys their dealer presses."""

from __future__ import annotations

import pytest

from bench.campaign_habits import blocks, faults, table
from bench.habit_blocks import ACCUSATIONS, HABITS, PROFILES, Account, Block, played, sat
from controller.core.messages.events import CardDrawn
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from simulators.people.acts import RoundPlayed, Wager


@pytest.mark.parametrize("habit", HABITS)
def test_nothing_is_settled_wrong_nothing_is_left_out_every_round_ends_and_nobody_is_accused(habit: str) -> None:
    results = [played(Block(0, 5, 10, 3, habit, profile, 400)) for profile in ("hollywood-penn-national", "pitch-h17")]
    assert [result["examples"] for result in results if faults(result)] == []
    assert all(result["wagers"] > 20 for result in results)
    assert any(result["alerts"].get("foreign_chip") for result in results)


@pytest.mark.parametrize("habit", HABITS)
def test_hands_quicker_than_the_readers_settle_nothing_wrong(habit: str) -> None:
    result = played(Block(16, 81016, 5, 3, habit, "hollywood-penn-national", 4_000, 300))
    assert (result["wrong"], result["phantom"], result["neither"]) == (0, 0, 0)


def account_of(*rounds: tuple[int, ...]) -> Account:
    """People who played one round after another at these spots."""
    account = Account()
    for number, spots in enumerate(rounds, start=1):
        account.cards[number] = number
        wagers = tuple(Wager(spot, "main", 1000, -1000) for spot in spots)
        account.round_played(RoundPlayed(number, wagers, {}, (), ()), [number])
    return account


def noticed(kind: AlertKind, number: int, spot: int) -> AlertRaised:
    return AlertRaised(1, kind, Severity.NOTICE, "a wager after the lock", number, spot, "main")


@pytest.mark.parametrize(
    ("spot", "accuses"), [(1, True), (2, True), (3, True), (4, False)], ids=["before", "now", "next", "nobody's"]
)
def test_only_an_alert_at_a_spot_that_somebody_plays_accuses_anybody(spot: int, *, accuses: bool) -> None:
    account = account_of((1,), (2,), (3,), (4,))
    account.alerts = [noticed(AlertKind.PAST_POSTING, 2, spot), noticed(AlertKind.DUPLICATED_CHIP, 2, spot)]
    assert [one.kind for one in account.accusations()] == [AlertKind.PAST_POSTING][: int(accuses)]


def test_a_round_whose_cards_are_reported_only_after_it_was_played_is_not_lost() -> None:
    account = account_of((1,))
    account.round_played(RoundPlayed(2, (Wager(5, "main", 1000, -1000),), {}, (), ()), [7])
    assert account.lost == []
    account.take([CardDrawn(2, 7, 0, "")])
    account.played_out()
    assert (account.lost, account.truth[2, 5, "main"]) == ([], (1000, -1000))


def test_one_of_whose_cards_the_table_never_speaks_is() -> None:
    account = account_of((1,))
    account.round_played(RoundPlayed(2, (Wager(5, "main", 1000, -1000),), {}, (), ()), [7])
    account.played_out()
    assert [played.round for played in account.lost] == [2]


def test_who_plays_a_round_that_the_table_took_for_cards_of_another_can_be_accused_in_that() -> None:
    account = account_of((1,))
    account.round_played(RoundPlayed(2, (Wager(5, "main", 1000, -1000),), {}, (), ()), [99])
    account.played_out()
    account.alerts = [noticed(AlertKind.CAPPING, 1, 5)]
    assert len(account.accusations()) == 1


def test_a_campaign_goes_round_every_habit_profile_and_number_of_boxes() -> None:
    cells = {
        (block.habit, block.profile, block.boxes)
        for block in blocks(50 * len(HABITS) * len(PROFILES) * 7, 1, tuple(HABITS))
    }
    assert len(cells) == len(HABITS) * len(PROFILES) * 7


def test_what_must_not_happen_is_a_fault_and_is_reported() -> None:
    result = played(Block(0, 5, 3, 1, "keys", "pitch-h17", 0))
    assert not faults(result)
    assert faults(result | {"wrong": 1})
    assert faults(result | {"accused": {"capping": 1}})
    lines = list(table([result | {"accused": {"capping": 1}}]))
    assert lines[2].startswith("| keys | 3 |")
    assert '"examples"' in lines[-1]


def test_a_payment_that_the_antenna_of_another_box_hears_accuses_nobody_there() -> None:
    """A natural's payment is heard at the next box, too, until both are picked up; its chips look like a double."""
    account, _ = sat(Block(666, 903_003_375, 13, 2, "bare", "classic-shoe-and-pitch"))
    assert [one.text for one in account.alerts if one.kind in ACCUSATIONS] == []


UNKIND = {"eager_per_mille": 100, "restless_per_mille": 50, "thoughts_per_mille": 500}


@pytest.mark.parametrize(
    ("table", "wager"),
    [
        pytest.param(
            Block(10, 32_000_106, 15, 3, "bare", "hollywood-penn-national", thoughts_per_mille=900),
            (13, 7, "main"),
            id="its turn came, and its own card a second later, while its chips moved",
        ),
        pytest.param(
            Block(83, 77_000_314, 17, 3, "bare", "hollywood-perryville", **UNKIND),
            (15, 6, "main"),
            id="laid in two movements before its turn, in a deal that is not certain",
        ),
        pytest.param(
            Block(123, 77_000_354, 17, 4, "some", "borgata", **UNKIND),
            (15, 4, "main"),
            id="laid before its turn where half of the decisions have keys",
        ),
        pytest.param(
            Block(55, 77_000_286, 47, 2, "bare", "borgata", **UNKIND),
            (45, 4, "main"),
            id="a split of which a part is taken back, and laid again as that has come to rest",
        ),
    ],
)
def test_players_who_double_early_or_think_better_of_it_get_what_they_staked(
    table: Block, wager: tuple[int, int, str]
) -> None:
    account, _ = sat(table)
    assert account.truth[wager][1]
    assert account.settlements.get(wager, (*account.truth[wager], ""))[:2] == account.truth[wager]


@pytest.mark.parametrize(
    "table",
    [
        Block(0, 77_000_231, 42, 1, "keys", "hollywood-penn-national", **UNKIND),
        Block(64, 77_000_295, 50, 2, "forgets", "pitch-h17", **UNKIND),
    ],
    ids=["a deal that is not certain", "hands that lie face down"],
)
def test_chips_taken_back_before_a_card_or_key_accuse_nobody_once_the_hands_are_shown(table: Block) -> None:
    account, _ = sat(table)
    assert [one.text for one in account.accusations()] == []
    assert account.changed


WILD = {
    "eager_per_mille": 100,
    "falters_per_mille": 50,
    "restless_per_mille": 50,
    "thoughts_per_mille": 50,
    "changes_per_mille": 20,
    "withdraws_per_mille": 100,
    "mends_per_mille": 50,
}


def assert_right_and_not_all_open(table: Block) -> None:
    """What was settled was settled right, some of it was, and nobody is accused."""
    result = played(table)
    assert (result["wrong"], result["phantom"], result["accused"], result["neither"]) == (0, 0, {}, 0)
    assert result["wagers"] > result["open"]


WILDER = {
    "eager_per_mille": 200,
    "falters_per_mille": 100,
    "restless_per_mille": 100,
    "thoughts_per_mille": 150,
    "changes_per_mille": 40,
    "withdraws_per_mille": 200,
    "mends_per_mille": 100,
}
HURRIED = {"withdraws_per_mille": 300, "eager_per_mille": 100, "falters_per_mille": 50}


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(
            Block(1, 1_000_004, 17, 1, "bare", "hollywood-perryville", withdraws_per_mille=300),
            id="twice, with soft 18",
        ),
        pytest.param(
            Block(4, 1_000_007, 50, 1, "bare", "pitch-h17", withdraws_per_mille=300), id="in parts, in other chips"
        ),
        pytest.param(
            Block(3, 1_000_006, 4, 1, "bare", "classic-shoe-and-pitch", withdraws_per_mille=300),
            id="while two antennas hear the wager",
        ),
        pytest.param(
            Block(21, 7_000_042, 21, 3, "bets only", "hollywood-penn-national", **HURRIED),
            id="in a deal that is not certain",
        ),
        pytest.param(
            Block(25, 7_000_046, 12, 3, "bets only", "borgata", **HURRIED), id="in parts, of both hands of a split"
        ),
        pytest.param(
            Block(31, 7_000_052, 50, 4, "bets only", "hollywood-penn-national", **HURRIED),
            id="in parts, with a card as the first of it comes",
        ),
        pytest.param(
            Block(35, 11_000_068, 12, 2, "keys", "hollywood-penn-national", **WILD),
            id="laid as the key of a surrender at another box is pressed",
        ),
        pytest.param(
            Block(36, 11_000_069, 43, 2, "forgets", "hollywood-penn-national", **WILD),
            id="of which nothing is said before the turn",
        ),
        pytest.param(
            Block(34, 21_000_097, 3, 4, "keys", "borgata", withdraws_per_mille=400, eager_per_mille=300),
            id="after the last card, and the wager is taken",
        ),
        pytest.param(
            Block(77, 11_000_110, 34, 3, "keys", "hollywood-perryville", **WILD), id="and the stake is paid as it was"
        ),
        pytest.param(
            Block(105, 11_000_138, 7, 4, "keys", "hollywood-penn-national", **WILD),
            id="laid since the look before the key of a stand",
        ),
        pytest.param(
            Block(78, 13_000_117, 51, 3, "forgets", "hollywood-perryville", **WILDER),
            id="in parts, the last of which is reported once the hole card is turned",
        ),
    ],
)
def test_a_double_that_is_taken_back_before_a_hit_or_stand_was_never_laid(table: Block) -> None:
    assert_right_and_not_all_open(table)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(Block(32, 13_000_071, 4, 1, "some", "pitch-h17", **WILDER), id="while a question holds the round"),
        pytest.param(Block(31, 13_000_070, 15, 1, "round closed", "pitch-h17", **WILDER), id="as the dealer draws"),
    ],
)
def test_a_wager_whose_player_changes_his_chips_lies_there_still(table: Block) -> None:
    assert_right_and_not_all_open(table)


@pytest.mark.parametrize(
    ("table", "wager"),
    [
        pytest.param(
            Block(23, 951_002_876, 63, 3, "bare", "hollywood-penn-national"),
            (61, 4, "insurance"),
            id="until it is picked up",
        ),
        pytest.param(
            Block(121, 77_000_352, 31, 4, "careless", "borgata", **UNKIND),
            (29, 2, "insurance"),
            id="which hears it no more",
        ),
    ],
)
def test_where_another_line_hears_insurance_too_none_is_settled_that_was_not_made(
    table: Block, wager: tuple[int, int, str]
) -> None:
    account, _ = sat(table)
    assert wager[0] in account.numbers
    assert wager not in account.truth
    assert wager not in account.settlements
