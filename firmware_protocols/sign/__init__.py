"""Jackpot sign protocols, one file a vendor."""
