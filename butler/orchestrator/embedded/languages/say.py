"""The planner's questions in the owner's language, by a catalogue; what that does not hold is said in English."""

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from butler.orchestrator.embedded.day import MONTHS, WEEKDAYS
from butler.orchestrator.embedded.languages.tongue import HERE
from butler.orchestrator.planning import PlannerOutput, Unclear

ENGLISH, FENCE, NEW_LINE = "en", "```", "\\n"
SLOT = re.compile(r"\\\{(\w+)\\\}")
DATE = re.compile(r"(\w+) (\d+) (\w+)")
CALENDARS = {
    "de": (
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "{weekday}, dem {day}. {month}",
    ),
    "fr": (
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "{weekday} {day} {month}",
    ),
    "es": (
        "lunes martes miércoles jueves viernes sábado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "{weekday} {day} de {month}",
    ),
}
"""Weekdays from Monday, months from January, and a date."""
AND = {"de": "und", "fr": "et", "es": "y"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One sentence in English, as what it looks like, and in the other languages."""

    english: re.Pattern[str]
    said: dict[str, str]


def in_language(output: PlannerOutput, language: str) -> PlannerOutput:
    """A question and the labels of its buttons in another language. What a button asks for stays as it is."""
    if language not in CALENDARS or not isinstance(output, Unclear):
        return output
    choices = tuple(replace(choice, label=_said(choice.label, language)) for choice in output.choices)
    return replace(output, question=_said(output.question, language), choices=choices)


def _said(english: str, language: str) -> str:
    for entry in entries():
        if found := entry.english.fullmatch(english):
            slots = {name: _slot(name, value, language) for name, value in found.groupdict().items()}
            return entry.said[language].format_map(slots)
    return english


def _slot(name: str, value: str, language: str) -> str:
    if name == "names":
        first, _, last = value.rpartition(" and ")
        return f"{first} {AND[language]} {last}" if first else last
    date = DATE.fullmatch(value) if name == "day" else None
    if date is None:
        return value
    weekdays, months, form = CALENDARS[language]
    weekday = weekdays.split()[WEEKDAYS.index(date[1].lower())]
    return form.format(weekday=weekday, day=int(date[2]), month=months.split()[MONTHS.index(date[3].lower())])


@cache
def entries() -> tuple[Entry, ...]:
    """The catalogue, read on first use."""
    text = files(HERE).joinpath("questions.md").read_text(encoding="utf-8").split(FENCE)[1]
    return tuple(_entry(block) for block in text.strip().split("\n\n"))


def _entry(block: str) -> Entry:
    said = {line[:2]: line[3:].replace(NEW_LINE, "\n") for line in block.splitlines()}
    seen: set[str] = set()

    def group(slot: re.Match[str]) -> str:
        # A slot that stands in a sentence twice holds the same twice.
        again = slot[1] in seen
        seen.add(slot[1])
        return f"(?P={slot[1]})" if again else f"(?P<{slot[1]}>.+?)"

    return Entry(re.compile(SLOT.sub(group, re.escape(said.pop(ENGLISH))), re.DOTALL), said)
