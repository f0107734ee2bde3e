"""Plans several birthdays at once: `add these birthdays: Anna 5 May, Bob 3 June`. Each is a yearly event."""

import re
from collections.abc import Iterator
from datetime import date

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.calendar.calendar_words import group
from butler.orchestrator.understanding.said import Said
from butler.understanding.times.parse import parse

CREATE = "user_calendar_create_event"
WHOSE = phrase("{name}'s birthday")
HOW = phrase("I did not understand “{words}”: whose birthday is when?")
LISTED = re.compile(r":\s*(?P<list>.+)", re.DOTALL)
BETWEEN = re.compile(rf"\s*(?:[,;\n•*]|\s{group('and')}\s)\s*", re.IGNORECASE)
JOINT = re.compile(rf"\s+{group('is_on')}$", re.IGNORECASE)
FEWEST, YEARS = 2, 8
DIGIT = re.compile(r"\d")


def birthdays(said: Said) -> Planned | None:
    """Return the plan for the birthdays after a colon; None without such a list. May raise `Asking`."""
    listed = LISTED.search(said.request.text)
    if listed is None or not says("birthdays", said.request.text[: listed.start()]):
        return None
    entries = [one for one in BETWEEN.split(listed["list"].strip(" .!?")) if one.strip()]
    names_nobody = entries and not entries[-1][0].isupper() and not DIGIT.search(entries[-1])
    if len(entries) > FEWEST and names_nobody and all(DIGIT.search(one) for one in entries[:-1]):
        entries.pop()  # Only says what to do: `put them in`.
    if len(entries) < FEWEST:
        return None
    said.need(CREATE)
    return calls.plan(*(_event(*_entry(one, said)) for one in entries))


def _entry(words: str, said: Said) -> tuple[str, date]:
    """Split an entry into the name and the date of a birthday."""
    for name, when in _splits(words):
        found = parse(when, said.language, said.scene.now())
        if found is not None and found.day is not None and found.clock is None:
            return JOINT.sub("", name), _next(found.day, said.scene.now().date())
    raise Asking(say(HOW, words=words))


def _splits(words: str) -> Iterator[tuple[str, str]]:
    tokens = words.split()
    yield from ((" ".join(tokens[:at]), " ".join(tokens[at:])) for at in range(1, len(tokens)))


def _next(born: date, today: date) -> date:
    """Return the next birthday; the date may be the date of birth."""
    for year in range(max(born.year, today.year), today.year + YEARS):
        try:
            day = born.replace(year=year)
        except ValueError:
            continue
        if day >= today:
            return day
    return born


def _event(name: str, day: date) -> PlanStep:
    title = say(WHOSE, name=name)
    what = say("Put “{title}” into your calendar", title=title)
    return calls.call(CREATE, what, title=title, start=day.isoformat(), repeat="yearly")
