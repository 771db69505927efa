"""Game protection: at the end of each step, what chips, cards and rules say against one another.

``monitor`` reads the step's events and raises alerts: capping, pinching, past posting, cards that no shoe can hold,
payments that are not what is due. ``unexplained_moves`` says what a move of chips looks like that nothing explains,
``insurance_line`` what is too much there or taken back; ``payment_check`` follows the chips of a round until the next
lock, ``payment_judgement`` compares them with what is due, ``payment_course`` knows what honest people do besides,
``opening_payments`` compares at once what a card settles before play, and ``irregular_payments`` says what no cards of
an irregular round could be paid; ``pay_advice`` tells the dealer what to take and pay; ``shoe_check`` keeps the shoe's
account.

It moves no money and settles nothing. A player is accused only where the house's own hardware cannot explain what was
seen.
"""
