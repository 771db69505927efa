"""Which codecs there are: a package per kind of device, a module per vendor, found by looking.

So adding a vendor is adding one module with a ``CODEC``; no list has to be kept.
"""

from __future__ import annotations

import importlib
import pkgutil
import traceback
from difflib import get_close_matches
from typing import cast

import firmware_protocols
from firmware_protocols.codec import Codec


class UnknownCodecError(ValueError):
    """No codec is called that; the message lists what there is."""


class BrokenCodecError(ValueError):
    """The module of a codec cannot be loaded; the message names its file, the line and what is wrong there."""


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
        BrokenCodecError: (a ``ValueError``) its module cannot be loaded, or has no ``CODEC``.
    """
    known = codecs()
    if kind not in known:
        raise _unknown("kind of device", kind, tuple(known))
    if vendor not in known[kind]:
        raise _unknown(f"{kind} protocol", vendor, known[kind])
    try:
        module = importlib.import_module(f"firmware_protocols.{kind}.{vendor}")
        return cast("Codec", module.CODEC)
    except Exception as error:  # A maker's module may fail in any way.
        raise BrokenCodecError(f"{kind} protocol {vendor!r}: {_where(error, f'{kind}/{vendor}.py')}") from error


def broken_reason(kind: str, vendor: str) -> str:
    """Why a codec that there is cannot be used; empty: it can be."""
    try:
        find(kind, vendor)
    except BrokenCodecError as error:
        return str(error)
    return ""


def _where(error: Exception, module: str) -> str:
    """The file and line of a maker's module at which loading it failed, and what is wrong there."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    said = f"{type(error).__name__}: {error}"
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.endswith(module)]
    return f"{frames[-1].filename}, line {frames[-1].lineno}: {said}" if frames else said
