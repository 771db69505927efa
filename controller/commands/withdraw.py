"""``tableside withdraw``: take a proposal back; the same as ``tableside meter withdraw``."""

from __future__ import annotations

from controller.commands.meter import withdraw as command

__all__ = ["command"]
