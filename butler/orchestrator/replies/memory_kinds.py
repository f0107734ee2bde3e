"""Counts what memory holds of each kind, above a list of it, with a button to see each."""

from collections.abc import Mapping
from typing import Any

from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import PlanStep
from butler.contract.card import Span, Style
from butler.contract.rendering import Offer
from butler.contract.speech import phrase, say, say_list, say_many
from butler.orchestrator.replies.failures import LIST, alone

SHOW = {
    MemoryKind.MAIL: phrase("Show the mails"),
    MemoryKind.CHAT: phrase("Show the chats"),
    MemoryKind.DOCUMENT: phrase("Show the documents"),
    MemoryKind.PAGE: phrase("Show the pages"),
    MemoryKind.NOTE: phrase("Show the notes"),
}
"""Buttons, in the order in which the kinds are listed."""


def overview(step: PlanStep, data: Mapping[str, Any]) -> tuple[tuple[Span, ...], tuple[Offer, ...]]:
    """Return the counts in a sentence, and a button per kind if there are several; nothing for any other step."""
    found: Mapping[str, int] = data.get("counts") or {} if step.tool_call == LIST else {}
    counts = {kind: count for kind in SHOW if (count := found.get(kind.value, 0))}
    if not counts:
        return (), ()
    text = say("In memory: {these}.", these=say_list([_counted(kind, count) for kind, count in counts.items()]))
    several = counts if len(counts) > 1 else {}
    offers = tuple(
        Offer(say(SHOW[kind]), steps=(alone(step, LIST, {"kind": kind.value}),), labels=frozenset()) for kind in several
    )
    return (Span(text=f"{text}\n\n", style=Style.BOLD),), offers


def _counted(kind: MemoryKind, count: int) -> str:
    match kind:
        case MemoryKind.MAIL:
            return say_many(count, "1 mail", "{count} mails")
        case MemoryKind.CHAT:
            return say_many(count, "1 day of a chat", "{count} days of chats")
        case MemoryKind.DOCUMENT:
            return say_many(count, "1 document", "{count} documents")
        case MemoryKind.PAGE:
            return say_many(count, "1 page", "{count} pages")
        case MemoryKind.NOTE:
            return say_many(count, "1 note", "{count} notes")
