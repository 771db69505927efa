"""The collector: every event of every table of a broker, once, in one PostgreSQL.

In come the messages of a broker; out go rows of a database, acknowledgements, and requests for what is missing.
``intake`` follows each table by the rules of a durable consumer, ``stream_fold`` makes rows of one table's events
(pure), ``store`` writes both in one transaction with the place they end, ``service`` is the process; ``extract`` reads
rows for CSV and Parquet, ``floor_rows`` a day of the whole floor, ``holdings`` what people ask. ``migrations`` holds
the database's schema, a file a step.

Never in here: a rule of the game, or money that an event does not name.
"""
