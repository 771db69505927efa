"""What is certain of the live round: what every legal play agrees on is emitted once, everything else stays closed.

``agreed_facts`` and ``agreed_dues`` read the lattice; ``side_wagers`` settles what open cards decide. Three modules
guard the hole card: ``deal_confirmation`` (is the table's count of the deal confirmed), ``hole_turn`` (did the dealer
turn it) and ``face_down`` (pitch: players' cards that have not been shown). ``uncertain_wagers`` and ``shared_chips``
are wagers whose amount is open. ``rebuild`` builds the lattice again after a correction; ``round_end`` says whether a
round may end.
"""
