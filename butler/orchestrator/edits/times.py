"""Reads a new time in a reply to the card of a scheduled act: `make it 9`, `morgen um 8`, `une heure plus tard`.

A bare hour is on the day that the card shows, and a bare day keeps the card's hour. If the card's text has a time that
the reply may mean as well, the owner is asked which.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache

from butler.contract.speech import phrase, say, say_short_moment
from butler.contract.tables import table
from butler.contract.wall_time import moment
from butler.orchestrator.edits.values import only_values, targets
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.later import said_in_words
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Choice, Unclear
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.times.loose import after
from butler.orchestrator.understanding.times.relative import shift
from butler.understanding.reader import Request
from butler.understanding.tables import LANGUAGES
from butler.understanding.times.lexicon import folded
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import TimeSaid

PAST = phrase("That time is past. Nothing was changed.")
PARTS = {"morning": time(9), "noon": time(12), "afternoon": time(15), "evening": time(19), "night": time(21)}
WAKING = range(7, 23)
"""Hours that are meant where an hour may be of either half of the day."""
HALF_DAY = 12
LONGEST = 80
"""Characters of a reply that says nothing but a time."""


@dataclass(frozen=True, slots=True)
class NewTime:
    """The moment that the act is to wait for."""

    at: datetime


def said_of(words: str, scene: Scene, language: str) -> Said:
    """Return words that change a card, with the scene that they are said in."""
    return Said(Request(words, 0, (("approve.change", 1.0),), ()), scene, language, words)


def says_sending(words: str) -> bool:
    """Return whether words speak of the sending, and not of what is sent."""
    return _words("sure").search(folded(words)) is not None


def moves(kind: str) -> re.Pattern[str]:
    """Return what puts something off (`later`) or brings it forward (`earlier`)."""
    return _words(kind)


def new_time(said: Said, shown: datetime, text: str) -> NewTime | Unclear | None:
    """Return the time that a reply says; a question if it may mean the text, None if it says no time.

    `shown` is the time that the card shows, `text` what it sends. Raises `Asking` for a time that is past.
    """
    zone, words = said.scene.request.zone, said.request.text
    if len(words) > LONGEST:
        return None
    wall = shown.astimezone(zone).replace(tzinfo=None)
    plain = folded(words)
    rest = " ".join(_words("perhaps").sub(" ", _words("sure").sub(" ", plain)).strip(" ,.!?;:").split())
    if (by := shift(rest, said)) is not None:
        return NewTime(moment(after(by, wall.replace(tzinfo=said.scene.now().tzinfo)), zone))
    found = _time(rest, said)
    if found is None:
        return None
    at = moved(wall, found, said.scene.now())
    assert isinstance(at, datetime)
    if not _words("sure").search(plain) and (also := _in_text(rest, text)):
        send = choice(say("Send it at {when}", when=say_short_moment(at)), f"send it {said_in_words(at)}")
        return Unclear(say("Shall it be sent at another time, or is the text to be changed?"), (send, also))
    return NewTime(moment(at, zone))


def _time(words: str, said: Said) -> TimeSaid | None:
    """Return the time that words are from the first to the last, in any of the languages; `9` alone is an hour."""
    for language in dict.fromkeys((said.language, *LANGUAGES)):
        at = table("butler.orchestrator.edits", "times")["at"][language][0]
        for text in (words, f"{at} {words}"):
            found = parse(text, language, said.scene.now())
            if found is not None and found.or_day is None and found.until_day is None and not found.bound:
                return found
    return None


def moved(old: date, found: TimeSaid, now: datetime) -> date:
    """Return the new time: what was not said is taken from the old one; raise `Asking` if it is past.

    `now` is local and aware; `old` and the result are local, days or without offset.
    """
    wall = now.replace(tzinfo=None)
    if found.moment is not None:
        return found.moment
    day = found.day or _at(old).date()
    clock = found.clock if found.clock is not None else PARTS.get(found.part)
    if clock is None:
        new: date = datetime.combine(day, old.time()) if isinstance(old, datetime) else day
    else:
        new = datetime.combine(day, clock if found.half_said else _likely(clock, old))
    if found.weekday and _at(new) < wall:
        new += timedelta(7)
    if new < (wall if isinstance(new, datetime) else wall.date()):
        raise Asking(say(PAST))
    return new


def _at(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time())


def _likely(clock: time, old: date) -> time:
    """Return an hour of unsaid half in the half of the day that the card has, unless people sleep then."""
    late = isinstance(old, datetime) and old.hour >= HALF_DAY
    halves = [clock.replace(hour=clock.hour % HALF_DAY + more) for more in ((HALF_DAY, 0) if late else (0, HALF_DAY))]
    return next((one for one in halves if one.hour in WAKING), clock)


def _in_text(words: str, text: str) -> Choice | None:
    """Return the change of the text that the words may mean instead."""
    found = [(old, new) for new in only_values(words) for old in targets(text, new)]
    if not found:
        return None
    old, new = found[0]
    value = words[new.start : new.end]
    return choice(say("{old} becomes {new} in the text", old=old.text, new=value), f"change “{old.text}” to “{value}”")


@cache
def _words(kind: str) -> re.Pattern[str]:
    stored: dict[str, list[str]] = table("butler.orchestrator.edits", "times")[kind]
    words = {folded(one) for said in stored.values() for one in said}
    options = "|".join(re.escape(one) for one in sorted(words, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![\w'-])(?:{options})(?![\w-])")
