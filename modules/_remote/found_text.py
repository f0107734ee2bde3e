"""Formats search results from one of the owner's own servers for the chat.

Anybody may have written the text on those servers, so it is cut, made visible, and set so that nothing in it can be
tapped.
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
    """Return the records similar to a text, the most similar first."""
    found = [mapping(one) for one in listed(data.get("matches"))]
    return finds([("", text_of(one, "payload", "row"), one.get("score")) for one in found], data)


def text_of(one: Mapping[str, Any], *records: str) -> str:
    """Return the record's text; if it has none, the fields of its payload."""
    if text := str(one.get("text") or ""):
        return text
    fields = next((held for name in records if (held := mapping(one.get(name)))), mapping(None))
    return ", ".join(f"{name}: {value}" for name, value in list(fields.items())[:MOST_FIELDS])


def finds(found: Sequence[tuple[str, str, Any]], data: Mapping[str, Any]) -> Rich:
    """Return titles, texts and scores in numbered lines."""
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
    """Return a note if the server reported that there is more."""
    if data.get("complete", True):
        return ()
    return (Span(text="\n" + say("There is more than I was given."), style=Style.ITALIC),)


def listed(value: Any) -> list[Any]:
    """Return a provider's list; empty for any other value."""
    return cast("list[Any]", value) if isinstance(value, list) else []
