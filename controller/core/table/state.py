"""Everything the table remembers: plain values that a checkpoint can hold, and the lattice that follows from them."""

from __future__ import annotations

from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from controller.core.game.hand import place_of
from controller.core.game.rules import Rules
from controller.core.game.wager import LockedWager
from controller.core.inference.lattice import Answer, Reconstruction
from controller.core.inference.observation import CardCame, Dated, Item
from controller.core.inference.question import Question
from controller.core.inference.unobserved import Silence
from controller.core.messages.advice import Advice
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import Event
from controller.core.messages.house import House
from controller.core.messages.inputs import AdjustWager, FitnessLevel, Stamped, VoidRound
from controller.core.messages.raised_alerts import AlertList
from controller.core.meters.state import Progressives
from controller.core.table.deal_status import Dealing
from controller.core.table.desired import Desired
from controller.core.table.layout import Zone
from controller.core.table.ledger import Books
from controller.core.table.payments import PaidRound
from controller.core.table.sensors import Sensed
from controller.core.table.shoe import Kept, ShoeAccount
from controller.core.table.unexplained_chips import Suspicion
from controller.core.table.workings import Workings
from firmware_protocols.cards import Card
from firmware_protocols.readings import HealthState, ShoeDraws
from firmware_protocols.values import Value


class CardKept(Value, frozen=True, tag=False):
    """A card of the round: the reading that brought it, its face (None: unread, or closed to us), its opening."""

    number: int
    face: Card | None
    nonce: bytes
    opened: bool = False
    unread: bool = False
    """The shoe could not read it, and nobody has said what it is."""
    ruled: Card | None = None
    """Its face as the floor set it."""

    def shown(self) -> Card | None:
        """The face that counts."""
        return self.ruled or self.face


UNREAD: Final = attrgetter("unread")
_RULED: Final = attrgetter("ruled")
"""What is asked of every card of a round at every reading."""


class Asked(Value, frozen=True, tag=False):
    """A question that people were asked, by its number."""

    number: int
    question: Question


class Press(Value, frozen=True, tag=False):
    """A key press that may be taken back: its reading, its meaning, and what was known of the shoe before it."""

    number: int
    meaning: str
    shoe_round: int = 0
    burns: int = 0
    burn_presses: int = 0


