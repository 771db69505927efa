"""The machine: clock and its jumps, stalls, deadlines, randomness, log, processes, service manager, watchdog, limits.

``clock`` is the one place that reads the time, ``randomness`` the one that draws random bytes. ``zmtp_proxy`` stands
before each ZeroMQ socket that others reach, and limits what they may leave there.
"""
