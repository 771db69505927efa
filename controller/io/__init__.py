"""The impure floor: clock, randomness, serial lines, disk, broker. Everything that can surprise us enters here.

Folders, from the top: ``copies``, ``operators`` and ``displays``; ``mqtt`` and ``lines``; ``journal``; ``files``;
``system``. Each takes its clock, its randomness and its files as arguments, so that tests hand in others.
"""
