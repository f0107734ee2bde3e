"""Finds days that a text gives as a stretch from its own day, in four languages: `within 14 days`, `bis Monatsende`.

A stretch from anything else, such as `within 14 days of the viewing`, is no day: nobody here knows when that is.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from butler.agents.tailor.figures import MONTHS, WORDS

_NUMBERS = WORDS | {
    name: number
    for names, number in (
        ("a an one ein eine einer eines einem einen un une una uno", 1),
        ("fourteen vierzehn quatorze catorce", 14),
        ("fifteen fünfzehn quinze quince", 15),
        ("twenty zwanzig vingt veinte", 20),
        ("thirty dreißig dreissig trente treinta", 30),
    )
    for name in names.split()
}
_DAYS = {"day": 1, "tag": 1, "jour": 1, "día": 1, "dia": 1, "week": 7, "woche": 7, "semaine": 7, "semana": 7}
_FORTNIGHT = 14
_HOURS = ("hour", "stunde", "heure", "hora")
_UNIT = (
    r"(?P<unit>(?:(?:working|business|calendar)\s+)?days?|weeks?|fortnights?|months?|hours?|tag(?:en|e|es)?|"
    r"wochen?|monat(?:en|e|s|es)?|stunden?|jours?|semaines?|mois|heures?|d[ií]as?|semanas?|mes(?:es)?|horas?)\b"
)
_NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_AHEAD = re.compile(
    r"\b(?:within(?: the next)?|in|inside|no later than|innerhalb(?: von| der nächsten)?|binnen|in spätestens|dans"
    r"(?: les| un délai de| le délai de)?|sous|d['’]ici|dentro de|en(?: (?:un|el) plazo de)?|a más tardar en)\s+"
    rf"{_NUMBER}\s+{_UNIT}(?:['’]s?)?(?:\s+time\b)?|"
    rf"\b(?P<fromnow>{_NUMBER.replace('?P<number>', '')})\s+(?P<later>days?|weeks?|months?)\s+from\s+(?:now|today)\b",
    re.IGNORECASE,
)
_FROM_ELSEWHERE = re.compile(
    r"\s*(?:of|from|after|before|prior|nach|ab|vor|seit|après|avant|à compter|suivant|de(?=\s)|desde|después|antes|"
    r"tras|a partir|a contar)\b(?!\s+(?:now|today|receipt|receiving|this (?:mail|e-?mail|letter|message)|"
    r"(?:dem\s+)?(?:heute|erhalt|zugang|eingang)|(?:la\s+)?réception|(?:d['’])?aujourd|ce jour|hoy|"
    r"(?:la\s+)?recepción|recibir))",
    re.IGNORECASE,
)
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_NEXT = (
    r"(?:next\s+month|(?:des\s+)?nächsten\s+monats|du\s+mois\s+prochain|(?:del\s+)?(?:próximo\s+mes|mes\s+que\s+viene))"
)
_THIS = r"(?:(?:the|this)\s+month|(?:des|dieses)\s+monats|(?:du|de\s+ce)\s+mois|(?:del|de\s+este)\s+mes|de\s+mes)"
_END = re.compile(
    r"\b(?:(?:the\s+)?end\s+of|ende|fin|(?:a\s+|hasta\s+)?fin(?:al(?:es)?)?)\s+"
    rf"(?:(?P<next>{_NEXT})|(?P<this>{_THIS})|(?:of\s+|d['’]|de\s+)?(?P<month>{_MONTH})\b(?:\s+(?P<year>\d{{4}}))?)"
    r"(?!\w)|\b(?P<whole>monatsende|month['’]?s?[- ]end|end-of-month)\b",
    re.IGNORECASE,
)
_PAST = 31
"""Days: the end of a month is at most this long before its text was written, or else in the next year."""
_DECEMBER = 12


@dataclass(frozen=True, slots=True)
class Stretch:
    """A day that is so far from the day of writing, and where the text says it."""

    start: int
    end: int
    day: date


def stretches(text: str, written: date) -> Iterator[Stretch]:
    """Yield every such day of a text that was written on this day."""
    for found in _AHEAD.finditer(text):
        if not found["fromnow"] and _FROM_ELSEWHERE.match(text, found.end()):
            continue
        number, unit = found["fromnow"] or found["number"], found["later"] or found["unit"]
        day = _later(written, _number(number), unit.casefold())
        if day is not None:
            yield Stretch(found.start(), found.end(), day)
    for found in _END.finditer(text):
        yield Stretch(found.start(), found.end(), _end(found, written))


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.casefold()]


def _later(written: date, number: int, unit: str) -> date | None:
    """Return the day; None for a part of a day, and for working days, which differ from place to place."""
    unit = unit.removeprefix("calendar").strip()
    if unit.startswith("fortnight"):
        return written + timedelta(number * _FORTNIGHT)
    if unit.startswith(_HOURS):
        return written + timedelta(number // 24) if number % 24 == 0 else None
    if unit.startswith(("month", "monat", "mois", "mes")):
        return _months_on(written, number)
    days = next((days for word, days in _DAYS.items() if unit.startswith(word)), None)
    return None if days is None else written + timedelta(number * days)


def _months_on(written: date, number: int) -> date:
    years, month = divmod(written.month - 1 + number, _DECEMBER)
    last = calendar.monthrange(written.year + years, month + 1)[1]
    return date(written.year + years, month + 1, min(written.day, last))


def _end(found: re.Match[str], written: date) -> date:
    if not found["month"]:
        return _last_day(_months_on(written, 1) if found["next"] else written)
    month = MONTHS[found["month"].casefold()]
    if found["year"]:
        return _last_day(date(int(found["year"]), month, 1))
    this_year = _last_day(date(written.year, month, 1))
    return this_year if this_year >= written - timedelta(_PAST) else _last_day(date(written.year + 1, month, 1))


def _last_day(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])