class Round(Value, frozen=True, tag=False):
    """A round from the lock to its close."""

    number: int
    lock_ns: int
    """When the bets were locked, by key or by the first card."""
    spots: tuple[int, ...]
    """Spots with a main wager, ascending: the boxes."""
    wagers: tuple[LockedWager, ...]
    profile_hash: str = ""
    """The rules and options it is played by."""
    face_down: bool = False
    """Whether the players' cards are dealt face down."""
    shown: bool = False
    """Whether such cards have been shown."""
    turn_key: int = 0
    """The reading of the key of the turn; 0: not pressed."""
    kept_back: tuple[Event, ...] = ()
    """What may be told only once the players' cards are shown."""
    locked_by: int = 0
    """The reading of the key that locked the bets; 0: the first card did."""
    misnamed: int = 0
    """The reading of a key that named a spot without a wager and made the round irregular; 0: none."""
    hole_dealt: bool = True
    """Whether the dealer's second card is the last of the deal, face down; else it comes after the boxes (A3)."""
    locked: bool = False
    """Whether the lock has been told; until then a reader may still report chips that lay there in time."""
    cards: tuple[CardKept, ...] = ()
    lying: tuple[str, ...] = ()
    """The chips that lay at its boxes when its last card left the shoe."""
    evidence: tuple[Dated, ...] = ()
    told: tuple[Event, ...] = ()
    """Inferred facts already published."""
    corrected_at: int = 0
    """How many facts had been told when cards or boxes were last corrected; what came before may hold no longer."""
    settled: tuple[tuple[int, str], ...] = ()
    turned: bool = False
    closing: bool = False
    close_refused: bool = False
    """The close was pressed once while no play could be over."""
    trouble: str = ""
    """Why the round is irregular; empty while some legal play explains everything."""
    next_lock_ns: int = -1
    """When the bets of the next round were locked while this one still waited for its readers; -1: not yet."""
    next_locked_by: int = 0
    """The reading of the key that did so; 0: none."""
    next_moved: dict[str, int] = msgspec.field(default_factory=dict)
    """What lay then, in cents, in the zones whose chips have moved since, by zone."""
    moved: dict[str, int] = msgspec.field(default_factory=dict)
    """What lay at the lock, in cents, in the zones whose chips moved after it and before it was told, by zone."""
    unkeyed: int = 0
    """The question whether its first card began it, where the key must have; 0: none."""
    begun_by_word: bool = False
    """Whether a person said that it has begun."""
    asked: Asked | None = None
    """The question about its play that waits for an answer."""
    answers: tuple[Answer, ...] = ()
    considered: int = 0
    """How much evidence had been told when it was last considered what to ask."""
    missed_after: int = 0
    """The reading of the key *hit* after which a card may have been missed; 0: none."""
    doubt: int = 0
    """The question that must be answered before the round goes on; 0: none."""

    declared: tuple[int, ...] = ()
    """Spots of boxes without chips."""
    refused: tuple[LockedWager, ...] = ()
    """What lay there at the lock and is no wager by the card."""
    uncertain: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """What each side wager may have been, by zone, whose chips moved between two looks with the first card between."""
    twice: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Chips that two zones held when the bets were locked, with the zones."""
    between: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """What lay in these zones, in cents, without such chips and with them."""
    twice_ns: int = -1
    """When such a zone last changed before the lock was told."""
    lost: bool = False
    """Whether such a chip was picked up before anybody knew where it lay."""
    closed_meters: dict[str, str] = msgspec.field(default_factory=dict)
    """Why each meter was closed at the lock that was, by name."""
    entering: tuple[int, ...] = ()
    """Spots that came in mid shoe, of which nobody has said yet whether they were dealt in."""
    entry: int = 0
    """The question about the first of them; 0: none."""
    entry_told: bool = False
    """Whether a person said of some spot whether it was dealt in."""
    silences: tuple[Silence, ...] = ()
    """When readers of boxes were lost."""
    unheard: bool = False
    """Whether the table was not listening for a while, so that a card of it may not have been heard."""
    lost_at_lock: tuple[str, ...] = ()
    """The zones, or the spots where zones are not known, whose readers were lost when the bets were locked: what they
    tell later may have lain there by then."""
    lost_zones: tuple[str, ...] = ()
    """Zones of wagers made before the deal of which no reader has told what lay there when the bets were locked."""
    shoe_away: bool = False
    """Whether a shoe that does not number its draws is away now, so that cards may be drawn of which nobody hears."""
    keys_unheard: bool = False
    """Whether the keypad was lost at some moment since the round before was locked."""
    curable: bool = False
    """Whether a correction of the floor's may make the irregular round a legal one."""
    contributed: bool = False
    """Whether its wagers have raised their meters."""
    sensed: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The spots whose wagers count of each side bet that only sensors see; of one that is missing it is not known."""
    overtook: int = 0
    """The round that its first card ended, payment having begun; 0: none, or a key had ended it."""
    overtook_unpaid: bool = False
    """Whether that round had not been paid as it is due."""
    corrected: tuple[str, str] = ("", "")
    """Who last corrected the round's cards or boxes, and why."""
    dealing: Dealing = Dealing()
    lingers: int = 0
    """The question whether it is over, as nothing has happened for a minute; 0: none."""
    lingered: int = -1
    """How much evidence there was when the clock last told of such a minute; -1: it never has."""
    next_bets: str = ""
    """``pressed``: *no more bets* was refused, for the round may go on; ``asked``: then came a card."""

    def rules(self, rules: Rules) -> Rules:
        """The rules by which this round's evidence is read."""
        return rules.keys_unheard() if self.keys_unheard else rules

    def holds(self) -> tuple[int, ...]:
        """The questions that people must answer before anything is concluded, the first to be answered first.

        Was a card missed, has the round begun at all, who was let in.
        """
        if not (self.doubt or self.unkeyed or self.entry):
            return ()
        return tuple(question for question in (self.doubt, self.unkeyed, self.entry) if question)

    def open_questions(self) -> tuple[int, ...]:
        """The questions about the round as a whole that wait for an answer."""
        return (*self.holds(), self.lingers) if self.lingers else self.holds()

    def holding(self) -> int:
        """The first of these questions; 0: none."""
        return next(iter(self.holds()), 0)

    def held(self) -> bool:
        """Whether nothing may be concluded: until a person has answered, or the shoe is back."""
        return bool(self.doubt or self.unkeyed or self.entry or self.shoe_away)

    def by_people(self) -> bool:
        """Whether what follows from the evidence rests on a person's word too."""
        said = self.answers or self.declared or self.entry_told or self.begun_by_word
        return bool(said) or any(map(_RULED, self.cards))

    def is_unread(self, item: Item) -> bool:
        """Whether evidence is a card in sight that nobody could read; the hole card counts only once it is turned."""
        if not isinstance(item, CardCame):
            return False
        place = place_of(item.card)
        return self.cards[place].unread and place != self.hole_place()

    def hides(self) -> bool:
        """Whether nothing that faces decide may be told: the players' cards lie face down, or the deal is closed."""
        return self.dealing.closed() or (self.face_down and not self.shown)

    def blind(self) -> bool:
        """Whether no face may decide what the table does, for one of those that it hides may be the hole card's."""
        return self.dealing.unturned() and self.hides()

    def conceals(self, place: int) -> bool:
        """Whether the face of a card may not leave the process yet."""
        if place == self.hole_place():
            return not self.turned
        if self.dealing.closed():
            return True
        dealers = place == len(self.spots) or 0 < self.turn_key < self.cards[place].number
        return self.face_down and not self.shown and not dealers

    def trouble_told(self) -> bool:
        """Whether the round is irregular and that has been said."""
        if not self.trouble:
            return False
        return not any(isinstance(event, RoundIrregular) for event in self.kept_back)

    def waits_for_card(self) -> bool:
        """Whether the round waits for the floor to say what an unread card is."""
        if not any(map(UNREAD, self.cards)):
            return False
        return any(card.unread and not self.conceals(place) for place, card in enumerate(self.cards))

    def hole_place(self) -> int:
        """The place of the hole card among the round's cards; -1 where none is dealt."""
        return 2 * len(self.spots) + 1 if self.hole_dealt else -1

    def is_dealt(self) -> bool:
        """Whether the last card of the deal has left the shoe."""
        return len(self.cards) > 2 * len(self.spots) + self.hole_dealt

    def declared_boxes(self) -> tuple[LockedWager, ...]:
        """The boxes without chips, as somebody declared them."""
        return tuple(wager for wager in self.wagers if wager.spot in self.declared and wager.bet == "main")

    def main_wagers(self) -> tuple[int, ...]:
        """The boxes' main wagers in cents."""
        return tuple(wager.cents for wager in self.wagers if wager.bet == "main")


