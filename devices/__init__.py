"""Sessions: what one kind of device needs to be useful (ask, wait, repeat, debounce). No vendor, no IO, no clock."""
