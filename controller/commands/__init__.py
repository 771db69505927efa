"""The subcommands of ``tableside``, one file each."""
