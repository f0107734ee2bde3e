"""Spans of time that are over: `of the last 6 hours`, `since 9`, `at nine`, `since yesterday`, `today`."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from butler.orchestrator.embedded.clock import clock_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.past import span_at as days_at

LAST = phrases("[of|in|over|for|from|during|within] [the] (last|past|previous)")
SINCE = phrases("(since|after|from)")
ARTICLES, MIDNIGHT, HOURS = {"a", "an"}, {"0", "00"}, 24
PARTS = {"this morning": 6, "this afternoon": 12, "tonight": 18, "this evening": 18, "midnight": 0, "noon": 12}
UNITS = {
    "minute": timedelta(minutes=1), "minutes": timedelta(minutes=1), "hour": timedelta(hours=1),
    "hours": timedelta(hours=1), "h": timedelta(hours=1), "day": timedelta(days=1), "days": timedelta(days=1),
    "week": timedelta(weeks=1), "weeks": timedelta(weeks=1),
}  # fmt: skip
LONGEST = timedelta(days=90)
AT, ABOUT = phrases("(at|around|about)"), timedelta(minutes=30)
"""A time that something happened at, and how far around it is looked."""


@dataclass(frozen=True, slots=True)
class Span:
    """From when, and until when; None is now. All aware, in the owner's zone."""

    since: datetime
    before: datetime | None = None
    is_said: bool = False
    """Whether the owner said so."""


def span_at(tail: Tail, now: datetime) -> tuple[Span, Tail] | None:
    """The span that stands here, and what follows. `now` is local and aware."""
    return _last(tail, now) or _since(tail, now) or _around(tail, now) or _days(tail, now)


def _last(tail: Tail, now: datetime) -> tuple[Span, Tail] | None:
    start = tail.take(LAST)
    if start is None:
        return None
    word = start.word()
    if word.endswith("h") and word[:-1].isdecimal():
        return _back(timedelta(hours=int(word[:-1][:4])), now, start.skip())
    number = count(word)
    unit = start.skip() if number else start
    each = UNITS.get(unit.word())
    return _back(each * (number or 1), now, unit.skip()) if each is not None else None


def _back(by: timedelta, now: datetime, after: Tail) -> tuple[Span, Tail] | None:
    return (Span(now - by, is_said=True), after) if timedelta() < by <= LONGEST else None


def _since(tail: Tail, now: datetime) -> tuple[Span, Tail] | None:
    start = tail.take(SINCE)
    if start is None:
        return None
    for words, hour in PARTS.items():
        if (after := start.take(phrases(words))) is not None:
            return _at(time(hour), now, after)
    clock = clock_at(start.past(phrases("at")))
    if clock is not None:
        return _at(clock[0], now, clock[1])
    hour = count(start.word()) if start.word() not in ARTICLES else None
    hour = 0 if start.word() in MIDNIGHT else hour
    if hour is not None and hour < HOURS and start.word(1) not in UNITS:
        return _at(time(hour), now, start.skip().past(phrases("o'clock")))
    return None


def _at(clock: time, now: datetime, after: Tail) -> tuple[Span, Tail]:
    """The last time that it was that late."""
    at = datetime.combine(now.date(), clock, now.tzinfo)
    return Span(at if at <= now else at - timedelta(days=1), is_said=True), after


def _around(tail: Tail, now: datetime) -> tuple[Span, Tail] | None:
    """`at nine`: the half hours before and after the last time that it was that late."""
    clock = clock_at(tail) if tail.take(AT) is not None else None
    if clock is None:
        return None
    (around, after) = _at(clock[0], now, clock[1])
    before = around.since + ABOUT
    return Span(around.since - ABOUT, before if before < now else None, is_said=True), after


def _days(tail: Tail, now: datetime) -> tuple[Span, Tail] | None:
    found = days_at(tail, now.date())
    if found is None or found[0][0] is None or found[0][0] > now.date():
        return None
    (since, before), after = found
    assert since is not None
    until = _midnight(before, now) if before is not None else None
    return Span(_midnight(since, now), until if until is not None and until <= now else None, is_said=True), after


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(0), now.tzinfo)
