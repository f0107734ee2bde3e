"""What the butler says about a plan, built from stored outcomes; and what a planner may later see of it.

The owner reads what others wrote, with what could hide or mislead in it made visible; a planner only reads that it was
shown, by handle.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.contract.agents import PlanStep
from butler.contract.card import Rich, Span, Style
from butler.contract.names import Direction, Identity, ToolName
from butler.contract.tools import ToolSpec
from butler.orchestrator.facts import Item, items

SNIPPET = 120
LINE = 500
FILES = 30
LONGEST = 12_000
"""Characters of one text that are shown; a longer one would be dozens of messages."""
KILO = 1_000
APPROVAL_ENDS = {
    "denied": "you said no, so nothing was done",
    "expired": "nobody answered in time, so nothing was done",
    "superseded": "it was withdrawn, so nothing was done",
    "cancelled": "you took it back, so nothing was done",
}
_WITH_REASON = frozenset({"superseded", "cancelled"})
"""Ends whose stored detail says what brought them about."""


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
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    """The owner's names for the senders of what it found, by address."""


def reply(shown: tuple[Shown, ...], zone: ZoneInfo) -> Reply | None:
    """The answer to a plan that has ended; None where the cards have said it all."""
    told = [one for one in shown if not _led_on(one, shown)]
    parts = [part for one in told if (part := _of_step(one, zone, alone=len(told) == 1))]
    if not parts:
        return None
    text: list[Span] = []
    for part in parts:
        text += [*([Span(text="\n\n")] if text else []), *part.text]
    return Reply(tuple(text), " ".join(part.memory for part in parts))


def _led_on(one: Shown, shown: tuple[Shown, ...]) -> bool:
    """Whether a step was not needed, or only a look for what a later step then showed or passed on."""
    if one.spec.direction is not Direction.INPUT:
        return False
    passed_on = (s for s in shown if one.step.step_id in s.step.depends_on and s.spec.direction is Direction.OUTPUT)
    if one.step.status == "completed" and any(passed_on):
        return True
    later = (s for s in shown if s.step.when and s.step.when.step_id == one.step.step_id)
    return _not_needed(one) or any(s.spec.direction is Direction.INPUT and not _not_needed(s) for s in later)


def _not_needed(one: Shown) -> bool:
    return (one.step.outcome or {}).get("code") == "NOT_NEEDED"


def _of_step(one: Shown, zone: ZoneInfo, *, alone: bool) -> Reply | None:
    outcome = one.step.outcome or {}
    if not outcome.get("ok"):
        return _not_done(one, outcome, alone=alone)
    if one.spec.direction is Direction.INPUT:
        return _found(one, outcome.get("data") or {}, zone)
    if one.spec.to_owner:
        return _kept(one, outcome.get("data") or {}, zone)
    # Cards tell their own outcome where they stand; a plan of several steps sums up.
    return None if alone else Reply((Span(text=f"✅ {_what(one)}"),), f"Done: {one.spec.tool_name}.")


def _what(one: Shown) -> str:
    """What was to be done: as planned, or as the owner changed it on its card."""
    changed = str((one.step.outcome or {}).get("changed_to", ""))
    return changed or one.step.description.rstrip(".") or one.spec.tool_name


def _not_done(one: Shown, outcome: Mapping[str, Any], *, alone: bool) -> Reply | None:
    state = str(outcome.get("approval", ""))
    if state and alone:
        return None
    message = str(outcome.get("message") or "").rstrip(".")
    said = APPROVAL_ENDS.get(state) or message or "it did not work"
    if state in _WITH_REASON and message:
        said = f"{message}, so nothing was done"
    if outcome.get("code") == "NOT_FOUND" and one.spec.direction is Direction.INPUT:
        return _nothing(one, said)
    return Reply((Span(text=f"❌ {_what(one)}: {said}."),), f"{one.spec.tool_name} did not work.")


