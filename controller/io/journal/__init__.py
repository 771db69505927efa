"""The journal on disk: one SQLite file that only grows, one writer, everything committed before anything leaves.

``journal`` writes and ``reader`` reads beside it; ``commit_marker`` remembers the last commit outside the file,
``anchors`` heads that others keep; ``scrub`` and ``verification`` look through the whole. ``space_reserve`` is given
up when the disk fills, so that the round in play can still be finished.
"""
