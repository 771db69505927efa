"""Bytes to values and back: journal records, messages, configuration. Pure."""
