"""Copies of a journal: backups, the second copy on another device, and how a journal is built anew from them."""
