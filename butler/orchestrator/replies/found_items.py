"""Renders an item that a step found, as a line of a list or whole.

Others wrote the text and chose the names, so everything that could hide or mislead in them is made visible.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import Item
from butler.contract.referents import ReferentKind
from butler.contract.rendering import StepResult
from butler.contract.shown_text import LINE, LONGEST, SNIPPET, clipped
from butler.contract.speech import phrase, say, say_clock, say_number, say_short_day, spoken
from butler.provenance import as_kept, load
from config.language import OwnerLanguage

FILES = 30
KILO = 1_000
KINDS = {
    "bot": phrase("bot"),
    "group": phrase("group"),
    "channel": phrase("channel"),
    "self": phrase("your own notes"),
}
"""The kinds of conversations that are not with a person."""
NAMELESS = {
    "photo": phrase("a photo"),
    "voice": phrase("a voice"),
    "video": phrase("a video"),
    "sticker": phrase("a sticker"),
    "file": phrase("a file"),
}
"""Kinds of files, shown for files without a name."""
WORDLESS = {"button": phrase("(button)")}
"""Kinds of messages, shown for messages without words."""


def as_read(found: Sequence[Item], tool: str, data: Mapping[str, Any]) -> list[Item]:
    """Return what a step found in the order shown: a conversation goes from its oldest message to its newest."""
    items = list(found)
    return items[::-1] if tool.endswith("_get_message_history") and not data.get("choices") else items


def whole(item: Item, one: StepResult, zone: ZoneInfo) -> Rich:
    """Render a mail or a message, with its files and what could not be read of it."""
    data = item.data
    text = str(data.get("text") or data.get("body") or "").strip() or say("(no text)")
    head: list[Span] = []
    if one.spec.about.referent is ReferentKind.MAIL:
        subject = clipped(str(data.get("subject") or say("(no subject)")), LINE)
        head = [Span(text=subject, style=Style.BOLD), Span(text="\n")]
    if sender := _sender(item, one):
        head.append(Span(text=f"{_in_chat(sender, item)} · {_when(item.at, zone)}\n"))
    shown = [Span(text=visible(text[:LONGEST]), style=Style.QUOTE)]
    if len(text) > LONGEST:
        shown.append(Span(text=f"\n{_more(len(text) - LONGEST, one)}"))
    files = [Span(text=f"\n📎 {name}") for name in _files(data)]
    problems = [Span(text=f"\n⚠️ {visible(say(str(one)))}") for one in cast("list[Any]", data.get("problems") or [])]
    return (*head, Span(text="\n"), *shown, *files, *problems)


def _more(count: int, one: StepResult) -> str:
    if one.spec.about.referent is ReferentKind.MAIL:
        return say("… and {count} more characters, which are in the mail itself.", count=say_number(count))
    return say("… and {count} more characters, which are in the message itself.", count=say_number(count))


def document(item: Item) -> Rich:
    """Render what was read of a page, a file or a source: title, text, and what is missing."""
    data = item.data
    url, pages = str(data.get("url") or ""), int(data.get("pages") or 0)
    title = clipped(" ".join(str(data.get("title") or item.key).split()), LINE)
    is_open = url.startswith(("https://", "http://"))
    head = [Span(text=title, style=Style.LINK, url=url) if is_open else Span(text=title, style=Style.BOLD)]
    if pages > 1:
        sentence = say("{count} pages", count=pages)
        head.append(Span(text=f"\n{sentence}"))
    text = str(data.get("text") or data.get("content") or "").strip()
    shown = [Span(text="\n"), Span(text=visible(text[:LONGEST]) or say("(no text)"), style=Style.QUOTE)]
    if data.get("clipped") or len(text) > LONGEST:
        more = say("… and more. Ask me about it.")
        shown.append(Span(text=f"\n{more}"))
    wrong = [say(str(one)) for name in ("problems", "skipped") for one in cast("list[Any]", data.get(name) or [])]
    return (*head, *shown, *(Span(text=f"\n⚠️ {clipped(one, LINE)}") for one in wrong[:FILES]))


def line(item: Item, one: StepResult, zone: ZoneInfo, most: int) -> list[Span]:
    """Render an item in a line: its name in bold, then who and when, or its text."""
    data = item.data
    if "due_at" in data:
        return [Span(text=f"{_local(data)}: ", style=Style.BOLD), Span(text=clipped(kept_text(data), most))]
    if "subject" in data:
        subject = str(data["subject"] or say("(no subject)"))
        who = f" — {_sender(item, one)}, {_when(item.at, zone)}{_of_thread(data)}"
        return [Span(text=clipped(subject, SNIPPET), style=Style.BOLD), Span(text=who)]
    if "last_text" in data:
        last = clipped(str(data["last_text"]), most)
        return [*titled(item, one), *([Span(text=f": {last}")] if last else [])]
    if "source_id" in data or "path" in data:
        name = " ".join(str(data.get("title") or data.get("path") or item.key).split())
        about = " ".join(str(data.get("content") or "").split())
        when = f" — {_when(item.at, zone)}" if item.at else ""
        sentence = f": {clipped(about, most)}" if about else ""
        return [Span(text=clipped(name, SNIPPET), style=Style.BOLD), Span(text=f"{when}{sentence}")]
    files = ", ".join(f"📎 {name}" for name in _files(data))
    text = " ".join(filter(None, (clipped(kept_text(data), most), files)))
    text = text or _wordless(str(data.get("kind") or ""))
    if not (sender := _sender(item, one)):
        return [Span(text=text)]
    where = _in_chat("", item)
    return [Span(text=sender, style=Style.BOLD), Span(text=f"{where}, {_when(item.at, zone)}: {text}")]


def kept_text(data: Mapping[str, Any]) -> str:
    """Return an item's text; what the butler keeps is attributed if it is not the owner's."""
    text = str(data.get("text") or "")
    return as_kept(text, load(data.get("origins") or ())) if "note_id" in data or "reminder_id" in data else text


def titled(item: Item, one: StepResult) -> list[Span]:
    """Render a conversation's name, the owner's if there is one, with its kind if it is not a person's."""
    data = item.data
    name = one.people.get(item.key) or clipped(str(data.get("name") or item.key), SNIPPET)
    marks = f", {say(KINDS[kind])}" if (kind := str(data.get("kind"))) in KINDS else ""
    marks += say(", muted") if data.get("muted") else ""
    marks += say(", {count} unread", count=data["unread"]) if data.get("unread") else ""
    return [Span(text=name, style=Style.BOLD), *([Span(text=f" ({marks.removeprefix(', ')})")] if marks else [])]


