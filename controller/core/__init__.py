"""What the table knows and decides. Pure: no clock, no chance, no IO; values in, values out.

``step`` takes the table and one stamped input and returns the table after it, its events and what the devices should
show. Imports run down this list and never up:

- ``step``, ``desired_state``: the root, and what displays, signs and readers should do now.
- ``people``: the dealer's keys, answers, the floor's corrections, and orders that take two persons.
- ``surveillance``: game protection, a fold over the events of a step: chips, payments and cards against the rules.
- ``round``: one live round from its lock to its close.
- ``betting``: which chips are wagers when betting closes.
- ``certainty``: what every legal play of the live round agrees on, emitted once.
- ``progressives``: meters in live play: contributions, awards, orders, the pool, the mystery meter.
- ``table``: what a table remembers between two steps, and the transaction in which a step changes it.
- ``analysis``: rounds in words, and what games return.
- ``messages``: every value that enters or leaves ``step``.
- ``inference``: the hidden state of a round: all legal plays that explain its observations.
- ``meters``: the arithmetic of one progressive meter, and its awards.
- ``game``: the house's card as a legal game: hands, positions, rules, settlement, side bets.
- ``persons``: whether two who order something are two persons.
- ``refusal_reason``: why something is refused: a code for programs, a sentence for people.
"""
