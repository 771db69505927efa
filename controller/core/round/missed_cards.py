"""Cards of which it is not known whether they are of the open round: missed, the next one's, or burned. A person says.

A card may have been missed while the daemon did not listen, or, by a shoe that does not number its draws, although it
did: the key *hit* was pressed, and play went on without a card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation, round_end
from controller.core.certainty.agreed_dues import confirmed_until_ns
from controller.core.game.wager import LockedWager
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import NEVER_ENDS, CardObserved, DatedObservation, KeyObserved
from controller.core.messages.alerts import CardsMayBeMissing
from controller.core.messages.events import QuestionWithdrawn
from controller.core.messages.inputs import AnswerQuestion
from controller.core.messages.raised_alerts import AlertKind
from controller.core.persons import Person, not_second_reason
from controller.core.refusal_reason import RefusalReason
from controller.core.table.alert_list import money, named_people, raise_alert_about
from controller.core.table.round_state import PossibleDeal, Round
from controller.core.table.state import lattice_of
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsSeen

BURNED: Final = "a card was burned in round"
"""How the reason of a round begins that such a card leaves to the floor, where that is an alert of its own."""

_NOT_KNOWN_OVER: Final = "a card was burned, and it is not known whether the round was over"

MISSED_CARDS: Final = "Were cards drawn while the table was not listening?"
_NEXT_BEGUN: Final = "No more bets was pressed in this round and then a card came: has another round begun?"

_FALTERED: Final = "Cards came that may be the next deal's: has another round begun?"

_CARDS_OF_DEAL: Final = 3
"""So many cards that follow one another at once may be a deal."""

_DEALT_ON_NS: Final = 3_500_000_000
"""So soon one card of a deal follows the other."""

_DEALS_KEPT: Final = 2
"""Of very many such runs of cards the last are kept."""

_NEXT_ASKED: Final = frozenset({"asked", "faltered"})

_MISCOUNTED: Final = "Are the cards of this deal other ones than counted: one was burned, or drawn before it?"

_NO_BURN_SHOWN: Final = "Burned card dealt? yes/no"
_SEVERAL_SHOWN: Final = "Cards miscounted? yes/no"
_BEGUN_BEFORE_SHOWN: Final = "Deal begun sooner? yes/no"
_LAST_SHOWN: Final = "Last round's? yes/no"

_TWICE: Final = "Two cards came at once: was one of them read twice?"

_AT_ONCE_NS: Final = 100_000_000
"""Sooner than this no dealer draws another card."""

_HANDS_MS: Final = 200
"""Dealers whose cards usually follow one another sooner are simulated ones, who may draw as soon as they like."""


def may_be_missing(transaction: Transaction, reason: str) -> None:
    """A shoe that does not number its draws may have been drawn from unheard: the round waits for a person."""
    if not transaction.house.shoe_numbers_cards:
        ask(transaction, reason)


def note_unheard(transaction: Transaction, reason: str) -> None:
    """A card may have been drawn unheard between two rounds, perhaps the first of the next deal."""
    if not transaction.house.shoe_numbers_cards:
        transaction.change(unheard_before_deal=reason)


def note_bets(transaction: Transaction) -> None:
    """The shoe is back between two rounds: where bets lie, a deal to them may have begun unheard.

    A round that has been closed by key waits for the answer whether cards were drawn, which may be the next deal's.
    """
    round_now = transaction.state.round
    if (round_now is None or round_now.ending.closing) and not transaction.house.shoe_numbers_cards:
        transaction.change(dealt_unheard=any(wager.bet == "main" for wager in lock.bets_on_layout(transaction)))


def may_have_begun_unheard(transaction: Transaction) -> None:
    """A card begins a round: it need not be its first where the shoe was away as bets lay and no key locked them."""
    if transaction.state.dealt_unheard:
        transaction.change(dealt_unheard=False)
        ask(transaction, "the shoe was not connected when bets lay there")


def ask(transaction: Transaction, reason: str) -> None:
    """Cards may have been drawn that were not reported: the open round waits for a person."""
    round_now = transaction.state.round
    if round_now is None:
        note_unheard(transaction, reason)
    deal_confirmation.disturbed(transaction, reason, 0)
    transaction.emit(CardsMayBeMissing(round_now.number if round_now else None, reason))
    transaction.note_absence()
    if round_now is not None and not round_now.evidence.trouble and not round_now.questions.doubt:
        transaction.change_questions(doubt=transaction.ask(0, MISSED_CARDS, ("no", "yes")))


def next_may_have_begun(transaction: Transaction) -> None:
    """A card that may be the next round's, where nothing shows that the open one has ended.

    It follows a refused *no more bets*, or is the first of as many cards as a deal has, which may be players' as well.
    """
    round_now = transaction.round()
    if round_now.evidence.trouble or round_now.questions.doubt:
        return
    if transaction.state.may_begin == transaction.stamped.number:
        asked, text = "faltered", _FALTERED
    elif round_now.ending.next_bets == "pressed":
        asked, text = "asked", _NEXT_BEGUN
    else:
        return
    _ask_if_begun(transaction, asked, text)


def ask_if_settled_before_card(transaction: Transaction, settled: DatedObservation) -> None:
    """Chips that no play explains moved at a box before a card, and without that card they are a settled wager's.

    A dealer who deals at once overtakes a reader that tells of them only then: the card may be the next deal's first.
    """
    known = transaction.round().evidence.observations
    for moment_ns in _overtaken_at(transaction, settled.first_ns, settled.last_ns):
        earlier = tuple(one for one in known if one.first_ns <= moment_ns)
        lattice = transaction.lattice().with_evidence((*earlier, settled))
        if lattice is not None and any(node.paying for node in lattice.frontier):
            _ask_if_begun(transaction, "faltered", _FALTERED)
            return


def ask_if_bet_before_card(transaction: Transaction, first_ns: int, last_ns: int) -> None:
    """What lies in a wager's place may be the next bet, and a card that came since may be the next deal's first."""
    moments_ns = _overtaken_at(transaction, first_ns, last_ns)
    if any(round_end.some_play_was_over(transaction, moment_ns) for moment_ns in moments_ns):
        _ask_if_begun(transaction, "faltered", _FALTERED)


def _overtaken_at(transaction: Transaction, first_ns: int, last_ns: int) -> tuple[int, ...]:
    """Moments by which chips may have moved that their reader tells of only after a card, each just before a card.

    The next deal may have begun since. Not where a key must turn the hole card: it has shown that the round was not
    over. Nor by what lies face down.
    """
    round_now = transaction.round()
    if not transaction.house.moves_reconsidered or round_now.questions.doubt or round_now.hides_faces():
        return ()
    if not deal_confirmation.turn_needs_no_key(transaction):
        return ()
    cards_ns = [one.first_ns for one in round_now.evidence.observations if isinstance(one.item, CardObserved)]
    since = (last_ns,) if any(card_ns > last_ns for card_ns in cards_ns) else ()
    if not transaction.house.exchanges_in_play:
        return since
    return (*(card_ns - 1 for card_ns in cards_ns if first_ns < card_ns <= last_ns), *since)


def _ask_if_begun(transaction: Transaction, asked: str, text: str) -> None:
    """Ask whether another round has begun; until that is known nothing of this one is concluded.

    Its wagers are locked in no round, so that the question names them, and why this one is irregular if it gives way.
    """
    wagers = lock.bets_on_layout(transaction) if transaction.house.next_wagers_named else ()
    if wagers:
        text = f"{text} Its wagers would be what lies there: {_wagers_text(wagers)}"
    transaction.change_ending(next_bets=asked, next_wagers=wagers if transaction.house.next_wagers_kept else ())
    if transaction.house.next_wagers_followed:
        drawn = transaction.stamped.input
        from_ns = transaction.table_ns(drawn.at_ns) if isinstance(drawn, CardDrawn) else NEVER_ENDS
        transaction.change_ending(next_from_ns=from_ns)
    transaction.change_questions(doubt=transaction.ask(0, text, ("no", "yes")))
    transaction.note_absence()


def note_next_card(transaction: Transaction, at_ns: int) -> None:
    """A card comes in a round of which it is asked whether another has begun: it may be the first of that one's deal.

    So it is if chips alone have said that another may have begun, and so may one be that comes after a pause.
    """
    ending = transaction.round().ending
    if ending.next_from_ns == NEVER_ENDS:
        transaction.change_ending(next_from_ns=at_ns)
    if ending.next_from_ns < 0 or not transaction.round().questions.doubt:
        return
    last_ns, deals = transaction.times().last_card_ns, ending.next_deals
    if at_ns - last_ns >= deal_confirmation.BETWEEN_ROUNDS_NS:
        lying = lock.bets_on_layout(transaction)
        kept = tuple(one for one in deals if one.cards >= _CARDS_OF_DEAL)
        begun = [PossibleDeal(at_ns, at_ns, 1, lying)] if all(one.wagers != lying for one in kept) else []
        transaction.change_ending(next_deals=(*kept[-_DEALS_KEPT:], *begun))
    elif deals and deals[-1].last_ns == last_ns and at_ns - last_ns <= _DEALT_ON_NS:
        more = replace(deals[-1], last_ns=at_ns, cards=deals[-1].cards + 1)
        transaction.change_ending(next_deals=(*deals[:-1], more))


def note_next_bets(transaction: Transaction, last_ns: int) -> None:
    """What lay in a zone by some moment is reported: the wagers of the round that may have begun are what lay there."""
    ending = transaction.round().ending
    if not transaction.round().questions.doubt or not ending.next_wagers:
        return
    if last_ns <= ending.next_from_ns:
        transaction.change_ending(next_wagers=lock.bets_on_layout(transaction))
    *others, last = ending.next_deals or (None,)
    if last is not None and last_ns <= last.from_ns:
        last = replace(last, wagers=lock.bets_on_layout(transaction))
        transaction.change_ending(next_deals=(*others, last))


def _wagers_text(wagers: tuple[LockedWager, ...]) -> str:
    return ", ".join(f"spot {one.spot} {one.bet} {money(one.cents)}" for one in wagers)


def _with_next_wagers(round_now: Round, reason: str) -> str:
    """A reason, and the wagers of the round that is meant by it: they are on no list but this."""
    wagers = round_now.ending.next_wagers
    if not wagers:
        return reason
    deals = (one.wagers for one in round_now.ending.next_deals if one.cards >= _CARDS_OF_DEAL)
    others = " or ".join(_wagers_text(one) for one in deals if one and one != wagers)
    later = f"; or, if it began later, {others}" if others else ""
    return f"{reason}; its wagers, locked in no round, would be {_wagers_text(wagers)}{later}"


def ask_if_miscounted(transaction: Transaction, until: int) -> None:
    """Ask whether the deal is what the table counts where it stopped among its cards and then went on beyond the last.

    A card may have been burned when it stopped. Nor is it certain if its bets were locked in the middle of a deal, nor
    where only a person's word says whether a box was dealt to, that the card before the deal was a burn, or that the
    cards before it were none of it.
    """
    round_now = transaction.round()
    if round_now.questions.miscounted or round_now.evidence.trouble or round_now.is_suspended():
        return
    if round_now.is_dealt() and deal_confirmation.rests_on_word(transaction, round_now):
        _ask_miscounted(transaction, _miscounted_text(round_now))
    elif round_now.dealing.unturned() and _stopped_in_deal(transaction, until):
        _ask_miscounted(transaction, _MISCOUNTED)


def _stopped_in_deal(transaction: Transaction, until: int) -> bool:
    """Whether the deal stopped among its cards and went on beyond the last, or began in the middle of another."""
    deal = transaction.round().dealing
    beyond = deal_confirmation.paused_in_deal(transaction) and deal_confirmation.is_followed_at_once(transaction, until)
    return beyond or (deal.anew and deal.stands == "unconfirmed")


def _ask_miscounted(transaction: Transaction, text: str) -> None:
    """Ask a person whether the cards of the deal are those counted."""
    question = transaction.ask(0, text, ("no", "yes"))
    transaction.change_questions(doubt=question, miscounted=question)


def _miscounted_text(round_now: Round) -> str:
    """The question about a deal of which a person's word says how many cards it has."""
    return f"Are the cards of this deal other ones than counted: {', or '.join(_words_doubted(round_now))}?"


