"""The journal as bytes: records, hashes, seals, the Merkle tree over it, and SQLite's own pages and log.

A record keeps the faces of cards closed; every transaction carries a MAC under the table's key; ``tree_heads`` and
``signed_note`` are the public formats of transparency logs (C2SP). What opens files is in ``controller.io.journal``.
"""
