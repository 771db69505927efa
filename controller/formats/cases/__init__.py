"""Hands and rounds as files for laboratories: what ``settle`` and ``reconstruct`` read, and what they answer."""
