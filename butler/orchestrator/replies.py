"""What the butler says about a plan, built from stored outcomes; and what a planner may later see of it.

The owner reads what others wrote; a planner only reads that it was shown, by handle.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep
from butler.contract.card import Rich, Span, Style
from butler.contract.names import Direction, ToolName
from butler.contract.tools import ToolSpec
from butler.orchestrator.facts import Item, items

SNIPPET = 120
APPROVAL_ENDS = {
    "denied": "You said no, so nothing was sent.",
    "expired": "Nobody answered in time, so nothing was sent.",
    "superseded": "It was replaced, so nothing was sent.",
    "cancelled": "You took it back, so nothing was sent.",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """A message to the owner, and its planner-safe form."""

    text: Rich
    memory: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A finished step, with the handles of what it found, in order."""

    step: PlanStep
    spec: ToolSpec
    handles: tuple[str, ...]


def reply(shown: tuple[Shown, ...], zone: ZoneInfo) -> Reply | None:
    """The answer to a plan that has ended; None where the cards have said it all."""
    parts = [part for one in shown if (part := _of_step(one, zone, alone=len(shown) == 1))]
    if not parts:
        return None
    text: list[Span] = []
    for part in parts:
        text += [*([Span(text="\n\n")] if text else []), *part.text]
    return Reply(tuple(text), " ".join(part.memory for part in parts))


def _of_step(one: Shown, zone: ZoneInfo, *, alone: bool) -> Reply | None:
    outcome = one.step.outcome or {}
    if not outcome.get("ok"):
        return _not_done(one, outcome, alone=alone)
    if one.spec.direction is Direction.INPUT:
        return _found(one, outcome.get("data") or {}, zone)
    if one.spec.to_owner:
        return _kept(outcome.get("data") or {}, zone)
    # Cards tell their own outcome where they stand; a plan of several steps sums up.
    return None if alone else Reply((Span(text=f"✅ {one.step.description}"),), f"Done: {one.spec.tool_name}.")


def _not_done(one: Shown, outcome: Mapping[str, Any], *, alone: bool) -> Reply | None:
    state = str(outcome.get("approval", ""))
    if state and alone:
        return None
    said = APPROVAL_ENDS.get(state) or f"{outcome.get('message') or 'it did not work'}."
    if outcome.get("code") == "NOT_FOUND" and one.spec.direction is Direction.INPUT:
        return Reply((Span(text=f"Nothing found: {said}"),), f"{one.spec.tool_name} found nothing.")
    what = one.step.description or one.spec.tool_name
    return Reply((Span(text=f"❌ {what}: {said}"),), f"{one.spec.tool_name} did not work.")


def _found(one: Shown, data: Mapping[str, Any], zone: ZoneInfo) -> Reply:
    found = items(data)
    if not found:
        return Reply((Span(text="Nothing found."),), f"{one.spec.tool_name} found nothing.")
    memory = f"Showed {', '.join(one.handles)} ({one.spec.tool_name})."
    action = ToolName.parse(one.spec.tool_name).action
    if action.startswith("read") and len(found) == 1:
        return Reply(_whole(found[0], zone), memory)
    lines: list[Span] = []
    for number, item in enumerate(found, 1):
        lines += [Span(text=f"{number}. "), *_line(item, zone), Span(text="\n")]
    if len(found) > 1 and one.spec.channel == "email":
        lines.append(Span(text="\nSay “read the first one”, or “reply to the first one: …”.", style=Style.ITALIC))
    return Reply(tuple(lines), memory)


def _whole(item: Item, zone: ZoneInfo) -> Rich:
    data = item.data
    text = str(data.get("text") or data.get("body") or "").strip() or "(no text)"
    head = [Span(text=str(data.get("subject") or "(no subject)"), style=Style.BOLD), Span(text="\n")]
    if sender := _sender(data):
        head += [Span(text=f"{sender} · {_when(item.at, zone)}\n")]
    return (*head, Span(text="\n"), Span(text=text, style=Style.QUOTE))


def _line(item: Item, zone: ZoneInfo) -> list[Span]:
    data = item.data
    if "due_at" in data:
        return [Span(text=f"{_local(data)}: ", style=Style.BOLD), Span(text=str(data.get("text", "")))]
    if "subject" in data:
        subject = str(data["subject"] or "(no subject)")
        return [Span(text=_clip(subject), style=Style.BOLD), Span(text=f" — {_sender(data)}, {_when(item.at, zone)}")]
    text = _clip(str(data.get("text") or data.get("name") or ""))
    sender = _sender(data)
    return [Span(text=f"{sender}: ", style=Style.BOLD), Span(text=text)] if sender else [Span(text=text)]


def _kept(data: Mapping[str, Any], zone: ZoneInfo) -> Reply:
    found = items(data)
    record: Mapping[str, Any] = found[0].data if found else {}
    if "due_at" in record:
        at = datetime.fromisoformat(str(record["due_at"])).astimezone(zone)
        when = f"{at:%A %d %B at %H:%M}"
        return Reply((Span(text=f"⏰ I will remind you on {when}: {record.get('text', '')}"),), f"Reminder on {when}.")
    return Reply((Span(text=f"📝 Noted: {record.get('text', '')}"),), "Noted it.")


def _sender(data: Mapping[str, Any]) -> str:
    name, address = str(data.get("from_name") or data.get("sender_name") or ""), str(data.get("from") or "")
    address = address or str(data.get("sender") or "")
    return f"{name} <{address}>" if name and address else name or address


def _local(record: Mapping[str, Any]) -> str:
    return f"{datetime.fromisoformat(str(record['local_time'])):%a %d %b %H:%M}"


def _when(at: datetime | None, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %H:%M}" if at else "no date"


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET else f"{line[: SNIPPET - 1]}…"
