"""Builds plans that colour events, by the names that people use for colours."""

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.agenda_words import COLOUR
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.colours import NAMES, SHADES
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.calendar.event import acted
from butler.orchestrator.understanding.said import Said
from butler.understanding.times.lexicon import folded

COLOURS = {
    "lavender": "lavendel lavande lavanda", "sage": "salbei sauge salvia hellgrün lightgreen",
    "grape": "violett lila purpur violet mauve prune morado violeta lila púrpura",
    "flamingo": "rosa pink rose rosado", "banana": "gelb jaune amarillo", "tangerine": "orange naranja mandarine",
    "peacock": "türkis hellblau petrol turquoise turquesa celeste cian pfau", "graphite": "grau gris grafito anthrazit",
    "blueberry": "blau dunkelblau bleu azul heidelbeere", "basil": "grün dunkelgrün vert verde basilikum",
    "tomato": "rot knallrot dunkelrot rouge rojo roja tomate",
}  # fmt: skip
TWO_WORDS = {
    "hell blau": "peacock", "bleu clair": "peacock", "bleu ciel": "peacock", "bleu pale": "peacock",
    "azul claro": "peacock", "azul celeste": "peacock", "bleu fonce": "blueberry", "azul oscuro": "blueberry",
    "vert clair": "sage", "verde claro": "sage", "vert pale": "sage", "hellgrun": "sage", "hellgruen": "sage",
}  # fmt: skip
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
    for name, found in (*SHADES.items(), *TWO_WORDS.items()):
        if name in said:
            return found
    known = {folded(word): name for name, listed in COLOURS.items() for word in listed.split()} | NAMES
    for token in said.replace("-", " ").split():
        name = known.get(token) or known.get(token.rstrip("s"))
        name = name or next((found for word, found in known.items() if len(word) > 2 and token.endswith(word)), None)  # noqa: PLR2004 - a pair
        if name is not None:
            return name
    return ""
