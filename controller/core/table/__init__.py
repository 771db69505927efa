"""What a table remembers, and the transaction in which a step changes it.

``state`` is everything a checkpoint holds; ``round_state`` is a round in it: its bets, cards, deal, evidence, questions
and ending; ``transaction`` is the working copy of one step: what it emits, what it changes. The others are parts of the
state with what reads and writes them: the layout's chips, the ledger of the last rounds, the shoe, payments, alerts,
sensors, whether another round may begin. No rule of a round's course is here.
"""
