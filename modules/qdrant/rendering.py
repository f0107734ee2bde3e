"""Renders whether the Qdrant server answers, and which collections it holds."""

from collections.abc import Mapping
from typing import Any

from butler.contract.card import Rich, Span
from butler.contract.shown_text import cut
from butler.contract.speech import say
from modules._remote.found_text import LONGEST_NAME, MOST_FOUND, listed


def health_text(data: Mapping[str, Any]) -> Rich:
    """Return a sentence on the server, and the names of its collections."""
    names = [cut(str(name), LONGEST_NAME) for name in listed(data.get("collections"))[:MOST_FOUND]]
    head = say("The server answers.") if data.get("ok") else say("The server does not answer as it should.")
    held = say("It holds: {these}.", these=", ".join(names)) if names else ""
    return (Span(text=" ".join(filter(None, (head, held)))),)
