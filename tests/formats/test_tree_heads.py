"""Trees, signed notes and heads: by the vectors of their formats, and by a checker that shares no code with ours."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.formats.journal.merkle_tree import CompactRange, Tree, leaf_hash, node_hash
from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Sealing, signed_head
from controller.formats.journal.signed_note import NoteRefused, NoteSigner, Verifier, note, opened
from controller.formats.journal.tree_heads import TreeHead, epoch_of, leaf_bytes, origin, proof_text, read_head
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 3)

VECTORS = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
VECTORS.append(bytes(range(0x60, 0x70)))
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Leaves and roots of the vectors of Certificate Transparency's reference implementation, of 1 to 8 leaves."""


def test_roots_are_those_of_the_reference_implementation() -> None:
    tree = CompactRange()
    assert tree.root() == hashlib.sha256(b"").digest()
    for leaf, root in zip(VECTORS, ROOTS, strict=True):
        tree = tree.appended(leaf_hash(leaf))
        assert tree.root().hex() == root
        assert CompactRange.read(tree.size, tree.data()) == tree


def climbed(leaf: bytes, index: int, size: int, path: tuple[bytes, ...]) -> bytes:
    """The root that a proof leads to: RFC 9162, section 2.1.3.2, word for word."""
    fn, sn, r = index, size - 1, leaf
    for p in path:
        assert sn
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0
    return r


@given(st.integers(1, 200), st.data())
def test_every_leaf_has_a_proof_that_leads_to_the_root(size: int, data: st.DataObject) -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(size)]
    tree = CompactRange()
    for leaf in leaves:
        tree = tree.appended(leaf)
    index = data.draw(st.integers(0, size - 1))
    path = Tree(leaves).proof(index)
    assert climbed(leaves[index], index, size, path) == tree.root()
    assert len(path) <= (size - 1).bit_length()


def test_of_a_long_tree_only_what_proves_the_leaves_wanted_is_kept() -> None:
    leaves = [leaf_hash(bytes([number % 256])) for number in range(3_001)]
    whole, part = Tree(leaves), Tree(iter(leaves), range(701, 720))
    assert part.root() == whole.root()
    assert [part.proof(one) for one in range(701, 720)] == [whole.proof(one) for one in range(701, 720)]
    for other in (699, 700, 720, 3_000):
        with pytest.raises(IndexError, match=f"leaf {other} of 3001"):
            part.proof(other)
    with pytest.raises(IndexError):
        part.proof(3_001)


@given(st.integers(0, 40), st.integers(0, 600))
def test_leaves_added_together_make_the_same_tree(before: int, more: int) -> None:
    leaves = [leaf_hash(bytes([number % 256])) for number in range(before + more)]
    one_by_one = CompactRange()
    for leaf in leaves:
        one_by_one = one_by_one.appended(leaf)
    assert CompactRange().appended(*leaves[:before]).appended(*leaves[before:]) == one_by_one


def test_adding_a_leaf_costs_as_many_hashes_as_the_size_has_bits() -> None:
    tree = CompactRange()
    for number in range(1000):
        tree = tree.appended(leaf_hash(bytes(number)))
        assert len(tree.nodes) == tree.size.bit_count()


def test_a_proof_of_no_leaf_is_refused() -> None:
    with pytest.raises(IndexError):
        Tree([leaf_hash(b"")]).proof(1)
    with pytest.raises(ValueError, match="2 perfect trees"):
        CompactRange.read(3, bytes(32))


def test_the_verifier_key_of_the_formats_own_example_is_read() -> None:
    text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    signed = (
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
        "\N{EM DASH} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6Ryy"
        "BwJnAM=\n"
    )
    verifier = Verifier.read(text)
    assert verifier.text() == text
    assert opened(signed, verifier).startswith("If you think")
    with pytest.raises(NoteRefused, match="does not hold"):
        opened(signed.replace("answer", "question"), verifier)


def test_a_note_is_opened_by_its_own_verifier_alone() -> None:
    signer, other = NoteSigner("tableside/a/b/1", bytes(32)), NoteSigner("tableside/a/b/1", bytes([1] * 32))
    signed = note("text\n", signer.verifier, signer.sign("text\n"))
    assert opened(signed, signer.verifier) == "text\n"
    for bad in (signed[:-1], signed.replace("\n\n", "\n"), "text\n", "", signed.replace("\N{EM DASH} ", "- ")):
        with pytest.raises(NoteRefused):
            opened(bad, signer.verifier)
    with pytest.raises(NoteRefused, match="not signed by"):
        opened(signed, other.verifier)
    for bad in (
        "",
        "name",
        "name+00000000+AA==",
        signer.verifier.text()[:-4],
        signer.verifier.text().replace("a/b", "a/c"),
    ):
        with pytest.raises(NoteRefused):
            Verifier.read(bad)


def test_a_head_says_whose_journal_it_is_of() -> None:
    sealing = Sealing(KEY, HERE)
    seal = sealing.seal(7, bytes(32), bytes([5] * 32))
    assert read_head(signed_head(seal, sealing.verifier), sealing.verifier) == TreeHead(
        origin(HERE), 7, bytes([5] * 32)
    )
    assert epoch_of("tableside/harbour/bj-1/4", HERE) == 4
    assert epoch_of("tableside/harbour/bj-2/4", HERE) is None
    for text in ("a\n1\n\n", "a\n01\nAA==\n", "\n1\nAA==\n", "a\n"):
        signed = note(text, sealing.verifier, NoteSigner("x", bytes(32)).sign(text))
        with pytest.raises(NoteRefused):
            read_head(signed, sealing.verifier)


def test_a_seal_holds_for_its_own_key_record_and_root() -> None:
    sealing = Sealing(KEY, HERE)
    seal = sealing.seal(7, bytes(32), bytes([5] * 32))
    assert sealing.is_ours(seal, bytes(32))
    assert not sealing.is_ours(seal, bytes([1] * 32))
    assert not sealing.is_ours(seal._replace(number=8), bytes(32))
    assert not sealing.is_ours(seal._replace(root=bytes(32)), bytes(32))
    assert not Sealing(bytes([1] * 32), HERE).is_ours(seal, bytes(32))
    assert not Sealing(KEY, Identity("harbour", "bj-1", 4)).is_ours(seal, bytes(32))


def test_another_programs_checker_accepts_a_proof_and_refuses_a_changed_one(tmp_path: Path) -> None:
    """``proofbundle`` on the package index: its own notes, heads, trees and proofs."""
    records = [leaf_bytes(number, b"record %d" % number, (b"event",)) for number in range(1, 12)]
    leaves, tree = [leaf_hash(one) for one in records], CompactRange()
    for leaf in leaves:
        tree = tree.appended(leaf)
    sealing = Sealing(KEY, HERE)
    signed = signed_head(sealing.seal(len(records), bytes(32), tree.root()), sealing.verifier)
    proof, leaf_file = tmp_path / "record.tlog-proof", tmp_path / "record"
    proof.write_text(proof_text(4, Tree(leaves).proof(4), signed), encoding="utf-8")
    command = [sys.executable, "-m", "proofbundle.cli", "verify-proof", str(proof), "--payload-file", str(leaf_file)]
    command += ["--log-vkey", sealing.verifier.text(), "--expected-origin", origin(HERE)]
    for content, status in ((records[4], 0), (records[5], 1), (records[4] + b"x", 1)):
        leaf_file.write_bytes(content)
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
        assert (ran.returncode == 0) == (status == 0), ran.stdout + ran.stderr
