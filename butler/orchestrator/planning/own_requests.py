"""Whether the owner's words themselves ask for a command, a preference or quiet hours that a plan holds.

Then it is the owner's own choice, whoever planned it. In doubt it is not, and the owner is asked by a card.
"""

import re
from collections.abc import Iterator
from datetime import time

from butler.contract.own_commands import OwnCommand, OwnRequest, PreferenceChange, PreferenceName, QuietChange
from butler.orchestrator.planning.answer_wishes import wishes_language, wishes_length
from butler.orchestrator.planning.own_wishes import own_text
from butler.orchestrator.planning.preference_requests import asks_for, says
from butler.orchestrator.planning.quiet_wishes import wishes_no_quiet, wishes_quiet
from butler.orchestrator.planning.spoken import spoken

SENTENCE = re.compile(r"[.;!?\n]+")
BETWEEN = re.compile(r",+|\b(?:and|then|und|dann|et|puis|y|luego)\b", re.IGNORECASE)
"""What may stand between two requests of one message."""
OTHERS_TEXT = re.compile(r"[:\"“”„«»]")
"""Signs of a text for somebody else, in which the same words ask for nothing."""


def asked_for(request: OwnRequest, words: str, butler_name: str) -> bool:
    """Return whether these words of the owner ask for exactly this."""
    match request:
        case OwnCommand():
            return not OTHERS_TEXT.search(words) and request in _commands(words, butler_name)
        case PreferenceChange():
            return _preferred(request, words)
        case QuietChange(time() as start, time() as end):
            return wishes_quiet(start, end, words)
        case QuietChange(by_settings=by_settings):
            return wishes_no_quiet(words, by_settings=by_settings)


def _preferred(change: PreferenceChange, words: str) -> bool:
    match change.name:
        case PreferenceName.NAME if change.value:
            # As a whole: a part of a word is no name that the owner said.
            written = re.search(rf"(?<!\w){re.escape(change.value)}(?!\w)", words)
            return written is not None and says("called", words)
        case PreferenceName.LANGUAGE if change.value:
            return wishes_language(change.value, words)
        case PreferenceName.LENGTH if change.value:
            return wishes_length(change.value, words)
        case _:
            return asks_for(change.name, change.value, own_text(words))


def _commands(words: str, butler_name: str) -> Iterator[str]:
    """Yield the commands that sentences consist of or begin with; further on, a word may be for somebody else."""
    for sentence in SENTENCE.split(words):
        parts = (part for part in BETWEEN.split(sentence) if part.strip())
        if (command := spoken(next(parts, ""), butler_name)) is not None:
            yield command.value
