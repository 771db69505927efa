"""Carries out a dealer's script at any speed without running ahead of the readers.

A chip reader sees the felt a few times a second. At the speed of people that is often enough; at a hundred times that
speed a chip could be laid and taken between two looks. So the performer waits for the readers where it matters: before
a card or a key until the chips laid have been seen, and before chips until the readers have looked again since the last
card or key. Then no interval of a change holds a card, and the same script gives the same evidence at any speed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol, assert_never

from firmware_protocols.cards import Card
from simulators.people.acts import Act, AnswerEntry, AnswerQuestions, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.display_reader import QUESTIONS_LIMIT, answer_key, asks, done, entry_key

DRAW_GAP_S: Final = 0.003
"""Between two cards: they share a line that keeps their order, and a millisecond or more keeps their times apart."""

LINE_GAP_S: Final = 0.040
"""Between a card and a key: they travel on different lines. A host that was held back still reads the first one first,
for it is waited for that, too; the gap keeps their times apart."""

AGAIN_S: Final = 0.1
"""From one press of a key to the next of the same key, whatever the speed: the host takes a key that is down again
sooner for one whose contacts bounce. From a key to a card as well: a key that may be held is reported so much later."""

HOLD_S: Final = 1.2
"""A key is held for so long, whatever the speed: the host's own clock decides that it was (after one second)."""

READING_S: Final = 0.6
"""Nobody answers a question sooner, whatever the speed: the host's own clock decides that it can have been read."""

MOST_COMPLAINTS: Final = 1000
"""Acts remembered whose wait ran out: enough to see what is wrong, however long the night."""

Sleep = Callable[[float], Awaitable[None]]
Place = tuple[int, str]


class Stage(Protocol):
    """What the performer acts upon. ``serve.Station`` is one."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Every (spot, zone) that is read."""
        ...

    def draw(self, card: Card, *, burn: bool) -> None:
        """A card leaves the shoe."""

    def key_down(self, key: str) -> None:
        """A key goes down."""

    def key_up(self) -> None:
        """That key comes up."""

    def lay(self, spot: int, zone: str, chips: tuple[str, ...]) -> None:
        """A zone's content changes."""

    @property
    def shown(self) -> str:
        """What the keypad's display shows."""
        ...

    def content(self, spot: int, zone: str) -> tuple[str, ...]:
        """A zone's content."""
        ...

    def inventories(self, spot: int, zone: str) -> int:
        """How often a zone has been inventoried."""
        ...

    def steady(self, spot: int, zone: str) -> int:
        """How many of these in a row were complete and showed the present content."""
        ...

    async def taken(self) -> bool:
        """Wait until the host has read what shoe and keypad sent; false if patience ran out first."""
        ...

    async def until(self, condition: Callable[[], bool]) -> bool:
        """Wait until the readers' work has made ``condition`` true; false if patience ran out first."""
        ...


@dataclass(slots=True)
class Performance:
    """What happened: acts carried out, and the acts before which the readers were waited for in vain."""

    acts: int = 0
    impatient: list[Act] = field(default_factory=list)


