"""A new epoch at a table that knows its operators: two of them sign it, each with a key of their own."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.commands import begin_epoch, keys, verify
from controller.formats.journal.records import Identity
from controller.formats.journal.schema import meta_digest
from controller.formats.orders.epoch_authorization import (
    EpochApproval,
    EpochOrder,
    EpochOrderRefused,
    EpochProposal,
    OrderSigner,
    check,
)
from controller.formats.orders.operators import read_signers
from controller.io.files.key_file import create_key
from controller.io.files.secret_files import read_curve_secret
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from tests.docs.test_configuration_doc import EXAMPLE, FILES, Zeros
from tests.io.test_exchanged_beside import Row, meta_row, rewritten, run
from tests.journal_key import KEY

PEOPLE = {"okafor": ("floor",), "reyes": ("surveillance",), "lee": ("technician",), "roth": ("auditor",)}


class House:
    """A table that does not run, and its people with their keys."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.table = directory / "table.toml"
        self.journal = directory / "journal.sqlite"
        self.waiting = directory / "journal.sqlite-epoch-order"
        create_key(directory / "table.key", Zeros())
        (directory / "chips.csv").write_text(FILES["chips.csv"].text)
        text = re.sub(r"^journal = .*$", 'journal = "journal.sqlite"', EXAMPLE, flags=re.MULTILINE)
        self.table.write_text(f'{text}\n[operator]\ndirectory = "sockets"\noperators = "operators.toml"\n')
        lines = []
        for name, roles in PEOPLE.items():
            curve = CliRunner().invoke(keys.command, ["curve", str(directory / f"{name}.key")]).stdout.strip()
            signs = CliRunner().invoke(keys.command, ["signing", str(directory / f"{name}.key")]).stdout.strip()
            quoted = ", ".join(f'"{role}"' for role in roles)
            lines += ["[[operator]]", f'name = "{name}"', f"roles = [{quoted}]", f'keys = ["{curve}"]']
            lines += [f'signs = ["{signs}"]', ""]
        self.operators = directory / "operators.toml"
        self.operators.write_text("\n".join(lines))
        asyncio.run(self.commit(1))

    async def commit(self, number: int) -> None:
        journal = await Journal.open(self.journal, Identity("harbour", "bj-1", 3), key=KEY)
        await journal.commit([JournalEntry(number, b"record")])
        await journal.close()

    def asks(self, *arguments: str, env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(begin_epoch.command, [*arguments, str(self.table)], env=env)

    def signs(self, name: str, *arguments: str) -> Result:
        return self.asks("--operator-key", str(self.directory / f"{name}.key"), *arguments)

    def epoch(self) -> int:
        with JournalReader(self.journal) as reader:
            return reader.identity.epoch


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def refused(ran: Result, part: str) -> None:
    assert (ran.exit_code, part in ran.output) == (2, True), ran.output


def test_one_proposes_another_approves_and_both_signatures_are_in_the_new_journal(house: House) -> None:
    proposed = house.signs("lee", "--why", "internal_error in record 812")
    assert (proposed.exit_code, "lee proposes a new epoch after 3: record 1" in proposed.output) == (0, True)
    assert house.epoch() == 3
    approved = house.signs("reyes")
    assert (approved.exit_code, "begins" in approved.output) == (0, True), approved.output
    assert re.match(r"lee proposed it at \S+: internal_error in record 812\n", approved.output)
    assert house.epoch() > 3
    assert not house.waiting.exists()
    with JournalReader(house.journal) as reader:
        signed_by = {key: reader.meta[key] for key in ("who", "witness", "why")}
        order = EpochOrder.read(reader.meta["order"].encode())
    assert signed_by == {"who": "lee", "witness": "reyes", "why": "internal_error in record 812"}
    proposal, approval = check(order, read_signers(house.operators.read_text(), "operators.toml"))
    assert (proposal.who, proposal.follows.partition(":")[0], approval.who) == ("lee", "3", "reyes")


@pytest.mark.parametrize(("typed", "status", "began"), [("n", 2, False), ("y", 0, True)])
def test_at_a_terminal_the_second_sees_what_is_signed_and_is_asked(
    house: House, typed: str, status: int, began: bool
) -> None:
    house.signs("lee", "--why", "internal_error in record 812")
    keyboard, terminal = os.openpty()
    os.write(keyboard, f"{typed}\n".encode())
    command = [sys.executable, "-m", "controller", "begin-epoch"]
    key = ["--operator-key", str(house.directory / "reyes.key")]
    ran = subprocess.run(
        [*command, *key, str(house.table)], stdin=terminal, capture_output=True, text=True, check=False
    )
    os.close(keyboard)
    os.close(terminal)
    assert "lee proposed it at " in ran.stdout
    assert (ran.returncode, house.epoch() > 3, house.waiting.exists()) == (status, began, not began), ran.stderr
    assert ("still waits for an approval" in ran.stderr) is not began


@pytest.mark.parametrize("key", ["follows", "who", "witness", "why", "order"])
def test_what_a_journal_states_of_its_beginning_is_held_against_the_signatures(house: House, key: str) -> None:
    """No seal covers it: somebody who may write the file and has no key could name other people."""
    house.signs("lee", "--why", "internal_error in record 812")
    house.signs("reyes")
    with_operators = ("--operators", house.operators, house.journal)
    assert run(verify.command, house.journal)[0] == 0
    assert run(verify.command, *with_operators)[0] == 0

    def other(row: Row) -> Row:
        number, _, value, _ = row
        stated = value.replace("reyes", "roth") if key == "order" else f"{value}, other"
        return number, key, stated, meta_digest(number, key, stated)

    rewritten(house.journal, "meta", meta_row(house.journal, key), other)
    status, line = run(verify.command, house.journal)
    assert (status, "not as it was ordered: the order that began this epoch: " in line) == (1, True), line
    assert line.count("\n") == 1


def test_with_the_file_of_operators_it_is_said_whose_keys_began_an_epoch(house: House) -> None:
    house.signs("lee", "--why", "internal_error in record 812")
    house.signs("reyes")
    house.operators.write_text(house.operators.read_text().replace('name = "reyes"', 'name = "another"'))
    status, line = run(verify.command, "--operators", house.operators, house.journal)
    assert (status, "the order that began this epoch: the signature is not reyes's" in line) == (1, True), line


def test_nobody_approves_alone_or_out_of_role(house: House) -> None:
    refused(house.signs("reyes"), "nobody has proposed a new epoch")
    refused(house.signs("reyes", "--why", "x"), "to propose a new epoch is for floor or technician")
    refused(house.signs("roth", "--why", "x"), "roth is not")
    assert house.signs("okafor", "--why", "x").exit_code == 0
    refused(house.signs("okafor"), "another person must approve")
    refused(house.signs("lee"), "to approve a new epoch is for floor or surveillance")
    assert house.epoch() == 3


def test_names_are_nothing_at_a_table_that_knows_its_operators(house: House) -> None:
    refused(house.asks("--who", "M. Okafor", "--witness", "J. Reyes", "--why", "x"), "each of two gives --operator-key")
    refused(house.asks("--why", "x"), "each of two gives --operator-key")
    refused(house.asks(), "the first gives --operator-key FILE --why REASON, the second --operator-key FILE alone")
    assert CliRunner().invoke(keys.command, ["curve", str(house.directory / "stranger.key")]).exit_code == 0
    refused(house.signs("stranger", "--why", "x"), "signs for no operator of this table")


def test_what_was_proposed_is_what_is_begun(house: House) -> None:
    """A proposal is of the journal as it lay there; a table that ran since is another matter."""
    assert house.signs("okafor", "--why", "x").exit_code == 0
    asyncio.run(house.commit(2))
    refused(house.signs("reyes"), "proposed for 3: record 1")
    assert house.signs("okafor", "--why", "again").exit_code == 0
    assert house.signs("reyes").exit_code == 0


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ((), "--who, --witness, --why"),
        (("--why", "x"), "--who, --witness"),
        (("--who", "A", "--witness", " ", "--why", "x"), "--witness"),
        (("--who", "A", "--witness", "B"), "--why"),
    ],
)
def test_at_a_table_without_operators_what_is_lacking_is_named(
    house: House, given: tuple[str, ...], lacking: str
) -> None:
    house.table.write_text(house.table.read_text().partition("\n[operator]")[0])
    refused(house.asks(*given), f"a new epoch needs two people and a reason; give {lacking} too\n")
    refused(house.asks("--who", "A", "--witness", "A", "--why", "x"), "two people; --who and --witness are one: A\n")
    assert house.asks("--who", "A", "--witness", "B", "--why", "x").exit_code == 0


