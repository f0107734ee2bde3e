"""Puts a rule into words: `every first Monday of the month at 09:00, until Thursday 24 December 2026`."""

from datetime import date

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.schedules import LAST, Every, RecurrenceRule
from butler.contract.speech import phrase, say, say_clock, say_day, say_day_of_year, say_list, say_many

_NAMES = {
    Weekday.MONDAY: phrase("Monday"),
    Weekday.TUESDAY: phrase("Tuesday"),
    Weekday.WEDNESDAY: phrase("Wednesday"),
    Weekday.THURSDAY: phrase("Thursday"),
    Weekday.FRIDAY: phrase("Friday"),
    Weekday.SATURDAY: phrase("Saturday"),
    Weekday.SUNDAY: phrase("Sunday"),
}
_EACH = {
    Weekday.MONDAY: phrase("every Monday"),
    Weekday.TUESDAY: phrase("every Tuesday"),
    Weekday.WEDNESDAY: phrase("every Wednesday"),
    Weekday.THURSDAY: phrase("every Thursday"),
    Weekday.FRIDAY: phrase("every Friday"),
    Weekday.SATURDAY: phrase("every Saturday"),
    Weekday.SUNDAY: phrase("every Sunday"),
}
_NTH = {
    1: phrase("every first {day} of the month"),
    2: phrase("every second {day} of the month"),
    3: phrase("every third {day} of the month"),
    4: phrase("every fourth {day} of the month"),
    5: phrase("every fifth {day} of the month"),
    LAST: phrase("every last {day} of the month"),
}
_WORKING = tuple(Weekday)[:5]
_LEAP = 2000


def rule_in_words(rule: RecurrenceRule) -> str:
    """Return how often, at what times and until when a rule fires, in words; empty for a rule that fires once."""
    if not rule.repeats:
        return ""
    words = _with_times(_often(rule), rule)
    if rule.until is not None:
        words = say("{often}, until {day}", often=words, day=say_day(rule.until))
    if rule.times:
        times = say_many(rule.times, "once in all", "{count} times in all")
        words = say("{often}, {times}", often=words, times=times)
    return words


def _with_times(often: str, rule: RecurrenceRule) -> str:
    if rule.within is not None:
        begins, ends = (say_clock(at) for at in rule.within)
        return say("{often} between {begins} and {ends}", often=often, begins=begins, ends=ends)
    if rule.every in {Every.MINUTE, Every.HOUR}:
        return often
    clocks = say_list([say_clock(at) for at in sorted(rule.at or (rule.start.time(),))])
    return say("{often} at {clocks}", often=often, clocks=clocks)


def _often(rule: RecurrenceRule) -> str:
    count = rule.interval
    match rule.every:
        case Every.MINUTE:
            return _on(say_many(count, "every minute", "every {count} minutes"), rule)
        case Every.HOUR:
            return _on(say_many(count, "every hour", "every {count} hours"), rule)
        case Every.DAY:
            return _on(say_many(count, "every day", "every {count} days"), rule)
        case Every.WEEK:
            return _weekly(rule)
        case Every.MONTH:
            return _monthly(rule)
        case _:
            return _yearly(rule)


def _on(often: str, rule: RecurrenceRule) -> str:
    if not rule.on:
        return often
    return say("{often} on {days}", often=often, days=_days(rule.on))


def _days(on: tuple[Weekday, ...]) -> str:
    if on == _WORKING:
        return say("weekdays")
    return say_list([say(_NAMES[day]) for day in Weekday if day in on])


def _weekly(rule: RecurrenceRule) -> str:
    on = rule.on or (tuple(Weekday)[rule.start.weekday()],)
    if rule.interval > 1:
        return say("every {count} weeks on {days}", count=rule.interval, days=_days(on))
    if on == _WORKING:
        return say("every weekday")
    return say_list([say(_EACH[day]) for day in Weekday if day in on])


def _monthly(rule: RecurrenceRule) -> str:
    if rule.nth:
        days = _days(rule.on)
        which = say_list([say(_NTH[nth], day=days) for nth in rule.nth])
    elif (day := rule.day or rule.start.day) == LAST_DAY:
        which = say("on the last day of the month")
    else:
        which = say("on day {day} of the month", day=day)
    often = say_many(rule.interval, "every month", "every {count} months")
    if rule.interval == 1 and rule.nth:
        return which
    return say("{often} {which}", often=often, which=which)


def _yearly(rule: RecurrenceRule) -> str:
    day = date(_LEAP, rule.month or rule.start.month, 1)
    day = day.replace(day=min(rule.day or rule.start.day, _longest(day.month)))
    often = say_many(rule.interval, "every year", "every {count} years")
    return say("{often} on {day}", often=often, day=say_day_of_year(day))


def _longest(month: int) -> int:
    return 29 if month == 2 else 30 if month in {4, 6, 9, 11} else 31  # noqa: PLR2004 - days of a leap year's months
