"""MQTT: one connection at a time, what is published until the broker acknowledges it, what others ask for.

``publisher`` sends each event until it is acknowledged; ``inbox`` takes requests over a connection of its own, so
that a flood of them delays no event; ``durable_file`` is the file of a consumer that loses nothing.
"""
