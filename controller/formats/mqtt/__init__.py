"""What a table publishes over MQTT: events in CloudEvents envelopes, retained pictures, and their schemas.

Each picture is a function of the table and says nothing that the events have not said. ``schemas`` and ``asyncapi`` are
made from the types that are encoded, so that they cannot differ from them.
"""
