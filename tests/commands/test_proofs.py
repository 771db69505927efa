"""A disputed round, exported with its proof: an independent checker takes it, and nothing that was changed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.core.messages.events import WagerAdjusted
from controller.core.messages.inputs import AdjustWager
from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Sealing, signed_head
from controller.formats.journal.signed_note import NoteRefused
from controller.formats.journal.tree_heads import leaf_fields, name_in, origin, read_proof
from controller.formats.text.printable import printable
from controller.io.journal.reader import JournalReader
from tests.core.journals import KEY, journal_of
from tests.core.rig import Rig, penn
from tests.docs.pages import page, sections

TALK = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def independent(folder: Path, name: str, verifier: str) -> bool:
    """``proofbundle`` on the package index: its own notes, heads, trees and proofs."""
    proof, leaf = folder / f"{name}.tlog-proof", folder / name
    command = [sys.executable, "-m", "proofbundle.cli", "verify-proof", str(proof), "--payload-file", str(leaf)]
    origin_line = name_in(read_proof(proof.read_text()).signed)
    command += ["--log-vkey", verifier, "--expected-origin", origin_line]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    rig = Rig(penn(stand_key="always"))
    rig.key("burn")
    rig.card("2c")
    rig.talk(TALK)
    rig.talk(TALK)
    return journal_of(rig, tmp_path / "journal.sqlite")


@pytest.fixture
def verifier(journal: Path) -> str:
    with JournalReader(journal) as reader:
        return Sealing(KEY, reader.identity).verifier.text()


@pytest.fixture
def exported(journal: Path, verifier: str, tmp_path: Path) -> Path:
    folder = tmp_path / "round-1"
    done = run("export", "--proof", 1, "--verifier", verifier, "--output", folder, journal)
    assert done.exit_code == 0, done.output
    return folder


def leaves(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.suffix)


def test_every_record_of_the_round_is_accepted_by_an_independent_checker(exported: Path, verifier: str) -> None:
    names = leaves(exported)
    assert len(names) > 5
    for name in (names[0], names[len(names) // 2], names[-1]):
        assert independent(exported, name, verifier)
    proved = b"".join(b"".join(leaf_fields((exported / name).read_bytes())[2]) for name in names)
    assert b"wager_settled" in proved
    assert b"round_closed" in proved


@pytest.mark.parametrize("part", ["leaf", "path", "index", "head", "signature"])
def test_what_was_changed_is_refused_by_both(exported: Path, verifier: str, part: str) -> None:
    name = leaves(exported)[3]
    leaf, proof = exported / name, exported / f"{name}.tlog-proof"
    lines = proof.read_text().split("\n")
    place = {"index": 1, "path": 2, "head": len(lines) - 5, "signature": len(lines) - 2}.get(part, 0)
    if part == "leaf":
        leaf.write_bytes(leaf.read_bytes()[:-1] + bytes([leaf.read_bytes()[-1] ^ 1]))
    elif part == "index":
        lines[place] = f"index {int(lines[place].split()[1]) + 1}"
    else:
        at = len(lines[place]) // 2
        lines[place] = lines[place][:at] + ("A" if lines[place][at] != "A" else "B") + lines[place][at + 1 :]
    proof.write_text("\n".join(lines))
    assert not independent(exported, name, verifier)
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, f"{name}.tlog-proof" in done.output) == (1, True), done.output


def test_verify_says_what_is_proven(exported: Path, verifier: str) -> None:
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, ": proven: records " in done.output) == (0, True), done.output


@pytest.mark.parametrize("as_json", [False, True])
def test_without_the_verifier_key_verify_says_what_to_give(exported: Path, as_json: bool) -> None:
    done = run("verify", *(["--json"] if as_json else []), exported)
    assert (done.exit_code, "no second copy; give --verifier" in done.output) == (2, True), done.output


def test_who_reads_only_the_first_events_is_told_of_no_broken_pipe(journal: Path) -> None:
    command = [sys.executable, "-m", "controller", "export", "--events", str(journal)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""


def test_a_record_taken_out_of_the_round_is_missed(exported: Path, verifier: str) -> None:
    name = leaves(exported)[2]
    (exported / name).unlink()
    (exported / f"{name}.tlog-proof").unlink()
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, "there are only" in done.output) == (1, True), done.output


@pytest.mark.parametrize(("end", "said"), [(-1, "no record closes round 1"), (0, "does not begin a round")])
def test_a_round_without_its_first_or_last_record_is_not_proven(
    end: int, said: str, exported: Path, verifier: str
) -> None:
    """Each record that is left holds by itself, and the round would seem to have come to something else."""
    name = leaves(exported)[end]
    (exported / name).unlink()
    (exported / f"{name}.tlog-proof").unlink()
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, said in done.output, done.output.count("\n")) == (1, True, 1), done.output


@pytest.mark.parametrize("as_json", [False, True])
def test_a_record_that_is_not_beside_its_proof_is_not_proven(exported: Path, verifier: str, as_json: bool) -> None:
    """The folder was there and could be read: what it lacks is a finding, and no fault of the command's use."""
    name = leaves(exported)[2]
    (exported / name).unlink()
    done = run("verify", *(["--json"] if as_json else []), "--verifier", verifier, exported)
    reason = (
        f"{exported / name}: is not there, and its proof is; ask for the folder as tableside export --proof wrote it"
    )
    assert (done.exit_code, done.output.count("\n")) == (1, 1), done.output
    if as_json:
        assert json.loads(done.output) == {"proven": False, "reason": reason}
    else:
        assert done.output == f"{exported}: not proven: {reason}\n"


