"""A hand as a JSON case: rules, bets, shoe and acts in, a round that can be settled out.

A case is an object with ``rules`` (a profile's name), ``bets`` (cents by spot and bet), ``shoe`` (every card in the
order it left the shoe, used up exactly) and ``actions``; and, where needed, ``options``, ``burn``, ``decks``,
``chip_unit_cents``, ``payout_unit_cents``, ``blazing_meter_cents`` with ``blazing_reset_cents``, and ``mhb``. What a
case expects of itself is never read for deciding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from controller.core.analysis.scripted_round import ACTS, ScriptedAct
from controller.core.analysis.stated_meters import StatedMeters, StatedMystery, StatedPooledMeter
from controller.core.game.rule_checks import CENTS_LIMIT, RANGES, impossible_rules
from controller.core.game.rules import Rules
from controller.core.game.side_bet import names as side_bet_names
from controller.formats.config.profiles import with_options
from controller.formats.text.printable import many
from controller.formats.text.safe_parse import DataRefused, json_of, reads_outside
from controller.formats.text.struct_decoder import hint, shown
from firmware_protocols.cards import Card

NEEDED: Final = ("rules", "bets", "shoe", "actions")
KNOWN: Final = frozenset(NEEDED) | {
    *("id", "title", "tags", "rule", "note", "source", "contested", "expect", "options", "burn", "decks"),
    *("chip_unit_cents", "payout_unit_cents", "blazing_meter_cents", "blazing_reset_cents", "mhb", "entered_mid_shoe"),
}
ACT_KEYS: Final = frozenset({"spot", "act", "hand", "amount", "expect", "moot_if_peek", "note"})
EXPECT_KEYS: Final = frozenset(
    {"net_cents", "hand_nets", "hands", "dealer", "dealer_total", "rejected_bets", "breakage_cents"}
    | {"blazing_meter_after_cents", "mhb_meter_after_cents"}
)
"""What a case may expect of itself."""
MHB_KEYS: Final = ("meter_before_cents", "increment_cents", "trigger_cents", "next_trigger_cents")
BET_NAMES: Final = {"mhb": "five_card_progressive"}
"""What a case calls a side wager, where its file has another name."""
WAGERS: Final = frozenset({"main", *side_bet_names(), *BET_NAMES})
"""What may lie at a spot."""

CARDS_LIMIT: Final = 416
"""Cards of eight decks."""
ACTS_LIMIT: Final = 500
"""More acts than seven boxes of four hands can take."""
SPOTS: Final = range(1, 8)


class CaseError(ValueError):
    """A case that cannot be read; ``key`` says where: ``bets.3.main``, ``actions[2].act``."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"{key}: {text}" if key else text)
        self.key = key


class HandCase(NamedTuple):
    """A case as read."""

    rules: Rules
    bets: dict[int, dict[str, int]]
    """Cents by spot and bet as the case names it."""
    burned: tuple[Card, ...]
    shoe: tuple[Card, ...]
    acts: tuple[ScriptedAct, ...]
    meters: StatedMeters
    entered: frozenset[int]
    """Spots that did not bet the last round, in the middle of a shoe."""


@reads_outside(CaseError)
def parse_json(text: str | bytes) -> Any:  # noqa: ANN401 - JSON is anything
    """JSON text whose objects name each key once.

    Raises:
        CaseError: it is not.
    """
    try:
        return json_of(text)
    except DataRefused as error:
        raise CaseError("", str(error)) from error


def read_case(case: object, rules_of: Callable[[str], Rules | None]) -> HandCase:
    """A case from its plain data; ``rules_of`` gives a profile's rules by name, None where there is none.

    Raises:
        CaseError: naming the first key that is wrong.
    """
    if not isinstance(case, Mapping):
        raise CaseError("", "expected an object with rules, bets, shoe, actions")
    for key in case:
        if key not in KNOWN:
            lacking = [needed for needed in NEEDED if needed not in case]
            raise CaseError(str(key), f"unknown key{hint(str(key), lacking) or hint(str(key), KNOWN)}")
    for key in NEEDED:
        if key not in case:
            raise CaseError(key, "missing")
    check_expected(case.get("expect"))
    rules = read_rules(case, rules_of)
    cards = tuple(_card(f"shoe[{place}]", face) for place, face in enumerate(_list(case, "shoe", CARDS_LIMIT)))
    for card, copies in Counter(cards).items():
        if copies > rules.decks:
            raise CaseError("shoe", f"holds {card} {many(copies, 'time')}, more than {many(rules.decks, 'deck')} can")
    burn = _whole("burn", case.get("burn", 0), 0, len(cards))
    acts = tuple(read_act(f"actions[{place}]", act) for place, act in enumerate(_list(case, "actions", ACTS_LIMIT)))
    entered = frozenset(
        _whole(f"entered_mid_shoe[{place}]", spot, 1, 7)
        for place, spot in enumerate(_list(case, "entered_mid_shoe", 7) if "entered_mid_shoe" in case else [])
    )
    return HandCase(
        rules, read_bets(case["bets"], rules.boxes), cards[:burn], cards[burn:], acts, read_meters(case), entered
    )


def check_expected(expect: object) -> None:
    """What a case expects is compared, not read here; but a key that nothing is compared with would pass unseen."""
    if expect is None:
        return
    if not isinstance(expect, Mapping):
        raise CaseError("expect", f"expected an object, got {shown(expect)}")
    for key in expect:
        if key not in EXPECT_KEYS:
            raise CaseError(f"expect.{key}", f"unknown key; expected one of {', '.join(sorted(EXPECT_KEYS))}")


