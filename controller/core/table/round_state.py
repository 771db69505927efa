"""A round from the lock to its close: what is wagered, its cards, its evidence, its questions and its ending.

Dealing: which card is the hole card is the table's count. A chip on a box that is not dealt to, an unannounced burn, a
card read twice or missed, a box without chips shift it, and two of them together shift it anywhere, into the first
pass too. So no card is opened, and nothing is published that depends on one, until the deal is confirmed
(``deal_confirmation.py``), and once a correction has moved the count nothing more is opened until the dealer turns the
hole card.
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from controller.core.game.hand import deal_cards, hole_place, place_of, seen
from controller.core.game.rules import Options, Rules
from controller.core.game.wager import LockedWager
from controller.core.inference.lattice import PlayAnswer
from controller.core.inference.observation import CardObserved, DatedObservation, KeyObserved, Observation
from controller.core.inference.question import Question
from controller.core.inference.unobserved import Outage
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import Event
from controller.core.messages.floor_events import Vouched
from controller.core.table.layout import zone_name
from firmware_protocols.cards import Card
from firmware_protocols.values import Value

DealStatus = Literal["unguarded", "open", "confirmed", "unconfirmed", "moved"]
"""Whether the deal is certain. ``unguarded``: no hole card is dealt, or the rules are older than this; ``moved``: a
correction has moved the count, and nothing but the turn opens a card."""


class DealProgress(Value, frozen=True, tag=False):
    """How a round is dealt, and whether its hole card has been turned. Times are nanoseconds of table time."""

    stands: DealStatus = "unguarded"
    uneven: str = ""
    """Why its rhythm confirms nothing; empty while it may."""
    last_ns: int = -1
    """When the last card left the shoe."""
    gaps_ms: tuple[int, ...] = ()
    """The times between its cards."""
    quiet_ns: int = -1
    """Up to when the clock has said that nothing more had come."""
    stirred_ns: int = -1
    """When the last card, key or chip came."""
    done_by: int = 0
    """The reading of the key that said the deal is done; 0: none."""
    turned_by: int = 0
    """The reading by which the hole card was turned; 0: it has not been."""
    anew: bool = False
    """Whether another deal had just begun when its bets were locked, or it began at once after the last round's cards:
    whether its cards are those counted, a person says."""
    declared: tuple[int, ...] = ()
    """The boxes without chips that somebody had declared before its first card."""
    burned: int = 0
    """How many cards were burned before its first, as somebody had said by a key, an order or the shoe's burn mode."""
    entered: tuple[int, ...] = ()
    """The spots that came in mid shoe or bet late and were dealt in, as somebody has said."""
    denied: tuple[int, ...] = ()
    """Those that were not, as somebody has said although chips lay there in the deal, and boxes that somebody took
    back before it."""
    carried: tuple[int, ...] = ()
    """The spots that are known to be dealt to only by what somebody said before an earlier deal, or by an order."""
    after_end: bool = False
    """Whether the round before ended by what a person said, so that its cards may be that round's, and no key has
    locked its bets since."""
    after_word: bool = False
    """Whether a person said that the cards before its first, which may be another deal's, are the last round's, and no
    key has locked its bets since."""
    resumes: bool = False
    """Whether a correction may have cured the round, to be seen once the hole card is turned."""

    def unturned(self) -> bool:
        """Whether the hole card is guarded and has not been turned."""
        return self.stands != "unguarded" and not self.turned_by

    def withholds_faces(self) -> bool:
        """Whether the hole card may be another than the one counted: nothing that faces decide is published."""
        return self.stands not in {"unguarded", "confirmed"} and not self.turned_by


class RoundCard(Value, frozen=True, tag=False):
    """A card of the round: the reading that brought it, its face (None: unread, or closed to us), its opening."""

    number: int
    face: Card | None
    nonce: bytes
    opened: bool = False
    unread: bool = False
    """The shoe could not read it, and the floor has not named it."""
    ruled: Card | None = None
    """Its face as the floor set it."""

    def shown(self) -> Card | None:
        """The face that counts."""
        return self.ruled or self.face


_UNREAD: Final = attrgetter("unread")
"""Asked of every card of the round each time that one comes."""


class OpenQuestion(Value, frozen=True, tag=False):
    """A question that waits for an answer, and its number."""

    number: int
    question: Question


