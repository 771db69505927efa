"""A window of evidence whose sequence the times leave open, and what lies on the layout as it happens."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.game.play import Play
from controller.core.game.position import Node
from controller.core.inference.observation import NEVER_ENDS, ChipsObserved, DatedObservation, KeyObserved, Layout
from controller.core.inference.successors import layout_of, pays
from controller.core.inference.unobserved import Outage, layout_with_outages, outage_periods


class Window:
    """The evidence of a window. Of which of it has happened a mask tells, a bit for each piece."""

    def __init__(
        self,
        play: Play,
        window: tuple[DatedObservation, ...],
        contents: dict[tuple[int, str], int],
        outages: tuple[Outage, ...] = (),
    ) -> None:
        self.play = play
        self.outage_periods = outage_periods(outages)
        self.window, self.contents = window, contents
        self.full = (1 << len(window)) - 1
        self.before = [0] * len(window)
        if len(window) == 1:
            return
        slack = bool(play.rules.options.key_slack)
        for j, later in enumerate(window):
            for i, earlier in enumerate(window):
                keys = slack and isinstance(earlier.item, KeyObserved) and isinstance(later.item, KeyObserved)
                if (i < j and (keys or earlier.precedes(later))) or (i > j and earlier.last_ns < later.first_ns):
                    self.before[j] |= 1 << i

    def contents_after(self, mask: int) -> dict[tuple[int, str], int]:
        """What lies in each zone when the evidence in ``mask`` has happened."""
        contents = self.contents
        for index, dated in enumerate(self.window):
            if mask >> index & 1 and isinstance(dated.item, ChipsObserved) and dated.item.counts():
                contents = {**contents, (dated.item.box, dated.item.zone): dated.item.after}
        return contents

    def layout(self, mask: int) -> Layout:
        """The layout when the evidence in ``mask`` has happened."""
        layout = layout_of(self.play, self.contents_after(mask))
        if not self.outage_periods:
            return layout
        left = [dated for index, dated in enumerate(self.window) if not mask >> index & 1]
        return layout_with_outages(layout, self.outage_periods, left)

    def between(self, mask: int, index: int) -> tuple[int, int]:
        """The first and the last moment at which a piece may happen as the next one after the evidence in ``mask``."""
        if not self.outage_periods:
            return 0, NEVER_ENDS
        done = [dated.first_ns for at, dated in enumerate(self.window) if mask >> at & 1 or at == index]
        left = [dated.last_ns for at, dated in enumerate(self.window) if not mask >> at & 1]
        return max(done), min(left)

    def enabled(self, mask: int) -> Iterator[int]:
        """The pieces of evidence that may come next."""
        for index, before in enumerate(self.before):
            if not mask >> index & 1 and not before & ~mask:
                yield index

    def paid_through(self, mask: int, node: Node) -> bool:
        """Whether payment explains everything that remains after the evidence in ``mask``."""
        left = [dated.item for index, dated in enumerate(self.window) if not mask >> index & 1]
        chips = [item for item in left if isinstance(item, ChipsObserved) and pays(self.play, node, item)]
        return chips == left and not any(node.silent_surrenders >> item.box & 1 for item in chips)