@pytest.mark.parametrize("option", ["--who", "--witness", "--why"])
def test_there_too_names_and_the_reason_read_as_they_are(house: House, option: str) -> None:
    house.table.write_text(house.table.read_text().partition("\n[operator]")[0])
    given = {"--who": "A. Bell", "--witness": "B. Lee", "--why": "yearly"}
    given[option] += "\u202e"
    words = [word for pair in given.items() for word in pair]
    refused(house.asks(*words), f"{option}: expected plain text on one line, got the unseen character U+202E; type it")
    assert house.epoch() == 3


def test_the_reason_that_is_proposed_reads_as_it_is(house: House) -> None:
    refused(house.signs("okafor", "--why", "yearly\nA. Bell approves"), "--why: expected plain text on one line")
    assert not house.waiting.exists()
    # Nor is it begun where the proposal was written by hand.
    assert house.signs("okafor", "--why", "x").exit_code == 0
    order = EpochOrder.read(house.waiting.read_bytes())
    proposal = msgspec.structs.replace(msgspec.json.decode(order.proposal.text, type=EpochProposal), why="x\u202e")
    okafor = OrderSigner(read_curve_secret(house.directory / "okafor.key"))
    house.waiting.write_bytes(msgspec.json.encode(EpochOrder(okafor.sign(proposal))))
    refused(house.signs("reyes"), "--why: expected plain text on one line, got the unseen character U+202E")
    assert house.epoch() == 3


