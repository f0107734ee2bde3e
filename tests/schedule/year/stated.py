"""What the rows of the table state: in words, as an iCalendar rule, and as Butler keeps it."""

from collections.abc import Iterator
from typing import Any

from tests.schedule.year.expected import HOME, Stated

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "America/Santiago",
    "Asia/Kolkata",
    "Pacific/Chatham",
)
OFTEN = ZONES[:4]
KEPT = {"keeps": "instant"}
"""What repeats by the clocks of a place, wherever the person is."""

RARE: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "every first Monday at 09:00",
        "2027-01-01T09:00",
        "FREQ=MONTHLY;BYDAY=+1MO",
        {"every": "month", "on": ["monday"], "nth": [1]},
    ),
    (
        "every last Friday at 17:30",
        "2027-01-01T17:30",
        "FREQ=MONTHLY;BYDAY=-1FR",
        {"every": "month", "on": ["friday"], "nth": [-1]},
    ),
    (
        "every last Sunday at 02:30",
        "2027-01-01T02:30",
        "FREQ=MONTHLY;BYDAY=-1SU",
        {"every": "month", "on": ["sunday"], "nth": [-1]},
    ),
    (
        "every first Sunday at 02:00",
        "2027-01-01T02:00",
        "FREQ=MONTHLY;BYDAY=+1SU",
        {"every": "month", "on": ["sunday"], "nth": [1]},
    ),
    (
        "every second Sunday at 02:15",
        "2027-01-01T02:15",
        "FREQ=MONTHLY;BYDAY=+2SU",
        {"every": "month", "on": ["sunday"], "nth": [2]},
    ),
    (
        "on the 31st or the last day of every month at 08:00",
        "2027-01-31T08:00",
        "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
        {"every": "month", "day": 31},
    ),
    (
        "on the 29th or the last day of every month at 23:30",
        "2027-01-29T23:30",
        "FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1",
        {"every": "month", "day": 29},
    ),
    (
        "on the 15th of every month at 00:00",
        "2027-01-15T00:00",
        "FREQ=MONTHLY;BYMONTHDAY=15",
        {"every": "month", "day": 15},
    ),
    (
        "every other month on the 1st at 06:45",
        "2027-02-01T06:45",
        "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1",
        {"every": "month", "interval": 2, "day": 1},
    ),
    (
        "every quarter on its first Tuesday at 10:00",
        "2027-01-01T10:00",
        "FREQ=MONTHLY;INTERVAL=3;BYDAY=+1TU",
        {"every": "month", "interval": 3, "on": ["tuesday"], "nth": [1]},
    ),
    (
        "every year on 5 May at 07:00",
        "2027-01-01T07:00",
        "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5",
        {"every": "year", "month": 5, "day": 5},
    ),
    (
        "every month on its fifth Wednesday at 12:00",
        "2027-01-01T12:00",
        "FREQ=MONTHLY;BYDAY=+5WE",
        {"every": "month", "on": ["wednesday"], "nth": [5]},
    ),
    (
        "every day at 02:30, ten times from 25 March",
        "2027-03-25T02:30",
        "FREQ=DAILY;COUNT=10",
        {"every": "day", "times": 10},
    ),
    (
        "every day at 02:30 from 28 October until 8 November",
        "2027-10-28T02:30",
        "FREQ=DAILY;UNTIL=20271108T235959",
        {"every": "day", "until": "2027-11-08"},
    ),
    (
        "every day at 02:10 and 02:50 from 11 to 16 March",
        "2027-03-11T02:10",
        "FREQ=DAILY;BYHOUR=2;BYMINUTE=10,50;UNTIL=20270316T235959",
        {"every": "day", "at": ["02:10", "02:50"], "until": "2027-03-16"},
    ),
    (
        "every third day at 03:00 from 1 to 20 April",
        "2027-04-01T03:00",
        "FREQ=DAILY;INTERVAL=3;UNTIL=20270420T235959",
        {"every": "day", "interval": 3, "until": "2027-04-20"},
    ),
    (
        "every day at 01:45 from 30 September to 6 October",
        "2027-09-30T01:45",
        "FREQ=DAILY;UNTIL=20271006T235959",
        {"every": "day", "until": "2027-10-06"},
    ),
    (
        "every day at 02:30 from 5 to 9 February and on",
        "2027-02-05T02:30",
        "FREQ=DAILY;COUNT=5",
        {"every": "day", "times": 5},
    ),
    (
        "every 6 hours, eight times, from 27 March 14:00",
        "2027-03-27T14:00",
        "FREQ=HOURLY;INTERVAL=6;COUNT=8",
        {"every": "hour", "interval": 6, "times": 8},
    ),
    (
        "every 90 minutes, ten times, from 6 November 20:00",
        "2027-11-06T20:00",
        "FREQ=MINUTELY;INTERVAL=90;COUNT=10",
        {"every": "minute", "interval": 90, "times": 10},
    ),
    (
        "every other Tuesday at 19:00",
        "2027-01-05T19:00",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=MO",
        {"every": "week", "interval": 2, "on": ["tuesday"]},
    ),
    ("every Sunday at 02:30", "2027-01-03T02:30", "FREQ=WEEKLY;BYDAY=SU", {"every": "week", "on": ["sunday"]}),
)

