"""Reads a new time in a reply to the card of a scheduled act: `make it 9`, `tomorrow at 8`, `an hour later`.

A bare hour is on the day that the card shows, and a bare day keeps the card's hour. If the card's text has a time that
the reply may mean as well, the owner is asked which.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.speech import say, say_short_moment
from butler.contract.wall_time import moment
from butler.orchestrator.edits.values import only_values, targets
from butler.orchestrator.embedded.asking import choice
from butler.orchestrator.embedded.hours import length_at
from butler.orchestrator.embedded.languages.canonical import time_in_english
from butler.orchestrator.embedded.later import said_in_words
from butler.orchestrator.embedded.lexer import Tail, lex, phrases
from butler.orchestrator.embedded.when import Spoken, settle, spoken_at
from butler.orchestrator.planning.plan_types import Choice, Unclear

SURE = phrases(
    "[please] (send|mail|deliver|do) (it|this|that) [then|instead|only]",
    "[please] let (it|this) go out",
    "it (goes|shall go|should go) out",
    "[please] (postpone|delay) (it|this) [to|until]",
    "[please] (move|put off|reschedule) (it|this|that) [to|until]",
    "change the time to",
    "[the] new time [is|:]",
)
"""Words that are about the sending, regardless of the text."""
PERHAPS = phrases("[please] make (it|that|this)", "[no] [,] (rather|better)", "at", "no ,")
ENDING = phrases("(instead|please|then|rather)", ", please")
LATER, EARLIER = phrases("later"), phrases("(earlier|sooner)")


@dataclass(frozen=True, slots=True)
class NewTime:
    """The moment that the act is to wait for."""

    at: datetime


def new_time(words: str, shown: datetime, text: str, now: datetime, zone: ZoneInfo) -> NewTime | Unclear | None:
    """Return the time that a reply says; a question if it may mean the text, None if it says no time.

    `shown` is the time that the card shows, `text` what it sends.
    """
    local, wall = now.astimezone(zone), shown.astimezone(zone).replace(tzinfo=None)
    for sentence in (words, time_in_english(words) or ""):
        found = _read(lex(sentence).bare(), wall, local)
        if found is None:
            continue
        at, words_of_time = found
        if words_of_time and (also := _in_text(words_of_time, text)):
            send = choice(say("Send it at {when}", when=say_short_moment(at)), f"send it {said_in_words(at)}")
            return Unclear(say("Shall it be sent at another time, or is the text to be changed?"), (send, also))
        return NewTime(moment(at, zone))
    return None


def _read(tail: Tail, wall: datetime, local: datetime) -> tuple[datetime, str] | None:
    """Return the local time, and its words if they may also mean something in the text."""
    sure = tail.take(SURE)
    start = sure or tail.past(PERHAPS)
    if (shifted := _shift(start, wall)) is not None:
        return shifted, ""
    found = spoken_at(start, local)
    if found is None and start.at > tail.at:
        # `make it 9`: an hour without `at`.
        found = spoken_at(lex(f"at {start.text}"), local)
    if found is None or not _over(found[1]):
        return None
    at = _settled(found[0], wall, local)
    return None if at is None else (at, "" if sure else start.text)


def _over(tail: Tail) -> bool:
    return tail.done or tail.past(ENDING).done


def _settled(said: Spoken, wall: datetime, local: datetime) -> datetime | None:
    """Return the full time: what was not said is taken from the card."""
    if said.moment is not None:
        return said.moment
    if said.day is None:
        whole = Spoken(day=wall.date(), clock=said.clock, part=said.part)
        return settle(whole, local) or settle(Spoken(clock=said.clock, part=said.part), local)
    if said.clock is None and said.part is None:
        return datetime.combine(said.day, wall.time())
    return settle(said, local)


def _shift(tail: Tail, wall: datetime) -> datetime | None:
    """Read `an hour later` or `30 minutes earlier`."""
    found = length_at(tail)
    if found is None:
        return None
    minutes, after = found
    for option, sign in ((LATER, 1), (EARLIER, -1)):
        if (end := after.take(option)) is not None and _over(end):
            return wall + timedelta(minutes=sign * minutes)
    return None


def _in_text(words: str, text: str) -> Choice | None:
    """Return the change of the text that the words may mean instead."""
    found = [(old, new) for new in only_values(words) for old in targets(text, new)]
    if not found:
        return None
    old, new = found[0]
    value = words[new.start : new.end]
    return choice(say("{old} becomes {new} in the text", old=old.text, new=value), f"change “{old.text}” to “{value}”")