@pytest.mark.parametrize("suffix", ["", ".tlog-proof"])
def test_a_folder_in_the_place_of_a_record_or_its_proof_is_not_proven(
    suffix: str, exported: Path, verifier: str
) -> None:
    path = exported / f"{leaves(exported)[2]}{suffix}"
    path.unlink()
    path.mkdir()
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, f"{path}: " in done.output, done.output.count("\n")) == (1, True, 1), done.output


def test_a_record_that_is_there_and_cannot_be_read_is_neither_proven_nor_refuted(exported: Path, verifier: str) -> None:
    path = exported / leaves(exported)[2]
    path.unlink()
    path.symlink_to(path)
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, "Too many levels" in done.output, done.output.count("\n")) == (2, True, 1), done.output


def test_a_record_laid_beside_those_proven_is_not_taken_for_one_of_them(exported: Path, verifier: str) -> None:
    (exported / "record-00000999").write_bytes((exported / leaves(exported)[0]).read_bytes())
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, "record-00000999: is there without its proof" in done.output) == (1, True), done.output


@pytest.mark.parametrize(
    "name", ["Record-00000999", "record-00000999.json", "round.txt", ".tlog-proof", ".hidden", "1\n2", "9" * 255]
)
def test_what_is_neither_a_proof_nor_its_record_is_refused_by_name(name: str, exported: Path, verifier: str) -> None:
    (exported / name).write_bytes((exported / leaves(exported)[0]).read_bytes())
    done = run("verify", "--verifier", verifier, exported)
    said = f"{printable(name)}: is there without its proof; ask for the folder as tableside export --proof wrote it"
    assert (done.exit_code, said in done.output, done.output.count("\n")) == (1, True, 1), done.output


def test_a_folder_among_the_records_is_refused_as_a_file_is(exported: Path, verifier: str) -> None:
    (exported / "rulings").mkdir()
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, "rulings: is there without its proof" in done.output) == (1, True), done.output


def test_all_that_does_not_belong_among_the_records_is_named_up_to_twenty(exported: Path, verifier: str) -> None:
    for number in range(22):
        (exported / f"slip-{number:02}").touch()
    done = run("verify", "--verifier", verifier, exported)
    assert "slip-00: is there without its proof, like slip-01, " in done.output
    assert ", slip-19, 2 more; ask for" in done.output
    (exported / "slip-20").unlink()
    (exported / "slip-21").unlink()
    assert ", slip-19; ask for" in run("verify", "--verifier", verifier, exported).output


def test_proofs_under_each_others_names_are_refused(exported: Path, verifier: str) -> None:
    one, other = leaves(exported)[1:3]
    for suffix in ("", ".tlog-proof"):
        (exported / f"{one}{suffix}").rename(exported / f"kept{suffix}")
        (exported / f"{other}{suffix}").rename(exported / f"{one}{suffix}")
        (exported / f"kept{suffix}").rename(exported / f"{other}{suffix}")
    done = run("verify", "--verifier", verifier, exported)
    assert (done.exit_code, " stands behind record " in done.output) == (1, True), done.output


@pytest.fixture
def ruled(tmp_path: Path) -> tuple[Path, str, int]:
    """A journal in which the floor rules on the first round after its close, its verifier key, and that record."""
    rig = Rig(penn(stand_key="always"))
    rig.talk(TALK)
    rig.talk(TALK)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 0, "M. Okafor", "foul deal", case="C-17"))
    assert isinstance(rig.events[-1], WagerAdjusted)
    path = journal_of(rig, tmp_path / "ruled.sqlite")
    with JournalReader(path) as reader:
        return path, Sealing(KEY, reader.identity).verifier.text(), reader.head().number