def _of_thread(data: Mapping[str, Any]) -> str:
    """Return how many mails a thread has, and whether any is unread."""
    count, unread = int(data.get("messages") or 1), int(data.get("unread_messages") or 0)
    if count == 1:
        return say(", unread") if data.get("unread") else ""
    return say(", {count} mails", count=count) + (say(", {count} unread", count=unread) if unread else "")


def _in_chat(sender: str, item: Item) -> str:
    """Return the sender, and the chat unless it was to the owner alone."""
    name = str(item.data.get("chat_name") or "")
    if not name or item.data.get("chat") == item.sender:
        return sender
    return say("{sender} in {chat}", sender=sender, chat=clipped(name, SNIPPET))


def _sender(item: Item, one: StepResult) -> str:
    """Return the author: you, the owner's name for them, or their own name with the address."""
    if item.data.get("outgoing") or item.data.get("trust") == "owner":
        return say("You")
    known = one.people.get(item.sender, "")
    if known and not item.sender.startswith("mail:"):
        return known
    # Anybody can write any address into a mail, so it is always shown unchanged.
    name = known or clipped(str(item.data.get("from_name") or item.data.get("sender_name") or ""), SNIPPET)
    address = item.sender.removeprefix("mail:")
    return f"{name} <{address}>" if name and address else name or address


def _files(data: Mapping[str, Any]) -> list[str]:
    """Return attachments by name and size."""
    files = cast("list[Mapping[str, Any]]", data.get("attachments") or [])
    names = [clipped(file.get("name") or _nameless(str(file.get("kind") or "file")), SNIPPET) for file in files]
    shown = [f"{name} ({_size(int(file.get('size') or 0))})" for name, file in zip(names, files, strict=True)]
    if len(shown) <= FILES:
        return shown
    return [*shown[:FILES], say("and {count} more files", count=len(shown) - FILES)]


def _wordless(kind: str) -> str:
    if not kind:
        return say("(no text)")
    return say(WORDLESS[kind]) if kind in WORDLESS else f"({kind})"


def _nameless(kind: str) -> str:
    """Describe a file without a name by its kind."""
    return say(NAMELESS[kind]) if kind in NAMELESS else f"a {kind}"


def _size(count: int) -> str:
    return say("{count} bytes", count=count) if count < KILO else f"{count / KILO:,.0f} kB"


def _local(record: Mapping[str, Any]) -> str:
    at = datetime.fromisoformat(str(record["local_time"]))
    return f"{_day(at)} {at.year} {say_clock(at)}"


def _when(at: datetime | None, zone: ZoneInfo) -> str:
    if at is None:
        return say("no date")
    local = at.astimezone(zone)
    return f"{_day(local)} {say_clock(local)}"


def _day(at: datetime) -> str:
    """Return a near day; in English, all days of a list have the same width."""
    return f"{at:%a %d %b}" if spoken() is OwnerLanguage.ENGLISH else say_short_day(at)
