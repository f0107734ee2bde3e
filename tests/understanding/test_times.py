"""Times as people say them in four languages, by what is read of them on Wednesday, 4 March 2026, at 10:30."""

from datetime import date, time

import pytest

from bench.understanding_scenes import NOW
from butler.understanding.times.lengths import Amount
from butler.understanding.times.loose import marked_time, never_comes
from butler.understanding.times.parse import length_of, minute_of, parse
from butler.understanding.times.saying import TimeSaid

WALL = NOW.replace(tzinfo=None)
WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, MONDAY, TUESDAY = (date(2026, 3, day) for day in (4, 5, 6, 7, 9, 10))
WEEK = (date(2026, 3, 9), date(2026, 3, 15))


def at(hour: int, minute: int = 0) -> time:
    return time(hour, minute)


FRIDAY_AT_THREE = TimeSaid(day=FRIDAY, clock=at(15), until_clock=at(17), weekday=True)
TUESDAY_AT_HALF_PAST_THREE = TimeSaid(day=TUESDAY, clock=at(3, 30), weekday=True, half_said=False)
SATURDAY_FROM_SIX = TimeSaid(day=SATURDAY, clock=at(6), weekday=True, bound="since", half_said=False)
SAID = (
    ("en", "tomorrow at nine", TimeSaid(day=THURSDAY, clock=at(9), half_said=False)),
    ("en", "half six", TimeSaid(clock=at(6, 30), half_said=False)),
    ("en", "quarter past seven this evening", TimeSaid(day=WEDNESDAY, clock=at(19, 15), part="evening")),
    ("en", "next tuesday", TimeSaid(day=TUESDAY, weekday=True)),
    ("en", "the day after tomorrow around 4pm", TimeSaid(day=FRIDAY, clock=at(16))),
    ("en", "in half an hour", TimeSaid(moment=WALL.replace(hour=11, minute=0))),
    ("en", "in 1 day and 2 hours", TimeSaid(moment=WALL.replace(day=5, hour=12))),
    ("en", "in an hour and a half", TimeSaid(moment=WALL.replace(hour=12, minute=0))),
    ("en", "last week", TimeSaid(day=date(2026, 2, 23), until_day=date(2026, 3, 1))),
    ("en", "from 3 to 5pm on friday", FRIDAY_AT_THREE),
    ("en", "9-10am", TimeSaid(clock=at(9), until_clock=at(10))),
    ("en", "five to nine", TimeSaid(clock=at(8, 55), half_said=False)),
    ("en", "since monday", TimeSaid(day=date(2026, 3, 2), bound="since")),
    ("en", "3rd dec 10:30", TimeSaid(day=date(2026, 12, 3), clock=at(10, 30), half_said=False)),
    ("en", "this weekend", TimeSaid(day=date(2026, 3, 7), until_day=date(2026, 3, 8))),
    ("de", "nächsten dienstag um halb drei", TimeSaid(day=TUESDAY, clock=at(2, 30), weekday=True, half_said=False)),
    ("de", "naechsten montag", TimeSaid(day=date(2026, 3, 9), weekday=True)),
    ("de", "fünf vor halb drei", TimeSaid(clock=at(2, 25), half_said=False)),
    ("de", "dreiviertel acht", TimeSaid(clock=at(7, 45), half_said=False)),
    ("de", "heute abend um acht", TimeSaid(day=WEDNESDAY, clock=at(20), part="evening")),
    ("de", "morgen früh um 7", TimeSaid(day=THURSDAY, clock=at(7), part="morning")),
    ("de", "nächste woche dienstag", TimeSaid(day=TUESDAY)),
    ("de", "vor drei tagen", TimeSaid(day=date(2026, 3, 1), same_clock=True)),
    ("de", "am 24.12.", TimeSaid(day=date(2026, 12, 24))),
    ("de", "von 14 bis 16 uhr", TimeSaid(clock=at(14), until_clock=at(16))),
    ("de", "in anderthalb stunden", TimeSaid(moment=WALL.replace(hour=12, minute=0))),
    ("fr", "mardi prochain à 14h30", TimeSaid(day=TUESDAY, clock=at(14, 30), weekday=True)),
    ("fr", "neuf heures moins le quart", TimeSaid(clock=at(8, 45), half_said=False)),
    ("fr", "à huit heures et demie", TimeSaid(clock=at(8, 30), half_said=False)),
    ("en", "the day after Christmas", TimeSaid(day=date(2026, 12, 26))),
    ("en", "the day before Easter at 5pm", TimeSaid(day=date(2026, 4, 4), clock=at(17), half_said=True)),
    ("en", "the day before the 5th of May", TimeSaid(day=date(2026, 5, 4))),
    ("de", "am Tag nach Weihnachten", TimeSaid(day=date(2026, 12, 26))),
    ("fr", "lendemain de Noël", TimeSaid(day=date(2026, 12, 26))),
    ("fr", "la veille du 5 mai", TimeSaid(day=date(2026, 5, 4))),
    ("es", "el día después de Navidad", TimeSaid(day=date(2026, 12, 26))),
    ("es", "la víspera de Navidad", TimeSaid(day=date(2026, 12, 24))),
    ("fr", "la semaine prochaine", TimeSaid(day=WEEK[0], until_day=WEEK[1])),
    ("fr", "il y a deux jours", TimeSaid(day=date(2026, 3, 2), same_clock=True)),
    ("fr", "de 14h à 16h", TimeSaid(clock=at(14), until_clock=at(16))),
    ("fr", "lundi à midi", TimeSaid(day=date(2026, 3, 9), clock=at(12), part="noon", weekday=True)),
    ("es", "el martes que viene a las tres y media", TUESDAY_AT_HALF_PAST_THREE),
    ("es", "a las ocho de la tarde", TimeSaid(clock=at(20), part="afternoon")),
    ("es", "pasado mañana", TimeSaid(day=FRIDAY)),
    ("es", "mañana por la mañana a las 7", TimeSaid(day=THURSDAY, clock=at(7), part="morning")),
    ("es", "la semana pasada", TimeSaid(day=date(2026, 2, 23), until_day=date(2026, 3, 1))),
    ("es", "antes del viernes", TimeSaid(day=FRIDAY, weekday=True, bound="before")),
    ("en", "ten to one", TimeSaid(clock=at(12, 50), half_said=False)),
    ("en", "10 to 7", TimeSaid(clock=at(6, 50), half_said=False)),
    ("en", "10 to 12", TimeSaid(clock=at(10), until_clock=at(12), half_said=False)),
    ("en", "seven-ish", TimeSaid(clock=at(7), half_said=False)),
    ("en", "10pm to 2am", TimeSaid(clock=at(22), until_clock=at(2))),
    ("en", "between six and midnight", TimeSaid(clock=at(18), until_clock=at(0))),
    ("en", "the 14th at nine in the morning", TimeSaid(day=date(2026, 3, 14), clock=at(9), part="morning")),
    ("en", "friday night at one", TimeSaid(day=date(2026, 3, 7), clock=at(1), part="night", weekday=True)),
    ("en", "first thing monday", TimeSaid(day=MONDAY, part="morning", weekday=True)),
    ("en", "late afternoon tomorrow", TimeSaid(day=THURSDAY, clock=at(17), part="afternoon")),
    ("en", "saturday, same time", TimeSaid(day=SATURDAY, weekday=True)),
    ("en", "friday week", TimeSaid(day=date(2026, 3, 13))),
    ("en", "a week on friday", TimeSaid(day=date(2026, 3, 13))),
    ("en", "thursday after next", TimeSaid(day=date(2026, 3, 12), weekday=True)),
    ("en", "the week after next", TimeSaid(day=date(2026, 3, 16), until_day=date(2026, 3, 22))),
    ("en", "the last saturday in june", TimeSaid(day=date(2026, 6, 27))),
    ("en", "second half of october", TimeSaid(day=date(2026, 10, 16), until_day=date(2026, 10, 31))),
    ("en", "rest of the week", TimeSaid(day=WEDNESDAY, until_day=date(2026, 3, 8))),
    ("en", "weekend of the 12th", TimeSaid(day=date(2026, 3, 14), until_day=date(2026, 3, 15))),
    ("en", "from the 3rd to the 7th", TimeSaid(day=date(2026, 4, 3), until_day=date(2026, 4, 7))),
    ("en", "from 1 to 15 august", TimeSaid(day=date(2026, 8, 1), until_day=date(2026, 8, 15))),
    ("en", "between january and now", TimeSaid(day=date(2026, 1, 1), until_day=WEDNESDAY)),
    ("en", "good friday", TimeSaid(day=date(2026, 4, 3))),
    ("en", "since summer", TimeSaid(day=date(2025, 6, 1), bound="since")),
    ("en", "last autumn", TimeSaid(day=date(2025, 9, 1), until_day=date(2025, 11, 30))),
    ("en", "after the weekend", TimeSaid(day=MONDAY, bound="since")),
    ("en", "2021", TimeSaid(day=date(2021, 1, 1), until_day=date(2021, 12, 31))),
    ("en", "in ten", TimeSaid(moment=WALL.replace(minute=40))),
    ("en", "tomorow mornign", TimeSaid(day=THURSDAY, part="morning")),
    ("de", "halb eins", TimeSaid(clock=at(12, 30), half_said=False)),
    ("de", "mittags um zwölf", TimeSaid(clock=at(12), part="noon")),
    ("de", "so gegen elf", TimeSaid(clock=at(11), half_said=False)),
    ("de", "in ner dreiviertelstunde", TimeSaid(moment=WALL.replace(hour=11, minute=15))),
    ("de", "seit gestern los", TimeSaid(day=date(2026, 3, 3), bound="since")),
    ("de", "Freitagmorgen", TimeSaid(day=FRIDAY, part="morning", weekday=True)),
    ("de", "Montag in zwei Wochen", TimeSaid(day=date(2026, 3, 23))),
    ("de", "übernächsten Samstag", TimeSaid(day=date(2026, 3, 14), weekday=True)),
    ("de", "zweiten Adventssonntag", TimeSaid(day=date(2026, 12, 6))),
    ("de", "kw 49", TimeSaid(day=date(2026, 11, 30), until_day=date(2026, 12, 6))),
    ("de", "vom 3. bis 10. Januar", TimeSaid(day=date(2027, 1, 3), until_day=date(2027, 1, 10))),
    ("de", "Ende August", TimeSaid(day=date(2026, 8, 31))),
    ("de", "vorletztes Jahr", TimeSaid(day=date(2024, 1, 1), until_day=date(2024, 12, 31))),
    ("fr", "midi et quart", TimeSaid(clock=at(12, 15), part="noon")),
    ("fr", "jeudi à la même heure", TimeSaid(day=THURSDAY, weekday=True)),
    ("fr", "mardi en huit", TimeSaid(day=date(2026, 3, 17))),
    ("fr", "du 12 au 14", TimeSaid(day=date(2026, 3, 12), until_day=date(2026, 3, 14))),
    ("fr", "matin du 12", TimeSaid(day=date(2026, 3, 12), part="morning")),
    ("fr", "le 1er du mois prochain", TimeSaid(day=date(2026, 4, 1))),
    ("fr", "de lundi à jeudi", TimeSaid(day=MONDAY, until_day=date(2026, 3, 12), weekday=True)),
    ("fr", "ces deux derniers jours", TimeSaid(day=date(2026, 3, 2), until_day=WEDNESDAY)),
    ("fr", "depuis 9h", TimeSaid(clock=at(9), bound="since", half_said=False)),
    ("fr", "de midi à 20h", TimeSaid(clock=at(12), until_clock=at(20))),
    ("es", "el próximo miércoles once", TimeSaid(day=date(2026, 3, 11))),
    ("es", "miércoles once a las ocho de la tarde", TimeSaid(day=date(2026, 3, 11), clock=at(20), part="afternoon")),
    ("es", "sábado a partir de las seis", SATURDAY_FROM_SIX),
    ("es", "de cinco a nueve de la noche", TimeSaid(clock=at(17), until_clock=at(21), part="night")),
    ("es", "jueves santo 19:30", TimeSaid(day=date(2026, 4, 2), clock=at(19, 30))),
    ("es", "toda la mañana del lunes", TimeSaid(day=MONDAY, part="morning", weekday=True)),
    ("es", "hace más de un mes", TimeSaid(day=date(2026, 2, 4), bound="before")),
    ("es", "anoche", TimeSaid(day=date(2026, 3, 3), part="night")),
    ("es", "primera quincena de agosto", TimeSaid(day=date(2026, 8, 1), until_day=date(2026, 8, 15))),
)  # fmt: skip