def _words_doubted(round_now: Round) -> Iterator[str]:
    """What may be so, as the deal does not bear out what was said of it."""
    dealt, denied, deal = round_now.boxes_on_word(), round_now.boxes_denied(), round_now.dealing
    if dealt:
        yield f"was none dealt to {_spots(dealt)}"
    if denied:
        yield f"were some dealt to {_spots(denied)}"
    # Beside a declared box journals of before name no burn.
    if deal.burned and (not dealt or deal.carried):
        yield "was the card before it dealt, not burned"
    if deal.after_word:
        yield "did an earlier card begin it"
    if deal.after_end:
        yield "are they the last round's still"


def _miscounted_shown(round_now: Round) -> str:
    """The same, and that about any other deal, as the keypad shows it."""
    dealt, denied, deal = round_now.boxes_on_word(), round_now.boxes_denied(), round_now.dealing
    if len(tuple(_words_doubted(round_now))) > 1:
        return _SEVERAL_SHOWN
    if dealt or denied:
        return f"{'No card' if dealt else 'Dealt to'}: {_spots(dealt or denied)}? yes/no"
    if deal.burned:
        return _NO_BURN_SHOWN
    if deal.after_end:
        return _LAST_SHOWN
    return _BEGUN_BEFORE_SHOWN if deal.after_word else _OF_COUNT.shown


