"""The 16-bit cyclic redundancy checks that serial protocols use, by table.

Several of them share the polynomial 0x1021 and differ only in start value, bit order or final inversion, so each is
known from the others by its check value: the CRC of the nine ASCII digits ``123456789`` (catalogue of parametrised CRC
algorithms).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


def _mirrored(value: int, bits: int) -> int:
    return int(format(value, f"0{bits}b")[::-1], 2)


def _table_low_bit_first(polynomial: int) -> tuple[int, ...]:
    mirrored = _mirrored(polynomial, 16)
    table: list[int] = []
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (mirrored if remainder & 1 else 0)
        table.append(remainder)
    return tuple(table)


def _table_high_bit_first(polynomial: int) -> tuple[int, ...]:
    table: list[int] = []
    for byte in range(256):
        remainder = byte << 8
        for _ in range(8):
            remainder = (remainder << 1) ^ (polynomial if remainder & 0x8000 else 0)
        table.append(remainder & 0xFFFF)
    return tuple(table)


@dataclass(frozen=True, slots=True)
class Crc16:
    """One 16-bit CRC. ``polynomial`` in the usual notation (high bit first), whatever the bit order.

    ``reflected``: bytes are taken, and the remainder kept, low bit first.
    """

    name: str
    polynomial: int
    initial: int
    reflected: bool
    final_xor: int
    _table: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        build = _table_low_bit_first if self.reflected else _table_high_bit_first
        object.__setattr__(self, "_table", build(self.polynomial))

    def of(self, data: bytes | bytearray) -> int:
        """The CRC of ``data``, 0 to 0xFFFF. How its two bytes are ordered on a wire is the protocol's business."""
        table, remainder = self._table, self.initial
        if self.reflected:
            for byte in data:
                remainder = (remainder >> 8) ^ table[(remainder ^ byte) & 0xFF]
        else:
            for byte in data:
                remainder = ((remainder << 8) & 0xFFFF) ^ table[(remainder >> 8) ^ byte]
        return remainder ^ self.final_xor


MCRF4XX: Final = Crc16("CRC-16/MCRF4XX", 0x1021, 0xFFFF, reflected=True, final_xor=0x0000)
"""FEIG OBID readers; low byte first on the wire."""

KERMIT: Final = Crc16("CRC-16/KERMIT", 0x1021, 0x0000, reflected=True, final_xor=0x0000)
"""SAS; low byte first on the wire."""

X_25: Final = Crc16("CRC-16/X-25", 0x1021, 0xFFFF, reflected=True, final_xor=0xFFFF)
"""HDLC, and ISO 15693 over the air; low byte first."""

IBM_3740: Final = Crc16("CRC-16/IBM-3740", 0x1021, 0xFFFF, reflected=False, final_xor=0x0000)
"""Also called CCITT-FALSE; high byte first on the wire."""

GENIBUS: Final = Crc16("CRC-16/GENIBUS", 0x1021, 0xFFFF, reflected=False, final_xor=0xFFFF)
"""Inside EPC Gen2 tags; high byte first."""

XMODEM: Final = Crc16("CRC-16/XMODEM", 0x1021, 0x0000, reflected=False, final_xor=0x0000)
"""High byte first on the wire."""

MODBUS: Final = Crc16("CRC-16/MODBUS", 0x8005, 0xFFFF, reflected=True, final_xor=0x0000)
"""Modbus RTU; low byte first on the wire."""
