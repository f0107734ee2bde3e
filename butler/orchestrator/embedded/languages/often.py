"""How often, in German, French and Spanish: taken out of a request wherever it stands, and said in English before it.

`Archiviere jeden Sonntag um 9 alle Newsletter` becomes the English of `archiviere alle Newsletter`, with `as a rule,
every sunday at 9:` in front, which only the grammar of acts that are done again and again reads.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from butler.orchestrator.embedded.day import WEEKDAYS

TIME = r"(?P<hour>\d{1,2})(?:(?:[:.h]| h )(?P<minute>\d{2}))?"
_MOST_AFTER = r"(?:\s+(?:auf einmal|pro mal|jedes mal|à la fois|chaque fois|a la vez|cada vez))?"


@dataclass(frozen=True, slots=True)
class Words:
    """What a language says; each a regular expression."""

    code: str
    days: tuple[tuple[str, str], ...]
    """How often, and the same in English."""
    at: str
    """A time behind it."""
    most: str
    """How many at most."""


def _weekdays(pattern: str, names: str) -> tuple[tuple[str, str], ...]:
    return tuple((pattern.format(name), f"every {day}") for name, day in zip(names.split(), WEEKDAYS, strict=True))


LANGUAGES = (
    Words(
        "de",
        (
            *_weekdays(
                r"(?:an\s+)?(?:jeden|jedem)\s+{0}", "montag dienstag mittwoch donnerstag freitag samstag sonntag"
            ),
            *_weekdays(r"{0}s", "montag dienstag mittwoch donnerstag freitag samstag sonntag"),
            (r"jede\s+nacht", "every night"),
            (r"jeden\s+morgen", "every morning"),
            (r"jeden\s+abend", "every evening"),
            (r"jeden\s+tag|täglich", "every day"),
            (r"jede\s+woche|wöchentlich", "every week"),
            (r"am\s+letzten\s+(?:tag\s+)?(?:jedes|eines jeden)\s+monats", "on the last day of every month"),
            (r"(?:am\s+ersten\s+jedes\s+monats|jeden\s+monat|monatlich)", "every month"),
        ),
        rf"\s+um\s+{TIME}(?:\s+uhr)?",
        rf",?\s*(?:aber\s+)?(?:höchstens|maximal)\s+(?P<most>\d+){_MOST_AFTER}",
    ),
    Words(
        "fr",
        (
            *_weekdays(r"(?:tous\s+les\s+{0}s?|chaque\s+{0})", "lundi mardi mercredi jeudi vendredi samedi dimanche"),
            (r"(?:toutes\s+les\s+nuits|chaque\s+nuit)", "every night"),
            (r"(?:tous\s+les\s+matins|chaque\s+matin)", "every morning"),
            (r"(?:tous\s+les\s+soirs|chaque\s+soir)", "every evening"),
            (r"(?:tous\s+les\s+jours|chaque\s+jour)", "every day"),
            (r"(?:toutes\s+les\s+semaines|chaque\s+semaine)", "every week"),
            (r"le\s+dernier\s+jour\s+de\s+chaque\s+mois", "on the last day of every month"),
            (r"(?:le\s+premier\s+de\s+chaque\s+mois|tous\s+les\s+mois|chaque\s+mois)", "every month"),
        ),
        rf"\s+à\s+{TIME}(?:\s*(?:heures?|h)\b)?",
        rf",?\s*(?:mais\s+)?(?:au\s+plus|au\s+maximum|maximum)\s+(?P<most>\d+){_MOST_AFTER}",
    ),
    Words(
        "es",
        (
            *_weekdays(r"(?:todos\s+los\s+{0}s?|cada\s+{0})", "lunes martes miércoles jueves viernes sábado domingo"),
            (r"(?:todas\s+las\s+noches|cada\s+noche)", "every night"),
            (r"(?:todas\s+las\s+mañanas|cada\s+mañana)", "every morning"),
            (r"(?:todas\s+las\s+tardes|cada\s+tarde)", "every evening"),
            (r"(?:todos\s+los\s+días|cada\s+día)", "every day"),
            (r"(?:todas\s+las\s+semanas|cada\s+semana)", "every week"),
            (r"el\s+último\s+día\s+de\s+cada\s+mes", "on the last day of every month"),
            (r"(?:el\s+primero\s+de\s+cada\s+mes|todos\s+los\s+meses|cada\s+mes)", "every month"),
        ),
        rf"\s+a\s+las?\s+{TIME}",
        rf",?\s*(?:pero\s+)?(?:como\s+máximo|máximo|a\s+lo\s+sumo)\s+(?P<most>\d+){_MOST_AFTER}",
    ),
)
_COMPILED = tuple(
    (
        words.code,
        tuple((re.compile(rf",?\s*\b(?:{day})\b(?:{words.at})?,?", re.IGNORECASE), said) for day, said in words.days),
        re.compile(words.most, re.IGNORECASE),
    )
    for words in LANGUAGES
)


def without_often(words: str) -> Iterator[tuple[str, str]]:
    """A request without how often, and that in English; nothing where it does not say so exactly once."""
    for _, days, most in _COMPILED:
        found = [(match, said) for pattern, said in days for match in pattern.finditer(words)]
        if len(found) != 1:
            continue
        match, said = found[0]
        rest = f"{words[: match.start()]} {words[match.end() :]}"
        if (hour := match["hour"]) is not None:
            said = f"{said} at {int(hour)}:{match['minute'] or '00'}"
        if (many := most.search(rest)) is not None:
            rest, said = f"{rest[: many.start()]} {rest[many.end() :]}", f"{said}, at most {many['most']}"
        yield " ".join(rest.split()).lstrip(",:; "), f"as a rule, {said}: "