@pytest.mark.parametrize("part", ["text", "key", "signature"])
def test_a_forged_proposal_begins_nothing(house: House, part: str) -> None:
    assert house.signs("okafor", "--why", "x").exit_code == 0
    order = EpochOrder.read(house.waiting.read_bytes())
    others = OrderSigner(read_curve_secret(house.directory / "reyes.key"))
    forged = {"text": order.proposal.text.replace('"x"', '"y"'), "key": others.public, "signature": "00" * 64}
    proposal = msgspec.structs.replace(order.proposal, **{part: forged[part]})
    house.waiting.write_bytes(msgspec.json.encode(EpochOrder(proposal)))
    refused(house.signs("reyes"), "the signature is not okafor's")
    house.waiting.write_bytes(b"rubbish")
    refused(house.signs("reyes"), "no order to begin an epoch")
    assert house.epoch() == 3


def test_an_approval_is_of_its_own_proposal(house: House) -> None:
    assert house.signs("okafor", "--why", "x").exit_code == 0
    order = EpochOrder.read(house.waiting.read_bytes())
    signers = read_signers(house.operators.read_text(), "operators.toml")
    reyes = OrderSigner(read_curve_secret(house.directory / "reyes.key"))
    approval = reyes.sign(EpochApproval("00" * 64, "reyes", "2026-11-21T12:00:00Z"))
    with pytest.raises(EpochOrderRefused, match="another proposal"):
        check(EpochOrder(order.proposal, approval), signers)
    with pytest.raises(EpochOrderRefused, match="nobody has approved"):
        check(order, signers)


def test_a_table_without_the_file_of_operators_says_what_is_missing(house: House) -> None:
    house.table.write_text(house.table.read_text().replace('operators = "operators.toml"\n', ""))
    refused(house.signs("okafor", "--why", "x"), "[operator] operators must name the file")


def test_a_key_may_be_a_credential_of_the_service_manager(house: House) -> None:
    kept = house.directory / "kept"
    kept.mkdir()
    for name in ("okafor", "reyes"):
        # Read through an access list: its own mode says nothing.
        (house.directory / f"{name}.key").rename(kept / f"{name}.key").chmod(0o640)
    given = {"CREDENTIALS_DIRECTORY": str(kept)}
    assert house.asks("--operator-key", "credential:okafor.key", "--why", "x", env=given).exit_code == 0
    refused(house.asks("--operator-key", "credential:reyes.key"), "is there within the service only")
    approved = house.asks("--operator-key", "credential:reyes.key", env=given)
    assert (approved.exit_code, house.epoch() > 3) == (0, True), approved.output


def test_operators_that_only_the_service_has_are_reported_in_one_line(house: House) -> None:
    text = house.table.read_text()
    house.table.write_text(text.replace('operators = "operators.toml"', 'operators = "credential:operators.toml"'))
    refused(house.signs("okafor", "--why", "x"), "[operator] operators: credential:operators.toml: a credential")
