"""Orders and keys of persons: dealer, floor, and two persons together.

``keys`` are the dealer's keypad and ``undo`` takes a key back; ``answers`` finds the question an answer belongs to;
``corrections`` are the floor's orders, kept beside what they correct; ``dual_control`` holds orders that take a second
person until that person approves; ``table_inventory`` is what was counted of chips and cash.
"""
