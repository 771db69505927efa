"""Finds the codec a table file names: adding a vendor is adding a module, and nothing here changes."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Final, cast

from firmware_protocols.codec import Codec

KINDS: Final = ("shoe", "bet_spots", "keypad")
"""The kinds of device a table file speaks of."""


def protocol_names(kind: str) -> tuple[str, ...]:
    """The codecs there are for a kind of device, sorted."""
    package = importlib.import_module(f"firmware_protocols.{kind}")
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__)))


def codec(kind: str, name: str) -> Codec:
    """The codec ``name`` for a kind of device.

    Raises:
        LookupError: there is none.
    """
    if name not in protocol_names(kind):
        raise LookupError(f"no protocol {name} for {kind}: there are {', '.join(protocol_names(kind))}")
    return cast("Codec", importlib.import_module(f"firmware_protocols.{kind}.{name}").CODEC)
