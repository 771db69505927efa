"""What devices say: cards, the vocabulary at the device edge, and one codec file for each vendor."""