def _nothing(one: Shown, reason: str) -> Reply:
    text = f"Nothing found: {reason}." if reason else "Nothing found."
    return Reply((Span(text=text),), f"{one.spec.tool_name} found nothing.")


def _found(one: Shown, data: Mapping[str, Any], zone: ZoneInfo) -> Reply:
    found = items(data)
    if "new" in data and not found:
        return _looked(one, data)
    if not found:
        return _nothing(one, str(data.get("empty_because") or data.get("reason") or "").rstrip("."))
    memory = f"Showed {', '.join(one.handles)} ({one.spec.tool_name})."
    action = ToolName.parse(one.spec.tool_name).action
    if action.startswith("read") and len(found) == 1:
        return Reply(_whole(found[0], one, zone), memory)
    if len(found) == 1:
        return Reply((*_line(found[0], one, zone, LONGEST), *_rest(found, data)), memory)
    if action == "get_message_history":
        return Reply(_conversation(found, one, zone, data), memory)
    lines: list[Span] = []
    for number, item in enumerate(found, 1):
        lines += [Span(text=f"{number}. "), *_line(item, one, zone, SNIPPET), Span(text="\n")]
    lines += _rest(found, data)
    if one.spec.channel == "email":
        # Replies go out from the butler's own mailbox only.
        answer = ", or “reply to the first one: …”" if one.spec.identity is Identity.BOT else ""
        lines.append(Span(text=f"\nSay “read the first one”{answer}.", style=Style.ITALIC))
    if action == "list_dialogs" and (name := next(iter(one.people.values()), "")):
        lines.append(Span(text=f"\nSay “what did {name} write on Telegram?” to read on.", style=Style.ITALIC))
    return Reply(tuple(lines), memory)


def _conversation(found: list[Item], one: Shown, zone: ZoneInfo, data: Mapping[str, Any]) -> Rich:
    """A chat as one reads it: from the oldest message to the newest, each whole unless it is very long."""
    lines: list[Span] = []
    for item in reversed(found):
        lines += [*([Span(text="\n")] if lines else []), *_line(item, one, zone, LINE)]
    return (*lines, *_rest(found, data))


def _looked(one: Shown, data: Mapping[str, Any]) -> Reply:
    """A look for new mail: the mails themselves are told of one by one."""
    new, held = int(data.get("new") or 0), int(data.get("quarantined") or 0)
    text = f"{new} new mail{'s' if new != 1 else ''}." if new else "No new mail."
    if held:
        text += f" {held} could not be read and {'are' if held > 1 else 'is'} set aside."
    return Reply((Span(text=text),), f"{one.spec.tool_name} found {new} new.")


def _rest(found: list[Item], data: Mapping[str, Any]) -> list[Span]:
    """How many there are beyond those that are shown, and why nobody knows exactly."""
    count, complete = int(data.get("count") or 0), data.get("complete", True)
    lines: list[Span] = []
    if count > len(found):
        lines.append(Span(text=f"\nThese are the newest {len(found)} of {'' if complete else 'more than '}{count}."))
    if not complete and (reason := str(data.get("reason") or "").rstrip(".")):
        lines.append(Span(text=f"\n{reason[:1].upper()}{reason[1:]}."))
    return lines


def _whole(item: Item, one: Shown, zone: ZoneInfo) -> Rich:
    data = item.data
    text = str(data.get("text") or data.get("body") or "").strip() or "(no text)"
    subject = _clip(str(data.get("subject") or "(no subject)"), LINE)
    head = [Span(text=subject, style=Style.BOLD), Span(text="\n")]
    if sender := _sender(item, one):
        head.append(Span(text=f"{sender} · {_when(item.at, zone)}\n"))
    shown = [Span(text=visible(text[:LONGEST]), style=Style.QUOTE)]
    if len(text) > LONGEST:
        shown.append(Span(text=f"\n… and {len(text) - LONGEST:,} more characters, which are in the mail itself."))
    files = [Span(text=f"\n📎 {name}") for name in _files(data)]
    problems = [Span(text=f"\n⚠️ {problem}") for problem in cast("list[Any]", data.get("problems") or [])]
    return (*head, Span(text="\n"), *shown, *files, *problems)


