"""The machine: clock and its jumps, stalls, deadlines, randomness, log, service manager, watchdog, rate limits.

``clock`` is the one place that reads the time, ``randomness`` the one that draws random bytes.
"""
