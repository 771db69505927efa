"""The subcommands of ``tableside``, one file each, and what they share: options, output, requests to a table."""
