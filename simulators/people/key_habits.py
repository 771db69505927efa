"""Dealers who press some keys, forget one now and then, or press none at all.

A layer over a dealer's script, for nobody but the table needs the keys: whoever leaves one out plays on all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, assert_never

from msgspec.structs import replace

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Draw, Pause, Press, RoundPlayed
from simulators.people.simulated_table import (
    KEY_BURN,
    KEY_HOLE_TURNED,
    KEY_INSURANCE_CLOSED,
    KEY_NO_MORE_BETS,
    KEY_ROUND_CLOSED,
)

Procedure = Literal["all", "forgets", "careless", "some", "bets_only", "closed_only", "bare"]
"""The keys of the table's procedure that a dealer presses: ``forgets``: *round closed* is left out about once an hour;
``careless``: each of them is left out now and then; ``some``: half of them; ``bets_only``: *no more bets* and no other;
``closed_only``: *round closed* and no other; ``bare``: none, and no key of the play either."""

PROCEDURE_KEYS: Final = frozenset({KEY_NO_MORE_BETS, KEY_INSURANCE_CLOSED, KEY_HOLE_TURNED, KEY_ROUND_CLOSED})
FORGOTTEN_PER_MILLE: Final = 16
"""One round of sixty, which a table deals in an hour."""

CARELESS_PER_MILLE: Final = 60
"""Of each key of the procedure, so that some key is left out in every fifth round."""

BETWEEN_ROUNDS_MS: Final = (300, 12_000)
"""From the last chips of a round to the next bets: at once, or once players have made up their minds."""


def pressed(
    acts: Iterable[Act], chance: Chance, habit: Procedure, burns: int = 1, *, slips_per_mille: int = 0
) -> Iterator[Act]:
    """The same script with the presses this dealer makes; ``burns`` cards are burned from a new shoe.

    Where no key announces it the shoe's own burn mode says which card is burned. ``slips_per_mille``: rounds after
    which a dealer who presses keys touches *burn*, and deals on without noticing.
    """
    burning = 0
    for act in acts:
        match act:
            case Press(key) if key == KEY_BURN:
                if habit == "bare":
                    burning = burns
                else:
                    yield act
            case Press(key):
                if _presses(key, chance, habit):
                    yield act
            case Draw() if burning:
                burning -= 1
                yield replace(act, burn=True)
            case RoundPlayed():
                yield act
                shortest, longest = BETWEEN_ROUNDS_MS
                yield Pause(shortest + chance.randrange(longest - shortest))
                if habit != "bare" and happens(chance, slips_per_mille):
                    yield Press(KEY_BURN)
            case _:
                yield act


def _presses(key: str, chance: Chance, habit: Procedure) -> bool:
    match habit:
        case "all":
            return True
        case "forgets":
            return key != KEY_ROUND_CLOSED or not happens(chance, FORGOTTEN_PER_MILLE)
        case "careless":
            return key not in PROCEDURE_KEYS or not happens(chance, CARELESS_PER_MILLE)
        case "some":
            return key not in PROCEDURE_KEYS or happens(chance, 500)
        case "bets_only":
            return key not in PROCEDURE_KEYS or key == KEY_NO_MORE_BETS
        case "closed_only":
            return key not in PROCEDURE_KEYS or key == KEY_ROUND_CLOSED
        case "bare":
            return False
        case never:
            assert_never(never)
