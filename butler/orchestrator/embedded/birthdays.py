"""Several birthdays at once: `add these birthdays: Anna 5 May, Bob on 3 June and Mum 12 July`. Each becomes a step."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import CREATE, need
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.day import day_at
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput

BIRTHDAY = word_set("birthday birthdays bday geburtstag anniversaire cumpleaños")
LEAD = phrases(
    "(add|put|enter|note|save|create) [me] [these|the|my|all|following|the following|all these] birthdays"
    " [to|into|in] [my|the] [calendar] [:]",
    "[these|my|the] birthdays [into|in|for] [my|the] [calendar] :",
    "(add|put|enter) [these|the following] [to|into|in] [my|the] [calendar] [as] birthdays :",
)  # fmt: skip
ON = phrases("(on|is|was|:|,|-|–|has birthday on|has his birthday on|has her birthday on)")
BORN = re.compile(r"(?:19|20)\d\d", re.ASCII)
HOW = phrase("Whose birthdays, and when? Say it like “add these birthdays: Anna 5 May, Bob 3 June”.")
WHOSE = phrase("{name}'s birthday")
MOST = 40


def add_birthdays(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a list of birthdays; None where it is none. Of what is not understood it is asked, before any is added."""
    bare = tail.bare()
    start = bare.take(LEAD)
    if start is None:
        return None
    need(CREATE, scene)
    found = list(_each(start, scene))
    if not found or len(found) > MOST:
        raise Asking(say(HOW))
    steps = [
        calls.call(
            CREATE,
            say("Put “{title}” into your calendar", title=(title := say(WHOSE, name=name))),
            title=title,
            start=day.isoformat(),
            repeat="yearly",
        )
        for name, day in found
    ]
    return calls.plan(*steps)


def _each(start: Tail, scene: Scene) -> Iterator[tuple[str, date]]:
    for entry in _entries(start):
        read = _entry(entry, scene)
        if read is None:
            raise Asking(say("I did not understand “{words}”: whose birthday is when?", words=entry.text))
        yield read


def _entries(start: Tail) -> Iterator[Tail]:
    """The list cut at new lines, semicolons, commas and `and`; what holds no day belongs to what comes after it."""
    begun = here = start
    while not here.done:
        after = here.skip()
        ends = after.done or after.new_line() or after.word() in {",", ";", "and"}
        if ends and any(token.word[:1].isdigit() for token in here.tokens[begun.at : after.at]):
            if entry := _trimmed(begun.until(after)):
                yield entry
            begun = after = after.skip() if not after.done and after.word() in {",", ";", "and"} else after
        here = after
    if entry := _trimmed(begun):
        yield entry


def _trimmed(tail: Tail) -> Tail | None:
    here = tail
    while not here.done and here.word() in {",", ";", "and", "-", "–", "•", "*", "."}:
        here = here.skip()
    end = here.bare()
    return None if end.done else end


def _entry(entry: Tail, scene: Scene) -> tuple[str, date] | None:
    today = scene.now().date()
    for at in range(entry.at, entry.end):
        found = day_at(replace(entry, at=at), today)
        if found is None or found[0].weekday or found[0].or_day is not None:
            continue
        day, after = found
        if not after.done and not BORN.fullmatch(after.word()):
            name, rest = after.past(ON), replace(entry, end=at)
            return (one_line(name.text), _next(day.day, today)) if rest.done and not name.done else None
        name = replace(entry, end=at)
        while not name.done and name.take(ON) is None and name.tokens[name.end - 1].word in {"on", "is", ":", "-", "–"}:
            name = replace(name, end=name.end - 1)
        text = one_line(name.text.removesuffix("'s birthday").removesuffix("’s birthday"))
        return (text, _next(day.day, today)) if any(map(str.isalpha, text)) else None
    return None


def _next(born: date, today: date) -> date:
    """The next birthday: what was said may be the year of birth."""
    for year in range(max(born.year, today.year), today.year + MOST):
        try:
            day = born.replace(year=year)
        except ValueError:
            continue
        if day >= today:
            return day
    return born