FREQUENT: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("every day at 02:30", "2027-01-01T02:30", "FREQ=DAILY", {"every": "day"}),
    (
        "every weekday at 08:00",
        "2027-01-01T08:00",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
        {"every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]},
    ),
    (
        "every Saturday at 08:00 and 20:00",
        "2027-01-02T08:00",
        "FREQ=WEEKLY;BYDAY=SA;BYHOUR=8,20",
        {"every": "week", "on": ["saturday"], "at": ["08:00", "20:00"]},
    ),
)

ONCE: tuple[tuple[str, str, str], ...] = (
    ("Europe/Berlin", "in the night that summer time begins, at a time that is left out", "2027-03-28T02:30"),
    ("Europe/Berlin", "at the first moment that is left out", "2027-03-28T02:00"),
    ("Europe/Berlin", "at the first moment of summer time", "2027-03-28T03:00"),
    ("Europe/Berlin", "at a time that comes twice", "2027-10-31T02:30"),
    ("Europe/Berlin", "right after the hour that comes twice", "2027-10-31T03:00"),
    ("America/New_York", "at a time that is left out", "2027-03-14T02:30"),
    ("America/New_York", "a minute before it", "2027-03-14T01:59"),
    ("America/New_York", "at a time that comes twice", "2027-11-07T01:30"),
    ("America/New_York", "right after it", "2027-11-07T02:00"),
    ("Australia/Lord_Howe", "in the half hour that is left out", "2027-10-03T02:15"),
    ("Australia/Lord_Howe", "after the half hour", "2027-10-03T02:30"),
    ("Australia/Lord_Howe", "in the half hour that comes twice", "2027-04-04T01:45"),
    ("Australia/Lord_Howe", "after it", "2027-04-04T02:00"),
    ("Africa/Casablanca", "when Ramadan's time begins, in the hour that comes twice", "2027-02-07T02:30"),
    ("Africa/Casablanca", "when it ends, in the hour that is left out", "2027-03-14T02:30"),
    ("Africa/Casablanca", "after it", "2027-03-14T03:00"),
    ("America/Santiago", "at midnight that is left out", "2027-09-05T00:00"),
    ("America/Santiago", "in the hour before midnight that comes twice", "2027-04-03T23:30"),
    ("Pacific/Chatham", "at 02:45, which is left out", "2027-09-26T02:45"),
    ("Pacific/Chatham", "at 03:00, which comes twice", "2027-04-04T03:00"),
    ("Europe/London", "at 01:30, which is left out", "2027-03-28T01:30"),
    ("Europe/London", "at 01:30, which comes twice", "2027-10-31T01:30"),
    ("Asia/Kathmandu", "where clocks never change", "2027-06-01T09:00"),
    ("Pacific/Apia", "east of everybody", "2027-01-01T00:30"),
    ("Pacific/Kiritimati", "further east", "2027-12-31T12:00"),
    ("Europe/Dublin", "where winter is the other time", "2027-03-28T01:30"),
    ("America/St_Johns", "half an hour off", "2027-03-14T02:10"),
)