def _spots(spots: tuple[int, ...]) -> str:
    return f"spot {' or '.join(map(str, spots))}"


def own_word_reason(transaction: Transaction) -> RefusalReason | None:
    """Why the answer is not for who gives it: it was they who said how many cards the deal has; None: it is."""
    given, round_now = transaction.stamped.input, transaction.round()
    if not isinstance(given, AnswerQuestion) or not transaction.house.two_persons or not _is_miscount(round_now):
        return None
    stated = transaction.house.words_confirmed and round_now.is_counted_by_word()
    first = transaction.state.people_of(round_now.number) if stated else ()
    second = Person(given.who, given.vouched)
    alike = transaction.house.names_alike()
    reasons = (not_second_reason(one, second, _STATED, alike=alike, must="answer") for one in first)
    return next(filter(None, reasons), None)


def note_said_counted(transaction: Transaction, who: str, question: int) -> None:
    """Raise that a person has borne out a word about the deal that its rhythm does not: a dealer alone may do both."""
    round_now = transaction.round()
    if not transaction.house.words_confirmed or question != round_now.questions.miscounted:
        return
    if round_now.is_counted_by_word():
        text = f"{who} alone: the cards of the deal are those counted, which its rhythm does not bear out"
        people = transaction.state.people_of(round_now.number)
        raise_alert_about(transaction, people, AlertKind.CORRECTED_ALONE, text, round=round_now.number)