class SharedChips(Value, frozen=True, tag=False):
    """Chips that two antennas heard when the bets were locked, so that they may be of either zone's wager."""

    zones_of: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """The zones that heard each of them."""
    amounts: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """What lay in these zones, in cents, without such chips and with them."""
    changed_ns: int = -1
    """When such a zone last changed before the lock was published; -1: it never did."""
    lost: bool = False
    """Whether such a chip was picked up before anybody knew where it lay."""


class RoundBets(Value, frozen=True, tag=False):
    """What is wagered, and when betting closed. Money is in cents, by zone; times are nanoseconds of table time."""

    lock_ns: int
    """When the bets were locked, by key or by the first card."""
    spots: tuple[int, ...]
    """Spots with a main wager, ascending: the boxes."""
    wagers: tuple[LockedWager, ...]
    declared: tuple[int, ...] = ()
    """Spots of boxes without chips."""
    refused: tuple[LockedWager, ...] = ()
    """What lay there at the lock and is no wager by the card."""
    locked_by: int = 0
    """The reading of the key that locked the bets; 0: the first card did."""
    locked: bool = False
    """Whether the lock has been published; until then a reader may still report chips that lay there in time."""
    moved: dict[str, int] = msgspec.field(default_factory=dict)
    """What lay at the lock in the zones whose chips moved after it and before it was published."""
    shared: SharedChips = SharedChips()
    uncertain: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """What each side wager may have been, by zone, whose chips moved between two looks with the first card between."""
    lost_at_lock: tuple[str, ...] = ()
    """The zones, or the spots where zones are not known, whose readers were lost when the bets were locked: what they
    tell later may have lain there by then."""
    lost_zones: tuple[str, ...] = ()
    """Zones of wagers made before the deal of which no reader has reported what lay there when the bets were locked."""
    sensed: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The spots whose wagers count of each side bet that only sensors see; of one that is missing it is not known."""
    closed_meters: dict[str, str] = msgspec.field(default_factory=dict)
    """Why each meter was closed at the lock that was, by name."""
    contributed: bool = False
    """Whether its wagers have raised their meters."""
    late: tuple[LockedWager, ...] = ()
    """What was laid in the middle of the deal at spots that are no boxes, while they may have been dealt in."""


class RoundCards(Value, frozen=True, tag=False, dict=True):
    """The cards that were drawn, and which of them lie face down."""

    drawn: tuple[RoundCard, ...] = ()
    """In the order they left the shoe."""
    hole_dealt: bool = True
    """Whether the dealer's second card is the last of the deal, face down; else it comes after the boxes (A3)."""
    turned: bool = False
    """Whether the hole card has been turned."""
    turn_key: int = 0
    """The reading of the key of the turn; 0: not pressed."""
    face_down: bool = False
    """Whether the players' cards are dealt face down."""
    shown: bool = False
    """Whether such cards have been shown."""
    kept_back: tuple[Event, ...] = ()
    """What may be published only once the players' cards are shown."""
    lying: tuple[str, ...] = ()
    """The chips that lay at its boxes when its last card left the shoe."""
    replaced: tuple[str, ...] = ()
    """Chips that have lain in place of those since then, as one look showed, and may be the same wagers."""
    lifted: tuple[str, ...] = ()
    """The chips that lay at its boxes at the last card before a main zone was emptied, the last time."""

    unheard: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """The chips that left each of its main zones, as no play explains, and have not come again."""

    @cached_property
    def holds_unread(self) -> bool:
        """Whether the shoe could not read one of them, and the floor has not named it."""
        return any(map(_UNREAD, self.drawn))


class ChipVisit(Value, frozen=True, tag=False):
    """Chips that came to a box's zone after the first card, and left it again if ``to_ns`` is not -1."""

    spot: int
    lay: tuple[str, ...]
    """The chips that lay there before."""
    came: tuple[str, ...]
    from_ns: int
    """The first moment at which they may have come."""
    to_ns: int = -1
    """The last moment at which they may have left."""
    zone: str = "main"
    """That, or ``insurance``."""


