"""Audits from events alone: is a stream whole, does a meter follow from its history, was a mystery cycle honest.

None of these need the table, its key or its journal's other parts; each names the first event that is missing, altered
or does not follow.
"""
