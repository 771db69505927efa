"""Game protection: at the end of each step, what chips, cards and rules say against one another.

``monitor`` reads the step's events and raises alerts: capping, pinching, past posting, cards that no shoe can hold,
payments that are not what is due. It moves no money and settles nothing. A player is accused only where the house's
own hardware cannot explain what was seen.
"""