def note_goes_on(transaction: Transaction, answer: str) -> None:
    """Remember that the round goes on by a person's word, and of no other round, that the next deal begins by it."""
    if answer == "yes" or not transaction.house.words_traced:
        return
    transaction.change_questions(goes_on_by_word=True)
    asked_of_next = transaction.round().ending.next_bets in _NEXT_ASKED
    if transaction.house.denials_open_nothing and not asked_of_next:
        afar = isinstance(transaction.stamped.input, AnswerQuestion)
        transaction.change_questions(denied_afar=transaction.round().questions.denied_afar or afar)
    if asked_of_next:
        by = named_people(transaction)
        people = dict.fromkeys((*transaction.state.announcers, *by))
        transaction.change(denied_next=True, announcers=tuple(people))
        if by and transaction.house.declarations_traced:
            # Who stands at the table answers by key, with the cards in sight.
            text = f"{by[0].name} alone: no other round has begun, though cards came that may be the next deal's"
            raise_alert_about(transaction, by, AlertKind.CORRECTED_ALONE, text, round=transaction.round().number)


_STATED: Final = "said how many cards the deal has"


def _is_miscount(round_now: Round) -> bool:
    """Whether the doubt is about the count of the deal."""
    return 0 < round_now.questions.miscounted == round_now.questions.doubt


def ask_after_hit(transaction: Transaction) -> bool:
    """Ask whether a card was missed, where play went on after a *hit* in a way that no play explains without its card.

    False: there is nothing to ask.
    """
    evidence = transaction.round().evidence.observations
    cards = [at for at, one in enumerate(evidence) if isinstance(one.item, CardObserved)]
    since = evidence[cards[-1] + 1 :] if cards else ()
    hit = next((one for one in since if isinstance(one.item, KeyObserved) and one.item.action == "hit"), None)
    if hit is None or transaction.house.shoe_numbers_cards:
        return False
    until = replace(transaction.round().evidence, observations=evidence[: evidence.index(hit) + 1], trouble="")
    lattice = lattice_of(transaction.rules, replace(transaction.round(), evidence=until))
    if not lattice.frontier:
        return False
    spot, text = _hand_asked(transaction, lattice)
    transaction.change_questions(missed_after=hit.number, doubt=transaction.ask(spot, text, ("no", "yes")))
    return True


def _hand_asked(transaction: Transaction, lattice: Lattice) -> tuple[int, str]:
    """The spot in play (0: plays differ), and the question about its hand."""
    if len({node.acting for node in lattice.frontier}) != 1:
        return 0, "Was a card missed after the key hit?"
    spot, which = _hand_in_play(transaction, lattice)
    return spot, f"Was a card missed for spot {spot}{which}?"


