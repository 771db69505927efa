"""The table PC's rounds and the people's are paired by what was wagered, and differences are found."""

from __future__ import annotations

from pathlib import Path

from controller.formats.cases.accounts import CaseAccounts, RoundAccount, WagerAccount
from tests.table_pc.machine import Machine
from tests.table_pc.truth import events_wrong, paired


def account(*rounds: tuple[int, ...]) -> CaseAccounts:
    """Rounds of wagers at spots 1, 2, ... numbered from 1."""
    return CaseAccounts(
        tuple(
            RoundAccount(
                number, tuple(WagerAccount(spot, "main", cents, -cents) for spot, cents in enumerate(one, start=1))
            )
            for number, one in enumerate(rounds, start=1)
        )
    )


def test_rounds_are_paired_by_their_wagers_though_the_table_missed_one() -> None:
    people, table = account((500,), (1000, 2500), (700,), (800,)), account((500,), (700,), (800,))
    assert [(one.round, other.round) for one, other in paired(people, table)] == [(1, 1), (3, 2), (4, 3)]


def test_a_round_with_another_wager_is_no_pair() -> None:
    assert paired(account((500,)), account((600,))) == []


def test_of_rounds_with_the_same_wagers_the_one_that_was_missed_is_the_one_that_differs() -> None:
    won = RoundAccount(1, (WagerAccount(1, "main", 500, 500),))
    lost = RoundAccount(2, (WagerAccount(1, "main", 500, -500),))
    assert paired(CaseAccounts((won, lost)), CaseAccounts((lost,))) == [(lost, lost)]
    assert paired(CaseAccounts((won,)), CaseAccounts((lost,))) == [(won, lost)]


def test_an_event_that_is_missing_is_named() -> None:
    assert events_wrong([b'{"seq":1}', b'{"seq":2}', b'{"seq":4}']) == ["event 4 follows event 2"]
    assert events_wrong([b'{"seq":1}', b'{"seq":2}']) == []


def test_each_adapter_is_in_a_socket_of_its_own_before_its_device(tmp_path: Path) -> None:
    ports = {"shoe": tmp_path / "shoe", "keypad": tmp_path / "keypad"}
    words = Machine(tmp_path, tmp_path / "disk", (tmp_path / "kernel", tmp_path / "initrd"), ports).command()
    assert f"serial,id=keypad,path={tmp_path}/keypad" in words
    assert "usb-serial,id=usb_keypad,chardev=keypad,bus=usb.0,port=2" in words
