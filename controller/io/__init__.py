"""The impure floor: clock, randomness, serial lines, disk, broker. Everything that can surprise us enters here."""