class Proposed(Value, frozen=True, tag=False):
    """A ruling that moves money, proposed by one person; another must approve it."""

    number: int
    ruling: VoidRound | AdjustWager


class Unfit(Value, frozen=True, tag=False):
    """In one respect the table is not as fit as it should be."""

    level: FitnessLevel
    text: str


class State(Value, frozen=True, tag=False):
    """The table between two readings."""

    seq: int = 0
    """Events published in this epoch."""
    number: int = 0
    """Readings stepped in this epoch."""
    rounds: int = 0
    gaming_day: str = ""
    """The house's day, by its date, as it was last told; empty: it never was."""
    questions: int = 0
    felt: dict[str, Zone] = msgspec.field(default_factory=dict)
    round: Round | None = None
    declared: tuple[LockedWager, ...] = ()
    """Boxes without chips declared for the next round."""
    books: Books = ()
    """What the wagers of the last rounds came to."""
    waiting: tuple[Round, ...] = ()
    """Rounds that ended with a question open, oldest first; at most three."""
    former_rules: dict[str, Rules] = msgspec.field(default_factory=dict)
    """The rules of waiting rounds that were played by another profile than the one in force, by profile hash."""
    presses: tuple[Press, ...] = ()
    """Keys pressed since the last card that may be taken back, the last one last."""
    spot_named: int = 0
    """The spot a digit key named for the next action; 0: none."""
    shoes: tuple[ShoeDraws, ...] = ()
    """How far the draws of each shoe that numbers them have been taken; the one in use is the last."""
    shoe_round: int = 0
    """The first round dealt from the shoe in use; 0: it was in use before anything was known."""
    burns: int = 0
    """Cards announced as burns that have not come yet."""
    burn_presses: int = 0
    """Taps of the burn key since the shoe in use was announced, before its first round."""
    confirmed: dict[str, int] = msgspec.field(default_factory=dict)
    """Moment up to which each spot's chips are known (key: the spot), nanoseconds of table time."""
    dark_zones: dict[str, int] = msgspec.field(default_factory=dict)
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
    dealt_unheard: bool = False
    """Whether bets lay there when a shoe that does not number its draws came back: a deal may have begun unheard."""
    keypad_lost: bool = False
    """Whether the keypad was lost at some moment since the last lock."""
    alerts: AlertList = AlertList()
    """What waits to be acknowledged."""
    paid: tuple[PaidRound, ...] = ()
    """The chips of the rounds that are being played, paid or waited for."""
    shoe: ShoeAccount = ShoeAccount()
    """What has left the shoe in use. Never shown to players or dealers."""
    last_shoe: ShoeAccount = ShoeAccount()
    """The shoe before it, as it ended; its cards that still wait for a turn."""
    turned_by: int = 0
    """The last reading by which the dealer turned a hole card, for certain: closed cards of before are no secret."""
    burned_ns: int = -1
    """When the last burn left the shoe."""
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
    proposed: tuple[Proposed, ...] = ()
    """Rulings that wait for a second person."""
    question_displayed: int = 0
    """The question on the dealer's display; 0: another line stands there."""
    displayed_ns: int = 0
    """Since when, in table time."""
    inventory_entries: int = 0
    """Counts of the rack and the drop box entered in this epoch."""
    inventory_slips: dict[str, int] = msgspec.field(default_factory=dict)
    """What stands of each kind and slip of such counts, in cents."""
    unfit: dict[str, Unfit] = msgspec.field(default_factory=dict)
    """By cause, what stands against another round."""
    sensed: dict[str, Sensed] = msgspec.field(default_factory=dict)
    """What bet sensors told last, by side bet."""
    deal_gaps_ms: tuple[int, ...] = ()
    """The times between the cards of the last deals."""
    held: tuple[Stamped, ...] = ()
    """Readings that wait: for a look at the layout, since a round may have begun with bets that nobody has told, or for
    the cards after one that may have begun it."""
    begins: int = 0
    """The reading of the last card that began a round by its deal's rhythm alone."""

    def open_round(self) -> int | None:
        """The number of the round that is open; None between two rounds."""
        return None if self.round is None else self.round.number

    def is_ready(self, device: str) -> bool:
        """Whether a device works, as far as it has said; one that has said nothing yet counts as working."""
        return self.devices.get(device, HealthState.READY) == HealthState.READY

    def unturned(self, card: Kept) -> bool:
        """Whether a card of no round may be a hole card that lies as it was dealt: no certain turn has come since."""
        return card.guarded and card.number >= self.turned_by


