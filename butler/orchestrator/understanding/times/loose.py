"""Reads times and durations among other words: `when I get home so about six`."""

import re
from datetime import datetime, timedelta

from butler.orchestrator.understanding.said import Said
from butler.understanding.stored_words import group_in
from butler.understanding.times.lengths import Amount, shifted
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.loose import marked_time, tells, within
from butler.understanding.times.parse import length_of
from butler.understanding.times.saying import TimeSaid

WORDS = ("butler.orchestrator.understanding.times", "time_words")
ARTICLES = rf"(?:\s+{group_in(*WORDS, 'articles')})?"
FIRST_WORDS, MOST_LEAD = re.compile(r"\S+"), 5
BOUNDS = tuple(
    (bound, re.compile(rf"\b{group_in(*WORDS, bound)}{ARTICLES}\s*$", re.IGNORECASE)) for bound in ("before", "since")
)
"""Bounds that exclude the day after them: `before Monday`, but not `until Monday`."""
THE_DAY = re.compile(rf"\b{group_in(*WORDS, 'day')}\s+$", re.IGNORECASE)
"""Words before a bound that is none: `the day after Monday`."""


def without_its_day(said: Said, slot: str) -> str:
    """Return the bound that excludes its day: `before` for `before Monday`, `since` for `after the 20th`.

    Words that name another day together, such as `après demain`, are no bound. Raise `Asking` for `the day after`
    another one.
    """
    marked = [one for one in said.request.slots if one.slot == slot]
    if not marked:
        return ""
    text, begin, last = said.request.text, marked[0].start, marked[-1].end
    ends = [begin, *(match.end() for match in FIRST_WORDS.finditer(text, begin, last))]
    for bound, words in BOUNDS:
        for end in ends[:MOST_LEAD]:
            match = words.search(text[:end])
            if match is not None and _same_day(said, slot, end, last):
                if THE_DAY.search(text[: match.start()]):
                    raise said.not_read(slot)
                return bound
    return ""


def _same_day(said: Said, slot: str, begin: int, end: int) -> bool:
    """Return whether a part of a slot names the same day as all its words."""
    now, text = said.scene.now(), said.request.text
    whole, part = loose_time(said, slot), marked_time(text, [(begin, end)], said.language, now, bounds=False)
    return whole is not None and part is not None and whole.day == part.day


def loose_time(said: Said, slot: str = "time") -> TimeSaid | None:
    """Return the time in a slot; raise `Asking` if it is not understood even without the words around it."""
    return said.when(slot)


def time_within(words: str, said: Said) -> TimeSaid | None:
    """Return the longest time at the beginning or the end of words without another time."""
    return within(words, said.language, said.scene.now())


def length_within(words: str, said: Said) -> Amount | None:
    """Return a duration among words without another time: `another ten minutes`."""
    tokens, now = tokens_of(words), said.scene.now()
    for begin in range(len(tokens)):
        for end in range(len(tokens), begin, -1):
            found = length_of(" ".join(tokens[begin:end]), said.language, now)
            if found is not None:
                known = lexicon(said.language)
                rest = tokens[:begin] + tokens[end:]
                return None if any(tells(token, known) for token in rest) else found
    return None


def minutes_of(amount: Amount) -> int:
    """Return a duration in whole minutes."""
    return amount.seconds // 60 + (amount.days + 30 * amount.months) * 24 * 60


def after(amount: Amount, now: datetime) -> datetime:
    """Return the local time after a duration: days by the wall clock, hours by real time."""
    wall = now.replace(tzinfo=None, microsecond=0)
    then = datetime.combine(shifted(wall.date(), amount.months) + timedelta(amount.days), wall.time())
    if not amount.seconds:
        return then
    return datetime.fromtimestamp(then.replace(tzinfo=now.tzinfo).timestamp() + amount.seconds, now.tzinfo).replace(
        tzinfo=None
    )
