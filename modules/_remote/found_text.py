"""What a search on one of the person's own servers found, as it reads in chat.

All of it is whatever stands on those servers: cut, with what could hide in it made visible, and set so that nothing in
it can be tapped.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import mapping
from butler.contract.shown_text import cut
from butler.contract.signals import figure, unit_of
from butler.contract.speech import say, say_many

MOST_FOUND, LONGEST, LONGEST_NAME, MOST_FIELDS = 10, 200, 80, 6


def matches(data: Mapping[str, Any]) -> Rich:
    """Records that are near a text, nearest first."""
    found = [mapping(one) for one in listed(data.get("matches"))]
    return finds([("", text_of(one, "payload", "row"), one.get("score")) for one in found], data)


def text_of(one: Mapping[str, Any], *records: str) -> str:
    """Its text; without one, what its record holds."""
    if text := str(one.get("text") or ""):
        return text
    fields = next((held for name in records if (held := mapping(one.get(name)))), mapping(None))
    return ", ".join(f"{name}: {value}" for name, value in list(fields.items())[:MOST_FIELDS])


def finds(found: Sequence[tuple[str, str, Any]], data: Mapping[str, Any]) -> Rich:
    """Titles, texts and scores in numbered lines."""
    if not found:
        return (Span(text=say("Nothing like that was found.")),)
    spans: list[Span] = []
    for number, (title, text, score) in enumerate(found[:MOST_FOUND], 1):
        near = f" ({figure(float(score), unit_of(''))})" if isinstance(score, int | float) else ""
        spans += [Span(text="\n")] if spans else []
        spans.append(Span(text=f"{number}. "))
        if title:
            spans += [Span(text=cut(title, LONGEST_NAME), style=Style.BOLD), Span(text=f"{near} ")]
        spans.append(Span(text=cut(text, LONGEST), style=Style.CODE) if text else Span(text=""))
        spans += [] if title else [Span(text=near)]
    total = data.get("estimated")
    left = max(len(found), total if isinstance(total, int) else 0) - MOST_FOUND
    if left > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more.", "And {count} more.")))
    return (*(span for span in spans if span.text), *incomplete(data))


def incomplete(data: Mapping[str, Any]) -> Sequence[Span]:
    """That there is more, where the server said so."""
    if data.get("complete", True):
        return ()
    return (Span(text="\n" + say("There is more than I was given."), style=Style.ITALIC),)


def listed(value: Any) -> list[Any]:
    """A list as a provider gave it; empty for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []
