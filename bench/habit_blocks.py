"""One block of rounds at an unkind table: keys forgotten or never pressed, antennas that hear what lies beside them.

Readers look antenna by antenna as one bus does (``bus_rig.py``), so that their looks span cards; chips lie between two
zones for some seconds, and somebody leans over the table with a card in the pocket (``stray_chips.py``). Everybody at
the table is honest: whoever is accused is accused wrongly.
"""

from __future__ import annotations

import random
from collections import Counter
from math import log10
from typing import Any, Final, NamedTuple, cast

from bench.bus_rig import BusRig
from bench.truth import chips_by_id
from bench.truth_blocks import people_meter
from controller.core.messages.events import CardDrawn, Event, QuestionAsked, RoundClosed, WagerSettled, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.table.keymap import DEFAULT_KEYS
from controller.io.files import profile_files
from controller.io.files.table_file import guarding
from firmware_protocols.readings import CardDrawn as CardRead
from simulators.faults.stray_chips import StrayChips
from simulators.people.acts import Act, Draw, RoundPlayed
from simulators.people.changed_chips import with_chips_changed
from simulators.people.dealer import play
from simulators.people.deck import LoadedShoe
from simulators.people.house import house_from
from simulators.people.key_habits import Procedure, pressed
from simulators.people.mended_payments import with_payments_mended
from simulators.people.passed_chips import with_chips_passed
from simulators.people.rack import Rack
from simulators.people.second_thoughts import with_second_thoughts
from simulators.people.side_bettors import SEVENS, STAKES_CENTS, SideBetHabits, with_side_bets
from simulators.people.simulated_table import StandKey
from simulators.people.slid_chips import with_slid_chips
from simulators.people.twice_moved_chips import with_chips_moved_twice

PROFILES: Final = ("hollywood-penn-national", "hollywood-perryville", "borgata", "classic-shoe-and-pitch", "pitch-h17")

ACCUSATIONS: Final = frozenset(
    {
        *(AlertKind.PAST_POSTING, AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.BET_TOUCHED),
        *(AlertKind.MISPAY, AlertKind.LOSING_BET_LEFT, AlertKind.WINNING_BET_TAKEN, AlertKind.BURNED_IN_PLAY),
    }
)
"""Alerts that say that a player or the dealer did wrong; whom they accuse, ``Account.accusations`` says."""

TOUCHES: Final = frozenset({AlertKind.PINCHING, AlertKind.BET_TOUCHED})
"""What is rightly said of a player who changes the chips of a wager in play."""

PASSES: Final = TOUCHES | {AlertKind.CAPPING}
"""What is rightly said where chips pass over wagers, too."""

Key = tuple[int, int, str]
"""The table's number of the round, spot, bet."""


class Habit(NamedTuple):
    """How a dealer presses: which decisions have a key, and which keys of the procedure are pressed."""

    plays: StandKey
    procedure: Procedure


HABITS: Final[dict[str, Habit]] = {
    "keys": Habit("always", "all"),
    "forgets": Habit("always", "forgets"),
    "careless": Habit("always", "careless"),
    "round closed": Habit("never", "closed_only"),
    "some": Habit("sometimes", "some"),
    "bets only": Habit("never", "bets_only"),
    "bare": Habit("never", "bare"),
}
"""The habits a campaign goes round, from the most orderly to none."""


class Block(NamedTuple):
    """A block of rounds with one number of boxes, habit and profile; ``every_looks``: looks from stray to stray.

    ``hasty_per_mille``: of the chips that are laid or taken, those that are slid past a neighbour or swept with others;
    ``eager_per_mille``: of the players whose wager is gone, those who bet again at once;
    ``falters_per_mille``: deals in which the dealer stops for a moment;
    ``slips_per_mille``: rounds after which the dealer touches *burn* in vain;
    ``restless_per_mille``: of the chips that are laid, those that come in two movements, and of the cards and play keys
    those before which a wager is lifted and laid back;
    ``changes_per_mille``: of the cards and play keys, those before which a wager is changed for other chips, and of the
    doubles, those laid too large at first;
    ``thoughts_per_mille``: of the doubles and splits, those laid before their turn, or taken back and laid again;
    ``withdraws_per_mille``: of the hits and stands, those before which a double is laid and taken back;
    ``mends_per_mille``: of the wagers that are paid or taken, those that are so wrongly at first;
    ``passes_per_mille``: of the cards and play keys, those before which chips pass over a wager.
    """

    number: int
    seed: int
    rounds: int
    boxes: int
    habit: str
    profile: str
    every_looks: int = 4_000
    hasty_per_mille: int = 0
    eager_per_mille: int = 0
    falters_per_mille: int = 0
    restless_per_mille: int = 0
    slips_per_mille: int = 0
    changes_per_mille: int = 0
    thoughts_per_mille: int = 0
    withdraws_per_mille: int = 0
    mends_per_mille: int = 0
    passes_per_mille: int = 0


