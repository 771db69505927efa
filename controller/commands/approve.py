"""``tableside approve``: carry out what another person proposed; the same as ``tableside meter approve``."""

from __future__ import annotations

from controller.commands.meter import approve as command

__all__ = ["command"]
