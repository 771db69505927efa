"""Everything the table remembers: plain values that a checkpoint can hold, and the lattice that follows from them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final

import msgspec

from controller.core.game.rules import Rules
from controller.core.game.wager import LockedWager
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import NEVER_ENDS
from controller.core.messages.advice import Advice
from controller.core.messages.events import Event
from controller.core.messages.house import House
from controller.core.messages.inputs import EnterInventory, FitnessLevel, Input, Ruling, StampedInput
from controller.core.messages.raised_alerts import AlertList
from controller.core.meters.state import Progressives
from controller.core.persons import Person
from controller.core.table.count_book import CountBook, SlipBook
from controller.core.table.desired import Desired
from controller.core.table.layout import Zone, zone_name
from controller.core.table.ledger import Books
from controller.core.table.payments import RoundPayments
from controller.core.table.round_state import Round
from controller.core.table.shoe import ShoeAccount, UnseenCard
from controller.core.table.unexplained_chips import Suspicion
from controller.core.table.workings import Workings
from firmware_protocols.readings import HealthState, ShoeDraws
from firmware_protocols.values import Value

_READY: Final = HealthState.READY


class KeyPress(Value, frozen=True, tag=False):
    """A key press that may be taken back: its reading, its meaning, and what was known of the shoe before it."""

    number: int
    meaning: str
    shoe_round: int = 0
    burns: int = 0
    burn_presses: int = 0


class ProposedRuling(Value, frozen=True, tag=False):
    """What one person ordered and another must approve: it moves money, or says what nobody can have counted."""

    number: int
    ruling: Ruling | EnterInventory
    round: int | None = None
    """The round it is about; None: the next one, or none."""
    gaming_day: str = ""
    """The gaming day in which it was proposed, if it is about no other; empty: it is about another, or about none."""
    beyond: bool = False
    """Whether it was known when it was proposed that no cards could give what it orders."""


class BoxDeclaration(Value, frozen=True, tag=False):
    """Who declared the box of a spot: the alert about its amount, which the lock raises, is for another."""

    spot: int
    people: tuple[Person, ...]


class RoundPeople(Value, frozen=True, tag=False):
    """Whose word a round rests on: who answered about it, corrected its cards or boxes, or declared a box of it."""

    round: int
    people: tuple[Person, ...]


class FitnessProblem(Value, frozen=True, tag=False):
    """In one respect the table is not as fit as it should be."""

    level: FitnessLevel
    text: str


class MovingChips(Value, frozen=True, tag=False):
    """A zone whose content has changed, and may change again at once.

    ``lay`` are the chips, worth ``lay_cents``, before the first of its changes, which ``first`` reported; ``last``
    reported the latest.
    """

    spot: int
    zone: str
    lay: tuple[str, ...]
    lay_cents: int
    first: StampedInput
    last: StampedInput
    drawn_ns: int = -1
    """When the first card has come since the first change; -1: none has."""


class SensorState(Value, frozen=True, tag=False):
    """What the sensors of one side bet reported last; spots, rising. ``lock``: the round they were locked for, 0: open.

    ``judged`` is the last round whose wagers were compared with them, ``missed`` the last of which it was said that
    they do not answer, and ``late`` the spots where a wager was laid after the lock of that ``judged`` round.
    """

    live: tuple[int, ...] = ()
    latched: tuple[int, ...] = ()
    lock: int = 0
    judged: int = 0
    missed: int = 0
    late: tuple[int, ...] = ()


class State(Value, frozen=True, tag=False):
    """The table between two readings."""

    seq: int = 0
    """Events published in this epoch."""
    number: int = 0
    """Readings stepped in this epoch."""
    rounds: int = 0
    gaming_day: str = ""
    """The house's day, by its date, as it was last reported; empty: it never was."""
    questions: int = 0
    felt: dict[str, Zone] = msgspec.field(default_factory=dict)
    lowered: dict[str, tuple[int, tuple[str, ...]]] = msgspec.field(default_factory=dict)
    """Main zones from which chips left last while others stayed: the last moment when they may have, in table time, and
    all the chips that had lain there."""
    round: Round | None = None
    declared: tuple[LockedWager, ...] = ()
    """Boxes without chips declared for the next round."""
    declarers: tuple[BoxDeclaration, ...] = ()
    """Who last declared the box of each spot."""
    undeclared: tuple[BoxDeclaration, ...] = ()
    """Who took back the boxes that were declared for the next deal and that the dealer may deal to all the same."""
    let_in: tuple[BoxDeclaration, ...] = ()
    """The spots that are known to be dealt to only by a person's word, and who gave it."""
    unproven: tuple[int, ...] = ()
    """The spots that bet the last round and of which nothing bears out that they were dealt to."""
    relied_on: tuple[RoundPeople, ...] = ()
    """Whose word the last rounds rest on, and those that are not at their end."""
    books: Books = ()
    """What the wagers of the last rounds came to."""
    waiting: tuple[Round, ...] = ()
    """Rounds that ended with a question open, oldest first; at most three."""
    former_rules: dict[str, Rules] = msgspec.field(default_factory=dict)
    """The rules of waiting rounds that were played by another profile than the one in force, by profile hash."""
    presses: tuple[KeyPress, ...] = ()
    """Keys pressed since the last card that may be taken back, the last one last."""
    spot_named: int = 0
    """The spot a digit key named for the next action; 0: none."""
    named_ns: int = 0
    """When it was named, in table time."""
    shoes: tuple[ShoeDraws, ...] = ()
    """How far the draws of each shoe that numbers them have been taken; the one in use is the last."""
    shoe_round: int = 0
    """The first round dealt from the shoe in use; 0: it was in use before anything was known."""
    burns: int = 0
    """Cards announced as burns that have not come yet."""
    burned_beside_bets: int = 0
    """Cards burned while main wagers lay there, since the last card of a round."""
    burn_presses: int = 0
    """Taps of the burn key since the shoe in use was announced, before its first round."""
    confirmed: dict[str, int] = msgspec.field(default_factory=dict)
    """Moment up to which each spot's chips are known (key: the spot), nanoseconds of table time."""
    unwatched_zones: dict[str, int] = msgspec.field(default_factory=dict, name="dark_zones")
    """The zones whose readers are lost, or have not looked since, with the moment up to which each is known."""
    offset_ns: int = 0
    """Added to the machine's monotonic time, so that table time goes on over a reboot."""
    last_ns: int = 0
    down_ns: int = 0
    """The last moment before the daemon last stopped."""
    afresh: tuple[str, ...] = ()
    """Zones not read again since the daemon started."""
    devices: dict[str, str] = msgspec.field(default_factory=dict)
    shoe_lost: bool = False
    unheard_before_deal: str = ""
    """Why cards may have been drawn unheard between two rounds, the first of the next deal too; empty: none were."""
    dealt_unheard: bool = False
    """Whether bets lay there when a shoe that does not number its draws came back: a deal may have begun unheard."""
    keypad_lost: bool = False
    """Whether the keypad was lost at some moment since the last lock."""
    keyless: int = 0
    """How many rounds have been locked since the last key."""
    alerts: AlertList = AlertList()
    """What waits to be acknowledged."""
    paid: tuple[RoundPayments, ...] = ()
    """The chips of the rounds that are being played, paid or waited for."""
    shoe: ShoeAccount = ShoeAccount()
    """What has left the shoe in use. Never shown to players or dealers."""
    last_shoe: ShoeAccount = ShoeAccount()
    """The shoe before it, as it ended; its cards that still wait for a turn."""
    cards_drawn: int = 0
    """How many cards have left the table's shoes."""
    turned_by: int = 0
    """The last reading by which the dealer turned a hole card, for certain: closed cards of before are no secret."""
    keyed_turn: int = 0
    """The last reading by which a key said that a hole card is turned; what the table concludes is none of them."""
    burned_ns: int = -1
    """When the last burn left the shoe."""
    burned_since: int = 0
    """How many cards have been burned since the last deal began: by a key, an order, or the shoe's own burn mode."""
    announcers: tuple[Person, ...] = ()
    """Who announced the new shoe from which the next deal comes, as an order, said that it has not begun, or what ended
    the round before it."""
    said_over: bool = False
    """Whether the last round ended by what somebody said: from elsewhere that it is over, or of its cards and keys
    where nothing but the next deal has shown it."""
    denied_next: bool = False
    """Whether a person has said, since the last deal began, that cards which may be the next one's are not."""
    advice: Advice = Advice()
    """What the dealer is advised to take and pay."""
    identities: dict[str, str] = msgspec.field(default_factory=dict)
    """Who each device said it is when it was last ready, of those that say so."""
    suspected: tuple[Suspicion, ...] = ()
    """Chips that came where nothing explains it, until the readers have looked round once more."""
    disputes: dict[str, int] = msgspec.field(default_factory=dict)
    """Chips seen in two zones, and since when in table time; -1: an alert was raised."""
    signed: dict[str, int] = msgspec.field(default_factory=dict)
    """The highest number of an order that each signing key has given; none up to it is taken again."""
    profile_hash: str = ""
    started: int = 0
    """The reading that brought the house now in force."""
    progressives: Progressives = Progressives()
    """Meters, jackpots, and what people have proposed about them."""
    proposed: tuple[ProposedRuling, ...] = ()
    """Rulings that wait for a second person."""
    question_displayed: int = 0
    """The question on the dealer's display; 0: another line stands there."""
    displayed_ns: int = 0
    """Since when, in table time."""
    inventory_entries: int = 0
    """Counts of the rack and the drop box entered in this epoch."""
    inventory_sums: dict[str, int] = msgspec.field(default_factory=dict)
    """What stands of each kind of such counts, in cents."""
    inventory_days: dict[str, int] = msgspec.field(default_factory=dict)
    """What stands of each kind on the last gaming days, in cents (key: the day, the kind, and of a shift its name)."""
    inventory_slips: SlipBook = SlipBook()
    """What stands of each kind and slip of such counts, in cents."""
    inventory_people: CountBook = CountBook()
    """Who entered what stands of the last gaming days, and of slips."""
    inventory_makers: dict[str, int] = msgspec.field(default_factory=dict)
    """How many counts each has entered on this gaming day (key: the day, and how the channel knows who it is)."""
    unfit: dict[str, FitnessProblem] = msgspec.field(default_factory=dict)
    """By cause, what stands against another round."""
    sensed: dict[str, SensorState] = msgspec.field(default_factory=dict)
    """What bet sensors reported last, by side bet."""
    deal_gaps_ms: tuple[int, ...] = ()
    """The times between the cards of the last deals."""
    deferred: tuple[StampedInput, ...] = msgspec.field(default=(), name="held")
    """Readings that wait: for a look at the layout, since a round may have begun with unreported bets, or for
    the cards after one that may have begun it."""
    moving: tuple[MovingChips, ...] = ()
    """Main wagers in play whose chips have not come to rest."""
    begins: int = 0
    """The reading of the last card that began a round by its deal's rhythm alone."""
    may_begin: int = 0
    """The reading of the last card that may have begun a round, as a pause lay in its deal's rhythm."""
    continues: int = 0
    """The reading of the last card that was dealt to an open round of which chips alone said that it was over."""

    def open_round(self) -> int | None:
        """The number of the round that is open; None between two rounds."""
        return None if self.round is None else self.round.number

    def payments_of(self, number: int) -> RoundPayments | None:
        """A round whose payments are followed; None: it is not."""
        return next((paid for paid in self.paid if paid.round == number), None)

    def people_of(self, number: int) -> tuple[Person, ...]:
        """Whose word a round rests on, as far as that is remembered."""
        return next((one.people for one in self.relied_on if one.round == number), ())

    def is_ready(self, device: str) -> bool:
        """Whether a device works, as far as it has said; one that has said nothing yet counts as working."""
        return self.devices.get(device, _READY) == _READY

    def unturned(self, card: UnseenCard) -> bool:
        """Whether a card of no round may be a hole card that lies as it was dealt: no certain turn has come since."""
        return card.guarded and card.number >= self.turned_by

    def unkeyed(self, card: UnseenCard) -> bool:
        """Whether it may be one for all that a key has said: a player's chips and draws can feign any other turn."""
        return card.guarded and card.number >= self.keyed_turn

    def known_until_ns(self, spot: int, zone: str) -> int:
        """The moment up to which a zone's content is known, in table time; -1: it never was."""
        return min(self.confirmed.get(str(spot), -1), self.unwatched_zones.get(zone_name(spot, zone), NEVER_ENDS))


