"""The working copy of a table during one step. It lives no longer than the step; what is outside sees only values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from controller.core.game.hand import points_of, seen
from controller.core.game.rules import Rules
from controller.core.game.wager import BookRow, LockedWager
from controller.core.inference.lattice import MOST_STATES, Lattice, TooManySequences
from controller.core.inference.observation import DatedObservation, idle
from controller.core.messages.alerts import AnswerRefused, OrderRefused, RoundIrregular, SettlementDisputed
from controller.core.messages.events import (
    CardOpened,
    DeniedWagers,
    Event,
    HoleCardRevealed,
    QuestionAnswered,
    QuestionAsked,
)
from controller.core.messages.house import House
from controller.core.messages.inputs import AnswerQuestion, StampedInput
from controller.core.persons import Person
from controller.core.refusal_reason import RefusalReason
from controller.core.table.disputes import disputes_of_overtaken, still_decided, undisputed_settlements
from controller.core.table.layout import FeltHeard
from controller.core.table.ledger import KEPT_ON_BOOKS, books_after
from controller.core.table.round_state import Round
from controller.core.table.state import RoundPeople, State, Table, lattice_of
from controller.core.table.workings import PublishedFacts, Timeline, Workings

_ON_BOOKS: Final = frozenset({*KEPT_ON_BOOKS, RoundIrregular})
"""Events that change the books, or what the cards have decided of wagers that wait for the trigger box."""

_KEPT_LIMIT: Final = 500
"""Evidence kept of a round that waits for the floor; several times that of the longest round, and no more than a table
that nobody attends to should hold."""


_PEOPLE_LIMIT: Final = 16
"""People remembered of one round, the first of them; more than ever speak of one."""

_RELIED_ON_LIMIT: Final = 10
"""Rounds of which it is remembered on whose word they rest: the last so many, and those that are not at their end."""


class LiveRound(NamedTuple):
    """A round that waits, while it is judged, and the lattice of its plays."""

    round: Round
    lattice: Lattice


class Savepoint(NamedTuple):
    """What a transaction goes back to when what was tried since does not hold."""

    state: State
    lattice: Lattice | None
    waiting: LiveRound | None
    events: int
    left: tuple[Round, ...]


class Transaction:
    """State, lattice and the events so far.

    ``round``, ``lattice``, ``rules`` and what changes them are of one round, the one that is judged: the open round, or
    within ``judging`` a round that waits.
    """

    def __init__(self, table: Table, stamped: StampedInput) -> None:
        self.house = table.house
        self.rules: Rules = table.house.rules
        """Those of the round that is judged, and between two rounds the house's."""
        self.stamped = stamped
        self.state: State = table.state
        self.open_lattice = table.lattice
        self._waiting: LiveRound | None = None
        # What is kept from step to step, part by part while the step lasts.
        kept = table.workings
        self._heard, self._times, self._facts = kept.heard, kept.times, kept.facts
        self.published, self.looked, self.opened = kept.published, kept.looked, kept.opened
        self.by_last_card = kept.by_last_card
        self.events: list[Event] = []
        self.proposer: Person | None = None
        """Who proposed what is carried out in this step, another having approved it."""
        self.left: tuple[Round, ...] = ()
        """The rounds that this step has left, each as it was then."""

    def table(self) -> Table:
        """The table as it is now."""
        kept = (self._heard, self._times, self._facts, self.published, self.looked, self.by_last_card, self.opened)
        workings = Workings(*kept)
        return Table(self.house, self.state, self.open_lattice, workings)

    def savepoint(self) -> Savepoint:
        """Where ``roll_back`` goes back to."""
        return Savepoint(self.state, self.open_lattice, self._waiting, len(self.events), self.left)

    def roll_back(self, to: Savepoint) -> None:
        """Undo everything since, its events too."""
        self.state, self.open_lattice, self._waiting, self.left = to.state, to.lattice, to.waiting, to.left
        del self.events[to.events :]

    def take_over(self, tried: Transaction) -> None:
        """Be where a transaction is that began as this one is now."""
        self.state, self.open_lattice = tried.state, tried.open_lattice
        self._heard, self._times, self._facts = tried._heard, tried._times, tried._facts
        self.published, self.looked, self.opened = tried.published, tried.looked, tried.opened
        self.by_last_card = tried.by_last_card
        self.events.extend(tried.events)
        self.left = (*self.left, *tried.left)

    def change(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change what the table remembers."""
        self.state = replace(self.state, **fields)

    def change_round(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change what is remembered of the round that is judged."""
        self._put(replace(self.round(), **fields))

    def _put(self, round_now: Round) -> None:
        """Remember the round that is judged as it is now."""
        if self._waiting is None:
            self.state = replace(self.state, round=round_now)
        else:
            self._waiting = self._waiting._replace(round=round_now)

    def change_bets(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change what is wagered."""
        round_now = self.round()
        self._put(replace(round_now, bets=replace(round_now.bets, **fields)))

    def change_shared(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change the chips that two antennas heard."""
        self.change_bets(shared=replace(self.round().bets.shared, **fields))

    def change_cards(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change the round's cards."""
        round_now = self.round()
        self._put(replace(round_now, cards=replace(round_now.cards, **fields)))

    def change_evidence(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change the round's evidence."""
        round_now = self.round()
        self._put(replace(round_now, evidence=replace(round_now.evidence, **fields)))

    def change_questions(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change the round's questions."""
        round_now = self.round()
        self._put(replace(round_now, questions=replace(round_now.questions, **fields)))

    def change_ending(self, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
        """Change the round's ending."""
        round_now = self.round()
        self._put(replace(round_now, ending=replace(round_now.ending, **fields)))

    def note_absence(self) -> None:
        """The table was not listening for a while: of the open round, if there is one, it may not have heard all."""
        if self.state.round is not None:
            self.change_evidence(unheard=True)

    @contextmanager
    def judging(self, waited: Round) -> Iterator[None]:
        """Judge a round that waits, by the rules of its time, and leave it; the open round stays as it is."""
        self.rules = self.state.former_rules.get(waited.profile_hash, self.house.rules)
        self._waiting = LiveRound(waited, lattice_of(self.rules, waited))
        yield
        self.left = (*self.left, self.round())
        self._waiting, self.rules = None, self.house.rules

    def take_house(self, house: House) -> None:
        """The house is this one from now on."""
        self.house, self.rules = house, house.rules

    def leave_round(self) -> None:
        """No round is open any more."""
        self.left = (*self.left, self.round())
        self.change(round=None)
        self.open_lattice = None

    def round_known(self, number: int) -> Round | None:
        """A round that is open, waits for an answer or was left in this step; None: it is over."""
        here = (self.state.round, *self.left, *self.state.waiting)
        return next((one for one in here if one is not None and one.number == number), None)

    def round(self) -> Round:
        """The round that is judged; it is a mistake to ask when there is none."""
        round_now = self.state.round if self._waiting is None else self._waiting.round
        assert round_now is not None, "no round is open"
        return round_now

    def lattice(self) -> Lattice:
        """The lattice of the round that is judged."""
        lattice = self.open_lattice if self._waiting is None else self._waiting.lattice
        assert lattice is not None, "no round is open"
        return lattice

    def change_lattice(self, lattice: Lattice) -> None:
        """The plays of the round that is judged are these."""
        if self._waiting is None:
            self.open_lattice = lattice
        else:
            self._waiting = self._waiting._replace(lattice=lattice)

    def shoe_is_away(self) -> bool:
        """Whether cards may be drawn now of which the table will never hear."""
        return self.state.shoe_lost and not self.house.shoe_numbers_cards

    def change_felt(self, now: FeltHeard) -> None:
        """Remember what lies on the felt now."""
        self._heard = now
        self.change(felt=now.felt)

    def heard(self) -> FeltHeard:
        """What lies on the felt, and the chips that more than one zone hears."""
        self._heard = self._heard.of(self.state.felt)
        return self._heard

    def times(self) -> Timeline:
        """The times of the round's evidence."""
        evidence = self.round().evidence.observations
        if self._times.evidence is not evidence:
            self._times = self._times.of(evidence)
        return self._times

    def facts(self) -> PublishedFacts:
        """The inferred facts published of the round."""
        evidence = self.round().evidence
        self._facts = self._facts.of(evidence.published, evidence.corrected_at)
        return self._facts

    def emit(self, *events: Event) -> None:
        """Publish, and keep the books."""
        self.events.extend(events)
        books, progressives = self.state.books, self.state.progressives
        for event in events:
            if type(event) in _ON_BOOKS:
                books, progressives = books_after(books, event), still_decided(progressives, event)
        if books is not self.state.books or progressives is not self.state.progressives:
            self.change(books=books, progressives=progressives)

    def table_ns(self, machine_ns: int) -> int:
        """Table time of a moment of the machine's monotonic clock."""
        return machine_ns + self.state.offset_ns

    def observe(self, dated: DatedObservation, *, may_drop: bool, most_states: int = 0) -> bool:
        """Add evidence to the lattice. False: no play explains it and it was left out, as it may be.

        What may not be left out stays in the lattice even if no play explains it yet: chips that a reader has still to
        tell may do so. ``round.lifecycle.review`` judges once the readers have confirmed the layout. Where
        it takes more than ``most_states`` (0: any number), or than a table follows in time while readers are lost, the
        round is the floor's.
        """
        before = self.lattice()
        if self.house.unwatched_bounded and any(one.reader for one in before.outages):
            most_states = min(most_states or MOST_STATES, MOST_STATES)
        round_now = self.round()
        evidence = round_now.evidence.observations
        if round_now.evidence.trouble or self.has_unread_card(dated):
            # It is kept for the day the floor has corrected what is wrong with the round.
            if len(evidence) < _KEPT_LIMIT:
                self.change_evidence(observations=(*evidence, dated))
            else:
                self.change_evidence(curable=False)
            return True
        try:
            lattice = before.observe(dated, most_states)
        except TooManySequences:
            self.irregular("the times of the readings leave too many orders open", known=False)
            return False
        explained = not may_drop or self.legal(lattice) or not self.legal(before)
        if not explained:
            dated = replace(dated, item=idle(dated.item))
            lattice = before.observe(dated)
        self.change_lattice(lattice)
        self.change_evidence(observations=(*evidence, dated))
        return explained

    def has_unread_card(self, dated: DatedObservation) -> bool:
        """Whether an unread card in sight is among the evidence, with this piece."""
        round_now = self.round()
        if not round_now.cards.holds_unread:
            return False
        return any(round_now.is_unread(known.item) for known in (*round_now.evidence.observations, dated))

    def hole_points(self) -> int | None:
        """What the hole card counts, once it has been turned; None where no hole card is dealt."""
        round_now = self.round()
        cards = round_now.cards
        if not cards.turned or not cards.hole_dealt:
            return None
        face = cards.drawn[round_now.hole_place()].shown()
        return None if face is None else points_of(seen(0, face))

    def legal(self, lattice: Lattice) -> bool:
        """Whether some play explains what a lattice has observed, with the hole card once it is turned."""
        points = self.hole_points()
        if points is None:
            return bool(lattice.frontier)
        return any(node.hole >> points & 1 for node in lattice.frontier)

    def irregular(self, reason: str, *, curable: bool = False, likely: str = "", known: bool = True) -> None:
        """No settlement from here on; the floor must rule. ``curable``: unless a correction of its explains it all.

        ``known`` False: hidden cards may have decided it, so it is published only once they are shown.
        """
        if not self.round().evidence.trouble:
            self.change_evidence(trouble=reason, curable=curable)
            number = self.round().number
            doubts = (*self.disputes(reason), *disputes_of_overtaken(self.state.books, self.round()))
            events: tuple[Event, ...] = (RoundIrregular(number, reason, likely or None), *doubts)
            for event in events:
                if known:
                    self.emit(event)
                else:
                    self.emit_when_shown(event)

    def disputes(
        self, reason: str, doubted: Callable[[BookRow], bool] = lambda _: True
    ) -> tuple[SettlementDisputed, ...]:
        """What has been settled of the round, is not the floor's ruling and must now be doubted."""
        return undisputed_settlements(self.state.books, self.round().number, reason, doubted)

    def emit_when_shown(self, event: Event) -> None:
        """Publish what the players' cards may have decided; where they lie face down once they are shown."""
        if self.round().hides_faces() and self.round().is_dealt():
            self.change_cards(kept_back=(*self.round().cards.kept_back, event))
        else:
            self.emit(event)

    def emit_guarded(self, event: Event) -> None:
        """As ``emit_when_shown`` where the hole card is guarded; in older journals it is emitted at once."""
        if self.round().dealing.stands == "unguarded":
            self.emit(event)
        else:
            self.emit_when_shown(event)

    def ask(self, spot: int, text: str, choices: tuple[str, ...]) -> int:
        """Ask people about a spot, 0: about none; the question's number."""
        number = self.state.questions + 1
        self.change(questions=number)
        self.emit(QuestionAsked(number, self.round().number, spot or None, text, choices))
        return number

    def refuse(self, order: str, who: str, reason: RefusalReason) -> None:
        """Say that an order is not carried out, and why; ``order`` as the person who gave it would say it."""
        self.emit(OrderRefused(order, reason.text, who, reason.code))

    def refuse_answer(self, question: int, answer: str, who: str, reason: RefusalReason) -> None:
        """Say that an answer is none to a question."""
        named = who if self.house.orders_traced else msgspec.UNSET
        self.emit(AnswerRefused(question, answer, reason.text, reason.code, named))

    def takes_yes_or_no(self, question: int, answer: str, who: str, denied: tuple[LockedWager, ...] = ()) -> bool:
        """Whether a question about the round as a whole is answered now: anything but yes and no is refused.

        ``denied``: what is no wager by this answer.
        """
        if answer not in {"yes", "no"}:
            self.refuse_answer(question, answer, who, RefusalReason("not_a_choice", "the answers are yes and no"))
            return False
        self.note_answer(question, answer, who, denied)
        return True

    def note_answer(self, question: int, answer: str, who: str, denied: tuple[LockedWager, ...] = ()) -> None:
        """Say that a question about the round is answered, and remember whose word it rests on from now on."""
        known = self.answerer_known_by()
        if not self.house.payments_bounded:
            self.emit(QuestionAnswered(question, answer, who, known))
            return
        laid = DeniedWagers(self.round().number, denied) if denied else msgspec.UNSET
        self.emit(QuestionAnswered(question, answer, who, known, laid))
        self.change_round(said=(who, f"answered {answer}"), said_by=known)
        given = self.stamped.input
        if isinstance(given, AnswerQuestion):
            self.rely_on(self.round().number, (Person(given.who, given.vouched),))

    def rely_on(self, number: int, people: Iterable[Person]) -> None:
        """Remember that a round rests on the word of people."""
        known = self.state.people_of(number)
        more = tuple(one for one in people if one not in known)
        if not more or not self.house.payments_bounded:
            return
        others = tuple(one for one in self.state.relied_on if one.round != number)
        now = (*others, RoundPeople(number, (*known, *more)[:_PEOPLE_LIMIT]))
        earlier, last = now[:-_RELIED_ON_LIMIT], now[-_RELIED_ON_LIMIT:]
        # Words about later rounds must not make the table forget who spoke of one that is still judged or paid.
        unended = self._unended() if earlier and self.house.words_traced else frozenset[int]()
        self.change(relied_on=(*(one for one in earlier if one.round in unended), *last))

    def _unended(self) -> frozenset[int]:
        """The rounds of which something may still be found: open or overtaken, waiting, being paid, chips in doubt."""
        state, here = self.state, self.state.round
        found = set() if here is None else {here.number, here.overtook}
        found.update(one.number for one in state.waiting)
        found.update(one.round for one in state.paid)
        found.update(one.round for one in state.suspected)
        return frozenset(found)

    def answerer_known_by(self) -> str | msgspec.UnsetType:
        """How the channel knows who answers in this step; left out for the keypad, whose keys are the dealer's."""
        given = self.stamped.input
        return self.house.known_now_by(given.vouched) if isinstance(given, AnswerQuestion) else msgspec.UNSET

    def open_card(self, place: int) -> None:
        """Publish the face of a card that lies face up, once."""
        cards = self.round().cards.drawn
        card = cards[place]
        if card.opened or not card.nonce:
            return
        # A commitment opens with the face the shoe read, whatever the floor has said since.
        self.emit(CardOpened(card.number, str(card.face or "??"), card.nonce.hex()))
        opened = replace(card, opened=True)
        self.change_cards(drawn=(*cards[:place], opened, *cards[place + 1 :]))

    def turn_hole(self) -> None:
        """The hole card lies face up, where one was dealt."""
        if self.round().cards.turned or not self.round().cards.hole_dealt:
            return
        place = self.round().hole_place()
        known = self.round().dealing
        if known.unturned():
            self.change_round(dealing=replace(known, turned_by=self.stamped.number))
            if known.stands == "confirmed" or self.round().cards.turn_key or self.round().ending.closing:
                # A count that nothing confirmed may be of the cards of a round that is void and is played on.
                self.change(turned_by=self.stamped.number)
            self.note_keyed_turn()
        self.change_cards(turned=True)
        self.emit(HoleCardRevealed(self.round().number, self.round().cards.drawn[place].number))
        self.open_card(place)

    def note_keyed_turn(self) -> None:
        """The hole card of the round lies face up, or did: if a key said so, remember when."""
        ending = self.round().ending
        keyed = self.round().cards.turn_key or (ending.close_key if ending.closing else 0)
        if keyed > self.state.keyed_turn:
            self.change(keyed_turn=keyed)
