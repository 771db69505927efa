"""Orders and keys of persons: dealer, floor, and two persons together.

``keys`` are the dealer's keypad and ``undo`` takes a key back; ``answers`` finds the question an answer belongs to;
``corrections`` are the floor's orders, kept beside what they correct; ``two_person_rule`` says which orders take two,
and ``dual_control`` keeps them until another person approves; ``table_inventory`` is the count of chips and cash.
"""
