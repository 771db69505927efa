"""Codecs of bet sensors, one module for each protocol."""
