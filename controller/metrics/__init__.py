"""Figures of tables for programs of others: OpenMetrics over HTTP, and what Home Assistant finds tables by.

In come retained pictures; out go samples. ``board`` keeps the latest picture of each table and makes samples of it
(pure), ``endpoint`` hears the broker and answers HTTP; ``home_assistant`` says what can be shown of a table (pure),
``announcer`` retains that at the broker. It is no part of a daemon, and no table depends on it.

Never in here: a card, a player, or an order.
"""
