from __future__ import annotations

import pytest
from crccheck.crc import (
    Crc16Base,
    Crc16Genibus,
    Crc16Ibm3740,
    Crc16Kermit,
    Crc16Mcrf4XX,
    Crc16Modbus,
    Crc16X25,
    Crc16Xmodem,
)
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.checksums import GENIBUS, IBM_3740, KERMIT, MCRF4XX, MODBUS, X_25, XMODEM, Crc16

CHECK_VALUES = [
    (MCRF4XX, 0x6F91),
    (KERMIT, 0x2189),
    (X_25, 0x906E),
    (IBM_3740, 0x29B1),
    (GENIBUS, 0xD64E),
    (XMODEM, 0x31C3),
    (MODBUS, 0x4B37),
]

OF_CRCCHECK: list[tuple[Crc16, type[Crc16Base]]] = [
    (MCRF4XX, Crc16Mcrf4XX),
    (KERMIT, Crc16Kermit),
    (X_25, Crc16X25),
    (IBM_3740, Crc16Ibm3740),
    (GENIBUS, Crc16Genibus),
    (XMODEM, Crc16Xmodem),
    (MODBUS, Crc16Modbus),
]

FRAMES = [
    pytest.param(MCRF4XX, "05 FF 65", "E5 CB", id="FEIG, who are you"),
    pytest.param(KERMIT, "01 01", "51 08", id="SAS, shutdown"),
    pytest.param(X_25, "26 01 00", "F6 0A", id="ISO 15693, inventory in 16 slots"),
    pytest.param(X_25, "FF 03 41", "DA 79", id="HDLC frame check sequence"),
    pytest.param(MODBUS, "01 02 01 A5", "61 F3", id="Modbus, inputs 1, 3, 6 and 8"),
]


@pytest.mark.parametrize(("crc", "check"), CHECK_VALUES, ids=lambda value: getattr(value, "name", ""))
def test_the_published_check_value(crc: Crc16, check: int) -> None:
    assert crc.of(b"123456789") == check


@pytest.mark.parametrize(("crc", "data", "sent_low_byte_first"), FRAMES)
def test_frames_of_the_protocols_that_use_it(crc: Crc16, data: str, sent_low_byte_first: str) -> None:
    assert crc.of(bytes.fromhex(data)).to_bytes(2, "little") == bytes.fromhex(sent_low_byte_first)


def test_the_mode_high_bit_first_is_sent_high_byte_first() -> None:
    assert IBM_3740.of(bytes.fromhex("C0")).to_bytes(2, "big") == bytes.fromhex("38 BC")


def test_nothing_has_the_start_value() -> None:
    assert (MCRF4XX.of(b""), KERMIT.of(b""), X_25.of(b"")) == (0xFFFF, 0, 0)


@pytest.mark.parametrize(("crc", "of_crccheck"), OF_CRCCHECK, ids=lambda value: getattr(value, "name", ""))
@given(data=st.binary(max_size=300))
def test_crccheck_computes_the_same(crc: Crc16, of_crccheck: type[Crc16Base], data: bytes) -> None:
    assert crc.of(data) == of_crccheck.calc(data)
