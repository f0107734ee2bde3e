"""What is said in four languages: numbers, things that are counted, days; and that no value is read as a text."""

from datetime import UTC, date, datetime

import pytest

from butler.contract.speech import (
    english,
    say,
    say_date,
    say_list,
    say_many,
    say_moment,
    say_number,
    say_short_day,
    speak,
    spoken,
)
from config.language import OwnerLanguage

EN, DE, FR, ES = OwnerLanguage
DAY = date(2027, 3, 5)


@pytest.mark.parametrize(
    ("language", "number", "these", "day", "short", "moment"),
    [
        (EN, "12,500", "a, b and c", "5 March 2027", "Fri 5 Mar", "Friday 5 March 2027 at 14:30"),
        (DE, "12.500", "a, b und c", "5. März 2027", "Fr. 5. März", "Freitag, 5. März 2027 um 14:30"),
        (FR, "12\u202f500", "a, b et c", "5 mars 2027", "ven. 5 mars", "vendredi 5 mars 2027 à 14:30"),
        (ES, "12.500", "a, b y c", "5 de marzo de 2027", "vie 5 mar", "viernes, 5 de marzo de 2027 a las 14:30"),
    ],
)
def test_numbers_lists_and_days_read_as_one_writes_them(
    language: OwnerLanguage, number: str, these: str, day: str, short: str, moment: str
) -> None:
    speak(language)
    assert say_number(12_500) == number
    assert say_list(["a", "b", "c"]) == these
    assert (say_date(DAY), say_short_day(DAY)) == (day, short)
    assert say_moment(datetime(2027, 3, 5, 14, 30, tzinfo=UTC)) == moment


@pytest.mark.parametrize(
    ("language", "none", "one", "two"),
    [
        (EN, "0 mails", "1 mail", "2 mails"),
        (DE, "0 Mails", "1 Mail", "2 Mails"),
        (FR, "0 mails", "1 mail", "2 mails"),
        (ES, "0 correos", "1 correo", "2 correos"),
    ],
)
def test_what_is_counted_has_the_form_of_its_language(language: OwnerLanguage, none: str, one: str, two: str) -> None:
    speak(language)
    assert [say_many(count, "1 mail", "{count} mails") for count in (0, 1, 2)] == [none, one, two]


def test_a_text_that_no_catalogue_has_is_said_in_english_and_braces_of_a_value_are_text() -> None:
    speak(DE)
    assert say("A text that nobody has {value}.", value="{count}") == "A text that nobody has {count}."
    with english():
        assert spoken() is EN
    assert spoken() is DE