@pytest.mark.parametrize(("language", "words", "expected"), SAID, ids=[words for _, words, _ in SAID])
def test_a_time_is_read(language: str, words: str, expected: TimeSaid) -> None:
    assert parse(words, language, NOW) == expected


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "when the cows come home"),
        ("de", "irgendwann mal"),
        ("fr", "quand tu veux"),
        ("es", "algún día"),
        ("en", ""),
        ("en", "since the wedding"),
        ("en", "the day before"),
        ("en", "one moment"),
        ("de", "fünf Arbeitstage"),
        ("de", "Dienstag um acht oder Mittwoch um neun"),
        ("fr", "entre les deux"),
        ("fr", "17 à 10h"),
        ("fr", "ce jour-là"),
        ("fr", "mercredi ou vendredi"),
        ("es", "más tarde"),
        ("es", "14 por la mañana"),
        ("es", "martes a las once o miércoles a la una"),
    ],
)
def test_a_time_is_never_made_of_half_of_what_was_said(language: str, words: str) -> None:
    assert parse(words, language, NOW) is None


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", "ten minutes", Amount(seconds=600)),
        ("en", "an hour and a half", Amount(seconds=5400)),
        ("en", "two weeks", Amount(days=14)),
        ("de", "eine halbe Stunde", Amount(seconds=1800)),
        ("de", "drei Monate", Amount(months=3)),
        ("fr", "un quart d'heure", Amount(seconds=900)),
        ("fr", "deux heures", Amount(seconds=7200)),
        ("es", "media hora", Amount(seconds=1800)),
        ("es", "hora y media", Amount(seconds=5400)),
        ("en", "in half an hour", Amount(seconds=1800)),
        ("en", "ten more minutes", Amount(seconds=600)),
        ("en", "three quarters of an hour", Amount(seconds=2700)),
        ("en", "the day before", Amount(days=1)),
        ("de", "ca. 1,5 std", Amount(seconds=5400)),
        ("de", "eine Viertelstunde", Amount(seconds=900)),
        ("de", "älter als drei Monate", Amount(months=3)),
        ("fr", "une vingtaine de minutes", Amount(seconds=1200)),
        ("fr", "une petite demi-heure", Amount(seconds=1800)),
        ("fr", "une heure et quart", Amount(seconds=4500)),
        ("es", "tres cuartos de hora", Amount(seconds=2700)),
        ("es", "el día antes", Amount(days=1)),
        ("en", "a day and two hours", Amount(days=1, seconds=7200)),
        ("de", "zwei Tage und drei Stunden", Amount(days=2, seconds=10_800)),
        ("fr", "un mois et une semaine", Amount(months=1, days=7)),
    ],
)
def test_a_length_is_read(language: str, words: str, expected: Amount) -> None:
    assert length_of(words, language, NOW) == expected


