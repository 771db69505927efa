"""Faults: what a bad line does to bytes, and what antennas hear that does not lie in their zone."""
