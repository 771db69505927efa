"""Simulated devices: each speaks its real protocol, byte for byte, and shows what it was sent."""
