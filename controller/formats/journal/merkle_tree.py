"""The Merkle tree of RFC 6962, section 2.1, over a log that only grows: its root, and proofs that a leaf is in it.

What has to be remembered of a tree to go on with it is its compact range: the roots of the perfect trees that it is
made of, the largest first, one for each bit of its size. Adding a leaf and telling the root both take as many hashes
as the size has bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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


class Tree:
    """A whole tree, given its leaves' hashes in order, for the proofs of any of them."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._levels: list[list[bytes]] = [list(leaves)]
        """The roots of the perfect trees of 1, 2, 4, ... leaves, in order."""
        while len(below := self._levels[-1]) > 1:
            self._levels.append([node_hash(*below[at : at + 2]) for at in range(0, len(below) - 1, 2)])

    def proof(self, index: int) -> tuple[bytes, ...]:
        """The audit path of leaf ``index`` (0 is the first): its sibling first, the root's child last.

        Raises:
            IndexError: there is no such leaf.
        """
        first, end = 0, len(self._levels[0])
        if not first <= index < end:
            raise IndexError(f"leaf {index} of {end}")
        path: list[bytes] = []
        while end - first > 1:
            middle = first + _split(end - first)
            if index < middle:
                path.append(self._root(middle, end))
                end = middle
            else:
                path.append(self._root(first, middle))
                first = middle
        return tuple(reversed(path))

    def root(self) -> bytes:
        """The tree's root; of no leaves, the hash of nothing."""
        size = len(self._levels[0])
        return self._root(0, size) if size else hashlib.sha256(b"").digest()

    def _root(self, first: int, end: int) -> bytes:
        """The root of the leaves from ``first`` to before ``end``; ``first`` is where a perfect tree begins."""
        size = end - first
        if size.bit_count() == 1:
            level = size.bit_length() - 1
            return self._levels[level][first >> level]
        middle = first + _split(size)
        return node_hash(self._root(first, middle), self._root(middle, end))


def _split(size: int) -> int:
    """The largest power of two below ``size``: how many leaves lie to the left."""
    return 1 << (size - 1).bit_length() - 1
