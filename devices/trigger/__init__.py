"""The mystery trigger box and the hardware random number generator, as the table talks with them."""
