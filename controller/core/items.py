"""A piece of evidence as the game knows it, and what lies on the layout when it comes."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from firmware_protocols.values import Value


class CardCame(Value, frozen=True):
    """A card left the shoe; ``card`` as ``hand.seen`` writes it."""

    card: int


class ChipsMoved(Value, frozen=True):
    """The value in a zone of a box changed."""

    box: int
    zone: str
    before: int
    after: int
    idle: bool = False
    """No play explains it: it means nothing, and only says what lies there now."""

    def counts(self) -> bool:
        """Whether the chips count: not where they would make a wager that no play explains."""
        return not self.idle or self.zone == "main"


class KeySpoke(Value, frozen=True):
    """A key of the dealer's, with the box it named (None: the box in play).

    ``stand``, ``hit``, ``double``, ``split``, ``surrender``, ``even_money``, ``insurance_closed`` or ``hole_turned``.
    """

    action: str
    box: int | None = None


Item = CardCame | ChipsMoved | KeySpoke


def idle(item: Item) -> Item:
    """A change of chips as one that means nothing; what is no change of chips as it is."""
    return replace(item, idle=True) if isinstance(item, ChipsMoved) else item


class Spell(NamedTuple):
    """A time during which the same readers are lost; it lasts until the next one."""

    from_ns: int
    dark: frozenset[int]
    """Boxes whose chips nobody watches."""
    back: frozenset[int]
    """Those of them whose reader comes back, so that it sees what lies there in the end."""


class Layout(NamedTuple):
    """What lies on the layout at the moment, by box: main chips, and the insurance or EZ Bust that would count."""

    mains: tuple[int, ...]
    insured: tuple[int, ...]
    spells: tuple[Spell, ...] = ()
    """When which readers were lost, one time after another; empty where none was."""
    late: tuple[tuple[int, int], ...] = ()
    """Changes of main zones of such readers that are yet to happen: the box, and the first moment it may be."""
    dark: frozenset[int] = frozenset()
    """Boxes whose chips nobody watches at the moment."""
    back: frozenset[int] = frozenset()
    """Those of them whose reader comes back."""

    def during(self, spell: int) -> Layout:
        """The layout in one of its spells."""
        return self._replace(dark=self.spells[spell].dark, back=self.spells[spell].back)
