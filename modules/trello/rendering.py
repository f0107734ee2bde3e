"""Formats boards with their lists, cards under their list, and a single card whole.

Anybody with access to a board may have written its names, texts and labels, so they are made visible.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import Item
from butler.contract.names import Direction
from butler.contract.rendering import Rendered, StepResult
from butler.contract.shown_text import LINE, LONGEST, MOST, SNIPPET, clipped, more
from butler.contract.speech import phrase, say, say_short_moment

COMMENTS = 10
NO_CARDS = phrase("There is no such card on your boards.")


def rendered(result: StepResult) -> Rendered | None:
    """Return the answer to a read of boards; None for a step that acts."""
    if result.spec.direction is not Direction.INPUT:
        return None
    found, data = result.items(), result.data
    match result.action:
        case "list_boards" if found:
            text = boards(found, result.first, data)
        case "read_card" if len(found) == 1:
            text = card(found[0])
        case _:
            text = cards(found, result.first, data) if found else (Span(text=say(NO_CARDS)),)
    return Rendered(text)


def boards(found: Sequence[Item], first: int, data: Mapping[str, Any]) -> Rich:
    """Return each board with the names of its lists."""
    lines: list[Span] = []
    for number, item in enumerate(found[:MOST], first):
        lists = [clipped(str(name), SNIPPET) for name in cast("list[Any]", item.data.get("lists") or [])]
        gap = "\n" if lines else ""
        count = f"{number}. " if len(found) > 1 else ""
        lines += [Span(text=f"{gap}{count}"), Span(text=_named(item.data), style=Style.BOLD)]
        lines += [Span(text=f": {', '.join(lists)}")] if lists else []
    return (*lines, *more(len(found), data))


def cards(found: Sequence[Item], first: int, data: Mapping[str, Any]) -> Rich:
    """Return cards under their board and list, in the order in which they were found."""
    lines: list[Span] = []
    place = ""
    for number, item in enumerate(found[:MOST], first):
        lies_in = _place(item.data)
        if lies_in != place:
            place = lies_in
            gap = "\n\n" if lines else ""
            lines.append(Span(text=f"{gap}{place}", style=Style.BOLD))
        count = f"{number}. " if len(found) > 1 else ""
        lines.append(Span(text=f"\n{count}{_named(item.data)}{_about(item.data)}"))
    return (*lines, *more(len(found), data))


def card(item: Item) -> Rich:
    """Return all of one card, with its newest comments."""
    data = item.data
    lines = [Span(text=_named(data), style=Style.BOLD), Span(text=f"\n{_place(data)}{_about(data)}")]
    if data.get("archived"):
        lines.append(Span(text=f"\n📦 {say('It is archived.')}"))
    if text := str(data.get("description") or "").strip():
        lines += [Span(text="\n"), Span(text=clipped(text, LONGEST), style=Style.QUOTE)]
    comments = cast("list[Mapping[str, Any]]", data.get("comments") or [])
    for one in comments[:COMMENTS]:
        by, sentence = clipped(str(one.get("by") or ""), SNIPPET), clipped(str(one.get("text") or ""), LINE)
        lines.append(Span(text=f"\n💬 {by}: {sentence}"))
    return tuple(lines)


def _named(data: Mapping[str, Any]) -> str:
    return clipped(str(data.get("name") or ""), SNIPPET) or say("(no title)")


def _place(data: Mapping[str, Any]) -> str:
    names = (clipped(str(data.get(key) or ""), SNIPPET) for key in ("board", "list"))
    return " · ".join(filter(None, names))


def _about(data: Mapping[str, Any]) -> str:
    """Return a card's due date, whether it is done, its labels and its members."""
    lines = [say("due {when}", when=say_short_moment(_local(data["due"])))] if data.get("due") else []
    lines += [say("done")] if data.get("done") else []
    lines += [f"🏷 {clipped(str(one), SNIPPET)}" for one in cast("list[Any]", data.get("labels") or [])]
    people = [clipped(str(one), SNIPPET) for one in cast("list[Any]", data.get("assigned") or [])]
    lines += [f"👤 {', '.join(people)}"] if people else []
    return f" · {' · '.join(lines)}" if lines else ""


def _local(due: Any) -> datetime:
    return datetime.fromisoformat(str(due)).replace(tzinfo=None)