def _hand_in_play(transaction: Transaction, lattice: Lattice) -> tuple[int, str]:
    """The spot that all plays have in turn, and which of its split hands (``, hand 2``) where they agree."""
    hands = {(node.acting, lattice.game.current(node) if len(node.hands) > 1 else -1) for node in lattice.frontier}
    (turn, hand), *others = hands
    return transaction.round().bets.spots[turn], "" if others or hand < 0 else f", hand {hand + 1}"


def ask_if_read_twice(transaction: Transaction) -> None:
    """Ask whether the card that has just come was read twice, if it came at once after another of its round.

    So it may be with a shoe that does not number its draws. A line that held cards back lets them go at once, too.
    Only their times say so, never their faces, which could tell that of the hole card.
    """
    round_now, drawn = transaction.round(), transaction.stamped.input
    if not transaction.house.garbled_devices_heard or transaction.house.shoe_numbers_cards:
        return
    if isinstance(drawn, CardDrawn) and drawn.since_ns >= 0:
        # It is known to have been reported late.
        return
    if round_now.evidence.trouble or round_now.questions.doubt or deal_confirmation.usual_ms(transaction) < _HANDS_MS:
        return
    cards = [one for one in round_now.evidence.observations if isinstance(one.item, CardObserved)][-2:]
    before, last = cards[0], cards[-1]
    if last is before or last.last_ns - before.last_ns >= _AT_ONCE_NS:
        return
    deal_confirmation.disturbed(transaction, "two cards came at once", last.last_ns)
    question = transaction.ask(0, _TWICE, ("no", "yes"))
    transaction.change_questions(doubt=question, read_twice=(question, before.number, last.number))


def _is_read_twice(round_now: Round) -> bool:
    """Whether the doubt is about two cards that came at once."""
    return round_now.questions.doubt in round_now.questions.read_twice[:1]


def _withdraw_if_struck(transaction: Transaction) -> None:
    """The question about two cards needs no answer once one of them was struck."""
    round_now = transaction.round()
    drawn = {card.number for card in round_now.cards.drawn}
    if _is_read_twice(round_now) and not drawn.issuperset(round_now.questions.read_twice[1:]):
        transaction.emit(QuestionWithdrawn(round_now.questions.doubt))
        transaction.change_questions(doubt=0)


def withdraw_if_needless(transaction: Transaction) -> None:
    """A correction, or a card reported late, explains the round after all."""
    _withdraw_if_struck(transaction)
    round_now = transaction.round()
    if (
        round_now.questions.missed_after
        and round_now.questions.doubt
        and transaction.legal(transaction.lattice().as_of(confirmed_until_ns(transaction)))
    ):
        transaction.emit(QuestionWithdrawn(round_now.questions.doubt))
        transaction.change_questions(doubt=0, missed_after=0)


class BurnedCard(NamedTuple):
    """A card burned while a hand may have been waiting for one, in words, and its spot; None: not one spot's."""

    text: str
    spot: int | None


def leave_burn_to_floor(transaction: Transaction) -> BurnedCard | None:
    """A card is burned in a round: the floor rules if a hand may have been waiting for it; None: nobody is accused.

    No reading says where a card goes, so one press takes from a hand what it drew. Before its first card, and once no
    play deals another, a new shoe or a new dealer burns as the house has it. A person may strike a card with another's
    approval (``set-card``); the dealer alone may not.
    """
    round_now = transaction.state.round
    if round_now is None or not transaction.house.shoe_claims_checked or not _may_await_card(transaction):
        return None
    between_rounds = _may_be_between_rounds(transaction)
    spot, hand = _hand_that_waits(transaction)
    text = f"{BURNED} {round_now.number} while {hand} may have been waiting for it"
    transaction.change_evidence(burned=transaction.stamped.number)
    if round_now.evidence.trouble:
        transaction.change_evidence(curable=False)
    else:
        transaction.irregular(_NOT_KNOWN_OVER if between_rounds else text)
    return None if between_rounds else BurnedCard(text, spot)


def _may_be_between_rounds(transaction: Transaction) -> bool:
    """Whether the round may be long over and no key has said so: then a burn accuses nobody."""
    round_now = transaction.round()
    cards = (one.last_ns for one in round_now.evidence.observations if isinstance(one.item, CardObserved))
    since_ns = transaction.table_ns(transaction.stamped.at_ns) - max(cards, default=0)
    if since_ns < _quiet_ns(transaction) or not round_now.is_dealt():
        return False
    unknown = bool(round_now.evidence.trouble) or round_now.hides_faces()
    turned = not round_now.dealing.unturned() or deal_confirmation.turn_needs_no_key(transaction)
    return unknown or (turned and round_end.some_play_is_over(transaction))


