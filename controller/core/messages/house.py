"""The house: everything that is fixed while a table runs."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.core.game.rules import Rules
from controller.core.game.side_bet import terms_of
from controller.core.meters.pooled_meter import PooledTerms
from controller.core.meters.state import MeterTerms, terms_paying_rows
from controller.core.persons import Authentication, NamesAlike, may_be_one, may_look_as_one
from firmware_protocols.values import Value


class GamingDay(Value, frozen=True, tag=False):
    """When the house's day and its shifts begin. Where the table file does not say, a gaming day is a day of UTC."""

    # Nothing of it is reckoned in the core: which moment belongs to which day depends on the tables of time zones, and
    # these change. What the house said is published, so that every account knows it (controller.formats.text.moments).

    time_zone: str = "UTC"
    """A name of the IANA time zone database, such as ``America/New_York``."""
    begins: str = "00:00"
    """Hours and minutes by the clock on the wall."""
    shifts: dict[str, str] = msgspec.field(default_factory=dict)
    """When each shift begins, by name; it lasts until the next one."""


class SensorBet(Value, frozen=True, tag=False):
    """The spots of one side bet that no reader sees: a wager there is what its sensor latched.

    A sensor says that a wager lies there and not how much it is: each counts for ``stake_cents``. ``device`` is the
    unit's name.
    """

    device: str
    spots: tuple[int, ...]
    stake_cents: int