class RoundEvidence(Value, frozen=True, tag=False):
    """What was observed of the play, what was not heard, and what was concluded."""

    observations: tuple[DatedObservation, ...] = ()
    answers: tuple[PlayAnswer, ...] = ()
    """What people answered about the play."""
    outages: tuple[Outage, ...] = msgspec.field(default=(), name="silences")
    """When readers of boxes were lost."""
    unheard: bool = False
    """Whether the table was not listening for a while, so that a card of it may not have been heard."""
    shoe_away: bool = False
    """Whether a shoe that does not number its draws is away now, so that cards may be drawn unreported."""
    keys_unheard: bool = False
    """Whether the keypad was lost at some moment since the round before was locked."""
    keys_slip: bool = False
    """Whether chips may show even money whose key was left out; False: it was not so when the round was locked."""
    published: tuple[Event, ...] = ()
    """Inferred facts already published."""
    corrected_at: int = 0
    """How many facts had been published when cards or boxes were last corrected; earlier ones may hold no longer."""
    trouble: str = ""
    """Why the round is irregular; empty while some legal play explains everything."""
    misnamed: int = 0
    """The reading of a key that named a spot without a wager and made the round irregular; 0: none."""
    visits: tuple[ChipVisit, ...] = ()
    """What came to its boxes and may be on its way to others."""
    overheard: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Chips that two antennas have heard at once since the round began, with their zones, until it is known in which
    zone one lies: it never is of one that was picked up before."""
    unplaced: dict[str, int] = msgspec.field(default_factory=dict)
    """Zones of wagers made after the deal from which such a chip was picked up with all that lay there, with the most
    that counted there, in cents."""
    curable: bool = False
    """Whether a correction of the floor's may make the irregular round a legal one."""
    burned: int = 0
    """The reading of a card that was burned while a hand may have been waiting for one: no correction of the others
    says whose it was; 0: none."""


class RoundQuestions(Value, frozen=True, tag=False):
    """What people were asked about the round, by the numbers of the questions; 0: none."""

    asked: OpenQuestion | None = None
    """The question about its play that waits for an answer."""
    considered: int = 0
    """How much evidence there was when it was last considered what to ask."""
    doubt: int = 0
    """The question that must be answered before the round goes on."""
    missed_after: int = 0
    """The reading of the key *hit* after which a card may have been missed; 0: none."""
    miscounted: int = 0
    """The doubt, past or present, whether the deal is the cards that the table counts; 0: there was none."""
    read_twice: tuple[int, ...] = ()
    """The doubt, past or present, whether one of two cards that came at once was read twice, and their readings."""
    unkeyed: int = 0
    """The question whether its first card began it, where the key must have."""
    begun_by_word: bool = False
    """Whether a person said that it has begun."""
    goes_on_by_word: bool = False
    """Whether a person said that what was doubted of its cards is not so: none was missed, no other round has begun."""
    denied_afar: bool = False
    """Whether that was said over the operators' channel of cards that may have been missed or miscounted."""
    entering: tuple[int, ...] = ()
    """Spots that came in mid shoe, while it is not known whether they were dealt in."""
    entry: int = 0
    """The question about the first of them."""
    entry_told: bool = False
    """Whether a person said of some spot whether it was dealt in."""
    lingers: int = 0
    """The question whether it is over, as nothing has happened for a minute."""
    lingered: int = -1
    """How much evidence there was when the clock last reported such a minute; -1: it never has."""
    held_by: int = 0
    """The question that must be answered before anything is concluded, as the last reading left it."""
    held_ns: int = -1
    """Since when it has been open, in table time; -1: there is none, or an alert says that nobody answers."""


class PossibleDeal(Value, frozen=True, tag=False):
    """Cards that follow one another in a round that may be over: they may be the deal of the next."""

    from_ns: int
    last_ns: int
    cards: int
    wagers: tuple[LockedWager, ...]
    """What lay there as the first of them came."""


class RoundEnding(Value, frozen=True, tag=False):
    """What is settled, how far the round is closed, and what has begun of the next."""

    settled: tuple[tuple[int, str], ...] = ()
    """The wagers that are settled, by spot and bet."""
    closing: bool = False
    """Whether the round was closed by key, and waits for its readers."""
    close_key: int = 0
    """The reading of the key that closed it; 0: it was none, or an answer said since whether the round is over."""
    close_keyed_ns: int = -1
    """When its close was keyed, if its readers must have looked by then because chips alone may say that a player gave
    up; -1: up to its last card or key is enough."""
    close_refused: bool = False
    """The close was pressed once while no play could be over."""
    next_lock_ns: int = -1
    """When the bets of the next round were locked while this one still waited for its readers; -1: not yet."""
    next_locked_by: int = 0
    """The reading of the key that did so; 0: none."""
    next_moved: dict[str, int] = msgspec.field(default_factory=dict)
    """What lay then, in cents, in the zones whose chips have moved since, by zone."""
    next_bets: str = ""
    """``pressed``: *no more bets* was refused, for the round may go on; ``asked``: then came a card; ``faltered``:
    cards came that may be a deal's or players'; ``unturned``: it was refused soon after a card, before the
    hole card was turned, and no card is asked about."""
    next_wagers: tuple[LockedWager, ...] = ()
    """The wagers that the round has which may have begun since, as it is asked: they are locked in none."""
    next_deals: tuple[PossibleDeal, ...] = ()
    """Where else the deal of that round may be, in the cards that have come since it was asked."""
    next_from_ns: int = -1
    """When the first card came that may be that round's; ``NEVER_ENDS``: none has since it was asked; -1: it was not
    asked."""