def _quiet_ns(transaction: Transaction) -> int:
    """How long after the last card a burn may be one between two rounds: sooner where chips moved as a round is paid.

    Of a push that is picked up only the cards are collected.
    """
    lifted = any(isinstance(one.last.input, ChipsSeen) and not one.last.input.chips for one in transaction.state.moving)
    if transaction.house.burns_after_payment and (lifted or round_end.may_be_paid(transaction)):
        return deal_confirmation.AFTER_PUSH_NS
    return deal_confirmation.BETWEEN_ROUNDS_NS


def _may_await_card(transaction: Transaction) -> bool:
    """Whether in some play a hand of the open round may still get a card; closed faces decide nothing of it."""
    round_now = transaction.round()
    if not round_now.cards.drawn:
        return False
    if round_now.evidence.trouble or round_now.hides_faces():
        return not round_end.boxes_are_cleared(transaction)
    if round_now.ending.closing:
        # The key may still be refused, and then the round goes on.
        return not round_end.some_play_is_over(transaction)
    return not (round_end.is_over(transaction) or round_end.takes_no_card(transaction))


def _hand_that_waits(transaction: Transaction) -> tuple[int | None, str]:
    """The spot of the hand in play and the hand in words; None: the dealer's, or plays differ."""
    round_now = transaction.round()
    if not round_now.is_dealt():
        return None, "the deal"
    if round_now.hides_faces() or round_now.evidence.trouble:
        return None, "a hand"
    lattice, play = transaction.lattice(), transaction.lattice().game
    # Where no key says so, a player may have stopped.
    insured = lattice.last_layout().insured
    turns = {reached.acting for node in lattice.frontier for reached, _ in play.reach(node, insured)}
    if len(turns) != 1:
        return None, "a hand"
    if turns == {play.boxes}:
        return None, "the dealer's hand"
    spot, which = _hand_in_play(transaction, transaction.lattice())
    return spot, f"spot {spot}{which}"


class _Doubt(NamedTuple):
    """What the question is about that holds a round."""

    shown: str
    """The question on the dealer's keypad."""
    confirmed: str
    """Why the round is irregular after the answer *yes*."""
    unanswered: str
    """Why it is where it ends without an answer."""


_OF_HIT: Final = _Doubt(
    "Card missed at hit? yes/no",
    "a card was missed after the key hit",
    "nobody said whether a card was missed after the key hit",
)
_OF_COUNT: Final = _Doubt(
    "Card burned in deal? yes/no",
    "the cards of its deal are other ones than counted",
    "nobody said whether the cards of its deal are those counted",
)
_OF_TWO_AT_ONCE: Final = _Doubt(
    "Card read twice? yes/no", "a card was read twice", "nobody said whether a card was read twice"
)
_OF_NEXT: Final = _Doubt(
    "Another round begun? yes/no",
    "another round began before anything showed that it had ended",
    "nobody said whether another round had begun",
)
_OF_UNHEARD: Final = _Doubt(
    "Cards drawn meanwhile? yes/no",
    "cards were drawn while the table was not listening",
    "nobody said whether cards were missed",
)


def _doubt(round_now: Round) -> _Doubt:
    """What the question is about that holds a round."""
    if round_now.questions.missed_after:
        return _OF_HIT
    if _is_miscount(round_now):
        return _OF_COUNT._replace(shown=_miscounted_shown(round_now))
    if _is_read_twice(round_now):
        return _OF_TWO_AT_ONCE
    return _OF_NEXT if round_now.ending.next_bets in _NEXT_ASKED else _OF_UNHEARD


def question_text(round_now: Round) -> str:
    """The text of the question on the dealer's keypad."""
    return _doubt(round_now).shown


def irregular_reason(round_now: Round) -> str:
    """Why the round is irregular after the answer *yes*."""
    doubt = _doubt(round_now)
    return _with_next_wagers(round_now, doubt.confirmed) if doubt is _OF_NEXT else doubt.confirmed


def unanswered_reason(round_now: Round) -> str:
    """Why the round is irregular when it ends without an answer."""
    if round_now.evidence.shoe_away and not round_now.questions.doubt:
        return "it ended while the shoe was not connected"
    doubt = _doubt(round_now)
    return _with_next_wagers(round_now, doubt.unanswered) if doubt is _OF_NEXT else doubt.unanswered
