"""By how much something in a calendar is moved: `by an hour`, `30 minutes earlier`, `a day later`, `to next week`."""

from dataclasses import dataclass

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.hours import length_at
from butler.orchestrator.embedded.lexer import Tail, phrases

BY = phrases("by")
LATER = phrases("(later|after)")
EARLIER = phrases("(earlier|sooner|before)")
NEXT_WEEK = phrases("[by|to] (next week|the following week|the week after|the next week)", "(by|for) a week")
TOMORROW = phrases("to the (next|following) day", "to the day after")
DAY_BEFORE = phrases("to the day before", "to the previous day")
DIRECTION = phrases("(back|forward|up|out|on)")
LATER_VERBS = frozenset({"push", "postpone", "delay", "put"})
EARLIER_VERBS = frozenset({"bring", "pull"})
DAY = 1_440


@dataclass(frozen=True, slots=True)
class Shift:
    """By how much, back where negative; and how that is said."""

    days: int = 0
    minutes: int = 0
    said: str = ""


def shift_at(tail: Tail, request: Tail) -> tuple[Shift, Tail] | None:
    """The shift that stands here, and what follows. `request` is all of it, whose verb may say which way it goes."""
    for words, days, said in (
        (NEXT_WEEK, 7, "a week later"),
        (TOMORROW, 1, "a day later"),
        (DAY_BEFORE, -1, "a day earlier"),
    ):
        if (after := tail.take(words)) is not None:
            return Shift(days, said=said), after
    way = tail.take(DIRECTION)
    start = (way or tail).past(BY)
    marked = start.at > (way or tail).at
    long = length_at(start)
    if long is None:
        return None
    minutes, after = long
    for words, sign in ((LATER, 1), (EARLIER, -1)):
        if (end := after.take(words)) is not None:
            return _shift(sign * minutes), end
    if way is None and not marked:
        return None
    return _by_verb(minutes, after, tail, request)


def _by_verb(minutes: int, after: Tail, tail: Tail, request: Tail) -> tuple[Shift, Tail] | None:
    if not after.done:
        return None
    verb = request.word()
    if verb in LATER_VERBS or verb in EARLIER_VERBS:
        return _shift(minutes if verb in LATER_VERBS else -minutes), after
    if tail.word() not in {"back", "forward", "up"}:
        return _shift(minutes), after
    # `back an hour` is later to some and earlier to others.
    how = tail.past(DIRECTION).past(BY).text
    words = request.until(tail).text
    later, earlier = choice(say("Later"), f"{words} {how} later"), choice(say("Earlier"), f"{words} {how} earlier")
    raise Asking(say("Earlier or later?"), [earlier, later])


def _shift(minutes: int) -> Shift:
    way = "later" if minutes > 0 else "earlier"
    if minutes % DAY == 0:
        return Shift(days=minutes // DAY, said=f"{abs(minutes) // DAY} days {way}")
    return Shift(minutes=minutes, said=f"{abs(minutes)} minutes {way}")
