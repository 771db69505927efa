"""Protocols of hardware random number generators, one file a vendor."""
