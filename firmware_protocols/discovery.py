"""Which codecs there are: a package per kind of device, a module per vendor, found by looking.

So adding a vendor is adding one module with a ``CODEC``; no list has to be kept.
"""

from __future__ import annotations

import importlib
import pkgutil
from difflib import get_close_matches
from typing import cast

import firmware_protocols
from firmware_protocols.codec import Codec


class UnknownCodecError(ValueError):
    """No codec is called that; the message lists what there is."""


def codecs() -> dict[str, tuple[str, ...]]:
    """Kinds of device (``shoe``) and, for each, the vendors' names (``bee_tek``), both in alphabetical order."""
    kinds = {
        package.name: tuple(
            sorted(
                module.name
                for module in pkgutil.iter_modules([f"{root}/{package.name}"])
                if not module.name.startswith("_")
            )
        )
        for root in firmware_protocols.__path__
        for package in pkgutil.iter_modules([root])
        if package.ispkg
    }
    return dict(sorted(kinds.items()))


def _unknown(what: str, name: str, known: tuple[str, ...]) -> UnknownCodecError:
    close = get_close_matches(name, known, n=1)
    guess = f" (did you mean {close[0]!r}?)" if close else ""
    return UnknownCodecError(f"no {what} is called {name!r}{guess}; there are: {', '.join(known) or 'none'}")


def find(kind: str, vendor: str) -> Codec:
    """The codec of a vendor's device.

    Raises:
        UnknownCodecError: (a ``ValueError``) there is no such kind, or no such vendor of that kind.
    """
    known = codecs()
    if kind not in known:
        raise _unknown("kind of device", kind, tuple(known))
    if vendor not in known[kind]:
        raise _unknown(f"{kind} protocol", vendor, known[kind])
    module = importlib.import_module(f"firmware_protocols.{kind}.{vendor}")
    return cast("Codec", module.CODEC)
