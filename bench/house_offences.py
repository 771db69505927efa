"""Offences against the house's own rules, its shoes and its devices, and the houses at which they are planted.

Beside each stands what honest people do at that house, so that the same kind of alert can be counted where nothing is
wrong: a counted shoe that adds up, a sensor that says what lies there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.game.rules import Options, Rules
from controller.core.messages.inputs import ShoeChanged
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, POINTS, Card
from firmware_protocols.readings import DeviceHealth, HealthState, WagersSensed
from simulators.chance import Chance, happens, pick
from simulators.people.acts import Act, AnswerEntry, Draw, Lay, Pause, Press
from simulators.people.bettors import HIGHEST_WAGER_CENTS
from simulators.people.house import SMALLEST_CHIP_CENTS, House
from simulators.people.offenders import OFFENCES, OWN_CHIPS, Planted, Script
from simulators.people.offenders import Offence as AnyOffence
from simulators.people.simulated_table import EZ_BUST, KEY_BURN, MAIN, SPOTS
from tests.core.houses import RULES
from tests.core.human import Done, Happens, HumanRig

PROFILE: Final = "hollywood-penn-national"
SENSED: Final = "blazing7s"
STAKE_CENTS: Final = 500
FEW_DECKS: Final = 2
"""A shoe that is soon over: its end and its last cards are what is wanted."""

SENSED_PER_MILLE: Final = 500


class ShoeLog:
    """What a patient observer knows of the shoe: how many cards left it, and which lay open."""

    def __init__(self, decks: int) -> None:
        self.cards = decks * len(DECK)
        self.decks = decks
        self.drawn = 0
        self.begun = False
        self.spoilt = False
        self.opened: Counter[Card] = Counter()

    def observe(self, acts: Sequence[Done]) -> None:
        """A round was played."""
        burnt = False
        for act in acts:
            if isinstance(act, Press) and act.key == KEY_BURN:
                self.drawn, self.begun, self.spoilt, burnt = 0, True, False, True
                self.opened.clear()
            elif isinstance(act, Draw):
                self.drawn += 1
                self.opened[act.card] += not burnt
                burnt = False


class Committed(NamedTuple):
    """A round with an offence: what happens, where it shows, and the act that does it."""

    acts: list[Done]
    spot: int
    zone: str
    at: int


Offence = Callable[[Script, Chance, ShoeLog], Committed | None]
Habit = Callable[[list[Act], Chance, ShoeLog], list[Done]]


def anywhere(offence: AnyOffence) -> Offence:
    """An offence that needs to know nothing of the shoe."""

    def commit(script: Script, rng: Chance, _: ShoeLog) -> Committed | None:
        planted = offence(script, rng)
        return None if planted is None else Committed([*planted.acts], planted.spot, planted.zone, planted.at)

    return commit


def as_dealt(acts: list[Act], _: Chance, __: ShoeLog) -> list[Done]:
    """Nothing beside what people do anywhere."""
    return [*acts]


@dataclass(frozen=True)
class Setting:
    """A house at which an offence is planted."""

    offence: Offence
    rules: Rules
    dealer: House = field(default_factory=House)
    sensors: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    habit: Habit = as_dealt
    unasked: bool = False
    """Whether the simulated people do it anyway, so that there are no honest rounds."""


def rules_of(**options: object) -> Rules:
    return profile_files.load(PROFILE, {"stand_key": "always", **options}).rules


# --- wagers -----------------------------------------------------------------------------------------


def beyond_the_sign(script: Script, rng: Chance) -> Planted | None:
    """A main wager far above what the sign allows, laid before the lock and played."""
    place, at = (pick(rng, script.boxes), MAIN), script.lock
    return Planted(script.with_change(at, place, (*script.content(place, at), OWN_CHIPS[10000])), *place, at + 1)


def wrong_stake(script: Script, rng: Chance) -> Planted | None:
    """A side wager of another amount than its one stake."""
    place, at = (pick(rng, script.boxes), SENSED), script.lock
    return Planted(script.with_change(at, place, (OWN_CHIPS[2500],)), *place, at + 1)


def bust_bet_against(script: Script, rng: Chance) -> Planted | None:
    """A wager on the dealer breaking, against an up card it is not offered for."""
    up_card = script.acts[script.draws[len(script.boxes)]]
    assert isinstance(up_card, Draw)
    if 2 <= POINTS[up_card.card.rank] <= 6:
        return None
    place, at = (pick(rng, script.boxes), EZ_BUST), script.draws[2 * len(script.boxes) + 1] + 1
    return Planted(script.with_change(at, place, (OWN_CHIPS[500],), 2500), *place, at + 1)


def comes_in(script: Script, _: Chance) -> Planted | None:
    """Somebody bets in mid shoe where that is refused: the simulated people do it of their own accord."""
    at = next((at for at, act in enumerate(script.acts) if isinstance(act, AnswerEntry)), -1)
    entering = script.acts[at]
    return Planted(script.acts, entering.spot, MAIN, at) if isinstance(entering, AnswerEntry) else None


# --- the shoe ---------------------------------------------------------------------------------------


def one_card_more_than_made(script: Script, rng: Chance, log: ShoeLog) -> Committed | None:
    """A card comes whose every copy in this shoe has lain open; it counts as the one it takes the place of."""
    if not log.begun or log.spoilt or script.key(KEY_BURN) >= 0:
        return None
    gone = [card for card in DECK if log.opened[card] == log.decks]
    hole = 2 * len(script.boxes) + 1
    for place, at in enumerate(script.draws):
        act = script.acts[at]
        assert isinstance(act, Draw)
        alike = [card for card in gone if POINTS[card.rank] == POINTS[act.card.rank]]
        if place != hole and alike:
            log.spoilt = True
            swapped = Draw(pick(rng, alike))
            return Committed([*script.acts[:at], swapped, *script.acts[at + 1 :]], 0, "", at)
    return None


def counted(acts: list[Act], log: ShoeLog, wrong_by: int) -> tuple[list[Done], int]:
    """A person counts what is left of the old shoe when the new one is loaded; where, -1: no shoe ended here."""
    at = next((at for at, act in enumerate(acts) if isinstance(act, Press) and act.key == KEY_BURN), -1)
    if at < 0 or not log.begun:
        return [*acts], -1
    left = log.cards - log.drawn + wrong_by
    shoe_changed = Happens(lambda rig: ShoeChanged(rig.now_ns, left, "M. Okafor"))
    return [*acts[: at + 2], Pause(5000), shoe_changed, *acts[at + 2 :]], at + 3


def miscounted(*wrong_by: int) -> Offence:
    """Cards are brought in or taken out of a shoe."""

    def count_wrongly(script: Script, rng: Chance, log: ShoeLog) -> Committed | None:
        acts, at = counted(script.acts, log, pick(rng, wrong_by))
        return Committed(acts, 0, "", at) if at >= 0 else None

    return count_wrongly


def counted_twice(script: Script, rng: Chance, log: ShoeLog) -> Committed | None:
    """Cards are taken out of a shoe, a person says that it adds up, and then another person counts it."""
    acts, at = counted(script.acts, log, 0)
    if at < 0:
        return None
    left = log.cards - log.drawn - pick(rng, (1, 2, 4))
    shoe_changed = Happens(lambda rig: ShoeChanged(rig.now_ns, left, "P. Honest"))
    return Committed([*acts[: at + 1], Pause(5000), shoe_changed, *acts[at + 1 :]], 0, "", at)


def burned_hit(script: Script, rng: Chance, _: ShoeLog) -> Committed | None:
    """The dealer announces a burn, and deals the card to the hand that has asked for it, or to the dealer's own."""
    hits = script.draws[2 * len(script.boxes) + 2 :]
    if not hits:
        return None
    at = pick(rng, hits)
    return Committed([*script.acts[:at], Press(KEY_BURN), Pause(300), *script.acts[at:]], 0, "", at + 2)


