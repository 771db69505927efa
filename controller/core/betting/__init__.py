"""Which chips are wagers when betting closes.

``lock`` takes the bets of a round as they lay at that moment, also where chips moved before it was known;
``acceptance`` refuses what the rule card refuses; ``bet_sensors`` are wagers that no reader sees; ``closed_meters``
says what becomes of a wager whose meter is closed.
"""
