"""Mystery trigger protocols, one file a vendor."""
