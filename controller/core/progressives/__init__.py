"""Progressive meters in live play: what raises them, who wins them, what people order of them.

``live_meters`` counts contributions when betting closes and awards when cards decide; ``orders`` are what two persons
do to a meter; ``pool_outbox`` and ``pool_answers`` are a table's side of a pool's ledger, numbered in the journal's
order; ``mystery`` holds the trigger box's word against the table's own count.
"""
