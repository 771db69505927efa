"""A table of which every byte that leaves it is kept, for what must not depend on a hole card."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from random import Random
from typing import Any, Final

from controller.core.game.rules import Rules
from controller.core.messages.inputs import Input
from controller.core.table.state import StepResult
from controller.io.files import profile_files
from simulators.people.acts import Act, Draw, RoundPlayed
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from tests.core.houses import chips_of
from tests.core.human import Happens, HumanRig
from tests.core.pictures import Pictures
from tests.core.rig import coded

CHIP: Final = "E00400000000C1"
"""A chip of ten dollars that somebody throws."""

MORE_CHIPS: Final = ("E00400000000C2", "E00400000000C3", "E00400000000C4")
"""And three more of them."""


class HoleRig(HumanRig):
    """Keeps every byte that leaves the table, step by step."""

    def __init__(self, rules: Rules, chips: dict[str, int], seed: int = 1) -> None:
        self.emitted: list[bytes] = []
        self.pictures = Pictures()
        self.is_deaf = False
        """Whether the next card of the deal is not heard."""
        super().__init__(rules, {**chips, **dict.fromkeys((CHIP, *MORE_CHIPS), 1000)}, seed)

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        stepped = super().give(item, closed=closed)
        pictures = self.pictures.after(self.house, self.table.state, stepped.events, self.now_ns)
        self.emitted.append(coded((stepped.events, stepped.desired, pictures)))
        return stepped

    def perform(self, acts: Iterable[Act | Happens]) -> list[RoundPlayed]:
        rounds: list[RoundPlayed] = []
        for act in acts:
            unheard = self.is_deaf and isinstance(act, Draw)
            self.is_deaf = self.is_deaf and not unheard
            rounds += [] if unheard else super().perform([act])
        return rounds

    def fork(self) -> HoleRig:
        """The same table at the same moment, to be played on in another way."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list):
                setattr(other, name, copy.copy(value))
        other.changing = {place: list(looks) for place, looks in self.changing.items()}
        other.pictures = self.pictures.fork()
        other.rng = Random()
        other.rng.setstate(self.rng.getstate())
        return other


def rig_for(profile: str, stand_key: StandKey, turn_key: str, seed: int = 1, **options: Any) -> HoleRig:
    """A table at which nobody has played, with the hole card guarded.

    A pause counts as the turn only after a minute: these dealers take less to pay a natural before they turn it. Where
    they key the turn it never does.
    """
    keyed = "always" if stand_key == "always" else "sometimes"
    pause_s = 1 if turn_key == "always" else 60
    merged = {"stand_key": keyed, "turn_key": turn_key, "turn_pause_s": pause_s, **options}
    rules = profile_files.load(profile, merged).rules
    rig = HoleRig(rules, chips_of(Rack()), seed)
    rig.change_house(orders_bounded=True)
    return rig


# --- what may be wrong with a deal ------------------------------------------------------------------
