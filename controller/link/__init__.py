"""One pool for many tables: a program of its own, which alone knows what a linked meter stands at.

``deeds`` is what tables tell and are told; ``pool`` the arithmetic, pure; ``ledger`` the books, on ``sqlite`` or
``postgresql``; ``service`` the process; ``session`` a table's end.
"""