def test_what_was_ruled_on_a_round_later_is_part_of_its_proof(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    """Else the proof shows as due what was due before the ruling."""
    journal, verifier, ruling = ruled
    folder = tmp_path / "proof"
    done = run("export", "--proof", 1, "--verifier", verifier, "--output", folder, journal)
    assert f"with them, later ones about the round: {ruling}" in done.output
    name = leaves(folder)[-1]
    assert b"wager_adjusted" in b"".join(leaf_fields((folder / name).read_bytes())[2])
    assert independent(folder, name, verifier)
    done = run("verify", "--verifier", verifier, folder)
    assert (done.exit_code, f"the whole of round 1, and later ones about it: {ruling}" in done.output) == (0, True)
    found = json.loads(run("verify", "--json", "--verifier", verifier, folder).output)
    assert (found["round"], found["later"]) == (1, [ruling])
    verifies = next(row for row in sections(page("commands.md"))["JSON"].rows() if row[0] == "`verify`")
    listed = verifies[2].partition("With `--verifier`:")[2].partition(", or")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(found)


def test_a_ruling_that_an_earlier_head_lacks_is_named(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    journal, verifier, ruling = ruled
    folder, kept = tmp_path / "proof", tmp_path / "held.jsonl.head"
    with JournalReader(journal) as reader:
        seal = reader.last_seal(ruling - 1)
        assert seal is not None
        kept.write_text(signed_head(seal, Sealing(KEY, reader.identity).verifier))
    done = run("export", "--proof", 1, "--verifier", verifier, "--head", kept, "--output", folder, journal)
    assert f"not in it, as that head lacks them, later ones about the round: {ruling}" in done.output, done.output
    assert run("verify", "--verifier", verifier, folder).exit_code == 0


def test_a_later_record_of_another_round_is_refused(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    journal, verifier, _ = ruled
    for number in (1, 2):
        done = run("export", "--proof", number, "--verifier", verifier, "--output", tmp_path / f"{number}", journal)
        assert done.exit_code == 0
    strange = leaves(tmp_path / "2")[-1]
    for suffix in ("", ".tlog-proof"):
        shutil.copy(tmp_path / "2" / f"{strange}{suffix}", tmp_path / "1")
    done = run("verify", "--verifier", verifier, tmp_path / "1")
    assert (done.exit_code, f"record {int(strange[-8:])} is not about round 1" in done.output) == (1, True), done.output


@pytest.mark.parametrize("data", [None, b"\xb1"])
def test_a_head_that_is_none_is_named(data: bytes | None, journal: Path, verifier: str, tmp_path: Path) -> None:
    head = tmp_path / "kept.head"
    if data is not None:
        head.write_bytes(data)
    output = tmp_path / "proof"
    done = run("export", "--proof", 1, "--verifier", verifier, "--head", head, "--output", output, journal)
    assert (done.exit_code, f"--head {head}: " in done.output, done.output.count("\n")) == (2, True, 1), done.output


def test_a_folder_that_is_not_there_is_not_called_unproven(verifier: str, tmp_path: Path) -> None:
    done = run("verify", "--verifier", verifier, tmp_path / "nowhere")
    assert (done.exit_code, "expected the folder" in done.output, done.output.count("\n")) == (2, True, 1), done.output


def test_a_round_is_proven_against_the_head_that_a_consumer_keeps(journal: Path, verifier: str, tmp_path: Path) -> None:
    with JournalReader(journal) as reader:
        sealing = Sealing(KEY, reader.identity)
        seals = list(reader.seals())
        last = reader.head().number
    kept = tmp_path / "held.jsonl.head"
    kept.write_text(signed_head(seals[-1], sealing.verifier))
    folder = tmp_path / "proof"
    done = run("export", "--proof", 1, "--verifier", verifier, "--head", kept, "--output", folder, journal)
    assert (done.exit_code, f"signed with record {last}" in done.output) == (0, True), done.output
    assert independent(folder, leaves(folder)[0], verifier)


def test_what_cannot_be_proven_is_refused_in_one_line(journal: Path, verifier: str, tmp_path: Path) -> None:
    with JournalReader(journal) as reader:
        identity, last = reader.identity, reader.head().number
    strange, own = Sealing(bytes([1] * 32), identity), Sealing(KEY, identity)
    other = Sealing(KEY, Identity(identity.site, "bj-9", identity.epoch)).verifier
    kept, folder = tmp_path / "kept.head", tmp_path / "proof"
    assert origin(identity) == own.verifier.name
    for head, vkey, number, message in (
        ("", verifier, 9, "round 9 is not there"),
        ("", other.text(), 1, "the verifier key is of tableside/"),
        ("", "rubbish", 1, "expected a verifier key"),
        (signed_head(strange.seal(last, b"", bytes(32)), strange.verifier), verifier, 1, "not signed by"),
        (signed_head(own.seal(last, b"", bytes(32)), own.verifier), verifier, 1, "with other records up to it"),
        (signed_head(own.seal(2, b"", bytes(32)), own.verifier), verifier, 1, "the head is of record 2"),
    ):
        kept.write_text(head)
        given = ["--head", kept] if head else []
        done = run("export", "--proof", number, "--verifier", vkey, *given, "--output", folder, journal)
        assert (done.exit_code, message in done.output, done.output.count("\n")) == (2, True, 1), done.output
        assert not folder.exists()


@pytest.mark.parametrize("data", [b"", bytes(8), (9).to_bytes(8, "big") + bytes(8), bytes(7), (8).to_bytes(8, "big")])
def test_bytes_that_are_no_leaf_are_refused(data: bytes) -> None:
    with pytest.raises(NoteRefused):
        leaf_fields(data)


def test_a_folder_without_proofs_proves_nothing(tmp_path: Path, verifier: str, exported: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("verify", "--verifier", verifier, tmp_path / "empty")
    assert (done.exit_code, "no proofs here" in done.output) == (1, True)
    shutil.rmtree(exported)
