"""The Merkle tree of RFC 6962, section 2.1, over a log that only grows: its root, and proofs that a leaf is in it.

What has to be remembered of a tree to go on with it is its compact range: the roots of the perfect trees that it is
made of, the largest first, one for each bit of its size. Adding a leaf and telling the root both take as many hashes
as the size has bits.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Container, Iterable, Sequence
from typing import Final, NamedTuple, Self

NODE_BYTES: Final = 32
"""Length of a hash in the tree (SHA-256)."""


_LEAF: Final = hashlib.sha256(b"\x00")
_NODE: Final = hashlib.sha256(b"\x01")
"""To be copied, which OpenSSL does sooner than to begin a hash."""


class CompactRange(NamedTuple):
    """The roots of the perfect trees that ``size`` leaves make, the largest first."""

    size: int = 0
    nodes: tuple[bytes, ...] = ()

    @classmethod
    def read(cls, size: int, data: bytes) -> Self:
        """A compact range as ``data`` has it, one hash after the other.

        Raises:
            ValueError: so many leaves have not so many perfect trees.
        """
        if len(data) != NODE_BYTES * size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} perfect trees, got {len(data)} bytes")
        return cls(size, tuple(data[at : at + NODE_BYTES] for at in range(0, len(data), NODE_BYTES)))

    def data(self) -> bytes:
        """What ``read`` takes."""
        return b"".join(self.nodes)

    def appended(self, *leaves: bytes) -> CompactRange:
        """The range with more leaves, given by their hashes (``leaf_hash``) in order."""
        nodes = list(self.nodes)
        for left, leaf in enumerate(leaves, start=self.size + 1):
            found = leaf
            while not left & 1:
                found = node_hash(nodes.pop(), found)
                left >>= 1  # noqa: PLW2901 - each leaf has its own
            nodes.append(found)
        return CompactRange(self.size + len(leaves), tuple(nodes))

    def root(self) -> bytes:
        """The tree's root; of no leaves, the hash of nothing."""
        if not self.nodes:
            return hashlib.sha256(b"").digest()
        found = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            found = node_hash(node, found)
        return found


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf: SHA-256 of 00 and its bytes."""
    begun = _LEAF.copy()
    begun.update(data)
    return begun.digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node: SHA-256 of 01 and the hashes of its two sides."""
    begun = _NODE.copy()
    begun.update(left + right)
    return begun.digest()


def leads_to(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether an audit path leads from leaf ``index``, given by its hash, to the root of a tree of ``size`` leaves.

    RFC 9162, section 2.1.3.2.
    """
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for node in path:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(node, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, node)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


class _Node(NamedTuple):
    """The root of a part of a tree; its two sides are kept where a leaf below it is to be proven."""

    hash: bytes
    is_kept: bool
    sides: tuple[_Node, _Node] | None = None


class Tree:
    """A tree, given its leaves' hashes in order, and what proves those ``wanted`` (0 is the first; None: all).

    Of the others only the roots of their perfect trees are in memory, however many there are.
    """

    def __init__(self, leaves: Iterable[bytes], wanted: Container[int] | None = None) -> None:
        perfect: list[_Node] = []
        self.size = 0
        for leaf in leaves:
            found = _Node(leaf, is_kept=wanted is None or self.size in wanted)
            self.size += 1
            left = self.size
            while not left & 1:
                found = _joined(perfect.pop(), found)
                left >>= 1
            perfect.append(found)
        self._root = functools.reduce(lambda right, left: _joined(left, right), reversed(perfect)) if perfect else None

    def proof(self, index: int) -> tuple[bytes, ...]:
        """The audit path of leaf ``index``: its sibling first, the root's child last.

        Raises:
            IndexError: there is no such leaf, or it is not one of those wanted.
        """
        first, end, node = 0, self.size, self._root
        path: list[bytes] = []
        while node is not None and node.sides is not None and first <= index < end:
            left, right = node.sides
            middle = first + _split(end - first)
            if index < middle:
                node, end = left, middle
                path.append(right.hash)
            else:
                node, first = right, middle
                path.append(left.hash)
        if node is None or not node.is_kept or (first, end) != (index, index + 1):
            raise IndexError(f"leaf {index} of {self.size}")
        return tuple(reversed(path))

    def root(self) -> bytes:
        """The tree's root; of no leaves, the hash of nothing."""
        return hashlib.sha256(b"").digest() if self._root is None else self._root.hash


def _joined(left: _Node, right: _Node) -> _Node:
    is_kept = left.is_kept or right.is_kept
    return _Node(node_hash(left.hash, right.hash), is_kept, (left, right) if is_kept else None)


def _split(size: int) -> int:
    """The largest power of two below ``size``: how many leaves lie to the left."""
    return 1 << (size - 1).bit_length() - 1
