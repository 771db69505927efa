"""What the table knows and decides. Pure: no clock, no chance, no IO; values in, values out."""
