"""Reads times and durations among other words: `when I get home so about six`."""

import re
from datetime import datetime, timedelta

from butler.orchestrator.understanding.said import Said
from butler.understanding.times.lengths import Amount, shifted
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.loose import tells, within
from butler.understanding.times.parse import length_of
from butler.understanding.times.saying import TimeSaid

ARTICLES = r"(?:\s+(?:the|dem|den|der|le|la|el|du|del|de))?"
FIRST_WORDS, MOST_LEAD = re.compile(r"\S+"), 3
BOUNDS = (
    ("before", re.compile(rf"\b(?:before|vor|avant|antes(?: de)?){ARTICLES}\s*$", re.IGNORECASE)),
    ("since", re.compile(rf"\b(?:after|nach|apr[èe]s|despu[ée]s(?: de)?){ARTICLES}\s*$", re.IGNORECASE)),
)
"""Bounds that exclude the day after them: `before Monday`, but not `until Monday`."""


def without_its_day(said: Said, slot: str) -> str:
    """Return the bound that excludes its day: `before` for `before Monday`, `since` for `after the 20th`."""
    marked = next((one for one in said.request.slots if one.slot == slot), None)
    if marked is None:
        return ""
    text = said.request.text
    ends = [marked.start, *(marked.start + match.end() for match in FIRST_WORDS.finditer(marked.text))]
    return next((bound for bound, words in BOUNDS for end in ends[:MOST_LEAD] if words.search(text[:end])), "")


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
