"""How a thing that a step found reads: in a line of a list, or whole.

It is what others wrote and what they call themselves, so what could hide or mislead in it is made visible.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.contract.agents import PlanStep
from butler.contract.card import Rich, Span, Style
from butler.contract.tools import ToolSpec
from butler.orchestrator.facts import Item

SNIPPET = 120
LINE = 500
FILES = 30
LONGEST = 12_000
"""Characters of one text that are shown; a longer one would be dozens of messages."""
KILO = 1_000
KINDS = {"bot": "bot", "group": "group", "channel": "channel", "self": "your own notes"}
"""What a conversation is, where it is not with a person."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A finished step, with the handles of what it found, in order."""

    step: PlanStep
    spec: ToolSpec
    handles: tuple[str, ...]
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    """The owner's names for the senders of what it found, by address."""
    first: int = 1
    """The number of the first of what it found, in a message that shows several lists."""


def as_read(found: Sequence[Item], tool: str, data: Mapping[str, Any]) -> list[Item]:
    """What a step found as it is shown: a conversation goes from its oldest message to its newest."""
    told = list(found)
    return told[::-1] if tool.endswith("_get_message_history") and not data.get("choices") else told


def whole(item: Item, one: Shown, zone: ZoneInfo) -> Rich:
    """A mail or a message, with its files and what could not be read of it."""
    data = item.data
    text = str(data.get("text") or data.get("body") or "").strip() or "(no text)"
    head: list[Span] = []
    if one.spec.channel == "email":
        head = [Span(text=clipped(str(data.get("subject") or "(no subject)"), LINE), style=Style.BOLD), Span(text="\n")]
    if sender := _sender(item, one):
        head.append(Span(text=f"{sender}{_in_chat(item)} · {_when(item.at, zone)}\n"))
    shown = [Span(text=visible(text[:LONGEST]), style=Style.QUOTE)]
    if len(text) > LONGEST:
        where = "mail" if one.spec.channel == "email" else "message"
        shown.append(Span(text=f"\n… and {len(text) - LONGEST:,} more characters, which are in the {where} itself."))
    files = [Span(text=f"\n📎 {name}") for name in _files(data)]
    problems = [Span(text=f"\n⚠️ {visible(str(one))}") for one in cast("list[Any]", data.get("problems") or [])]
    return (*head, Span(text="\n"), *shown, *files, *problems)


def document(item: Item) -> Rich:
    """What was read of a page, a file or a source: what it is, what it says, and what is missing of it."""
    data = item.data
    url, pages = str(data.get("url") or ""), int(data.get("pages") or 0)
    title = clipped(" ".join(str(data.get("title") or item.key).split()), LINE)
    is_open = url.startswith(("https://", "http://"))
    head = [Span(text=title, style=Style.LINK, url=url) if is_open else Span(text=title, style=Style.BOLD)]
    head += [Span(text=f"\n{pages} pages")] if pages > 1 else []
    text = str(data.get("text") or data.get("content") or "").strip()
    shown = [Span(text="\n"), Span(text=visible(text[:LONGEST]) or "(no text)", style=Style.QUOTE)]
    if data.get("clipped") or len(text) > LONGEST:
        shown.append(Span(text="\n… and more. Ask me about it."))
    wrong = [str(one) for name in ("problems", "skipped") for one in cast("list[Any]", data.get(name) or [])]
    return (*head, *shown, *(Span(text=f"\n⚠️ {clipped(one, LINE)}") for one in wrong[:FILES]))


