"""What honest people do beside a payment, so that chips beyond what is due need be no wrong payment.

A player lays the next bet beside the payment or beside a wager that is still to be taken. A dealer lays a payment at
the wrong box and carries it on, or pays with a larger chip and takes the change. A reader that looks seldom shows two
such movements as one. So chips accuse only if they came and went in looks too narrow for that, did not outlast the
wager, lay too long for a slip and lie nowhere else. Of what else is more than due, and leaves without having been bet,
it is said that nothing explains it, and nobody is accused.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from controller.core.table.payments import ZoneContent, ZoneHistory

SLIP_NS: Final = 4_000_000_000
"""Who lays a payment at the wrong box sees it and carries it on within that time."""

TWO_MOVES_NS: Final = 800_000_000
"""The interval of one movement is two looks wide and that of two, the first of which only one look shows, three; two
people move chips no sooner after each other than half a second. So a wider change may be two, a narrower one is one."""


class Course(NamedTuple):
    """What tells which course the chips of a zone took."""

    others: tuple[ZoneHistory, ...]
    """The other zones of the round that are followed."""
    one_move_ns: int = TWO_MOVES_NS
    """How wide the interval of one movement is at most."""
    staked_cents: int = 0
    """What all hands of a split box staked, by the cards; 0: not known."""

    def may_be_two_moves(self, look: ZoneContent) -> bool:
        """Whether two people may have moved chips between the looks of a reader that show one change."""
        return look.last_ns - look.first_ns > self.one_move_ns

    def is_carried_on(self, look: ZoneContent, more: set[str]) -> bool:
        """Whether chips that lay there at a look came to another zone soon after."""
        arrivals = [self._last_arrival(chip) for chip in more]
        return bool(more) and all(
            one is not None and one.last_ns > look.first_ns and one.first_ns - look.last_ns <= SLIP_NS
            for one in arrivals
        )

    def _last_arrival(self, chip: str) -> ZoneContent | None:
        """The last look at another zone that shows a chip which has come there; None: it came to none."""
        looks = (two for watch in self.others for two in pairwise(watch.looks))
        came = (look for lay, look in looks if chip in look.chips and chip not in lay.chips)
        return max(came, key=lambda look: look.last_ns, default=None)


def is_put_right(watch: ZoneHistory, at: int, since: int = 0) -> bool:
    """Whether what came at a look was soon gone again, and the same lay there as before it, in whatever movements.

    ``since``: the first look that counts.
    """
    back = _back_as_before(watch, at, since)
    return back is not None and back.first_ns - watch.looks[at].last_ns <= SLIP_NS


def _back_as_before(watch: ZoneHistory, at: int, since: int = 0) -> ZoneContent | None:
    """The first look after one at which the same lay there as before it."""
    earlier = [look.chips for look in watch.looks[since:at]]
    return next((look for look in watch.looks[at + 1 :] if look.chips in earlier), None)


def pays_for_certain(watch: ZoneHistory, at: int, begin: int, course: Course) -> bool:
    """Whether what lies at a look beside a wager that ought to be taken can be nothing but a payment.

    ``begin``: the look at which the wager lay whole.
    """
    look, lay = watch.looks[at], set(watch.looks[begin].chips)
    more, here = set(look.chips) - lay, set(look.chips) & lay
    if course.may_be_two_moves(look) or is_put_right(watch, at, begin) or course.is_carried_on(look, more):
        return False
    for later in watch.looks[at + 1 :]:
        stays, left = here <= set(later.chips), not more <= set(later.chips)
        if left:
            # Without the wager they are handed back, a bet too early or a payment; a slow reader may show that and the
            # taking of the wager as one.
            return not stays and not course.may_be_two_moves(later)
        if not stays:
            # The dealer took of the wager and left them lying: a bet, as far as is known.
            return False
    # Neither was touched any more.
    return True


class ExplainedChips(NamedTuple):
    """What of the chips beside a wager needs no explanation."""

    most_cents: int
    """The most that may lie there."""
    least_cents: int
    """Less beyond that may be a tip that the dealer takes, or a bet that its player thinks better of."""
    one_move_cents: int
    """Less than this beyond it may be taken apart from the rest, if that is not shown to leave in one movement."""
    is_taken: bool
    """The wager is to be taken, so that nobody bets beside it even once the round is closed."""
    handed_back_ns: int
    """Up to this time after it came more that leaves the rest lying as before was laid by mistake; negative: always."""


def unbet_chips(watch: ZoneHistory, explained: ExplainedChips, course: Course) -> ZoneContent | None:
    """A look with more than needs no explanation, which then leaves and is bet nowhere; the first shows the wager."""
    wager = set(watch.looks[0].chips)
    for at, look in enumerate(watch.looks[1:], start=1):
        anew = explained.is_taken and watch.looks[at - 1].is_gone_by(look) and course.may_be_two_moves(look)
        if not look.cents or anew:
            # All was taken, and what lies there may be another bet.
            return None
        if look.closed and not (explained.is_taken and wager <= set(look.chips)):
            return None
        more_cents = look.cents - explained.most_cents
        if more_cents < explained.least_cents or course.is_carried_on(look, set(look.chips) - wager):
            continue
        back = _back_as_before(watch, at)
        if back is None:
            gone = _gone_with_all(watch, at, explained.most_cents)
            if gone is not None and (more_cents >= explained.one_move_cents or not course.may_be_two_moves(gone)):
                return look
        elif 0 <= explained.handed_back_ns < back.first_ns - look.last_ns and not any(
            course.may_be_two_moves(one) for one in watch.looks[at : at + 2]
        ):
            return look
    return None


def _gone_with_all(watch: ZoneHistory, at: int, most_cents: int) -> ZoneContent | None:
    """The look at which what is beyond what is due has left with the rest, if no such bet is laid before the close."""
    more_cents = watch.looks[at].cents - most_cents
    gone: ZoneContent | None = None
    for look in watch.looks[at + 1 :]:
        if gone is None and look.cents <= most_cents:
            if look.cents:
                return None
            gone = look
        elif gone is not None and not look.closed and look.cents >= more_cents:
            return None
    return gone