class Round(Value, frozen=True, tag=False):
    """A round from the lock to its close."""

    number: int
    bets: RoundBets
    profile_hash: str = ""
    """The rules and options it is played by."""
    cards: RoundCards = RoundCards()
    dealing: DealProgress = DealProgress()
    evidence: RoundEvidence = RoundEvidence()
    questions: RoundQuestions = RoundQuestions()
    ending: RoundEnding = RoundEnding()
    overtook: int = 0
    """The round that its first card ended, payment having begun; 0: none, or a key had ended it."""
    overtook_unpaid: bool = False
    """Whether that round had not been paid as it is due."""
    corrected: tuple[str, str] = ("", "")
    """Who last corrected the round's cards or boxes, and why."""
    corrected_by: Vouched = msgspec.UNSET
    """How the channel knew who that was."""
    by_order: bool = False
    """Whether it rests on an order that neither its cards nor its boxes show: a new shoe was announced before its deal,
    a card struck, a box taken back."""
    said: tuple[str, str] = ("", "")
    """Who last answered a question about the round since it was last corrected, and what."""
    said_by: Vouched = msgspec.UNSET
    """How the channel knew who that was."""

    def rules(self, rules: Rules) -> Rules:
        """The rules by which this round's evidence is read."""
        options = self.options(rules)
        return rules if options is rules.options else replace(rules, options=options)

    def options(self, rules: Rules) -> Options:
        """The procedures among them."""
        if self.evidence.keys_unheard:
            return rules.options.keys_unheard()
        return rules.options.even_money_unkeyed if self.evidence.keys_slip else rules.options

    def blocking_questions(self) -> tuple[int, ...]:
        """The questions that people must answer before anything is concluded, the first to be answered first.

        Was a card missed, has the round begun at all, who was let in.
        """
        if not (self.questions.doubt or self.questions.unkeyed or self.questions.entry):
            return ()
        return tuple(
            question for question in (self.questions.doubt, self.questions.unkeyed, self.questions.entry) if question
        )

    def open_questions(self) -> tuple[int, ...]:
        """The questions about the round as a whole that wait for an answer."""
        return (
            (*self.blocking_questions(), self.questions.lingers)
            if self.questions.lingers
            else self.blocking_questions()
        )

    def first_blocking(self) -> int:
        """The first of these questions; 0: none."""
        return self.questions.doubt or self.questions.unkeyed or self.questions.entry

    def is_suspended(self) -> bool:
        """Whether nothing may be concluded: until a person has answered, or the shoe is back."""
        return bool(self.questions.doubt or self.questions.unkeyed or self.questions.entry or self.evidence.shoe_away)

    def rests_on_people(self) -> bool:
        """Whether what follows from the evidence rests on a person's word too."""
        said = self.evidence.answers or self.bets.declared or self.questions.entry_told or self.questions.begun_by_word
        said = said or self.questions.goes_on_by_word
        counted = self.dealing.burned and self.questions.miscounted
        unseen = self.by_order or self.boxes_denied() or self.boxes_on_word()
        return bool(said or counted or unseen) or any(card.ruled for card in self.cards.drawn)

    def is_unread(self, item: Observation) -> bool:
        """Whether evidence is an unread card in sight; the hole card counts only once it is turned."""
        if not isinstance(item, CardObserved):
            return False
        place = place_of(item.card)
        return self.cards.drawn[place].unread and place != self.hole_place()

    def hides_faces(self) -> bool:
        """Whether nothing that faces decide may be published: they lie face down, or the deal is closed."""
        return self.dealing.withholds_faces() or (self.cards.face_down and not self.cards.shown)

    def must_ignore_faces(self) -> bool:
        """Whether no face may decide what the table does, for one of those that it hides may be the hole card's."""
        return self.dealing.unturned() and self.hides_faces()

    def conceals(self, place: int) -> bool:
        """Whether the face of a card may not leave the process yet."""
        if place == self.hole_place():
            return not self.cards.turned
        if self.dealing.withholds_faces():
            return True
        dealers = place == len(self.bets.spots) or 0 < self.cards.turn_key < self.cards.drawn[place].number
        return self.cards.face_down and not self.cards.shown and not dealers

    def is_published_irregular(self) -> bool:
        """Whether the round is irregular and that has been said."""
        if not self.evidence.trouble:
            return False
        return not any(isinstance(event, RoundIrregular) for event in self.cards.kept_back)

    def waits_for_card(self) -> bool:
        """Whether the round waits for the floor to say what an unread card is."""
        if not self.cards.holds_unread:
            return False
        return any(card.unread and not self.conceals(place) for place, card in enumerate(self.cards.drawn))

    def hole_place(self) -> int:
        """The place of the hole card among the round's cards; -1 where no hole card is dealt."""
        return hole_place(len(self.bets.spots), hole=self.cards.hole_dealt)

    def is_dealt(self, boxes: int | None = None) -> bool:
        """Whether the last card of the deal has left the shoe; ``boxes``: if there are so many."""
        return len(self.cards.drawn) >= deal_cards(
            len(self.bets.spots) if boxes is None else boxes, hole=self.cards.hole_dealt
        )

    def deal_cards(self, boxes: int | None = None) -> int:
        """How many cards the deal has; ``boxes``: to so many."""
        return deal_cards(len(self.bets.spots) if boxes is None else boxes, hole=self.cards.hole_dealt)

    def declared_boxes(self) -> tuple[LockedWager, ...]:
        """The boxes without chips, as somebody declared them."""
        return tuple(wager for wager in self.bets.wagers if wager.spot in self.bets.declared and wager.bet == "main")

    def boxes_on_word(self) -> tuple[int, ...]:
        """The boxes to which the deal has cards as somebody has said, and that still stand.

        They were declared before its first card, or came in mid shoe or bet late and are said to have been dealt in, in
        this deal or one before.
        """
        declared = tuple(spot for spot in self.dealing.declared if spot in self.bets.declared)
        others = (*self.dealing.entered, *self.dealing.carried)
        return (*declared, *(spot for spot in others if spot in self.bets.spots))

    def boxes_denied(self) -> tuple[int, ...]:
        """The spots to which the deal has no cards as somebody has said, and that are still no boxes."""
        return tuple(spot for spot in self.dealing.denied if spot not in self.bets.spots)

    def is_counted_by_word(self) -> bool:
        """Whether the deal has fewer or more cards than counted, if what somebody has said is not so."""
        return bool(self.cards_on_word() or self.boxes_denied())

    def cards_on_word(self) -> int:
        """How many cards the deal has too few, if what somebody has said is not so: of boxes, of cards before it."""
        deal = self.dealing
        return deal.burned + deal.after_word + deal.after_end + 2 * len(self.boxes_on_word())

    def main_zone_outage(self, box: int, from_ns: int, to_ns: int) -> Outage:
        """That what happened in a box's main zone from here to there went unseen, from the lock of the bets on."""
        return Outage(box, max(from_ns, self.bets.lock_ns), to_ns, zones=("main",))

    def main_wagers(self) -> tuple[int, ...]:
        """The boxes' main wagers in cents."""
        return tuple(wager.cents for wager in self.bets.wagers if wager.bet == "main")

    def turn_pressed(self) -> bool:
        """Whether the key of the turn has come, also where by the table's count there was nothing to turn."""
        said = (one.item for one in self.evidence.observations)
        return any(isinstance(item, KeyObserved) and item.action == "hole_turned" for item in said)

    def remembered_card(self, place: int) -> int:
        """A card as the lattice learns it: never the hole card's face, so nothing before the turn depends on it."""
        face = self.cards.drawn[place].shown()
        return place << 4 if face is None or place == self.hole_place() else seen(place, face)

    def awaits_only_turn(self) -> bool:
        """Whether nothing but the key of the turn can bring the round to its end, whatever readers still report.

        Its players' cards lie face down: who presses the close hears so at once, before the next round is dealt.
        """
        hidden = self.cards.face_down and self.must_ignore_faces() and not self.is_published_irregular()
        return hidden and bool(self.cards.drawn) and not (self.cards.turn_key or self.ending.close_refused)

    def is_wager_unread(self, spot: int, bet: str) -> bool:
        """Whether no reader has reported a zone at the lock, nor the floor declared its wager: the floor rules."""
        return zone_name(spot, bet) in self.bets.lost_zones and not (bet == "main" and spot in self.bets.declared)

    def is_wager_uncertain(self, spot: int, zone: str) -> bool:
        """Whether it is uncertain what lay in a zone at the lock."""
        return zone_name(spot, zone) in self.bets.uncertain