def counts_rightly(acts: list[Act], _: Chance, log: ShoeLog) -> list[Done]:
    """Every shoe is counted."""
    return counted(acts, log, 0)[0]


# --- devices ----------------------------------------------------------------------------------------


def sensed(acts: list[Act], lock: int, chips: int, spots: tuple[int, ...]) -> list[Done]:
    """A side wager lies at ``chips`` (0: nowhere) and the sensors latch ``spots``; the stake is collected then."""
    laid: list[Done] = [Lay(chips, SENSED, (OWN_CHIPS[STAKE_CENTS],)), Pause(900)] if chips else []
    gone: list[Done] = [Lay(chips, SENSED, ()), Pause(900)] if chips else []
    sensors = Happens(lambda rig: wagers_sensed(rig, spots))
    return [*acts[:lock], *laid, acts[lock], Pause(900), sensors, Pause(300), *gone, *acts[lock + 1 :]]


def wagers_sensed(rig: HumanRig, spots: tuple[int, ...]) -> WagersSensed:
    """What the unit says once it is locked."""
    after_ns, by_ns = rig.now_ns - 100_000_000, rig.now_ns
    return WagersSensed("bet_sensors", SENSED, spots, spots, rig.desired.lock, after_ns=after_ns, by_ns=by_ns)


