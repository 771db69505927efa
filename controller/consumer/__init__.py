"""Consumers of a broker: ``watch`` tells what the tables do, ``durable`` keeps every event once, in order."""
