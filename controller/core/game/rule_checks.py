"""What rules mean to each other: combinations that cannot be, and choices that are legal but doubtful."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from controller.core.game.rules import Rules, SideBetTerms
from controller.core.game.side_bet import SideBet, find, names, terms_of

CENTS_LIMIT: Final = 10**12
"""No amount that is laid, due, declared or reported is above ten thousand million dollars.

At a thousand to one, the longest odds of any pay table, it is still below 2**53: exact in every language that reads it.
"""

RANGES: Final[dict[str, tuple[int, int]]] = {
    "decks": (1, 8),
    "boxes": (1, 7),
    "max_hands": (1, 4),
    "aggregate_limit_cents": (0, CENTS_LIMIT),
    "mystery_reset_cents": (0, 10**9),
    "mystery_ceiling_cents": (1, 10**9),
}
"""Lowest and highest value of each counted rule. A box fills at most four hands on any card; no shoe holds more than 8
decks; no amount is above ten thousand million dollars."""

OPTION_RANGES: Final[dict[str, tuple[int, int]]] = {
    "key_slack": (0, 1),
    "new_shoe_burns": (0, 10),
    "payout_unit_cents": (1, 100_000),
    "chip_unit_cents": (1, 100_000),
    "minimum_cents": (0, CENTS_LIMIT),
    "maximum_cents": (0, CENTS_LIMIT),
    "side_maximum_cents": (0, CENTS_LIMIT),
    "turn_pause_s": (1, 60),
    "deal_gap_s": (0, 60),
}
"""The same for the options: no house rounds to more than a thousand dollars or burns more than ten cards."""

_PRESSED: Final = (
    ("stand_key", "always", "stand", "sometimes"),
    ("no_more_bets", "always", "no_more_bets", "sometimes"),
    ("turn_key", "always", "hole_turned", "sometimes"),
    ("deal_key", "always", "no_more_bets", "sometimes"),
)
"""Options that promise a press: the option, its value, what the key means, and the value that promises none."""

_USUAL_ODDS: Final[dict[str, tuple[int, int]]] = {"win_pays": (1, 1), "natural_pays": (2, 1), "insurance_pays": (2, 1)}
"""The best odds that any house is known to pay: beyond them a digit has slipped in, such as 65 to 1 for 6 to 5."""


class RuleFinding(NamedTuple):
    """What is wrong or doubtful, and at which key: ``("max_hands",)`` or ``("side_bets", "ez_bust", "up_cards")``."""

    key: tuple[str, ...]
    text: str


def impossible_values(rules: Rules) -> Iterator[RuleFinding]:
    """Every value that no table can play, whatever the other rules are, and every side wager that cannot be offered."""
    yield from _out_of_range(rules, RANGES, ())
    yield from _out_of_range(rules.options, OPTION_RANGES, ("options",))
    for key in ("win_pays", "natural_pays", "insurance_pays"):
        yield from _bad_odds((key,), getattr(rules, key))
    yield from _impossible_side_bets(rules)


def impossible_rules(rules: Rules) -> Iterator[RuleFinding]:
    """Every value and every combination that no table can play."""
    yield from impossible_values(rules)
    if rules.hole_check == "device" and rules.hole_card == "none":
        yield RuleFinding(("hole_check",), 'a device has nothing to check with hole_card = "none"')
    if rules.even_money and not rules.insurance:
        yield RuleFinding(("even_money",), "even money is taken in lieu of insurance, which is not offered")
    if rules.resplit_aces and rules.max_hands < 3:
        yield RuleFinding(("resplit_aces",), f"aces cannot be split again with max_hands = {rules.max_hands}")
    if rules.double_split_aces and (not rules.double_after_split or rules.split_ace_cards == "one"):
        yield RuleFinding(
            ("double_split_aces",), 'split aces are doubled only with double_after_split and split_ace_cards = "any"'
        )
    if rules.surrender == "none" and rules.surrender_on == "any_hand":
        yield RuleFinding(("surrender_on",), 'there is no surrender to make with surrender = "none"')
    least, most = rules.options.minimum_cents, rules.options.maximum_cents
    if most and least > most:
        yield RuleFinding(("options", "minimum_cents"), f"the least wager {least} is above the highest {most}")
    if rules.mystery_reset_cents >= rules.mystery_ceiling_cents:
        yield RuleFinding(("mystery_reset_cents",), "the meter would start at or above its ceiling")


def unpressable_options(rules: Rules, meanings: Collection[str]) -> Iterator[tuple[str, str]]:
    """Options that wait for a key that the keypad lacks, each with what to do; ``meanings``: of all its keys."""
    promised = [row for row in _PRESSED if getattr(rules.options, row[0]) == row[1]]
    if rules.even_money and rules.options.even_money_shown == "key":
        promised.append(("even_money_shown", "key", "even_money", "chips"))
    if rules.surrender != "none" and rules.surrender_on == "any_hand":
        promised.append(("surrender_on", "any_hand", "surrender", "first_decision"))
    for key, value, meaning, other in promised:
        if meaning not in meanings:
            needed = f'expected a key that means {meaning} in [keypad.keys], as "{value}" depends on it'
            yield key, f'{needed}; give a key this meaning, or set {key} = "{other}"'


def _out_of_range(values: object, ranges: dict[str, tuple[int, int]], prefix: tuple[str, ...]) -> Iterator[RuleFinding]:
    """Counted values outside their range."""
    for key, (least, most) in ranges.items():
        value = getattr(values, key)
        if not least <= value <= most:
            yield RuleFinding((*prefix, key), f"expected a whole number from {least} to {most}, got {value}")


def _bad_odds(key: tuple[str, ...], odds: tuple[int, int]) -> Iterator[RuleFinding]:
    """Odds are two whole numbers, the second above 0."""
    ahead, to = odds
    if ahead < 0 or to < 1:
        yield RuleFinding(key, f"expected odds such as [3, 2], got [{ahead}, {to}]")


def _impossible_side_bets(rules: Rules) -> Iterator[RuleFinding]:
    """Side wagers that do not exist or cannot be offered."""
    if rules.side_wagers == "prohibited" and rules.side_bets:
        yield RuleFinding(
            ("side_bets",), f'side_wagers = "prohibited", and the rules offer {", ".join(rules.side_bets)}'
        )
    if len(set(rules.side_bets)) != len(rules.side_bets):
        yield RuleFinding(("side_bets",), "a side wager is named twice")
    offered_late: dict[int, str] = {}
    metered = ""
    for name in rules.side_bets:
        if name not in names():
            yield RuleFinding(("side_bets", name), f"expected one of {', '.join(names())}")
            continue
        bet, terms = find(name), terms_of(rules, name)
        yield from _impossible_terms(rules, bet, terms)
        for up in terms.up_cards:
            if up in offered_late:
                yield RuleFinding(
                    ("side_bets", name, "up_cards"), f"{offered_late[up]} is offered against {up} already"
                )
            offered_late[up] = name
        if terms.meter_shares and metered:
            yield RuleFinding(("side_bets", name, "meter_shares"), f"the linked meter belongs to {metered}")
        metered = metered or (name if terms.meter_shares else "")
    for name in rules.mystery_fed_by:
        if name not in names():
            yield RuleFinding(("mystery_fed_by",), f"no side wager is called {name}")


def _impossible_prices(bet: SideBet, terms: SideBetTerms) -> Iterator[RuleFinding]:
    """Rows a side wager does not know, rows priced twice, and what no row can pay."""
    place = ("side_bets", bet.name)
    priced: dict[str, str] = {}
    for table in ("pays", "awards_cents", "meter_shares"):
        for row, worth in getattr(terms, table).items():
            if row not in bet.rows:
                yield RuleFinding((*place, table, row), f"unknown row; expected one of {', '.join(bet.rows) or 'none'}")
            if row in priced:
                yield RuleFinding((*place, table, row), f"the row is priced in {priced[row]} already")
            priced[row] = table
            if table == "awards_cents":
                if worth < 0:
                    yield RuleFinding((*place, table, row), f"expected cents, got {worth}")
            else:
                yield from _bad_odds((*place, table, row), worth)
            if table == "meter_shares" and worth[0] > worth[1]:
                yield RuleFinding((*place, table, row), "no row pays more than the whole meter")
    if bet.placed == "after_deal" and terms.meter_shares:
        yield RuleFinding((*place, "meter_shares"), "a wager made after the deal raises no meter and wins none")


def _impossible_terms(rules: Rules, bet: SideBet, terms: SideBetTerms) -> Iterator[RuleFinding]:
    """Prices, choices, decks, stakes and up cards with which a side wager cannot be offered."""
    place = ("side_bets", bet.name)
    yield from _impossible_prices(bet, terms)
    for key, value in terms.choices.items():
        allowed = bet.choices.get(key)
        if allowed is None:
            yield RuleFinding(
                (*place, "choices", key), f"unknown key; expected one of {', '.join(bet.choices) or 'none'}"
            )
        elif value not in allowed:
            yield RuleFinding((*place, "choices", key), f'expected one of {", ".join(allowed)}, got "{value}"')
    if rules.decks < terms.least_decks:
        text = f"{bet.name} needs {terms.least_decks} decks, the shoe has {rules.decks}"
        yield RuleFinding((*place, "least_decks"), text)
    if terms.stake_cents < 0:
        yield RuleFinding((*place, "stake_cents"), f"expected cents, got {terms.stake_cents}")
    late = bet.placed == "after_deal"
    if bool(terms.up_cards) != late:
        text = "expected the up cards against which it is offered" if late else "the wager is made before the deal"
        yield RuleFinding((*place, "up_cards"), text)
    for up in terms.up_cards:
        if not 2 <= up <= 9:
            yield RuleFinding((*place, "up_cards"), f"{up}: with ace or ten up insurance and the check come first")


def doubtful_rules(rules: Rules) -> Iterator[RuleFinding]:
    """Choices that can be played and that a house should look at twice."""
    if rules.max_hands > 3 and rules.boxes > 6:
        yield RuleFinding(
            ("max_hands",),
            f"{rules.max_hands} hands with {rules.boxes} boxes: N.J.A.C. 13:69F-2.11(e) has four hands with up to six "
            "boxes, three with seven",
        )
    if rules.surrender_on == "any_hand":
        yield RuleFinding(
            ("surrender_on",), "chips do not show such a surrender: a live table knows it only by its keys"
        )
    ahead, to = rules.natural_pays
    if ahead * rules.win_pays[1] <= to * rules.win_pays[0]:
        yield RuleFinding(("natural_pays",), f"a natural pays {ahead} to {to}, no more than any other winning hand")
    for key, (most, to_one) in _USUAL_ODDS.items():
        ahead, to = getattr(rules, key)
        if ahead * to_one > to * most:
            yield RuleFinding(
                (key,), f"{ahead} to {to} is more than {most} to {to_one}, the most that a house is known to pay"
            )
    for name in rules.mystery_fed_by:
        if rules.side_bets and name in names() and name not in rules.side_bets:
            yield RuleFinding(("mystery_fed_by",), f"{name} is not among the side wagers: it never raises the meter")
    for name in rules.side_bets:
        if name not in names() or not find(name).rows:
            continue
        terms = terms_of(rules, name)
        if not (terms.pays or terms.awards_cents or terms.meter_shares):
            yield RuleFinding(("side_bets", name), "no row pays anything")
