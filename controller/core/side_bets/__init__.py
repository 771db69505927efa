"""Side bets: one bet, one file."""
