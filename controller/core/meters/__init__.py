"""The arithmetic of one progressive meter: contributions, awards, resets, adjustments, exact to 1/10,000 of a cent.

``meter`` is a fold over what moved it, and ``meter.audited`` proves that a state follows from its history. ``awards``
says who takes what, in which order; ``state`` is what a table remembers; ``pooled_meter`` and ``pool_postings`` are the
table's side of a meter that many tables share. No round and no rule of a game is known here.
"""
