"""Amounts of money, counts of chips and numbers of things as people type them: ``12.50``, ``25x40``, ``7``."""

from __future__ import annotations

import re
from typing import Any, Final

import click

_AMOUNT: Final = re.compile(r"(-?)\$?([0-9]{1,3}(?:,[0-9]{3})*|[0-9]{1,12})\.([0-9]{2})")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_NEGATIVE: Final = re.compile(r"-[0-9]+(\.[0-9]+)?")
_CHIPS: Final = re.compile(r"\$?([0-9]{1,7})(?:\.([0-9]{2}))?x(-?[0-9]{1,6})")

FROM_ONE: Final = "expected a whole number from 1"


class Amount(click.ParamType[int]):
    """Dollars and cents, given to the command in cents. Without its two decimals an amount could be either."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """``12.50`` -> 1250."""
        found = _AMOUNT.fullmatch(str(value))
        if found is None:
            self.fail(f"{value!r}: expected dollars and cents, such as 12.50, -10.00 or 1,500.00", param, ctx)
        cents = 100 * int(found[2].replace(",", "")) + int(found[3])
        return -cents if found[1] else cents


class Chips(click.ParamType[tuple[int, int]]):
    """A value in dollars and how many chips: ``25x40`` are forty of 25.00, given as (2500, 40)."""

    name = "chips"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click hands it over
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, int]:
        """``2.50x8`` -> (250, 8)."""
        found = _CHIPS.fullmatch(str(value))
        cents = 0 if found is None else 100 * int(found[1]) + int(found[2] or 0)
        if found is None or not cents or not int(found[3]):
            apart = re.split(r"[\s,;]+", str(value).strip())
            each = f"; without quotes or commas: {' '.join(apart)}" if all(map(_CHIPS.fullmatch, apart)) else ""
            self.fail(f"{value!r}: expected a value and how many, such as 25x40 or 2.50x8{each}", param, ctx)
        return cents, int(found[3])


class Numbered(click.Command):
    """A command that is given the number of something: a number or an amount below 0 is none, and no option either."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does."""
        negative = next((word for word in args if _NEGATIVE.fullmatch(word)), "")
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not negative.startswith(error.option_name):
                raise
            expected = "expected an amount from 0.00" if "." in negative else FROM_ONE
            raise click.UsageError(f"{negative}: {expected}", ctx) from error


class NumberFromOne(click.ParamType[int]):
    """The number of a round, an alert or whatever else is counted from 1."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """``7`` -> 7."""
        text = str(value)
        if not _NUMBER.fullmatch(text) or not int(text):
            self.fail(f"{value!r}: {FROM_ONE}", param, ctx)
        return int(text)


AMOUNT: Final = Amount()
CHIPS: Final = Chips()
NUMBER: Final = NumberFromOne()
