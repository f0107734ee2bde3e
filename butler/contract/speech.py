"""Butler's texts in its owner's language.

The English text in the code is its key in the catalogues of the other languages (`butler.languages`); values are in
braces. One process serves one owner, so it speaks one language at a time, and translates texts when they are drawn.
Texts that are stored to be compared or read by code stay English: `phrase` marks them in the code, and `say` translates
them when they are shown.

`python -m scripts.texts` updates the catalogues from the code; a text that a catalogue lacks is shown in English.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, time

from butler.languages.catalogues import catalogue
from config.errors import ButlerError
from config.language import OwnerLanguage

_THOUSANDS = {
    OwnerLanguage.ENGLISH: ",",
    OwnerLanguage.GERMAN: ".",
    OwnerLanguage.FRENCH: "\N{NARROW NO-BREAK SPACE}",
    OwnerLanguage.SPANISH: ".",
}


@dataclass(slots=True)
class _Voice:
    language: OwnerLanguage = OwnerLanguage.ENGLISH


_voice = _Voice()
_aside: ContextVar[OwnerLanguage | None] = ContextVar("aside", default=None)


def speak(language: OwnerLanguage) -> None:
    """Say everything in this language from now on."""
    _voice.language = language


def spoken() -> OwnerLanguage:
    """Return the current language."""
    return _aside.get() or _voice.language


def prepare() -> None:
    """Load everything that the current language needs, for a process that will not be allowed to open files."""
    if (language := spoken()) is not OwnerLanguage.ENGLISH:
        catalogue(language)


@contextmanager
def speaking(language: OwnerLanguage) -> Generator[None]:
    """Speak a language within this context only."""
    token = _aside.set(language)
    try:
        yield
    finally:
        _aside.reset(token)


@contextmanager
def english() -> Generator[None]:
    """Speak English within this context only: for texts from which digests are made."""
    with speaking(OwnerLanguage.ENGLISH):
        yield


def phrase(text: str) -> str:
    """Mark a text that is said elsewhere, or stored and said later; return it in English."""
    return text


def say(text: str, /, **values: object) -> str:
    """Return a text in the owner's language, with its values. The text is a literal here, or was marked by `phrase`."""
    found = text if (language := spoken()) is OwnerLanguage.ENGLISH else catalogue(language).texts.get(text, text)
    return found.format(**values) if values else found


def say_many(count: int, one: str, many: str, /, **values: object) -> str:
    """Return the text for one item, or the one for several; `{count}` is the number."""
    language = spoken()
    forms = catalogue(language).counted.get(one) if language is not OwnerLanguage.ENGLISH else None
    # The form for one item may say "1", so nothing else is counted by it, not even zero in French.
    found = (forms or (one, many))[count != 1]
    return found.format(count=count, **values)


def say_list(items: Sequence[str], /) -> str:
    """Return a list such as `one, two and three`."""
    if len(items) < 2:  # noqa: PLR2004 - a list of one has no "and"
        return "".join(items)
    return say("{these} and {last}", these=", ".join(items[:-1]), last=items[-1])


def say_number(number: int, /) -> str:
    """Return a whole number with separated thousands: `12,500`."""
    return f"{number:,}".replace(",", _THOUSANDS[spoken()])


def say_error(error: ButlerError) -> str:
    """Return an error's message for its owner; the catalogues have the sentence of each kind."""
    sentence = say(error.sentence())
    return f"{sentence.rstrip('.')}: {error.detail}" if error.detail else sentence


def say_day(day: date) -> str:
    """Return a day with its weekday and year: `Friday 5 March 2027`."""
    english = f"{day:%A} {day.day} {day:%B %Y}"
    return _dated(day, english, "EEEE, d. MMMM y", "EEEE d MMMM y", "EEEE, d 'de' MMMM 'de' y")


def say_date(day: date) -> str:
    """Return a day without its weekday: `5 March 2027`."""
    return _dated(day, f"{day.day} {day:%B %Y}", "d. MMMM y", "d MMMM y", "d 'de' MMMM 'de' y")


def say_day_of_year(day: date) -> str:
    """Return a day without its weekday and year: `5 March`."""
    return _dated(day, f"{day.day} {day:%B}", "d. MMMM", "d MMMM", "d 'de' MMMM")


def say_short_day(day: date) -> str:
    """Return a near day: `Fri 5 Mar`."""
    return _dated(day, f"{day:%a} {day.day} {day:%b}", "EEE d. MMM", "EEE d MMM", "EEE d MMM")


def say_short_date(day: date) -> str:
    """Return a day of any year, in short: `5 Mar 2027`."""
    return _dated(day, f"{day.day} {day:%b %Y}", "d. MMM y", "d MMM y", "d MMM y")


def say_clock(at: time | datetime) -> str:
    """Return the time of a day, to the minute: `14:30`. It is the same in every supported language."""
    return f"{at:%H:%M}"


def say_moment(at: datetime) -> str:
    """Return a day and its time, in the moment's own zone: `Friday 5 March 2027 at 14:30`."""
    return say("{day} at {clock}", day=say_day(at), clock=say_clock(at))


def say_short_moment(at: datetime) -> str:
    """Return a near day and its time, in the moment's own zone: `Fri 5 Mar 14:30`."""
    return f"{say_short_day(at)} {say_clock(at)}"


def _dated(day: date, english: str, german: str, french: str, spanish: str) -> str:
    if (language := spoken()) is OwnerLanguage.ENGLISH:
        return english
    from babel.dates import format_date  # noqa: PLC0415 - its tables are only for other languages

    forms = {OwnerLanguage.GERMAN: german, OwnerLanguage.FRENCH: french, OwnerLanguage.SPANISH: spanish}
    return format_date(day, forms[language], locale=language.value)
