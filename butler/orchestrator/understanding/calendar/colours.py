"""Builds plans that colour events, by the names that people use for colours."""

from functools import cache

from butler.contract.speech import phrase, say
from butler.contract.tables import table
from butler.orchestrator.embedded.agenda_words import COLOUR
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.colours import NAMES, SHADES
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.calendar.event import acted
from butler.orchestrator.understanding.said import Said
from butler.understanding.stored_words import stored
from butler.understanding.times.lexicon import folded

PACKAGE = "butler.orchestrator.understanding.calendar"
WHICH_COLOUR = phrase("Which colour shall it have: red, orange, yellow, green, turquoise, blue, purple, pink or grey?")


def colour(said: Said) -> PlannerOutput:
    """Give the event another colour."""
    name = colour_named(said.words("value"))
    if not name:
        raise Asking(say(WHICH_COLOUR))
    return acted(said, COLOUR, say("Colour the event"), colour=name)


def colour_named(words: str) -> str:
    """Return the calendar's name for a colour; empty if it has no such colour."""
    said = " ".join(folded(words).split())
    for name, found in (*SHADES.items(), *_names_in("shades").items()):
        if name in said:
            return found
    known = _names_in("colours") | NAMES
    for token in said.replace("-", " ").split():
        name = known.get(token) or known.get(token.rstrip("s"))
        name = name or next((found for word, found in known.items() if len(word) > 2 and token.endswith(word)), None)  # noqa: PLR2004 - a pair
        if name is not None:
            return name
    return ""


@cache
def _names_in(name: str) -> dict[str, str]:
    """Return the calendar's name for each folded word of a file."""
    return {folded(word): kind for kind in table(PACKAGE, name) for word in stored(PACKAGE, name, kind)}
