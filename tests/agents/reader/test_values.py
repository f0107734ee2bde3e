"""Which amounts, days, answers and people words say, by rules alone."""

from datetime import date, time
from decimal import Decimal

import pytest

from butler.agents.reader.amounts import amounts
from butler.agents.reader.answers import answers
from butler.agents.reader.days import Day, days, days_asked_for
from butler.agents.reader.people import named
from butler.agents.reader.port import KnownPerson

THURSDAY = date(2026, 3, 5)


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("It is 840 euros a month.", "840", "EUR"),
        ("It is EUR 1,200.50.", "1200.50", "EUR"),
        ("Das macht 1.200,50 €.", "1200.50", "EUR"),
        ("Das macht 1.200,- EUR.", "1200", "EUR"),
        ("Cela fait 1 200 €.", "1200", "EUR"),
        ("It costs $12.", "12", "USD"),
        ("CHF 1'500", "1500", "CHF"),
        ("£12.5", "12.5", "GBP"),
    ],
)
def test_an_amount_is_its_value_and_its_currency(text: str, value: str, currency: str) -> None:
    (found,) = amounts(text)
    assert (found.value, found.currency) == (Decimal(value), currency)


@pytest.mark.parametrize("text", ["840", "1200 people", "A400 EURASIA", "12.03.2026"])
def test_a_number_without_a_currency_is_no_amount(text: str) -> None:
    assert list(amounts(text)) == []


@pytest.mark.parametrize(
    ("text", "day", "clock"),
    [
        ("The viewing is on 14 April 2026 at 10:30.", date(2026, 4, 14), time(10, 30)),
        ("the viewing on Tuesday, April 14th, 2026, 5 pm", date(2026, 4, 14), time(17)),
        ("by the 3rd of April", date(2026, 4, 3), None),
        ("Am Freitag, den 3. April um 17 Uhr", date(2026, 4, 3), time(17)),
        ("bis 03.04.2026", date(2026, 4, 3), None),
        ("bis 3.4. bitte", date(2026, 4, 3), None),
        ("le 1er juillet à 14h30", date(2026, 7, 1), time(14, 30)),
        ("el 31 de diciembre de 2027", date(2027, 12, 31), None),
        ("until 2026-05-01", date(2026, 5, 1), None),
        ("on 2 January", date(2027, 1, 2), None),
        ("on 1 March", date(2026, 3, 1), None),
        ("on Friday at noon", date(2026, 3, 6), time(12)),
        ("Freitag um acht bei mir?", date(2026, 3, 6), time(8)),
        ("um halb neun am 14. März", date(2026, 3, 14), time(8, 30)),
        ("Freitagabend um acht", date(2026, 3, 6), time(20)),
        ("Lunch on Friday at 10?", date(2026, 3, 6), time(10)),
        ("tomorrow at 6 in the park", date(2026, 3, 6), time(18)),
        ("on Friday at 10 people come", date(2026, 3, 6), None),
        ("vendredi à huit heures et demie", date(2026, 3, 6), time(8, 30)),
        ("samedi soir à huit heures", date(2026, 3, 7), time(20)),
        ("el viernes a las ocho de la tarde", date(2026, 3, 6), time(20)),
        ("el sábado a mediodía", date(2026, 3, 7), time(12)),
        ("Friday evening, at Anna's", date(2026, 3, 6), time(19)),
        ("viernes por la noche", date(2026, 3, 6), time(21)),
        ("On Thursday at 9:15", date(2026, 3, 12), time(9, 15)),
        ("tomorrow, 17:00", date(2026, 3, 6), time(17)),
        ("übermorgen", date(2026, 3, 7), None),
        ("the day after tomorrow", date(2026, 3, 7), None),
        ("on 25/3", date(2026, 3, 25), None),
        ("Please answer within 14 days.", date(2026, 3, 19), None),
        ("payable within 14 days of receipt", date(2026, 3, 19), None),
        ("in two weeks at 10:30", date(2026, 3, 19), time(10, 30)),
        ("in a fortnight", date(2026, 3, 19), None),
        ("in two weeks' time", date(2026, 3, 19), None),
        ("three weeks from now", date(2026, 3, 26), None),
        ("within 48 hours", date(2026, 3, 7), None),
        ("in a month", date(2026, 4, 5), None),
        ("by the end of the month", date(2026, 3, 31), None),
        ("by the end of next month", date(2026, 4, 30), None),
        ("at the end of February", date(2026, 2, 28), None),
        ("at the end of January", date(2027, 1, 31), None),
        ("next Friday", date(2026, 3, 6), None),
        ("Friday next week, 9:30", date(2026, 3, 13), time(9, 30)),
        ("next week on Tuesday", date(2026, 3, 10), None),
        ("innerhalb von 14 Tagen nach Erhalt", date(2026, 3, 19), None),
        ("in zwei Wochen um 9 Uhr", date(2026, 3, 19), time(9)),
        ("binnen einer Woche", date(2026, 3, 12), None),
        ("bis Monatsende", date(2026, 3, 31), None),
        ("bis Ende des Monats", date(2026, 3, 31), None),
        ("bis Ende April", date(2026, 4, 30), None),
        ("am nächsten Freitag", date(2026, 3, 6), None),
        ("Freitag nächster Woche", date(2026, 3, 13), None),
        ("sous 14 jours", date(2026, 3, 19), None),
        ("dans les trente jours", date(2026, 4, 4), None),
        ("d'ici deux semaines", date(2026, 3, 19), None),
        ("avant la fin du mois", date(2026, 3, 31), None),
        ("vendredi prochain", date(2026, 3, 6), None),
        ("mardi de la semaine prochaine", date(2026, 3, 10), None),
        ("dentro de dos semanas", date(2026, 3, 19), None),
        ("en un plazo de 14 días", date(2026, 3, 19), None),
        ("antes de fin de mes", date(2026, 3, 31), None),
        ("a finales de abril", date(2026, 4, 30), None),
        ("el próximo viernes", date(2026, 3, 6), None),
        ("el martes de la próxima semana", date(2026, 3, 10), None),
    ],
)
def test_a_day_is_read_as_of_the_day_on_which_it_was_written(text: str, day: date, clock: time | None) -> None:
    assert list(days(text, THURSDAY)) == [Day(day, clock)]