def line(item: Item, one: Shown, zone: ZoneInfo, most: int) -> list[Span]:
    """One thing in a line: what it is in bold, then who and when, or what it says."""
    data = item.data
    if "due_at" in data:
        return [Span(text=f"{_local(data)}: ", style=Style.BOLD), Span(text=clipped(str(data.get("text", "")), most))]
    if "subject" in data:
        subject = str(data["subject"] or "(no subject)")
        who = f" — {_sender(item, one)}, {_when(item.at, zone)}{_of_thread(data)}"
        return [Span(text=clipped(subject, SNIPPET), style=Style.BOLD), Span(text=who)]
    if "last_text" in data:
        last = clipped(str(data["last_text"]), most)
        return [*titled(item, one), *([Span(text=f": {last}")] if last else [])]
    if "source_id" in data or "path" in data:
        name = " ".join(str(data.get("title") or data.get("path") or item.key).split())
        about = " ".join(str(data.get("content") or "").split())
        when = f" — {_when(item.at, zone)}" if item.at else ""
        said = f": {clipped(about, most)}" if about else ""
        return [Span(text=clipped(name, SNIPPET), style=Style.BOLD), Span(text=f"{when}{said}")]
    files = ", ".join(f"📎 {name}" for name in _files(data))
    text = " ".join(filter(None, (clipped(str(data.get("text") or ""), most), files)))
    text = text or f"({data.get('kind') or 'no text'})"
    if not (sender := _sender(item, one)):
        return [Span(text=text)]
    return [Span(text=sender, style=Style.BOLD), Span(text=f"{_in_chat(item)}, {_when(item.at, zone)}: {text}")]


def titled(item: Item, one: Shown) -> list[Span]:
    """A conversation by the owner's name for it, or else its own; with what it is, where it is not a person's."""
    data = item.data
    name = one.people.get(item.key) or clipped(str(data.get("name") or item.key), SNIPPET)
    unread = f"{data['unread']} unread" if data.get("unread") else ""
    marks = [mark for mark in (KINDS.get(str(data.get("kind"))), "muted" if data.get("muted") else "", unread) if mark]
    return [Span(text=name, style=Style.BOLD), *([Span(text=f" ({', '.join(marks)})")] if marks else [])]


def _of_thread(data: Mapping[str, Any]) -> str:
    """How many mails there are of a conversation, and whether any is unread."""
    count, unread = int(data.get("messages") or 1), int(data.get("unread_messages") or 0)
    if count == 1:
        return ", unread" if data.get("unread") else ""
    return f", {count} mails{f', {unread} unread' if unread else ''}"


def _in_chat(item: Item) -> str:
    """Where somebody wrote it, unless it was to the owner alone."""
    name = str(item.data.get("chat_name") or "")
    return f" in {clipped(name, SNIPPET)}" if name and item.data.get("chat") != item.sender else ""


def _sender(item: Item, one: Shown) -> str:
    """Who wrote it: you, the owner's name for them, or what they call themselves with their address."""
    if item.data.get("outgoing") or item.data.get("trust") == "owner":
        return "You"
    known = one.people.get(item.sender, "")
    if known and not item.sender.startswith("mail:"):
        return known
    # Anybody can write any address into a mail, so it is always shown as it is.
    name = known or clipped(str(item.data.get("from_name") or item.data.get("sender_name") or ""), SNIPPET)
    address = item.sender.removeprefix("mail:")
    return f"{name} <{address}>" if name and address else name or address


def _files(data: Mapping[str, Any]) -> list[str]:
    """Attachments by name and size."""
    files = cast("list[Mapping[str, Any]]", data.get("attachments") or [])
    names = [clipped(file.get("name") or f"a {file.get('kind') or 'file'}", SNIPPET) for file in files]
    shown = [f"{name} ({_size(int(file.get('size') or 0))})" for name, file in zip(names, files, strict=True)]
    return shown if len(shown) <= FILES else [*shown[:FILES], f"and {len(shown) - FILES} more files"]


def _size(count: int) -> str:
    return f"{count} bytes" if count < KILO else f"{count / KILO:,.0f} kB"


def _local(record: Mapping[str, Any]) -> str:
    return f"{datetime.fromisoformat(str(record['local_time'])):%a %d %b %Y %H:%M}"


def _when(at: datetime | None, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %H:%M}" if at else "no date"


def clipped(text: str, most: int) -> str:
    """Somebody's words, no longer than that; a snippet is on one line."""
    line = " ".join(text.split()) if most == SNIPPET else text.strip()
    return visible(line if len(line) <= most else f"{line[: most - 1]}…")
