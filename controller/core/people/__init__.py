"""Orders and keys of persons: dealer, floor, and two persons together.

``keys`` are the dealer's keypad and ``undo`` takes a key back; ``answers`` finds the question an answer belongs to;
``corrections`` are the floor's orders, kept beside what they correct; ``dual_control`` says which orders take two
persons, and keeps them until another approves; ``table_inventory`` is the count of chips and cash.
"""
