"""Rounds in words, and what games return.

``scripted_round`` plays a hand that somebody tells, act by act, and ``scripted_account`` settles it with the code that
settles live rounds. ``computed_edge`` is the main game's edge by combinatorial analysis, ``simulated_edge`` the same by
play; ``par`` counts every hand of a side bet. Chances may be floats or fractions; money never is.
"""
