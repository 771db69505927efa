"""Rounds of a journal, to be looked at again: which there are, how each went moment by moment, what explained it.

In come the events and readings of one journal; out come values for a page. Nothing in here knows a card that the
journal's own events do not show.
"""
