"""The house's card as a legal game: what may happen in a round, and what each wager then pays.

``rules`` names what a rule card chooses, counts or prices; ``play`` says which position may follow which;
``settlement`` is arithmetic in integer cents. A side bet is one file in ``side_bets`` that defines ``BET``. Nothing
here knows of devices, evidence or time: a position is a value, and so is everything that follows from it. Refusals
name the rule that refuses.
"""