class _Performer:
    def __init__(self, stage: Stage, speed: float, sleep: Sleep, agreeing: int) -> None:
        self.performance = Performance()
        self._stage = stage
        self._speed = speed
        self._sleep = sleep
        self._agreeing = agreeing
        self._last: type[Draw | Press | Lay] = Lay
        self._pressed: set[str] | None = None
        """Keys pressed since the performer last waited as long as people do to press one again; None: any may be."""
        self._unseen: dict[Place, int] = {}
        self._taken: set[str] = set()
        self._stale: dict[Place, int] = {}

    async def carry_out(self, act: Act) -> None:
        self.performance.acts += 1
        match act:
            case Draw(card=card, burn=burn):
                await self._before_card_or_key(act, DRAW_GAP_S if self._last is Draw else AGAIN_S)
                self._stage.draw(card, burn=burn)
                self._after_card_or_key(Draw)
            case Press(key=key, held=held):
                await self._before_card_or_key(act, LINE_GAP_S if self._last is Draw else 0)
                if self._pressed is None or key in self._pressed:
                    await self._sleep(AGAIN_S)
                    self._pressed = set()
                self._pressed.add(key)
                self._stage.key_down(key)
                if held:
                    await self._sleep(HOLD_S)
                self._stage.key_up()
                self._after_card_or_key(Press)
            case Lay():
                await self._lay(act)
            case Pause(milliseconds=milliseconds):
                await self._sleep(milliseconds / 1000 / self._speed)
            case AnswerQuestions():
                await self._answer_questions(act)
            case AnswerEntry():
                await self._answer_entry(act)
            case RoundPlayed():
                await self._until_seen(act)
                # The host closes a round once its readers have looked again; people take longer than that to bet anew.
                await self._until_looked(self._stale, self._agreeing + 2, act)
            case _:
                assert_never(act)

    async def _answer_questions(self, act: AnswerQuestions) -> None:
        await self._until_seen(act)
        answered = ""
        for _ in range(QUESTIONS_LIMIT):
            before = answered
            if not await self._stage.until(lambda: self._has_news(before)):  # noqa: B023 - awaited at once
                self._complain(act)
                return
            answered = self._stage.shown
            key = answer_key(answered, act)
            if key is None:
                return
            await self._sleep(READING_S)
            self._stage.key_down(key)
            self._stage.key_up()
            self._after_card_or_key(Press)

    async def _answer_entry(self, act: AnswerEntry) -> None:
        await self._until_seen(act)
        if not await self._stage.until(lambda: entry_key(self._stage.shown, act) is not None):
            self._complain(act)
            return
        key = entry_key(self._stage.shown, act)
        assert key is not None, "nothing was awaited since the display asked"
        await self._sleep(READING_S)
        self._stage.key_down(key)
        self._stage.key_up()
        self._after_card_or_key(Press)

    def _has_news(self, answered: str) -> bool:
        shown = self._stage.shown
        return done(shown) or (asks(shown) and shown != answered)

    async def settle(self, last: Act) -> None:
        """Wait until everything laid has been seen."""
        await self._until_seen(last)

    async def _before_card_or_key(self, act: Act, gap_s: float) -> None:
        if self._unseen:
            await self._until_seen(act)
        if self._last is not Lay and gap_s:
            await self._sleep(gap_s)
            if not await self._stage.taken():
                self._complain(act)

    def _after_card_or_key(self, kind: type[Draw | Press]) -> None:
        self._last = kind
        self._stale = {place: self._stage.inventories(*place) for place in self._stage.places}

    async def _lay(self, act: Lay) -> None:
        place = (act.spot, act.zone)
        # A zone must be seen before it changes again, and a chip must be seen gone before it is seen elsewhere.
        if place in self._unseen or not self._taken.isdisjoint(act.chips):
            await self._until_seen(act)
        if place in self._stale:
            # One more than must agree: the first may have been asked for before the card or key.
            await self._until_looked({place: self._stale.pop(place)}, self._agreeing + 1, act)
        self._taken.update(set(self._stage.content(*place)) - set(act.chips))
        self._stage.lay(act.spot, act.zone, act.chips)
        self._unseen[place] = self._stage.inventories(*place)
        self._last = Lay

    async def _until_seen(self, act: Act) -> None:
        # Two more than must agree: one may have been answered from the felt as it was and not yet counted, and the
        # last answer may still be on the line; that another was asked for proves that the one before has arrived.
        await self._until_looked(self._unseen, self._agreeing + 2, act)
        self._unseen.clear()
        self._taken.clear()

    async def _until_looked(self, since: dict[Place, int], looks: int, act: Act) -> None:
        def looked() -> bool:
            stage = self._stage
            return all(
                min(stage.inventories(*place) - before, stage.steady(*place)) >= looks
                for place, before in since.items()
            )

        if not await self._stage.until(looked):
            self._complain(act)

    def _complain(self, act: Act) -> None:
        if len(self.performance.impatient) < MOST_COMPLAINTS:
            self.performance.impatient.append(act)


async def perform(
    acts: Iterable[Act],
    stage: Stage,
    speed: float,
    *,
    sleep: Sleep,
    agreeing: int = 2,
    on_round: Callable[[RoundPlayed], None] | None = None,
) -> Performance:
    """Carry out ``acts`` in order; pauses are divided by ``speed`` (above 0), waits for the readers are not.

    ``agreeing`` is the number of agreeing inventories the host asks for; of an antenna that misses chips, the most it
    may ask for. ``on_round`` receives each round's end, after its last chips have been seen.

    Raises:
        ValueError: ``speed`` is not above 0, or chips are laid where no antenna reads.
    """
    if speed <= 0:
        raise ValueError(f"speed must be above 0, got {speed}")
    performer = _Performer(stage, speed, sleep, agreeing)
    act: Act | None = None
    for act in acts:
        await performer.carry_out(act)
        if on_round is not None and isinstance(act, RoundPlayed):
            on_round(act)
    if act is not None:
        await performer.settle(act)
    return performer.performance
