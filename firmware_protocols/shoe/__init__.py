"""Shoe protocols, one file a vendor."""
