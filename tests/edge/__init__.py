"""The computed edge of the main wager against computations of another kind."""
