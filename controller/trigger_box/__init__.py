"""The mystery trigger box: a program of its own, with a user, a unit, keys and a store of its own.

``box`` is the machine, pure; ``pool`` the draw; ``sealing`` what is kept secret; ``store`` the disk; ``service`` the
process.
"""