def read_rules(case: Mapping[str, Any], rules_of: Callable[[str], Rules | None]) -> Rules:
    """The profile's rules with the case's own options, units and decks."""
    name = case["rules"]
    rules = rules_of(name) if isinstance(name, str) else None
    if rules is None:
        raise CaseError("rules", f"no profile is called {shown(name)}")
    options = case.get("options", {})
    if not isinstance(options, Mapping):
        raise CaseError("options", f"expected an object, got {shown(options)}")
    units = {key: case[key] for key in ("chip_unit_cents", "payout_unit_cents") if key in case}
    rules, wrong = with_options(rules, {**options, **units})
    for key, text in wrong:
        raise CaseError(key if key in units else f"options.{key}", text)
    for finding in impossible_rules(rules):
        key = ".".join(finding.key).removeprefix("options.")
        raise CaseError(key if key in units else f"options.{key}", finding.text)
    # The decks of the day are no option of the profile: a wager that needs more is returned, not refused as a rule.
    return replace(rules, decks=_whole("decks", case.get("decks", rules.decks), *RANGES["decks"]))


def read_bets(bets: object, boxes: int) -> dict[int, dict[str, int]]:
    """Cents by spot and bet, at the boxes of a layout; at least one main wager."""
    if not isinstance(bets, Mapping):
        raise CaseError("bets", f"expected an object of spots, got {shown(bets)}")
    found: dict[int, dict[str, int]] = {}
    for spot, laid in bets.items():
        if not (isinstance(spot, str) and spot.isascii() and spot.isdigit() and len(spot) == 1 and int(spot) in SPOTS):
            raise CaseError(f"bets.{spot}", "expected a spot from 1 to 7")
        if int(spot) > boxes:
            raise CaseError(f"bets.{spot}", f"expected a spot from 1 to {boxes} ([rules] boxes)")
        if not isinstance(laid, Mapping):
            raise CaseError(f"bets.{spot}", f"expected an object of bets, got {shown(laid)}")
        for bet in laid:
            if bet not in WAGERS:
                raise CaseError(f"bets.{spot}.{bet}", f"unknown wager; expected one of {', '.join(sorted(WAGERS))}")
        found[int(spot)] = {
            str(bet): _whole(f"bets.{spot}.{bet}", cents, 1, CENTS_LIMIT) for bet, cents in laid.items()
        }
    if not any("main" in laid for laid in found.values()):
        raise CaseError("bets", "expected at least one main wager")
    return dict(sorted(found.items()))


def read_act(key: str, act: object) -> ScriptedAct:
    """One act; its ``expect`` decides nothing."""
    if not isinstance(act, Mapping):
        raise CaseError(key, f"expected an object, got {shown(act)}")
    for name in act:
        if name not in ACT_KEYS:
            raise CaseError(f"{key}.{name}", f"unknown key; expected one of {', '.join(sorted(ACT_KEYS))}")
    for name in ("spot", "act"):
        if name not in act:
            raise CaseError(f"{key}.{name}", "missing")
    what = act["act"]
    if not isinstance(what, str) or what not in ACTS:
        raise CaseError(f"{key}.act", f"expected one of {', '.join(sorted(ACTS))}, got {shown(what)}")
    if act.get("expect") not in (None, "rejected"):
        raise CaseError(f"{key}.expect", f'expected "rejected" or nothing, got {shown(act["expect"])}')
    cents = _whole(f"{key}.amount", act["amount"], 1, CENTS_LIMIT) if act.get("amount") is not None else None
    if what in {"insurance", "ez_bust"} and cents is None:
        raise CaseError(f"{key}.amount", "missing")
    spot = _whole(f"{key}.spot", act["spot"], 1, 7)
    return ScriptedAct(spot, what, _whole(f"{key}.hand", act.get("hand", 0), 0, 3), cents)


def read_meters(case: Mapping[str, Any]) -> StatedMeters:
    """The meters of the round."""
    linked = mystery = None
    if "blazing_meter_cents" in case or "blazing_reset_cents" in case:
        linked = StatedPooledMeter(
            *(_whole(key, _needed(case, key), 0, CENTS_LIMIT) for key in ("blazing_meter_cents", "blazing_reset_cents"))
        )
    if "mhb" in case:
        mystery_case = case["mhb"]
        if not isinstance(mystery_case, Mapping):
            raise CaseError("mhb", f"expected an object, got {shown(mystery_case)}")
        for key in mystery_case:
            if key not in MHB_KEYS:
                raise CaseError(f"mhb.{key}", f"unknown key; expected one of {', '.join(MHB_KEYS)}")
        mystery = StatedMystery(
            *(_whole(f"mhb.{key}", _needed(mystery_case, key, "mhb."), 0, CENTS_LIMIT) for key in MHB_KEYS)
        )
    return StatedMeters(linked, mystery)


def _needed(values: Mapping[str, Any], key: str, prefix: str = "") -> object:
    if key not in values:
        raise CaseError(f"{prefix}{key}", "missing")
    return values[key]


def _list(case: Mapping[str, Any], key: str, most: int) -> list[Any]:
    value = case[key]
    if not isinstance(value, list):
        raise CaseError(key, f"expected a list, got {shown(value)}")
    if len(value) > most:
        raise CaseError(key, f"expected at most {most}, got {len(value)}")
    return value


def _whole(key: str, value: object, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CaseError(key, f"expected a whole number from {least} to {most}, got {shown(value)}")
    return value


def _card(key: str, face: object) -> Card:
    try:
        return Card(str(face))
    except ValueError:
        raise CaseError(key, f"expected a card such as 8h or Td, got {shown(face)}") from None
