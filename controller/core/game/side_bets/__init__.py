"""The side bets, a file each: how a wager is decided, and what it pays by which terms.

A file defines ``BET``; the name of the file is the name of the bet in profiles, zones and events.
"""
