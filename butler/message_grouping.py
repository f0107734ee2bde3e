"""Joins messages of a chat that belong together: a long text that its client split, and files sent together.

The first part waits briefly, for a duration that the clock does not affect; further parts are merged into it in the
transaction that stores them. Anything else that the sender says there ends the wait, and comes after it. A part that
comes too late, as after a restart, is a message of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast

import sqlalchemy as sa

from butler.contract.inbound import ALBUM, MAY_GO_ON, WITHIN_A_WORD, Inbound, InboundKind
from butler.contract.provenance import Labelled
from butler.store.queries import cursors, inbox
from butler.store.queries.inbox import InboxNote, InboxState

WINDOW: Final = timedelta(seconds=1.5)
"""How long to wait for the next part. Clients send them in quick succession."""
UNDER_WAY: Final = timedelta(minutes=3)
"""How long to wait for an announced part whose file is still being fetched."""
TOGETHER: Final = timedelta(seconds=3)
"""The longest time between the sending of two parts, regardless of delays on the way."""
MOST_PARTS: Final = 30
PARTS: Final = "parts"
"""The payload key under which a message that may have further parts keeps each original part."""
PART_OF: Final = "part_of"
"""The key under which a part names the message that it was merged into."""
_SAID: Final = frozenset({InboundKind.CHAT, InboundKind.EDITED, InboundKind.COMMAND})

Look = Callable[[sa.Connection, Inbound, datetime, timedelta | None], None]
"""Schedules handling of an item, now or after a duration."""


def takes(connection: sa.Connection, item: Inbound, look: Look, now: datetime) -> bool:
    """Handle a new item that is, or may be, part of a group; return False for any other."""
    if item.kind not in _SAID:
        return False
    if (first := _waiting(connection, item)) is not None:
        if _belongs(first, item):
            _join(connection, first, item, look, now)
            return True
        _end(connection, first, look, now)
    if not _begins(item):
        return False
    inbox.amend(connection, _with(item, {PARTS: [_part(item)]}))
    cursors.put_fact(connection, _name(item), item.inbound_id, now)
    look(connection, item, now, WINDOW)
    return True


def hold(connection: sa.Connection, items: Sequence[Inbound], look: Look, now: datetime) -> None:
    """Let a group wait for announced parts, which are stored once their files are fetched."""
    waiting = {first.inbound_id: first for item in items if (first := _waiting(connection, item)) is not None}
    for first in waiting.values():
        if any(_belongs(first, item) for item in items):
            look(connection, first, now, UNDER_WAY)


def is_waiting(connection: sa.Connection, item: Inbound) -> bool:
    """Return whether the sender has a message there that waits for further parts."""
    return _waiting(connection, item) is not None


def closed(connection: sa.Connection, item: Inbound, now: datetime) -> Inbound:
    """Close a waiting message and return the whole; nothing is merged into it any more."""
    if cursors.fact(connection, _name(item)) == item.inbound_id:
        cursors.put_fact(connection, _name(item), None, now)
    found = inbox.get(connection, item.inbound_id)
    return item if found is None else found[0]


def edited(connection: sa.Connection, item: Inbound) -> tuple[Inbound, list[Inbound]]:
    """Return an edit, and the stored versions of its message, the oldest first; for a part, both of the whole."""
    stored = inbox.by_message(connection, item.chat, item.message_ref)
    before = [one for one in stored if one.inbound_id != item.inbound_id]
    ref = str(before[0].payload.get(PART_OF) or item.message_ref) if before else item.message_ref
    first = next((one for one in inbox.by_message(connection, item.chat, ref) if _count(one) > 1), None)
    if first is None:
        return item, before
    every = (inbox.by_message(connection, item.chat, part["ref"]) for part in _parts(first))
    wholes = sorted(
        (one for found in every for one in found if _count(one) > 1 and one.inbound_id != item.inbound_id),
        key=lambda one: one.received_at,
    )
    if PARTS in item.payload:  # handled before
        return item, wholes
    parts = [_part(item) if part["ref"] == item.message_ref else part for part in _parts(wholes[-1])]
    new = tuple(file for file in item.attachments if file not in wholes[-1].attachments)
    whole = _whole(item, parts).model_copy(update={"attachments": (*wholes[-1].attachments, *new)})
    whole = _with(whole, {PART_OF: ref}).model_copy(update={"reply_to": first.reply_to})
    inbox.amend(connection, whole)
    return whole, wholes


def _join(connection: sa.Connection, first: Inbound, item: Inbound, look: Look, now: datetime) -> None:
    whole = _whole(first, sorted([*_parts(first), _part(item)], key=lambda part: _number(part["ref"])))
    missing = [*first.payload.get("missing_files", ()), *item.payload.get("missing_files", ())]
    whole = whole.model_copy(update={"attachments": (*first.attachments, *item.attachments)})
    inbox.amend(connection, _with(whole, {"missing_files": missing}) if missing else whole)
    inbox.amend(connection, _with(item, {PART_OF: first.message_ref}))
    inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail=InboxNote.PART)
    if _begins(item) and _count(whole) < MOST_PARTS:
        look(connection, whole, now, WINDOW)
    else:
        _end(connection, whole, look, now)


def _end(connection: sa.Connection, first: Inbound, look: Look, now: datetime) -> None:
    """End the wait."""
    cursors.put_fact(connection, _name(first), None, now)
    look(connection, first, now, None)


def _waiting(connection: sa.Connection, item: Inbound) -> Inbound | None:
    """Return the sender's message in this chat that waits for further parts."""
    known = cursors.fact(connection, _name(item))
    found = inbox.get(connection, known) if known else None
    return found[0] if found is not None and found[1] is InboxState.NEW else None


