"""Whether the owner's words themselves ask for a command, a preference or quiet hours that a plan holds.

Then it is the owner's own choice, whoever planned it. In doubt it is not, and the owner is asked by a card.
"""

import re
from collections.abc import Iterator
from datetime import time

from butler.contract.own_commands import OwnCommand, OwnRequest, PreferenceChange, PreferenceName, QuietChange
from butler.orchestrator.planning.preference_requests import asks_for, says
from butler.orchestrator.planning.spoken import spoken

SENTENCE = re.compile(r"[.;!?\n]+")
BETWEEN = re.compile(r",+|\b(?:and|then|und|dann|et|puis|y|luego)\b", re.IGNORECASE)
"""What may stand between two requests of one message."""
OTHERS_TEXT = re.compile(r"[:\"“”„«»]")
"""Signs of a text for somebody else, in which the same words ask for nothing."""
CLOCK = re.compile(r"(?<!\d)(\d{1,2})(?:[:.h](\d{2}))?(?!\d)", re.IGNORECASE)
HOURS_OF_A_CLOCK = 12


def asked_for(request: OwnRequest, words: str, butler_name: str) -> bool:
    """Return whether these words of the owner ask for exactly this."""
    match request:
        case OwnCommand():
            return not OTHERS_TEXT.search(words) and request in _commands(words, butler_name)
        case PreferenceChange(PreferenceName.NAME, value) if value:
            # As a whole: a part of a word is no name that the owner said.
            written = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", words)
            return written is not None and says("called", words)
        case PreferenceChange(name, value):
            return asks_for(name, value, words)
        case QuietChange(time() as start, time() as end):
            named = list(_clocks(words))
            return says("quiet", words) and all(any(_is(one, at) for one in named) for at in (start, end))
        case QuietChange():
            return False


def _commands(words: str, butler_name: str) -> Iterator[str]:
    """Yield the commands that sentences consist of or begin with; further on, a word may be for somebody else."""
    for sentence in SENTENCE.split(words):
        parts = (part for part in BETWEEN.split(sentence) if part.strip())
        if (command := spoken(next(parts, ""), butler_name)) is not None:
            yield command.value


def _clocks(words: str) -> Iterator[tuple[int, int]]:
    """Yield the hours and minutes of all numbers that can be a time of day."""
    for match in CLOCK.finditer(words):
        yield int(match[1]), int(match[2] or 0)


def _is(said: tuple[int, int], at: time) -> bool:
    """Return whether a said time can be this one; `10` may be ten in the evening."""
    hour, minute = said
    same = hour % 24 == at.hour or (hour <= HOURS_OF_A_CLOCK and hour % HOURS_OF_A_CLOCK == at.hour % HOURS_OF_A_CLOCK)
    return same and minute == at.minute and at.second == 0
