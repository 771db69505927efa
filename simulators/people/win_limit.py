"""What a house does that limits what the side wagers of a round win together.

Nobody is paid before every card that decides such a wager lies open. Where the wins stay within the limit they are then
paid as ever; where they do not each is lowered in proportion, to the whole cent, and paid by hand beside the layout,
for chips do not come in cents. What a meter pays is another account.
"""

from __future__ import annotations

from collections.abc import Mapping

Place = tuple[int, str]
"""A spot and a bet."""


def limited(dues_cents: Mapping[Place, int], limit_cents: int) -> dict[Place, int]:
    """The dues of a round, its wins at fixed odds lowered to the limit (0: none)."""
    won = sum(cents for cents in dues_cents.values() if cents > 0)
    if not limit_cents or won <= limit_cents:
        return dict(dues_cents)
    return {place: cents * limit_cents // won if cents > 0 else cents for place, cents in dues_cents.items()}
