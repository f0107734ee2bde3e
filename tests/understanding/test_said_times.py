"""Moments and spans of requests: the half of the day that is meant, what stands around a time, other languages."""

from datetime import date, datetime, time

import pytest

from bench.understanding_scenes import NOW
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.times.loose import loose_time
from butler.understanding.times.halves import likely
from butler.understanding.times.loose import within
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import TimeSaid
from tests.understanding.marked import said

HALVES = (
    ("en", "remind me at [six](time) to [eat](text)", "2026-03-04 18:00"),
    ("en", "remind me at [eight](time) to [eat](text)", "2026-03-04 20:00"),
    ("en", "remind me at [nine](time) to [eat](text)", "2026-03-04 21:00"),
    ("en", "remind me at [half past six](time) to [eat](text)", "2026-03-04 18:30"),
    ("en", "remind me at [eleven](time) to [eat](text)", "2026-03-04 11:00"),
    ("en", "remind me at [ten](time) to [eat](text)", "2026-03-04 22:00"),
    ("en", "remind me at [twelve](time) to [eat](text)", "2026-03-04 12:00"),
    ("de", "erinner mich [um vier](time) an [den Tee](text)", "2026-03-04 16:00"),
    ("de", "erinner mich [um 06:00](time) an [den Tee](text)", "2026-03-05 06:00"),
    ("fr", "rappelle-moi [à 8h](time) de [manger](text)", "2026-03-04 20:00"),
    ("fr", "rappelle-moi [à 17h](time) de [manger](text)", "2026-03-04 17:00"),
    ("es", "avísame [a las cinco](time) de [comer](text)", "2026-03-04 17:00"),
    ("en", "remind me [tomorrow at 5](time) to [eat](text)", "2026-03-05 17:00"),
    ("en", "remind me [friday at 3](time) to [eat](text)", "2026-03-06 15:00"),
    ("en", "remind me [friday at 8](time) to [eat](text)", "2026-03-06 08:00"),
    ("en", "remind me [today at seven](time) to [eat](text)", "2026-03-04 19:00"),
    ("en", "remind me [tonight at twelve](time) to [eat](text)", "2026-03-05 00:00"),
    ("en", "remind me [at 5, no, 6](time) to [eat](text)", "2026-03-04 18:00"),
    ("en", "remind me [tomorrow at 5, no, 6:30](time) to [eat](text)", "2026-03-05 18:30"),
    ("de", "erinner mich [um 5](time), nein, [um 6](time) an [den Tee](text)", "2026-03-04 18:00"),
    ("fr", "rappelle-moi [à 5 h, non, 6 h](time) de [manger](text)", "2026-03-04 18:00"),
    ("es", "avísame [a las 5](time), no, [a las 6](time) de [comer](text)", "2026-03-04 18:00"),
    ("en", "remind me [at quarter past](time) to [eat](text)", "2026-03-04 11:15"),
)


@pytest.mark.parametrize(("language", "line", "expected"), HALVES)
def test_a_bare_clock_is_the_next_one_that_makes_sense(language: str, line: str, expected: str) -> None:
    assert said(line, "reminder.create", language=language).moment() == datetime.fromisoformat(expected)


def test_both_ends_of_a_span_are_in_the_half_that_is_meant() -> None:
    found = parse("from 5 to 7", "en", NOW)
    assert found is not None
    meant = likely(found, NOW)
    assert (meant.clock, meant.until_clock) == (time(17), time(19))


def test_of_what_is_over_it_is_the_last_one() -> None:
    found = TimeSaid(clock=time(9), half_said=False)
    assert likely(found, NOW, back=True).clock == time(9)
    assert likely(found, NOW.replace(hour=22), back=True).clock == time(21)


def test_a_part_of_today_that_has_begun_is_its_next_hour() -> None:
    one = said("remind me [this afternoon](time) to [eat](text)", "reminder.create", now=NOW.replace(hour=15))
    assert one.moment() == datetime.combine(date(2026, 3, 4), time(17))


@pytest.mark.parametrize(
    ("language", "line", "slot", "expected"),
    [
        ("en", "any mail since [friday](time)", "time", TimeSaid(day=date(2026, 2, 27), bound="since")),
        ("fr", "mets le rendez-vous le [22 à 10h](time)", "time", TimeSaid(day=date(2026, 3, 22), clock=time(10))),
        ("es", "apunta el [14 por la mañana](time)", "time", TimeSaid(day=date(2026, 3, 14), part="morning")),
        (
            "en",
            "put it [next monday](time), at [noon](time)",
            "time",
            TimeSaid(day=date(2026, 3, 9), clock=time(12), weekday=True),
        ),
        ("en", "at [eight](time), no, [half past nine](time)", "time", TimeSaid(clock=time(9, 30), half_said=False)),
        ("de", "Termin [jeudi à 18h](time)", "time", TimeSaid(day=date(2026, 3, 5), clock=time(18), weekday=True)),
        ("en", "remind me [when I get home so about six](time)", "time", TimeSaid(clock=time(6), half_said=False)),
        ("en", "the one before [tomorrow's](time_of)", "time_of", TimeSaid(day=date(2026, 3, 5))),
        (
            "es",
            "logs entre las [tres y las cuatro](time)",
            "time",
            TimeSaid(clock=time(3), until_clock=time(4), half_said=False),
        ),
    ],
)
def test_what_stands_around_a_time_belongs_to_it(language: str, line: str, slot: str, expected: TimeSaid) -> None:
    assert loose_time(said(line, "unclear", language=language), slot) == expected


def test_what_is_looked_for_is_over() -> None:
    assert said("mails from [friday](time)", "mail.search").days() == (date(2026, 2, 27), date(2026, 2, 28))
    assert said("what's on [friday](time)", "calendar.list").days() == (date(2026, 3, 6), date(2026, 3, 7))
    assert said("the chat from [last night](time)", "chat.read").days()[0] == date(2026, 3, 3)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "last week of term"),
        ("en", "bank holiday Monday"),
        ("en", "4pm IST"),
        ("en", "an hour after that"),
        ("en", "this week or the other"),
        ("de", "fünf Arbeitstagen"),
        ("de", "gestern oder morgen"),
        ("fr", "demain à 15h heure de Paris"),
        ("es", "más tarde"),
    ],
)
def test_a_time_that_is_another_one_by_its_words_is_not_read(language: str, words: str) -> None:
    assert within(words, language, NOW) is None


def test_a_minute_alone_is_asked_about_where_a_thing_has_an_hour() -> None:
    with pytest.raises(Asking):
        said("make it [quarter past](time)", "reminder.change").when()


def test_a_number_alone_is_minutes() -> None:
    assert said("snooze it for [ten](duration)", "reminder.snooze").minutes("duration") == 10
