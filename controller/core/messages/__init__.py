"""Every value that enters or leaves ``step``: inputs, the house, events, alerts, pay advice.

Their JSON form is the table's contract with journals, brokers and consumers: names and meaning are documented in
docs/reference/events.md, and each class carries its name on the wire as its tag. Nothing is decided here.
"""