MOVING: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "every day at 09:00",
        "2027-03-15T09:00",
        "FREQ=DAILY;UNTIL=20271001T235959",
        {"every": "day", "until": "2027-10-01"},
    ),
    (
        "every day at 22:00, where a journey leaves it out",
        "2027-04-01T22:00",
        "FREQ=DAILY;COUNT=4",
        {"every": "day", "times": 4},
    ),
    (
        "every Friday at 21:00",
        "2027-03-19T21:00",
        "FREQ=WEEKLY;BYDAY=FR;COUNT=12",
        {"every": "week", "on": ["friday"], "times": 12},
    ),
    (
        "every first Monday at 07:30",
        "2027-03-01T07:30",
        "FREQ=MONTHLY;BYDAY=+1MO",
        {"every": "month", "on": ["monday"], "nth": [1]},
    ),
    (
        "every month on the 20th at 11:00",
        "2027-01-20T11:00",
        "FREQ=MONTHLY;BYMONTHDAY=20",
        {"every": "month", "day": 20},
    ),
    (
        "every month on the 12th at 08:15",
        "2027-01-12T08:15",
        "FREQ=MONTHLY;BYMONTHDAY=12",
        {"every": "month", "day": 12},
    ),
    ("once, on the day of the first journey", "2027-03-20T18:00", "", {}),
    ("once, in the hours that the first journey brings back", "2027-03-20T11:30", "", {}),
    ("once, in New York", "2027-03-28T02:30", "", {}),
    ("once, which the second journey leaves out", "2027-04-02T20:00", "", {}),
    ("once, in the half hour that comes twice there", "2027-04-04T01:45", "", {}),
    ("once, on the way to Casablanca", "2027-05-06T09:00", "", {}),
    ("once, which the journey home leaves out", "2027-09-12T07:30", "", {}),
    ("once, back home", "2027-10-31T02:30", "", {}),
)


def stated() -> Iterator[Stated]:
    """All rows, in the order of the table."""
    for zone in ZONES:
        for words, start, ical, rule in RARE:
            yield Stated(zone, words, start, ical, rule | KEPT)
    for zone in OFTEN:
        for words, start, ical, rule in FREQUENT:
            yield Stated(zone, words, start, ical, rule | KEPT)
    for zone, words, start in ONCE:
        yield Stated(zone, words, start, "", dict(KEPT))
    for words, start, ical, rule in MOVING:
        yield Stated(HOME, f"{words}, by the person's own clock", start, ical, rule)


STATED = tuple(stated())

PLACES: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    (
        "Europe/Berlin",
        "every weekday at 08:00 in the quarter of spring",
        "2027-03-01T08:00",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20270531T235959",
        {"every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"], "until": "2027-05-31"},
    ),
    (
        "America/New_York",
        "every Sunday at 02:15 and 03:15",
        "2027-01-03T02:15",
        "FREQ=WEEKLY;BYDAY=SU;BYHOUR=2,3;BYMINUTE=15",
        {"every": "week", "on": ["sunday"], "at": ["02:15", "03:15"]},
    ),
    (
        "Africa/Casablanca",
        "every day at 02:45 from 1 February to 20 March",
        "2027-02-01T02:45",
        "FREQ=DAILY;UNTIL=20270320T235959",
        {"every": "day", "until": "2027-03-20"},
    ),
    (
        "America/Santiago",
        "every Saturday and Sunday at 00:00",
        "2027-01-02T00:00",
        "FREQ=WEEKLY;BYDAY=SA,SU",
        {"every": "week", "on": ["saturday", "sunday"]},
    ),
    (
        "Europe/Berlin",
        "every day at 12:30, seven times from 2 July, while nobody lives for three days",
        "2027-07-02T12:30",
        "FREQ=DAILY;COUNT=7",
        {"every": "day", "times": 7},
    ),
    (
        "Europe/Berlin",
        "every 12 hours, twenty times, from 1 July 09:00",
        "2027-07-01T09:00",
        "FREQ=HOURLY;INTERVAL=12;COUNT=20",
        {"every": "hour", "interval": 12, "times": 20},
    ),
    ("Europe/Berlin", "once, at a time that is left out", "2027-03-28T02:30", "", {}),
    ("America/New_York", "once, at a time that comes twice", "2027-11-07T01:30", "", {}),
)
"""Automations that go by the clock of a place."""
OF_RARE = (0, 2, 5, 9, 11, 12, 13, 20)
"""What both a reminder and an automation may keep to."""


def by_themselves() -> Iterator[Stated]:
    """The rows of automations, in the order of their table."""
    for zone, words, start, ical, rule in PLACES:
        yield Stated(zone, words, start, ical, rule | KEPT)
    for zone in ("Europe/Berlin", "Australia/Lord_Howe"):
        for words, start, ical, rule in (RARE[number] for number in OF_RARE):
            yield Stated(zone, words, start, ical, rule | KEPT)
    for words, start, ical, rule in MOVING:
        yield Stated(HOME, f"{words}, by the person's own clock", start, ical, rule)


BY_THEMSELVES = tuple(by_themselves())