def _line(item: Item, one: Shown, zone: ZoneInfo, most: int) -> list[Span]:
    """One thing in a line: what it is in bold, then who and when, or what it says."""
    data = item.data
    if "due_at" in data:
        return [Span(text=f"{_local(data)}: ", style=Style.BOLD), Span(text=_clip(str(data.get("text", "")), most))]
    if "subject" in data:
        subject = str(data["subject"] or "(no subject)")
        unread = ", unread" if data.get("unread") else ""
        who = f" — {_sender(item, one)}, {_when(item.at, zone)}{unread}"
        return [Span(text=_clip(subject, SNIPPET), style=Style.BOLD), Span(text=who)]
    if "last_text" in data:
        unread = f" ({data['unread']} unread)" if data.get("unread") else ""
        name = one.people.get(item.key) or str(data.get("name") or item.key)
        return [Span(text=name, style=Style.BOLD), Span(text=f"{unread}: {_clip(str(data['last_text']), most)}")]
    text = _clip(str(data.get("text") or ""), most) or ", ".join(f"📎 {name}" for name in _files(data))
    text = text or f"({data.get('kind') or 'no text'})"
    if not (sender := _sender(item, one)):
        return [Span(text=text)]
    return [Span(text=sender, style=Style.BOLD), Span(text=f", {_when(item.at, zone)}: {text}")]


def _kept(one: Shown, data: Mapping[str, Any], zone: ZoneInfo) -> Reply:
    found = items(data)
    if not found:
        return Reply((Span(text=f"✅ {_what(one)}."),), f"Done: {one.spec.tool_name}.")
    record = found[0].data
    if "due_at" in record:
        at = datetime.fromisoformat(str(record["due_at"])).astimezone(zone)
        when = f"{at:%A} {at.day} {at:%B %Y at %H:%M}"
        return Reply((Span(text=f"⏰ I will remind you on {when}: {record.get('text', '')}"),), f"Reminder on {when}.")
    return Reply((Span(text=f"📝 Noted: {record.get('text', '')}"),), "Noted it.")


def _sender(item: Item, one: Shown) -> str:
    """Who wrote it: you, the owner's name for them, or what they call themselves with their address."""
    if item.data.get("outgoing") or item.data.get("trust") == "owner":
        return "You"
    known = one.people.get(item.sender, "")
    if known and not item.sender.startswith("mail:"):
        return known
    # Anybody can write any address into a mail, so it is always shown as it is.
    name = known or _clip(str(item.data.get("from_name") or item.data.get("sender_name") or ""), SNIPPET)
    address = item.sender.removeprefix("mail:")
    return f"{name} <{address}>" if name and address else name or address


def _files(data: Mapping[str, Any]) -> list[str]:
    """Attachments by name and size."""
    files = cast("list[Mapping[str, Any]]", data.get("attachments") or [])
    shown = [f"{_clip(file.get('name') or 'a file', SNIPPET)} ({_size(int(file.get('size') or 0))})" for file in files]
    return shown if len(shown) <= FILES else [*shown[:FILES], f"and {len(shown) - FILES} more files"]


def _size(count: int) -> str:
    return f"{count} bytes" if count < KILO else f"{count / KILO:,.0f} kB"


def _local(record: Mapping[str, Any]) -> str:
    return f"{datetime.fromisoformat(str(record['local_time'])):%a %d %b %Y %H:%M}"


def _when(at: datetime | None, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %H:%M}" if at else "no date"


def _clip(text: str, most: int) -> str:
    line = " ".join(text.split()) if most == SNIPPET else text.strip()
    return visible(line if len(line) <= most else f"{line[: most - 1]}…")