class Table(msgspec.Struct, frozen=True):
    """The house, what it remembers, and the lattice of the open round (None between rounds)."""

    house: House
    state: State
    lattice: Lattice | None = None
    workings: Workings = Workings()
    """What follows from these two and need not be worked out again."""


class StepResult(msgspec.Struct, frozen=True):
    """What a step gives: the table after it and what to publish. ``wanted`` works out what is ``desired``.

    ``taken``: the inputs that were taken in, those that had been deferred too, each with the events it gave.
    """

    table: Table
    events: tuple[Event, ...]
    wanted: Callable[[], Desired]
    taken: tuple[tuple[Input, tuple[Event, ...]], ...]

    @property
    def desired(self) -> Desired:
        """What the devices should be sent: worked out when it is asked for, as a replay never asks."""
        return self.wanted()


def restore(house: House, state: State) -> Table:
    """The table of a checkpoint: the lattice is built again from the round's evidence."""
    return Table(house, state, None if state.round is None else lattice_of(house.rules, state.round))


def empty_lattice(rules: Rules, round_now: Round) -> Lattice:
    """A round's lattice before its first card."""
    lying = {(round_now.bets.spots.index(spot), "main"): 0 for spot in round_now.bets.declared}
    mains, given = round_now.main_wagers(), (round_now.evidence.answers, round_now.evidence.outages)
    return Lattice.begin(round_now.rules(rules), mains, lying, *given)


def lattice_of(rules: Rules, round_now: Round) -> Lattice:
    """A round's lattice from its evidence and answers, up to the first unread card."""
    found = empty_lattice(rules, round_now)
    if round_now.evidence.trouble:
        return found
    read = takewhile(lambda dated: not round_now.is_unread(dated.item), round_now.evidence.observations)
    return found.observe_all(read)
