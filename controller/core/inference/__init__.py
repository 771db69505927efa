"""The hidden state of a round: hits, stands, doubles and splits are inferred; the observations leave legal plays.

An ``observation`` is a card, a change of chips or a key, with the interval in which it happened; ``evidence_window``
holds the sequences that these intervals leave open; ``successors`` says what one observation may mean at one position,
and ``unobserved`` what may happen where a reader is lost. ``lattice`` keeps all plays at once: positions with the same
future are one. From it follow ``dues`` of main and side wagers, the exact number of plays, and the one ``question``
whose worst answer leaves least open. A round without any legal play is searched for its single likely fault.
Nothing here guesses: what two plays differ in stays open.
"""