class Account:
    """What people staked and won by their own account, and what the table made of it."""

    def __init__(self, touches: frozenset[AlertKind] = TOUCHES) -> None:
        self.touches = touches
        self.truth: dict[Key, tuple[int, int]] = {}
        self.settlements: dict[Key, tuple[int, int, str]] = {}
        self.opened: set[Key] = set()
        self.outcomes: dict[int, str] = {}
        self.alerts: list[AlertRaised] = []
        self.questions: set[int] = set()
        self.cards: dict[int, int] = {}
        """The round of each card, by its reading."""
        self.lost: list[RoundPlayed] = []
        """Rounds of which the table took no card for a round's."""
        self.lost_in: list[int] = []
        """The table's round whose cards it took theirs for, of each."""
        self.unpublished: list[tuple[RoundPlayed, list[int], frozenset[int]]] = []
        """Rounds of whose cards the table has said nothing yet, as they wait for its readers."""
        self.numbers: list[int] = []
        self.played: dict[int, set[int]] = {}
        """The spots at which people played the table's rounds; those of a lost round are the one's before."""
        self.touched: list[int] = []
        """The spots at which wagers have been changed in play since the last round was played out."""
        self.changed: set[tuple[int, int]] = set()
        """The rounds and spots at which they were."""

    def take(self, events: list[Event]) -> None:
        """What the table has said."""
        for event in events:
            match event:
                case WagerSettled():
                    settlement = (event.wager_cents, event.net_cents, str(event.basis))
                    self.settlements[event.round, event.spot, event.bet] = settlement
                case WagerUnresolved():
                    self.opened.add((event.round, event.spot, event.bet))
                case RoundClosed():
                    self.outcomes[event.round] = event.outcome
                case AlertRaised():
                    self.alerts.append(event)
                case QuestionAsked():
                    self.questions.add(event.question)
                case CardDrawn():
                    self.cards[event.card] = event.round or 0
                case _:
                    pass
        while self.unpublished and any(card in self.cards for card in self.unpublished[0][1]):
            self._enter(*self.unpublished.pop(0))

    def round_played(self, truth: RoundPlayed, dealt: list[int]) -> None:
        """People have played a round with these cards, by their readings."""
        self.unpublished.append((truth, dealt, frozenset(self.touched)))
        self.touched.clear()
        self.take([])

    def played_out(self) -> None:
        """Nothing more is played or published: what the table has not spoken of until now is lost."""
        for played_round in self.unpublished:
            self._enter(*played_round)
        self.unpublished.clear()

    def _enter(self, truth: RoundPlayed, dealt: list[int], changed: frozenset[int]) -> None:
        """Enter what a round was, once the table has said to which of its rounds the cards belong."""
        number = next((self.cards[card] for card in dealt if self.cards.get(card)), 0)
        lost = not number or number in self.numbers
        near = max(self.numbers, default=0) if lost else number
        self.played[near] = self.played.get(near, set()) | {wager.spot for wager in truth.wagers}
        self.changed |= {(near, spot) for spot in changed}
        if lost:
            self.lost.append(truth)
            self.lost_in.append(near)
            return
        self.numbers.append(number)
        for wager in truth.wagers:
            self.truth[number, wager.spot, wager.bet] = wager.wager_cents, wager.net_cents

    def accusations(self) -> list[AlertRaised]:
        """The alerts that accuse somebody: of an act at a spot where somebody plays, by people's own account.

        Who plays there plays that round, the one before (and picks up what it left) or the next (and lays its bets).
        Chips at a spot that nobody plays at are noticed and nobody's act: an antenna heard what lies beside it.
        """
        accused = (alert for alert in self.alerts if alert.kind in ACCUSATIONS and self._is_played(alert))
        return [alert for alert in accused if alert.kind not in self.touches or not self._is_changed(alert)]

    def _is_changed(self, alert: AlertRaised) -> bool:
        """Whether the wager was changed in play where an alert says that it was touched."""
        return (alert.round, alert.spot) in self.changed

    def _is_played(self, alert: AlertRaised) -> bool:
        """Whether somebody plays where an alert says that something was done; without round or spot it is the table."""
        if alert.round is None or alert.spot is None:
            return True
        near = (self.played.get(alert.round + away, set()) for away in (-1, 0, 1))
        return any(alert.spot in spots for spots in near)


