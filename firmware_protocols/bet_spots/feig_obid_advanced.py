"""FEIG OBID readers asked in advanced frames, for readers and converters that take no others.

The format is that of ``feig_obid``; a reader asked in an advanced frame always answers in one.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.bet_spots import feig_obid

NAME: Final = "feig_obid_advanced"

CODEC: Final = feig_obid.codec(NAME, advanced=True)