@pytest.mark.parametrize(
    "text",
    [
        "within 14 days of the viewing",
        "innerhalb von 14 Tagen nach dem Termin",
        "dans les 14 jours après la visite",
        "en 14 días desde la visita",
        "within 5 working days",
        "two weeks ago",
        "within 14 days of delivery",
        "in 36 hours",
        "the end of the world",
        "Ende gut, alles gut",
        "3/4/2026 at noon",
        "last Friday",
        "am Morgen",
        "version 1.2.3",
        "31 April",
        "room 14",
        "10.30",
        "1.200,50",
        "14 days of the invoice date",
        "within 14 days of the invoice date",
    ],
)
def test_what_may_be_another_day_or_none_is_no_day(text: str) -> None:
    assert list(days(text, THURSDAY)) == []


@pytest.mark.parametrize(
    ("text", "ask", "day", "clock"),
    [
        (
            "Outward: Saturday 09:32, coach C",
            "when does it leave on Saturday 14 March 2026?",
            date(2026, 3, 14),
            "09:32",
        ),
        ("Samstag um 9 Uhr", "wann am 14.3.2026?", date(2026, 3, 14), "09:00"),
        ("Outward: Saturday 09:32", "when does it leave?", date(2026, 2, 28), "09:32"),
        ("Outward: Saturday 09:32", "when does it leave on Sunday 15 March 2026?", date(2026, 2, 28), "09:32"),
        ("next week on Friday at 9:00", "when on 20 March 2026?", date(2026, 3, 6), "09:00"),
        ("Doors open at 19:30.", "when do doors open on 2026-03-14?", date(2026, 3, 14), "19:30"),
        ("Doors 19:30, show 20:00", "when do doors open on 2026-03-14?", None, ""),
        ("Doors open at 19:30.", "when do doors open on 14 March 2026 or 15 March 2026?", None, ""),
    ],
)
def test_a_weekday_or_a_time_alone_is_on_the_day_that_the_question_names(
    text: str, ask: str, day: date | None, clock: str
) -> None:
    found = list(days_asked_for(text, date(2026, 2, 26), ask))
    assert found == ([Day(day, time.fromisoformat(clock))] if day else [])


def test_without_the_day_of_writing_only_a_whole_date_is_one() -> None:
    assert list(days("on Friday, tomorrow, on 3 April, on 4 April 2026", None)) == [Day(date(2026, 4, 4))]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Yes, I'd love to.", [True]),
        ("Hi Robin, sure!", [True]),
        ("Ja, gerne.", [True]),
        ("Count me in for Friday.", [True]),
        ("No, sorry.", [False]),
        ("I can't make it on Friday.", [False]),
        ("Leider geht das nicht.", [False]),
        ("Je ne peux pas venir.", [False]),
        ("No problem.", []),
        ("The roof is red.", []),
        ("Yes, if it does not rain.", [True, False]),
        ("Ich komme nicht.", [False]),
    ],
)
def test_plain_words_say_yes_or_no_and_a_hedge_says_neither(sentence: str, said: list[bool]) -> None:
    assert list(answers(sentence)) == said


def test_people_are_named_by_a_confirmed_name_or_address_as_a_whole() -> None:
    people = [
        KnownPerson(contact_id="a", aliases=["anna"], addresses=["anna@friends.example"]),
        KnownPerson(contact_id="m", aliases=["anna maria"]),
    ]
    assert list(named("Please ask Anna Maria.", people)) == ["m"]
    assert list(named("Write to ANNA@friends.example.", people)) == ["a"]
    assert list(named("Susanna and annabel, hanna@friends.example", people)) == []
    assert list(named("Anna, and Anna Maria", people)) == ["a", "m"]
