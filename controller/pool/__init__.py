"""One pool for many tables: a program of its own, which alone knows what a pooled meter stands at.

``postings`` is what tables say and receive; ``fold`` the arithmetic, pure; ``ledger`` the books, in ``sqlite`` or
``postgresql``; ``service`` the process; ``session`` and ``table_end`` a table's end of it.
"""
