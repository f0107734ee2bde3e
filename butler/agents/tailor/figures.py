"""Finds the numbers, months, addresses and links of a text: an answer may contain none that its sources lack.

Numbers are compared by value, so `1.200,00 EUR`, `1,200` and `1 200` are equal; months by number, so that `3 March`
may stand for `03.03.`; links and addresses letter by letter, as a whole.
"""

import re
import unicodedata
from dataclasses import dataclass

from butler.agents.tailor.addresses import LINK, MAIL, addresses, places

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier enero ene",
            "february feb februar février févr febrero",
            "march mar märz mär mars marzo",
            "april apr avril avr abril abr",
            "may mai mayo",
            "june jun juni juin junio",
            "july jul juli juillet juil julio",
            "august aug août agosto ago",
            "september sept sep septembre septiembre",
            "october oct oktober okt octobre octubre",
            "november nov novembre noviembre",
            "december dec dezember dez décembre déc diciembre dic",
        ),
        1,
    )
    for name in names.split()
}
_AMBIGUOUS = frozenset({"mar", "may", "mars", "ago", "dic", "ene", "sept", "jan", "dec", "nov"})
"""Months that are also words or names; they only count in a text with digits."""
WORDS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "two zwei deux dos",
            "three drei trois tres",
            "four vier quatre cuatro",
            "five fünf cinq cinco",
            "six sechs seis",
            "seven sieben sept siete",
            "eight acht huit ocho",
            "nine neun neuf nueve",
            "ten zehn dix diez",
            "eleven elf onze once",
            "twelve zwölf douze doce",
        ),
        2,
    )
    for name in names.split()
}
_NEVER_NUMBERS = frozenset({"once", "elf", "sept", "neuf"})
"""Number words that mean something else in another language."""
_DATE = re.compile(r"(?<!\d)(\d{1,4})([./-])(\d{1,2})\2(\d{2,4})(?!\d)")
_DAY = re.compile(r"(?<![\d./])(\d{1,2})(?:/(\d{1,2})(?![\d/])|\.(\d{1,2})\.(?!\d))")
_NUMBER = re.compile(r"\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_CLOCK = re.compile(r"(?<![\d.,:])(\d{1,2})[.:h](\d{2})(?![\d.,])")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Figures:
    """The parts of a text that can be checked letter by letter or by value."""

    numbers: frozenset[str]
    parts: frozenset[str]
    """Hours and minutes of a possible time: `10.30` is a number, and perhaps a time."""
    dates: frozenset[str]
    """The numbers of dates without a month's name, such as `03.03.2026`."""
    months: frozenset[str]
    """The numbers of the named months."""
    addresses: frozenset[str]
    """Whole links, mail addresses and host names, in lower case."""
    places: frozenset[str]
    """The addresses, and the parts of them that a source supports."""

    def missing_in(self, source: "Figures") -> list[str]:
        """Return the figures that the source lacks, worded for a model."""
        known = source.numbers | source.parts | source.dates
        numbers = (self.numbers - known) | (self.dates - known - source.months)
        months = self.months - source.months - source.dates
        unknown = self.addresses - source.places
        return [*sorted(numbers), *(f"month {month}" for month in sorted(months)), *sorted(unknown)]


def figures(text: str) -> Figures:
    """Return the figures of a text."""
    text = unicodedata.normalize("NFKC", text)
    links = (addresses(text), places(text))
    words = [word.casefold() for word in _WORD.findall(text)]
    beside = any(char.isdigit() for char in text)
    months = {str(MONTHS[word]) for word in words if word in MONTHS and (beside or word not in _AMBIGUOUS)}
    spoken = {str(WORDS[word]) for word in words if word in WORDS and word not in _NEVER_NUMBERS}
    text = MAIL.sub(" ", LINK.sub(" ", text))
    dates = {_whole(part) for kind in (_DATE, _DAY) for found in kind.finditer(text) for part in _parts(found)}
    text = _DAY.sub(" ", _DATE.sub(" ", text))
    parts = {_whole(part) for found in _CLOCK.finditer(text) for part in found.groups()}
    numbers = spoken | {_value(found.group()) for found in _NUMBER.finditer(text)}
    return Figures(*map(frozenset, (numbers, parts, dates, months, *links)))


def _parts(date: re.Match[str]) -> list[str]:
    """Return the numbers of a date."""
    return [part for part in date.groups() if part and part.isdigit()]


def _whole(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _value(written: str) -> str:
    """Return the value of a number with any thousands and decimal separators."""
    digits = re.sub(r"['’\u00a0\u202f ]", "", written)
    head, mark, tail = digits.rpartition("," if digits.rfind(",") > digits.rfind(".") else ".")
    if not mark:
        return _whole(digits)
    whole = re.sub(r"[.,]", "", head)
    if len(tail) == 3:  # noqa: PLR2004 - a group of thousands has three digits
        return _whole(whole + tail)
    fraction = tail.rstrip("0")
    return f"{_whole(whole)}.{fraction}" if fraction else _whole(whole)
