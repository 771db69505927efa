"""Keypad protocols, one file a vendor."""
