"""Devices and people that do not exist: they speak the real protocols, so that a table can be run without hardware."""