def sensed_otherwise(script: Script, rng: Chance, _: ShoeLog) -> Committed | None:
    """A wager the sensor has and the readers have not, or the other way round."""
    spot = pick(rng, script.boxes)
    without_chips = happens(rng, 500)
    acts = sensed(script.acts, script.lock, 0 if without_chips else spot, (spot,) if without_chips else ())
    return Committed(acts, spot, SENSED, script.lock)


def senses_rightly(acts: list[Act], rng: Chance, _: ShoeLog) -> list[Done]:
    """Some lay a progressive wager, and the sensors see what lies there."""
    script = Script(acts, {})
    spot = pick(rng, script.boxes) if happens(rng, SENSED_PER_MILLE) else 0
    return sensed(acts, script.lock, spot, (spot,) if spot else ())


SERIALS: Final = count(2)


def other_shoe(script: Script, rng: Chance, _: ShoeLog) -> Committed | None:
    """Between two cards the shoe is unplugged, and another one answers."""
    at, serial = script.while_dealing(rng), next(SERIALS)
    acts = [*ready(serial), *script.acts[:at], *replugged(serial + 1), *script.acts[at:]]
    return Committed(acts, 0, "", at + 1)


def ready(serial: int) -> list[Done]:
    """A shoe says who it is."""
    return [Happens(lambda rig: DeviceHealth("shoe", HealthState.READY, rig.now_ns, f"Acme S-8 {serial:04d}"))]


def replugged(serial: int) -> list[Done]:
    """A shoe goes and one comes."""
    gone = Happens(lambda rig: DeviceHealth("shoe", HealthState.LOST, rig.now_ns, "unplugged"))
    return [gone, Pause(3000), *ready(serial)]


def comes_back(acts: list[Act], rng: Chance, log: ShoeLog) -> list[Done]:
    """The same shoe is unplugged and comes back now and then."""
    if not happens(rng, 200):
        return [*acts]
    at = Script(acts, {}).lock
    return [*acts[:at], *replugged(log.decks), *acts[at:]]


ANYWHERE: Final = replace(RULES[PROFILE], options=Options(stand_key="always"))

SETTINGS: Final[dict[str, Setting]] = {
    **{kind: Setting(anywhere(offence), ANYWHERE) for kind, offence in OFFENCES.items()},
    "wager_outside_limits": Setting(
        anywhere(beyond_the_sign), rules_of(minimum_cents=SMALLEST_CHIP_CENTS, maximum_cents=HIGHEST_WAGER_CENTS)
    ),
    "side_bet_refused": Setting(anywhere(wrong_stake), rules_of()),
    "ez_bust_wrong_up_card": Setting(anywhere(bust_bet_against), rules_of()),
    "mid_shoe_entry": Setting(
        anywhere(comes_in),
        replace(rules_of(), mid_shoe_entry="refused"),
        House(mid_shoe_entry="refused", decks=FEW_DECKS),
        unasked=True,
    ),
    "impossible_card": Setting(one_card_more_than_made, replace(rules_of(), decks=FEW_DECKS), House(decks=FEW_DECKS)),
    "cards_missing": Setting(
        miscounted(-1, -2, -5), replace(rules_of(), decks=FEW_DECKS), House(decks=FEW_DECKS), habit=counts_rightly
    ),
    "cards_extra": Setting(
        miscounted(1, 2, 5), replace(rules_of(), decks=FEW_DECKS), House(decks=FEW_DECKS), habit=counts_rightly
    ),
    "burned_in_play": Setting(burned_hit, ANYWHERE),
    "shoe_counts_differ": Setting(
        counted_twice, replace(rules_of(), decks=FEW_DECKS), House(decks=FEW_DECKS), habit=counts_rightly
    ),
    "sensor_disagrees": Setting(sensed_otherwise, rules_of(), sensors={SENSED: tuple(SPOTS)}, habit=senses_rightly),
    "device_swapped": Setting(other_shoe, rules_of(), habit=comes_back),
}
"""The houses by the kind of alert that the offence should raise there."""
