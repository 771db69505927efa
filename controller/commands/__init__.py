"""The subcommands of ``tableside``, one file each, and what they share: options, output, requests to a table.

A command's module is imported to show its help, so what it works with is imported in its functions
(``tests/commands/test_help_imports.py``).
"""
