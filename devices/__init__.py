"""Sessions: what one kind of device needs to be useful (ask, wait, repeat, debounce). No vendor, no IO, no clock.

``session`` is the shape of all of them; ``receiver`` and ``outbox`` are what they share. Shoes, chip readers and the
trigger box have folders of their own; keypad, sign and bet sensors are a file each.
"""
