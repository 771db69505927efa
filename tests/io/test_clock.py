"""What is asked of the disk at most once an hour, however often somebody wants to know."""

from __future__ import annotations

from controller.formats.text.moments import HOUR_NS
from controller.io.system.clock import hourly


class Told:
    """A clock that shows the time it is set to."""

    now_ns = 5

    def monotonic_ns(self) -> int:
        return self.now_ns

    def wall_ns(self) -> int:
        return 0


def test_the_answer_of_an_hour_is_kept_for_an_hour() -> None:
    clock = Told()
    answers = iter(range(10))
    ask = hourly(lambda: next(answers), clock)
    assert [ask(), ask()] == [0, 0]
    clock.now_ns += HOUR_NS - 1
    assert ask() == 0
    clock.now_ns += 1
    assert [ask(), ask()] == [1, 1]
    clock.now_ns += 3 * HOUR_NS
    assert ask() == 2