class House(Value, frozen=True, tag=False):
    """Everything fixed while the daemon runs: the rules, the chips that exist, the keys' meanings."""

    rules: Rules
    chips: dict[str, int]
    """Value in cents of each chip id."""
    keys: dict[str, str]
    """Meaning of each key ``A`` to ``Y`` (see ``controller.core.table.keymap``)."""
    profile_hash: str
    """SHA-256 of the rules and options in force, in hex."""
    readers: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The spots each bet-spot reader watches, by device name."""
    denominations: tuple[int, ...] = ()
    """The values of the chips there are, for advice in chips; empty: advice is in cents."""
    elsewhere: dict[str, str] = msgspec.field(default_factory=dict)
    """Where the house keeps chips that do not belong on this table, by id."""
    meters: tuple[MeterTerms, ...] = ()
    """The progressive meters this table counts, in the order in which a wager raises them."""
    linked: tuple[PooledTerms, ...] = ()
    """The pools of many tables that it feeds."""
    sensors: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    """The spots with sensors, by side bet."""
    counted: dict[str, SensorBet] = msgspec.field(default_factory=dict)
    """Of these, the spots whose wagers no reader sees, by side bet."""
    two_persons: bool = False
    """Whether what moves money takes a second person."""
    orders_bounded: bool = False
    """Whether that holds for cards and boxes too, and one person's orders have bounds; False: the journal is of before,
    when it held for voiding a round and adjusting a wager alone."""
    shoe_claims_checked: bool = False
    """Whether each count of a shoe is published and held against the others, and a burn whose card a hand may have been
    waiting for leaves its round to the floor; False: the journal is of before, when one person's word settled both."""
    proposals_bound: bool = False
    """Whether a proposal is shown whole, acts on what it was about and lapses without it, and counts are bounded day by
    day; False: the journal is of before."""
    orders_traced: bool = False
    """Whether a refused answer and an alert that an order raises name who gave it, and disputed or irregular rounds say
    what came to their wagers; False: the journal is of before."""
    moves_gathered: bool = False
    """Whether changes of a main wager that follow one another within a moment are one change; False: the journal is of
    before."""
    slips_awaited: bool = False
    """Whether chips that people put right within moments accuse nobody, and a key left out is no offence; False: the
    journal is of before, when a look round was enough to accuse."""
    floor_claims_checked: bool = False
    """Whether what people say is held against what was dealt and entered: an answer that no round began, burns beside
    bets, a shoe announced between the lock and its first card, a late bettor dealt in, a slip written otherwise, a
    chip held to another antenna; and alerts name each who gave or approved what they are about. False: the journal is
    of before."""
    payments_bounded: bool = False
    """Whether more than a surrendered, split or declared box can be due is called a wrong payment, what is found wrong
    with a round or adjusts its wagers names whose word it rests on, chips that may be the next bets, a card having come
    without its key, accuse nobody, and the floor may rule on a wager that a person denied. False: the journal is of
    before."""
    payments_by_course: bool = False
    """Whether a payment is called wrong only if no honest course of the chips shows as the readers saw it (the next bet
    laid beside, a payment at the wrong box, change made, insurance settled against the wager), and more than is due
    that leaves without having been bet is told as unexplained; False: the journal is of before."""
    moves_reconsidered: bool = False
    """Whether what is laid too much or given up again before a card accuses nobody, and other chips in the place of a
    wager that may have been lost are the next bet; False: the journal is of before."""
    words_confirmed: bool = False
    """Whether a deal of which a person's word says how many cards it has (a declared box, an announced burn) is
    confirmed by its rhythm or asked about, by another than who said it; alerts name who announced the shoe; a burned
    card stays closed until its shoe must be over; what one key proposes takes no place of a socket's; and a wager whose
    own chips all come back was not surrendered. False: the journal is of before."""
    exchanges_in_play: bool = False
    """Whether other chips for as much that soon lie in the place of a wager which was gone may be that wager, changed
    by its player in play, what is too much of a double may be handed back just before its card, and a card between two
    looks at a zone may be the next deal's first. False: the journal is of before."""
    next_wagers_named: bool = False
    """Whether the question if another round has begun names the wagers it would have. False: the journal is of
    before."""
    words_traced: bool = False
    """Whether what rests on an answer about a round's cards says so, the next deal too where a person denied that it
    had begun, a deal of which an answer says who was dealt in is confirmed as one with declared boxes is, and nobody is
    forgotten on whose word a round rests that is still judged or paid; and whether a shoe that another replaced long
    before its cut card is an alert. False: the journal is of before."""
    looks_reckoned: bool = False
    """Whether how seldom a zone is looked at is reckoned from the looks that the interval of a change spans, and not
    taken to be that interval; whether chips beside a wager that may have pushed are no payment, a changed wager may be
    doubled before a look shows it, too large a double and what is handed back of it are one change, and a wager that is
    settled does not come back. False: the journal is of before."""
    declarations_traced: bool = False
    """Whether what rests on a box that was taken back, on a shoe that an order announced, or on a struck card says so,
    the deal after such a box is asked about as one of which a spot was denied, and who alone changes what another
    declared or counted, or says from elsewhere that no other round has begun, is an alert. False: the journal is of
    before."""
    ends_traced: bool = False
    """Whether who says from elsewhere that a round is over opens no hole card and is named by its alerts, and who says
    that none had begun is treated as one who announces a burn. False: the journal is of before."""
    words_carried: bool = False
    """Whether what somebody said of one round counts as said in those after it: that a spot is dealt to, where who sat
    out may be refused until the shuffle, what a card is that the shoe could not read, and what has ended a round: from
    elsewhere that it is over, or what it rests on where nothing but the next deal has shown its end. False: the journal
    is of before."""
    deals_by_number: bool = False
    """Whether cards of which no key says if they are the next deal's are judged by their number and by what the open
    round could take of them, and not by their evenness alone, from three and a half quiet seconds on; also where hands
    lie face down, and where a wager was taken up and as much laid in its place. False: the journal is of before."""
    wagers_followed: bool = False
    """Whether wagers that several players change at once are followed together, and chips that moved in a round which
    ended before it was known in which zone a chip of its wagers lay accuse nobody, the floor ruling on that round also
    where the next deal ends it. False: the journal is of before."""
    slips_reckoned: bool = False
    """Whether cards that stop for some seconds among those of a deal may be the next deal's where a wager may have been
    changed, what is taken back of a double before its card was never laid, and a changed wager was gone from report to
    report. False: the journal is of before."""
    racks_traced: bool = False
    """Whether who alone lowers under a slip of their own what another counted of a rack, or counts a rack anew with its
    shift named where it was not, is an alert. False: the journal is of before."""
    unlisted_named: bool = False
    """Whether people whom alerts are about that are counted only, because too many wait, leave it to another to take
    note of those. False: the journal is of before."""
    turns_keyed: bool = False
    """Whether cards that lay closed at the end of a shoe are opened only where a key has turned a hole card since they
    were drawn, or that shoe must be over, and no closed card decides what is advised of a wager that the floor settles,
    or whether a card may be the next deal's. False: the journal is of before, when a turn that the table concluded from
    a confirmed deal was enough."""
    doubles_awaited: bool = False
    """Whether a double or split is what lies there as its card comes, whatever was taken back or laid before that and
    also where it was laid before its hand's turn; whether a deal that follows the last round's cards at once, as that
    round could not take its first, may have begun before it; and whether chips that come while that is asked, or in a
    round that no play explains by the time that every reader has looked, accuse nobody. False: the journal is of
    before."""
    overheard_kept: bool = False
    """Whether it is kept which chips two antennas have heard in a round: what changes in their zones accuses nobody,
    a wager made after the deal that was picked up with one is listed, for neither spot settled before it is placed, and
    what the antenna of a main wager hears only since the bets were locked is no part of that. False: the journal is of
    before."""
    questions_fit: bool = False
    """Whether the lines of a question fit the keypad's display in the order in which they are shown. False: the journal
    is of before."""
    declarations_answer: bool = False
    """Whether a box that the floor declares where a late bettor's chips lie answers whether he was dealt in. False: the
    journal is of before, when that was still asked, which could stop the table, and his chips were listed as open
    beside the box."""
    turns_awaited: bool = False
    """Whether a double or split that may have been laid before its hand's turn waits for that turn in the plays where
    it has not come, however many cards come before. False: the journal is of before, when the double had its card by
    the next one that its reader's report let it have, and by the fourth at the latest."""
    denials_open_nothing: bool = False
    """Whether who says from elsewhere that no card was missed, or that a deal is as counted, opens no hole card: only a
    key turns it then. False: the journal is of before, when the next card that every play gave the dealer did."""
    corrections_bounded: bool = False
    """Whether a correction that leaves more open than the table can follow in time makes the round the floor's. False:
    the journal is of before, when the table stood still until it had followed all of it."""
    recounts_traced: bool = False
    """Whether who alone counts a rack anew after another, with no round dealt since, is an alert although its other end
    was counted in between. False: the journal is of before."""
    doubles_dated: bool = False
    """Whether what stays of too large a double or split was laid when its chips came, also where the rest is handed
    back only after its card. False: the journal is of before, when it counted as laid after that card."""
    splits_awaited: bool = False
    """Whether a pause turns the hole card only where no chips from before the last card move still and every play, by
    all that has been reported, has the players finished, and what is too much of a split hand's double is told by its
    box's wager. False: the journal is of before, when chips that were laid before the last card and reported after it
    did not count for the pause, and as much as lay at a box, of all its hands, was not too much to add."""
    insurance_needs_ace: bool = False
    """Whether the floor's ruling on insurance that nobody saw is refused where the up card was no ace. False: the
    journal is of before."""
    causes_named: bool = False
    """Whether an order in a name that nothing vouches for is refused with the cause for which it takes two persons, and
    an alert about chips that are unexplained only since an order names the order and accuses nobody. False: the
    journal is of before."""
    slips_bounded: bool = False
    """Whether of many slips, and of who entered them, only the last are remembered, so that one which was forgotten
    could be entered again. Given up: it is True in journals of one version alone, and False before and since."""
    burns_after_payment: bool = False
    """Whether a card that is burned three and a half seconds after the last one accuses nobody, where a wager has been
    paid, taken or picked up since if the round is over. False: the journal is of before, when five seconds had to pass
    in any case."""
    next_wagers_kept: bool = False
    """Whether a round that gave way to another one, or may have, names in its reason the wagers that the other would
    have, as they are locked in no round. False: the journal is of before, when the question alone named them."""
    raises_withdrawn: bool = False
    """Whether what is taken back whole of a double or split before its card, and could not have been owed, may have
    been one, whether what stays of several hands' wagers in other chips is theirs still, and whether what is taken back
    of a double that was laid in other chips for the whole was never laid. False: the journal is of before, when the
    first was a payment that was picked up, the second the next bet, and the third all doubled."""
    parts_reckoned: bool = False
    """Whether less than a wager that comes in other chips where it lay may be the next bet as well as what stays of a
    split or double, and a wager lies as long as one of two antennas hears its chips; and whether nobody is accused of
    what came first of a split until the rest was laid, nor of what had come and left before anything was said of it.
    False: the journal is of before."""
    slips_of_something: bool = False
    """Whether a fill or a credit of 0.00 is refused, as nothing was carried. False: the journal is of before, when it
    was entered, and its slip could be entered again."""
    refusals_advise: bool = False
    """Whether an order on a card that no open round has, or one that takes back a box where none was declared, is
    refused with what to do instead. False: the journal is of before."""
    falls_at_cards: bool = False
    """Whether what falls between looks with a card or key among them, or in a deal that was not confirmed, may take
    back a double or split before its card, and whether chips that came and left before the last card or key of the play
    may be none of the stake that is paid or taken. False: the journal is of before, when the double stood, who took it
    back after a look had shown it was accused, and the stake was all that had come."""
    names_awaited: bool = False
    """Whether what lies on the insurance line is judged only once an unread card has its name, without which nobody can
    say how far the play has come. False: the journal is of before, when what was paid there was too large."""
    changes_outlast_questions: bool = False
    """Whether a wager that went and came again in other chips lies there still while a question holds the round. False:
    the journal is of before, when the boxes counted as cleared, and the next card began a round.
    """
    unwatched_bounded: bool = False
    """Whether a round of which lost readers leave more open than the table can follow in time is irregular. False: the
    journal is of before, when a card could take longer than the service manager waits."""
    looks_compared: bool = False
    """Whether names that look alike in print, whatever divides or marks their letters, may be one person's where it
    takes two. False: the journal is of before, when a hair of space within a word made it another's."""
    owners_reported: bool = False
    """Whether who alone says whose a card is, where the readings leave it open, is an alert. False: the journal is of
    before."""
    second_readings_kept: bool = False
    """Whether a move of chips that one play explains is kept as what it may have been besides: a raise taken back as
    laid at its turn, not only before it; chips that come and go as nothing; and a wager laid back as changed, though
    slowly, raised at once or just as a card came. False: the journal is of before, when one play that explained it was
    all.
    """
    counts_bounded: bool = False
    """Whether one person, or all at one socket, may enter some thousands of counts on a gaming day and no more, and of
    the names at one socket a few are remembered. False: the journal is of before."""
    stops_set_apart: bool = False
    """Whether a stop in a deal counts as no more than twice its usual gap where the dealer's rhythm is learnt. False:
    the journal is of before, when a dealer who stopped in the first deals counted as a slow one, and hits as a deal."""
    movements_joined: bool = False
    """Whether what comes to a double in several movements, or is taken back of it, counts with it: of one laid before
    its turn until its card, and of one on a wager whose chips were changed. False: the journal is of before, when each
    was taken for a move of its own.
    """
    irregular_rounds_end: bool = False
    """Whether *no more bets* ends an irregular round once the hole card's turn has been keyed. False: the journal is of
    before, when the key was refused for seconds after its last card, and the next round was lost in it.
    """
    next_wagers_followed: bool = False
    """Whether the wagers of a round that may have begun, of which a person is asked, are what lay there at the card of
    which that is asked, though it is reported after it, or at a later deal. False: the journal is of before, when they
    were what had been reported.
    """
    garbled_devices_heard: bool = False
    """Whether chips of a wager that are not heard any more may lie there still: what comes beside the rest may then all
    be a double or split, and not only what lies beyond the wager; and whether chips that left just before the bets were
    locked, and lie there again just after the deal, may be of the wager; whether two cards that come at once are asked
    about; and whether a round of which decisions were keyed before a card was reported is read as one of which keys
    were not heard. False: the journal is of before."""
    keyed_doubles_kept: bool = False
    """Whether a double that was laid before its hand's turn is taken up at its card also where every decision is keyed;
    whether chips accuse nobody that a key alone left unexplained, while the dealer may take it back; and whether no
    look confirms chips that still move while cards wait to be told from a deal. False: the journal is of before."""
    shoe_numbers_cards: bool = False
    """Whether the shoe numbers its draws; if not, an outage may hide cards."""
    unpaired: tuple[str, ...] = ()
    """Devices whose line leaves the cabinet and is not paired."""
    currency: str = ""
    """What a cent is the hundredth part of, by ISO 4217; empty: the house did not say."""
    gaming_day: GamingDay | None = None
    """The house's day and shifts; None: it did not say, and days are days of UTC."""
    zones: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """The zones each bet-spot reader sees, as ``SPOT/ZONE``, by device name; empty: the journal is of before, and
    nothing is said of zones that no reader looks at."""

    def known_by(self, *vouched: Authentication) -> str | msgspec.UnsetType:
        """How the channel knows who ordered something, in words, as events say it since orders are bounded."""
        return "; ".join(one.text() for one in vouched) if self.orders_bounded else msgspec.UNSET

    def known_now_by(self, *vouched: Authentication) -> str | msgspec.UnsetType:
        """The same, for events that say it since proposals are bound."""
        return self.known_by(*vouched) if self.proposals_bound else msgspec.UNSET

    def names_alike(self) -> NamesAlike:
        """By what two names may be one person's where it takes two."""
        return may_look_as_one if self.looks_compared else may_be_one

    def zones_at(self, device: str, spot: int) -> tuple[str, ...]:
        """The zones that a reader sees at a spot; empty: the house did not say, and they may be any."""
        seen = (name.partition("/") for name in self.zones.get(device, ()))
        return tuple(zone for where, _, zone in seen if int(where) == spot)

    def won_by_rows(self, bet: str) -> bool:
        """Whether some meter, the table's own or a pool's, pays rows of a side wager."""
        if not terms_of(self.rules, bet).meter_shares:
            return False
        own, linked = terms_paying_rows(self.meters, bet), terms_paying_rows(self.linked, bet)
        return own is not None or linked is not None

    def mystery_meter(self) -> MeterTerms | None:
        """The must-hit-by meter."""
        return next((terms for terms in self.meters if terms.kind == "mystery"), None)


_OF_HOUSE: Final = frozenset({"two_persons", "shoe_numbers_cards"})
"""What one house has and another has not; every other yes or no says whether a journal is of before."""


_GIVEN_UP: Final = frozenset({"slips_bounded"})
"""What journals of some versions have and those of before and since have not: nothing that begins now does it."""


def begun_now(house: House) -> House:
    """The house of a table whose journal begins now: it is of before in nothing, and has nothing that was given up."""
    names = {one.name for one in msgspec.structs.fields(House) if one.type is bool} - _OF_HOUSE
    facts: dict[str, Any] = {name: name not in _GIVEN_UP for name in names}
    return msgspec.structs.replace(house, **facts)
