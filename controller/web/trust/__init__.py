"""Why a round of a journal may be believed: its chain, who signed its head, the round stepped again, its proof.

In comes a journal, opened read-only, and verifier keys, which are no secret; out go what was found, and files for
others to check. What reads or steps a whole journal is done in pieces that a page waits for, or by a program of its
own.

Never in here: a key that signs or unseals, a second way to check what ``tableside verify`` and ``replay`` check.
"""
