"""Events to words, rows and pages: what people read about a table. Pure.

Everything here is computed from published events or journal records alone, so that anybody who holds them comes to the
same figures. ``revenue_rows`` is what rounds, wagers and alerts came to; ``shift`` adds them up for a shift;
``floor_day`` is a day of all tables; ``pace`` is how a table ran in the last hour; the narratives tell a round in
sentences; ``audit`` holds proofs.
"""
