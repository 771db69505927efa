"""One live round, from the lock to the close.

``lifecycle`` takes each card and each change of chips; ``closing`` settles what is certain, asks about the rest and
hands what no legal play explains to the floor, with its likely fault from ``irregular``. The other modules are what
keeps a round from ending well: a first card without a key, a missed card, a round in which nothing happens any more,
a deal that begins before the last round was closed, bets that readers have yet to confirm, chips that only pass through
a box.
"""
