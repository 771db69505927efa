"""Simulated people: dealers, players, cheats; what they do, what they forget, and the truth of each round."""
