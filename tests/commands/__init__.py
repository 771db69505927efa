"""The commands that read a journal."""
