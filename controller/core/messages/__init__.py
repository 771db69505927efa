"""Every value that enters or leaves ``step``: inputs, the house, events, alerts, pay advice.

Their JSON form is the table's contract with journals, brokers and consumers, and each class carries its name on the
wire as its tag. docs/reference/event-reference.md is made of the docstrings of the events and of the words below their
fields; a field without any means what docs/reference/events.md says it means everywhere. Nothing is decided here.
"""
