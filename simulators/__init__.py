"""Devices and people that do not exist: they speak the real protocols, so that a table can be run without hardware.

``people`` play and deal and know the truth; ``devices`` are what they lay chips and cards on; ``faults`` is what bad
lines and stray tags do to both. Chance is an argument (``chance``). ``serve`` puts devices on pseudo-terminals.
"""
