"""Bet-spot reader protocols, one file a vendor."""
