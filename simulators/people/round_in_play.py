"""Whether players still decide in a round, as a layer over a dealer's script sees it go by."""

from __future__ import annotations

from simulators.people.acts import Act, Draw, Press, RoundPlayed
from simulators.people.simulated_table import KEY_ROUND_CLOSED


class RoundInPlay:
    """Follows the cards of a round: it is in play once the deal is out and until a wager is taken or paid."""

    def __init__(self) -> None:
        self._drawn = self._deal = 0
        self._is_settling = False

    def is_on(self) -> bool:
        """Whether the round is in play."""
        return self._drawn >= self._deal > 0 and not self._is_settling

    def is_before(self, act: Act) -> bool:
        """Whether an act is a card or a key of the round in play: players may do something else before it."""
        match act:
            case Draw():
                return self.is_on()
            case Press(key):
                return self.is_on() and key != KEY_ROUND_CLOSED
            case _:
                return False

    def chips_left(self) -> None:
        """Chips left a main zone, or were exchanged there: once cards have come a wager was taken or paid."""
        self._is_settling = self._is_settling or self._drawn > 0

    def follow(self, act: Act, wagers: int) -> None:
        """An act of the script, with so many main wagers on the layout."""
        match act:
            case Draw(burn=False) if wagers:
                self._deal = self._deal if self._drawn else 2 * wagers + 2
                self._drawn += 1
            case RoundPlayed():
                self._drawn = self._deal = 0
                self._is_settling = False
            case _:
                pass