def _name(item: Inbound) -> str:
    return f"gathering:{item.chat}:{item.sender}"


def _begins(item: Inbound) -> bool:
    """Return whether more parts may follow."""
    return item.kind is InboundKind.CHAT and bool(item.payload.get(ALBUM) or item.payload.get(MAY_GO_ON))


def _belongs(first: Inbound, item: Inbound) -> bool:
    if item.kind is not InboundKind.CHAT or item.reply_to not in {None, first.reply_to}:
        return False
    if album := first.payload.get(ALBUM):
        return item.payload.get(ALBUM) == album
    last = _parts(first)[-1]
    if not last[MAY_GO_ON] or item.attachments or not item.text or item.payload.keys() - {MAY_GO_ON}:
        return False
    sent = datetime.fromisoformat(last["sent_at"])
    return timedelta() <= (item.sent_at or item.received_at) - sent <= TOGETHER


def _part(item: Inbound) -> dict[str, Any]:
    return {
        "ref": item.message_ref,
        "text": item.text,
        "segments": [one.model_dump(mode="json") for one in item.segments],
        "sent_at": (item.sent_at or item.received_at).isoformat(),
        MAY_GO_ON: item.payload.get(MAY_GO_ON, ""),
    }


def _parts(item: Inbound) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", item.payload.get(PARTS, []))


def _count(item: Inbound) -> int:
    return len(_parts(item))


def _number(ref: str) -> tuple[int, str]:
    return (int(ref), "") if ref.isdecimal() else (0, ref)


def _whole(item: Inbound, parts: Sequence[Mapping[str, Any]]) -> Inbound:
    """Return the item with the texts of all these parts, each with its origin."""
    text, segments = "", list[Labelled[str]]()
    for part, before in zip(parts, (None, *parts), strict=False):
        glue = _between(before, str(part["text"])) if before is not None and text and part["text"] else ""
        text += f"{glue}{part['text']}"
        for number, segment in enumerate(Labelled[str].model_validate(one) for one in part["segments"]):
            if number == 0 and glue != "\n" and segments and segments[-1].origins == segment.origins:
                last = segments.pop()
                segments.append(Labelled(value=f"{last.value}{glue}{segment.value}", origins=last.origins))
            else:
                segments.append(segment)
    update = {"text": text, "segments": tuple(segments), "payload": {**item.payload, PARTS: list(parts)}}
    return item.model_copy(update=update)


def _between(before: Mapping[str, Any], text: str) -> str:
    """Return what a client removed at a split: nothing within a word, a blank, or a line end."""
    if before[MAY_GO_ON] == WITHIN_A_WORD:
        return ""
    return " " if before[MAY_GO_ON] and text[:1].islower() else "\n"


def _with(item: Inbound, more: Mapping[str, Any]) -> Inbound:
    return item.model_copy(update={"payload": {**item.payload, **more}})