@pytest.mark.parametrize(
    ("language", "words", "day"),
    [
        ("en", "friday", date(2026, 2, 27)),
        ("en", "3 march", date(2026, 3, 3)),
        ("de", "im Mai", date(2025, 5, 1)),
        ("fr", "cet hiver", date(2025, 12, 1)),
        ("es", "vorhin", None),
        ("es", "navidad", date(2025, 12, 25)),
        ("de", "vorhin", WEDNESDAY),
        ("en", "lately", date(2026, 2, 18)),
    ],
)
def test_days_that_are_over_are_the_last_ones(language: str, words: str, day: date | None) -> None:
    found = parse(words, language, NOW, back=True)
    assert (found.day if found is not None else None) == day


def test_a_weekday_and_a_date_that_do_not_agree_are_both_told() -> None:
    found = parse("lunes 24", "es", NOW)
    assert found == TimeSaid(day=date(2026, 3, 24), or_day=MONDAY)


@pytest.mark.parametrize(
    ("language", "words", "minute"),
    [
        ("en", "at quarter to", 45),
        ("de", "um viertel nach", 15),
        ("fr", "la demie", 30),
        ("es", "y media", 30),
        ("en", "six", None),
    ],
)
def test_a_minute_is_read_without_its_hour(language: str, words: str, minute: int | None) -> None:
    assert minute_of(words, language, NOW) == minute


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "on 31 June"), ("en", "February 30 at 9"), ("de", "am 31. Juni"), ("fr", "le 31 juin"),
     ("es", "el 31 de junio"), ("en", "June 31st")],
)  # fmt: skip
def test_a_day_that_never_comes_is_no_time(language: str, words: str) -> None:
    assert never_comes(words, language)
    assert marked_time(words, [(0, len(words))], language, NOW) is None


@pytest.mark.parametrize("words", ["29 February", "30 June", "in June at 9", "March 31", "June 2031"])
def test_other_days_of_a_month_come(words: str) -> None:
    assert not never_comes(words, "en")
