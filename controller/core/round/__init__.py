"""One live round, from the lock to the close.

``lifecycle`` takes each card, key and change of chips and publishes what has become certain; ``questions`` asks people
about the play; ``closing`` settles what is certain, asks about the rest and hands what no legal play explains to the
floor, with its likely fault from ``irregular``.

Where a round begins or ends without a clear word: ``awaited_bets`` keeps what comes until the readers have looked for
the bets, ``first_card`` says whether a card ends the open round and asks about one without its key, ``next_deal`` tells
a deal by its rhythm where nothing else says so, ``stalled_round`` ends a round in which nothing happens any more,
``late_bettors`` asks who was dealt in late, and ``missed_cards`` asks about cards that nobody reported or counted and
leaves a card that was burned in play to the floor.

Where chips are not what a reader first says: ``chips_in_motion`` gathers what moves twice within a moment,
``early_doubles`` knows those that may be a double of a hand whose turn has not come,
``chip_placement`` finds the zone of chips that two antennas heard, ``passing_chips`` forgets those that only pass
through a box, ``raised_chips`` knows what may be a double or split and what may take it back, and ``unseen_moves``
allows for several moves in one change.
"""
