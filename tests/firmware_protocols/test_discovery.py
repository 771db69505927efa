from __future__ import annotations

import pytest

from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.discovery import UnknownCodecError, codecs, find
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.shoe import bee_tek


def test_every_vendor_is_found_by_kind() -> None:
    found = codecs()
    assert list(found) == sorted(found)
    assert {"bee_tek"} <= set(found["shoe"])
    assert {"feig_obid"} <= set(found["bet_spots"])
    assert {"matrix_orbital"} <= set(found["keypad"])


def test_found_is_the_codec_of_the_module() -> None:
    assert find("shoe", "bee_tek") is bee_tek.CODEC
    assert find("bet_spots", "feig_obid") is feig_obid.CODEC
    assert find("keypad", "matrix_orbital") is matrix_orbital.CODEC


def test_a_misspelt_vendor_gets_a_suggestion_and_the_list() -> None:
    said = r"shoe protocol.*'bee_tec'.*did you mean 'bee_tek'.*there are:.*bee_tek"
    with pytest.raises(UnknownCodecError, match=said):
        find("shoe", "bee_tec")


def test_a_misspelt_kind_gets_a_suggestion_and_the_list() -> None:
    with pytest.raises(UnknownCodecError, match=r"'bet_spot'.*did you mean 'bet_spots'.*bet_spots, .*shoe"):
        find("bet_spot", "feig_obid")


def test_nothing_alike_gets_the_list_alone() -> None:
    with pytest.raises(UnknownCodecError) as refused:
        find("shoe", "q")
    assert "did you mean" not in str(refused.value)


def test_a_vendor_of_another_kind_is_unknown() -> None:
    with pytest.raises(ValueError, match="keypad"):
        find("keypad", "bee_tek")
