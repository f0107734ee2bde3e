"""Builds plans that move events: to another day or hour, by an amount, or relative to their own time."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import CHANGE, MOVE, Found
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.calendar.calendar_words import whole
from butler.orchestrator.understanding.calendar.event import One, acted, every_one, joined, ones_of_calendar, reached
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.times.loose import loose_time, minutes_of, time_within
from butler.orchestrator.understanding.times.relative import Relative, amount_of, clock_of, relative
from butler.orchestrator.understanding.times.upcoming import likely
from butler.understanding.times.lengths import Amount
from butler.understanding.times.saying import TimeSaid

EARLIER, LATER = whole("earlier"), whole("later")
TO_WHEN = phrase("To when shall I move it? Say it like “to Friday at 10” or “by half an hour”.")
A_WEEK, A_DAY = 7, 1_440


def move(said: Said) -> PlannerOutput:
    """Move events to another day or hour, keeping what is not said, or by an amount."""
    said.need(CHANGE)
    by = relative(said)
    if by == Relative(kept=True) and said.has("duration"):
        # `By a week, same time` is by a week.
        said, by = said.with_slots(one for one in said.request.slots if one.slot != "time"), None
    shift = _shift(said) if by is None else _shifted(by)
    if shift is not None:
        return acted(said, MOVE, say("Move the event"), **{name: value for name, value in shift.items() if value})
    found = time_said(said, by)
    if found is None and by is None:
        raise Asking(say(TO_WHEN))
    if found is not None and every_one(said) is not None and found.day is not None:
        return _all_to(said, found, found.day)
    ones = ones_of_calendar(said)
    days = by.days if by is not None else 0
    return joined([_to(said, one, _after(found, one, said) if found is not None else TimeSaid(), days) for one in ones])


def time_said(said: Said, by: Relative | None) -> TimeSaid | None:
    """Return the new time as it was said."""
    if by is not None:
        return by.said
    found = loose_time(said) if said.has("time") else None
    return likely(found, " ".join(said.request.words("time"))) if found is not None else None


def _shifted(by: Relative) -> dict[str, int] | None:
    """Return an offset such as `the day after` or `an hour later`; None if the words also name a day or hour."""
    if by.said is None:
        shift = {"days": by.days, "minutes": by.minutes}
        if not any(shift.values()):
            raise Asking(say(TO_WHEN))
        return shift
    return _of_week(by.said) if by.kept and not by.days else None


def _shift(said: Said) -> dict[str, int] | None:
    """Return the offset in days and minutes; None if a time is said."""
    words = said.words("duration")
    amount = amount_of(words, said) if words else None
    if words and amount is None and not said.has("time"):
        amount = said.length("duration")
    timed = " ".join(said.request.words("time"))
    if amount is None and timed and (EARLIER.search(timed) or LATER.search(timed) or not time_within(timed, said)):
        amount = amount_of(timed, said)
    if amount is not None and not (said.has("time") and said.has("duration")):
        way = -1 if EARLIER.search(said.request.text) and not LATER.search(timed) else 1
        return _by(amount, way)
    found = loose_time(said) if timed else None
    return _weeks(found, said) if found is not None else None


def _by(amount: Amount, way: int) -> dict[str, int]:
    minutes = minutes_of(amount)
    if minutes % A_DAY == 0:
        return {"days": way * minutes // A_DAY}
    return {"minutes": way * minutes}


def _weeks(found: TimeSaid, said: Said) -> dict[str, int] | None:
    """Return the offset of `to next week`: the same day and hour in that week."""
    if found.day is None or found.until_day is None or found.clock is not None:
        return None
    if (found.until_day - found.day).days != A_WEEK - 1:
        return None
    today = said.scene.now().date()
    return {"days": (found.day - (today - timedelta(today.weekday()))).days}


def _of_week(found: TimeSaid) -> dict[str, int] | None:
    """Return the offset of a week for `same time next week`."""
    week = found.day is not None and found.until_day is not None and (found.until_day - found.day).days == A_WEEK - 1
    return {"days": A_WEEK} if week and found.clock is None else None


def _all_to(said: Said, to: TimeSaid, day: date) -> PlannerOutput:
    """Move all events of a day: `Friday's to Monday` is the Monday after it, `to Thursday` the day before it."""
    old = loose_time(said, "time_of") if said.has("time_of") else None
    if old is None or old.day is None or old.day == day:
        raise Asking(say(TO_WHEN))
    if to.weekday and day < old.day - timedelta(1) and not EARLIER.search(said.request.text):
        day += timedelta(A_WEEK * ((old.day - day).days // A_WEEK + 1))
    return acted(said, MOVE, say("Move the event"), days=(day - old.day).days)


def _after(found: TimeSaid, one: One, said: Said) -> TimeSaid:
    """Return a weekday near the old day: `Tuesday's to Friday` is after it, `Sunday's to Saturday` before it."""
    since = one.when.since
    old = since.date() if isinstance(since, datetime) else since
    day = found.day
    if old is None or day is None or not found.weekday or day > old or not said.has("time_of"):
        return found
    same_week = day + timedelta(_monday(old).toordinal() - _monday(day).toordinal())
    before = same_week >= said.scene.now().date() and old - timedelta(1) == same_week
    if same_week > old or before or (same_week < old and EARLIER.search(said.request.text)):
        return replace(found, day=same_week)
    return replace(found, day=day + timedelta(A_WEEK * ((old - day).days // A_WEEK + 1)))


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


def _to(said: Said, one: One, to: TimeSaid, days: int) -> Planned:
    sure_of_day(to, said)
    day, clock = day_and_clock(to)
    there = reached(one, said, times=day is None or clock is None or bool(days))
    args: dict[str, Any] = {"event": there.event} | start_of(there, to, days)
    long = amount_of(said.words("duration"), said) if said.has("duration") and to.until_clock is None else None
    if long is not None:
        args["minutes"] = minutes_of(long)
    return there.then(calls.call(CHANGE, say("Move the event"), **args, **one.again()))


def sure_of_day(to: TimeSaid, said: Said) -> None:
    """Raise `Asking` if a day is ambiguous."""
    if to.or_day is not None and to.day is not None:
        said.settled(to)


def day_and_clock(to: TimeSaid) -> tuple[date | None, time | None]:
    """Return the day and the hour of a time."""
    if to.moment is not None:
        return to.moment.date(), to.moment.time()
    return to.day, clock_of(to)


def start_of(there: Found, to: TimeSaid, days: int = 0) -> dict[str, Any]:
    """Return the new start, and the new end if it was said, as the tool takes them; everything else stays."""
    day, clock = day_and_clock(to)
    until = f"{to.until_clock:%H:%M}" if to.until_clock is not None else ""
    if day is not None and clock is not None and not days:
        end = {"end": f"{day.isoformat()}T{until}"} if until else {}
        return {"start": datetime.combine(day, clock).isoformat(timespec="minutes")} | end
    moves: dict[str, Any] = {"days": days} if days else {}
    moves |= {"on": day.isoformat()} if day is not None else {}
    moves |= {"at": f"{clock:%H:%M}"} if clock is not None else {}
    if not moves:
        raise Asking(say(TO_WHEN))
    end = {"end": there.time("start", **{**moves, "at": until})} if until else {}
    return {"start": there.time("start", **moves)} | end
