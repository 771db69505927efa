"""Figures for a time-series database: what tables retain at the broker, as OpenMetrics over HTTP.

In come retained pictures; out go samples. ``board`` keeps the latest picture of each table and makes samples of it
(pure), ``endpoint`` hears the broker and answers HTTP. It is no part of a daemon, and no table depends on it.

Never in here: a card, a player, or an order.
"""
