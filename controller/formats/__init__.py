"""Bytes to values and back: text, journals, orders, messages, configuration, cases. Pure.

All JSON and TOML enters through ``text.safe_parse``. Imports run down this list: ``replay``; ``cases`` and ``mqtt``;
``config``; ``orders``; ``journal``; ``text``. What reads events to tell people about them is in ``controller.reports``.
"""