def scripted(block: Block, chance: random.Random, rack: Rack, options: dict[str, Any], touched: list[int]) -> Any:  # noqa: ANN401
    """The people of a block: an iterator of their acts. ``touched`` grows by the spots whose wagers are changed."""
    profile = profile_files.load(block.profile, options)
    house, habit = house_from(profile_files.raw(block.profile)), HABITS[block.habit]
    boxes = min(block.boxes, house.boxes)
    shoe = LoadedShoe(chance, house.decks)
    acts: Any = play(
        house,
        chance,
        rack,
        (boxes, boxes),
        rounds=block.rounds,
        shoe=shoe,
        stand_key=habit.plays,
        bust_bets_per_mille=300,
        eager_per_mille=block.eager_per_mille,
        falters_per_mille=block.falters_per_mille,
        withdraws_per_mille=block.withdraws_per_mille,
    )
    # What a meter pays depends on every wager before it, also on those that stay open: it is played for elsewhere.
    bets = tuple(bet for bet in STAKES_CENTS if bet in profile.rules.side_bets and bet != SEVENS)
    if bets:
        side_habits = SideBetHabits(bets, 300, 20, house.hole_card == "dealt", profile.rules.aggregate_limit_cents)
        acts = with_side_bets(
            acts, random.Random(~block.seed), rack, shoe, side_habits=side_habits, meter=people_meter()
        )
    if block.mends_per_mille:
        acts = with_payments_mended(acts, random.Random(block.seed + 9), rack, block.mends_per_mille)
    if block.hasty_per_mille:
        acts = with_slid_chips(acts, random.Random(block.seed + 3), block.hasty_per_mille)
    if block.thoughts_per_mille:
        acts = with_second_thoughts(acts, random.Random(block.seed + 8), rack, block.thoughts_per_mille, touched)
    if block.restless_per_mille:
        acts = with_chips_moved_twice(acts, random.Random(block.seed + 4), block.restless_per_mille)
    if block.changes_per_mille:
        acts = with_chips_changed(acts, random.Random(block.seed + 7), rack, block.changes_per_mille, touched)
    if block.passes_per_mille:
        acts = with_chips_passed(acts, random.Random(block.seed + 10), rack, block.passes_per_mille, touched)
    chance, slips = random.Random(block.seed + 1), block.slips_per_mille
    return pressed(acts, chance, habit.procedure, house.new_shoe_burns, slips_per_mille=slips)


def options_of(habit: Habit) -> dict[str, Any]:
    """The options of a house with such dealers, as a table file has them: what they may leave out is on no keypad."""
    keyed = {"stand_key": "always"} if habit.plays == "always" else {}
    return guarding(keyed, DEFAULT_KEYS if habit.procedure in {"all", "forgets", "careless"} else {})


def played(block: Block) -> dict[str, Any]:
    """Play a block; what came of it, as JSON has it."""
    return result(block, *sat(block))


def sat(block: Block) -> tuple[Account, BusRig]:
    """Play a block: what people know and what the table said, and the table."""
    habit = HABITS[block.habit]
    options = options_of(habit)
    rack, chance = Rack(), random.Random(block.seed)
    stray = StrayChips(random.Random(block.seed + 2), block.every_looks) if block.every_looks else None
    rig = BusRig(profile_files.load(block.profile, options).rules, chips_by_id(rack), block.seed, stray=stray)
    rig.reads_display = habit.procedure != "bare"
    account, dealt = Account(PASSES if block.passes_per_mille else TOUCHES), list[int]()
    for act in cast("list[Act]", scripted(block, chance, rack, options, account.touched)):
        played_out = rig.perform([act])
        # What the table says of a card may wait for its readers, so that a card is known by its reading.
        dealt += [one.number for one in rig.stamped if isinstance(act, Draw) and isinstance(one.input, CardRead)]
        account.take(rig.events)
        for truth in played_out:
            account.round_played(truth, dealt)
            dealt = []
        rig.events[:] = [event for event in rig.events if isinstance(event, QuestionAsked)][-3:]
        rig.stamped.clear()
    account.played_out()
    return account, rig


def result(block: Block, account: Account, rig: BusRig) -> dict[str, Any]:
    """What came of a block."""
    last = max(account.numbers, default=0)
    truth = {key: due for key, due in account.truth.items() if key[0] != last}
    settlements = {key: one for key, one in account.settlements.items() if key[0] != last}
    wrong = [
        (key, due, settlements[key]) for key, due in truth.items() if key in settlements and settlements[key][:2] != due
    ]
    phantom = [(key, one) for key, one in settlements.items() if key not in truth and one[1]]
    handed = {number for number, outcome in account.outcomes.items() if outcome in {"irregular", "void"}}
    unsaid = {key for key in truth if key not in settlements}
    waiting = {one.number for one in rig.table.state.waiting}
    neither = [key for key in unsaid if key not in account.opened and key[0] not in handed | waiting]
    unended = [n for n in account.numbers if n != last and n not in account.outcomes and n not in waiting]
    accused = account.accusations()
    flagged = {alert.round for alert in account.alerts if alert.kind not in {*ACCUSATIONS, AlertKind.PROCEDURE_LATE}}
    return {
        **block._asdict(),
        "wagers": len(truth),
        "wrong": len(wrong),
        "silent": sum(key[0] not in handed | flagged for key, *_ in [*wrong, *phantom]),
        "phantom": len(phantom),
        "open": len(unsaid),
        "neither": len(neither),
        "irregular": sum(outcome == "irregular" for outcome in account.outcomes.values()),
        "unended": len(unended),
        "lost": sum(number not in handed | waiting for number in account.lost_in),
        "joined": len(account.lost),
        "questions": len(account.questions),
        "bases": Counter(one[2] for key, one in settlements.items() if key in truth),
        "accused": Counter(str(alert.kind) for alert in accused),
        "alerts": Counter(str(alert.kind) for alert in account.alerts),
        "micros": Counter(int(20 * log10(max(one, 1))) for one in rig.micros),
        "examples": [str(one) for one in [*wrong, *phantom, *neither, *unended][:3]] + [a.text for a in accused[:3]],
    }