class Table(NamedTuple):
    """The house, what it remembers, and the lattice of the open round (None between rounds)."""

    house: House
    state: State
    found: Reconstruction | None = None
    workings: Workings = Workings()
    """What follows from these two and need not be worked out again."""


class Stepped(NamedTuple):
    """What a step gives: the table after it, what to publish, what the devices should be told."""

    table: Table
    events: tuple[Event, ...]
    desired: Desired


def restore(house: House, state: State) -> Table:
    """The table of a checkpoint: the lattice is woven again from the round's evidence."""
    return Table(house, state, None if state.round is None else woven(house.rules, state.round))


def begun(rules: Rules, round_now: Round) -> Reconstruction:
    """A round's lattice before its first card."""
    lying = {(round_now.spots.index(spot), "main"): 0 for spot in round_now.declared}
    mains, given = round_now.main_wagers(), (round_now.answers, round_now.silences)
    return Reconstruction.begin(round_now.rules(rules), mains, lying, *given)


def woven(rules: Rules, round_now: Round) -> Reconstruction:
    """A round's lattice from its evidence and answers, up to the first card that nobody could read."""
    found = begun(rules, round_now)
    if round_now.trouble:
        return found
    for dated in round_now.evidence:
        if round_now.is_unread(dated.item):
            break
        found = found.observe(dated)
    return found
