"""Days of the year that have a name: Christmas, New Year's Eve, Easter."""

from collections.abc import Callable
from datetime import date, timedelta

from dateutil.easter import easter

from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases

Day = Callable[[int], date]
"""The day of a year."""


def _on(month: int, day: int) -> Day:
    return lambda year: date(year, month, day)


def _from_easter(days: int) -> Day:
    return lambda year: easter(year) + timedelta(days)


FEASTS: tuple[tuple[Phrases, Day], ...] = (
    (phrases("[on|at] christmas eve"), _on(12, 24)),
    (phrases("[on|at] (christmas|xmas) [day]"), _on(12, 25)),
    (phrases("[on] boxing day"), _on(12, 26)),
    (phrases("[on|at] new year's eve", "[on] (new|old) years eve", "[on] silvester"), _on(12, 31)),
    (phrases("[on|at] [the] new year", "[on] new (year's|years) day"), _on(1, 1)),
    (phrases("[on] epiphany"), _on(1, 6)),
    (phrases("[on] valentine's day", "[on] valentines day"), _on(2, 14)),
    (phrases("[on|at] halloween"), _on(10, 31)),
    (phrases("[on] good friday"), _from_easter(-2)),
    (phrases("[on|at] easter [sunday]"), _from_easter(0)),
    (phrases("[on] easter monday"), _from_easter(1)),
    (phrases("[on|at] (pentecost|whitsun)"), _from_easter(49)),
)


def feast_at(tail: Tail, today: date) -> tuple[date, Tail] | None:
    """The next day of the name that stands here, today included, and what follows."""
    for words, day in FEASTS:
        if (after := tail.take(words)) is not None:
            return next(one for year in (today.year, today.year + 1) if (one := day(year)) >= today), after
    return None
