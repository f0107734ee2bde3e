"""Maps a Bot API update (JSON) to an `Inbound`: its kind, its sender, and which words are the sender's own.

Text that was forwarded, quoted, set as a code block or written by an inline bot is a segment with its own origin: the
sender passed it on, but the words are not the sender's.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from butler.contract.inbound import ALBUM, BETWEEN_WORDS, MAY_GO_ON, REPLIED, WITHIN_A_WORD, Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin, SourceKind, SourceName, Trust
from butler.contract.speech import phrase
from modules.telegram.address import Address
from modules.telegram.received_text import plain, whole
from modules.telegram.text import MESSAGE_LIMIT, utf16_len, utf16_slice

CHANNEL = "telegram"
GENERAL_TOPIC = 1
_FOREIGN_ENTITIES = frozenset({"blockquote", "expandable_blockquote", "pre"})
_UNREAD_KINDS = ("sticker", "location", "contact", "poll", "dice", "venue", "game", "story", "checklist", "paid_media")
_FILE_KINDS = {
    "document": ("file", "application/octet-stream"),
    "voice": ("voice.ogg", "audio/ogg"),
    "audio": ("audio.mp3", "audio/mpeg"),
    "video": ("video.mp4", "video/mp4"),
    "video_note": ("video.mp4", "video/mp4"),
}

MINE = phrase("a message of mine")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file of a message, still at Telegram."""

    file_id: str
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class Normalised:
    """An update as it will be stored, with the chat and the sender, which decide whether it is."""

    inbound: Inbound
    chat_id: int
    private: bool
    sender_id: int
    files: tuple[WantedFile, ...] = ()
    moved_from: int | None = None
    """For a group that got a new id: the old one. `chat_id` is the new one."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """The bot that received the update, and the current owner."""

    bot_id: int
    owner_id: int | None
    username: str = field(default="")

    def origin(self, sender_id: int, username: str | None) -> Origin:
        """Return the origin of this sender's messages."""
        if self.owner_id is not None and sender_id == self.owner_id:
            return Origin.owner(f"telegram:{sender_id}")
        who = f"@{username} ({sender_id})" if username else f"user {sender_id}"
        return Origin(
            trust=Trust.UNTRUSTED,
            source=f"telegram:{sender_id}",
            shown_as=SourceName(kind=SourceKind.TELEGRAM_MESSAGE, who=who),
        )


def dedup_key(bot_id: int, update_id: int) -> str:
    """Return the key under which an update is stored at most once."""
    return f"telegram:bot:{bot_id}:{update_id}"


def migrated(receiver: Receiver, old: int, new: int, now: datetime) -> Inbound:
    """Return the item for a group that became a supergroup. Telegram reports it more than once: it is stored once."""
    key = f"telegram:bot:{receiver.bot_id}:migrated:{old}:{new}"
    return Inbound(
        inbound_id=key,
        kind=InboundKind.MIGRATED,
        channel=CHANNEL,
        identity=Identity.BOT,
        account=f"telegram:{receiver.bot_id}",
        dedup_key=key,
        chat=f"telegram:{new}",
        sender=f"telegram:{new}",
        received_at=now,
        origin=Origin.butler("telegram"),
        payload={"old": f"telegram:{old}", "new": f"telegram:{new}"},
    )


def normalise(update: Json, receiver: Receiver, now: datetime) -> Normalised | None:
    """Return the update as an `Inbound`, or None for an ignored kind. Raise `KeyError` for a malformed one."""
    update = whole(update)
    if message := update.get("message"):
        return _message(update, message, receiver, now, edited=False)
    if message := update.get("edited_message"):
        return _message(update, message, receiver, now, edited=True)
    if query := update.get("callback_query"):
        return _tap(update, query, receiver, now)
    return None


def _message(update: Json, message: Json, receiver: Receiver, now: datetime, *, edited: bool) -> Normalised | None:
    chat_id: int = message["chat"]["id"]
    private = message["chat"]["type"] == "private"
    old, new = _migration(message, chat_id)
    if old is not None and new is not None:
        return Normalised(migrated(receiver, old, new, now), new, private=False, sender_id=new, moved_from=old)
    goes_on = _may_go_on(message)
    message = plain(message, receiver.username)
    sender: Json = message.get("sender_chat") or message["from"]
    origin = receiver.origin(sender["id"], sender.get("username"))
    text: str = message.get("text") or message.get("caption") or ""
    files = _files(message)
    remarks = _remarks(message)
    if not (text or files or "unread" in remarks):
        return None  # a service message: somebody joined, a topic was opened
    command = None if edited else _command(message, receiver)
    kind = InboundKind.EDITED if edited else InboundKind.CHAT if command is None else InboundKind.COMMAND
    key = dedup_key(receiver.bot_id, update["update_id"])
    inbound = Inbound(
        inbound_id=key,
        kind=kind,
        channel=CHANNEL,
        identity=Identity.BOT,
        account=f"telegram:{receiver.bot_id}",
        dedup_key=key,
        chat=str(Address(chat_id, _thread(message))),
        sender=f"telegram:{sender['id']}",
        sender_name=_name(sender),
        message_ref=str(message["message_id"]),
        reply_to=_reply_to(message),
        received_at=now,
        sent_at=datetime.fromtimestamp(message.get("edit_date") or message["date"], UTC),
        text=text,
        segments=_segments(message, text, origin),
        origin=origin,
        payload={**remarks, **goes_on, **_replied(message, receiver), **(command or {})},
    )
    return Normalised(inbound, chat_id, private, sender["id"], files)


def _tap(update: Json, query: Json, receiver: Receiver, now: datetime) -> Normalised | None:
    message: Json | None = query.get("message")
    if message is None:
        return None
    sender: Json = query["from"]
    key = dedup_key(receiver.bot_id, update["update_id"])
    inbound = Inbound(
        inbound_id=key,
        kind=InboundKind.BUTTON,
        channel=CHANNEL,
        identity=Identity.BOT,
        account=f"telegram:{receiver.bot_id}",
        dedup_key=key,
        chat=str(Address(message["chat"]["id"], _thread(message))),
        sender=f"telegram:{sender['id']}",
        sender_name=_name(sender),
        message_ref=str(message["message_id"]),
        received_at=now,
        origin=receiver.origin(sender["id"], sender.get("username")),
        payload={
            "query": query["id"],
            "data": query.get("data", ""),
            "message_id": str(message["message_id"]),
        },
    )
    return Normalised(inbound, message["chat"]["id"], message["chat"].get("type") == "private", sender["id"])


def _migration(message: Json, chat_id: int) -> tuple[int | None, int | None]:
    if new := message.get("migrate_to_chat_id"):
        return chat_id, new
    return message.get("migrate_from_chat_id"), chat_id


def _thread(message: Json) -> int | None:
    # Only topics are conversations of their own; other threads are replies. General has no id in messages sent to it.
    thread: int | None = message.get("message_thread_id")
    if not message.get("is_topic_message") or thread == GENERAL_TOPIC:
        return None
    return thread


def _reply_to(message: Json) -> str | None:
    replied: Json | None = message.get("reply_to_message")
    # In a topic, every message "replies" to the one that opened the topic.
    if replied is None or "forum_topic_created" in replied:
        return None
    return str(replied["message_id"])


def _replied(message: Json, receiver: Receiver) -> Json:
    """Return the text that a message replies to, with its origin; empty if it is the sender's own."""
    replied: Json | None = message.get("reply_to_message")
    if replied is None or _reply_to(message) is None:
        return {}
    text: str = replied.get("text") or replied.get("caption") or ""
    origin = _author_of(replied, message, receiver)
    return {REPLIED: _labelled(text, origin).model_dump(mode="json")} if text and origin is not None else {}


def _author_of(replied: Json, message: Json, receiver: Receiver) -> Origin | None:
    """Return the origin of a text that was replied to, or None for the sender's own. The butler's may quote others."""
    if forward := replied.get("forward_origin"):
        return _forwarded(forward)
    author: Json = replied.get("sender_chat") or replied.get("from") or {"id": 0}
    if author["id"] == receiver.bot_id:
        return _foreign({**replied, "chat": message["chat"]}, MINE)
    sender: Json = message.get("sender_chat") or message["from"]
    if author["id"] == sender["id"] and "via_bot" not in replied:
        return None
    who = f"@{author['username']} ({author['id']})" if author.get("username") else f"user {author['id']}"
    return _foreign({**replied, "chat": message["chat"]}, f"a Telegram message by {who}")


def _command(message: Json, receiver: Receiver) -> Json | None:
    """Return name and arguments of a command to this bot; a forwarded command does not count."""
    entities: list[Json] = message.get("entities") or []
    first = next((e for e in entities if e["offset"] == 0 and e["type"] == "bot_command"), None)
    if first is None or "forward_origin" in message or "via_bot" in message:
        return None
    text: str = message["text"]
    # A command is ASCII, so that its UTF-16 units are its characters.
    name, _, bot = text[1 : first["length"]].partition("@")
    if bot and receiver.username and bot.lower() != receiver.username.lower():
        return None
    return {"name": name.lower(), "rest": text[first["length"] :].strip()}


def _segments(message: Json, text: str, origin: Origin) -> tuple[Labelled[str], ...]:
    segments: list[Labelled[str]] = []
    if quote := message.get("quote"):
        segments.append(_labelled(quote["text"], _foreign(message, phrase("a quoted message"))))
    if not text:
        return tuple(segments)
    if forward := message.get("forward_origin"):
        return (*segments, _labelled(text, _forwarded(forward)))
    if via := message.get("via_bot"):
        source = f"telegram:{via['id']}"
        return (
            *segments,
            _labelled(text, Origin(trust=Trust.UNTRUSTED, source=source, shown_as=phrase("an inline bot"))),
        )
    entities: list[Json] = message.get("entities") or message.get("caption_entities") or []
    return (*segments, *_own_and_pasted(message, text, entities, origin))


def _own_and_pasted(message: Json, text: str, entities: list[Json], origin: Origin) -> list[Labelled[str]]:
    pasted = [(e["offset"], e["offset"] + e["length"]) for e in entities if e["type"] in _FOREIGN_ENTITIES]
    if not pasted:
        return [_labelled(text, origin)]
    pieces: list[tuple[int, int, Origin]] = []
    at = 0
    foreign = _foreign(message, phrase("text pasted as a quotation"))
    for begin, end in sorted(pasted):
        pieces += [(at, max(at, begin), origin), (max(at, begin), max(at, end), foreign)]
        at = max(at, end)
    pieces.append((at, len(text.encode("utf-16-le")) // 2, origin))
    cut = [(utf16_slice(text, begin, end - begin), who) for begin, end, who in pieces if end > begin]
    return [_labelled(piece, who) for piece, who in cut if piece.strip()]


def _labelled(text: str, origin: Origin) -> Labelled[str]:
    return Labelled(value=text, origins=frozenset({origin}))


def _foreign(message: Json, shown_as: str) -> Origin:
    source = f"telegram:{message['chat']['id']}/{message['message_id']}"
    return Origin(trust=Trust.UNTRUSTED, source=source, shown_as=shown_as)


def _forwarded(forward: Json) -> Origin:
    author: Json | None = forward.get("sender_user") or forward.get("sender_chat") or forward.get("chat")
    if author is None:
        return Origin(
            trust=Trust.UNTRUSTED,
            source="telegram:hidden",
            shown_as=phrase("a forwarded message whose author is hidden"),
        )
    who = f"@{author['username']} ({author['id']})" if author.get("username") else f"{author['id']}"
    return Origin(
        trust=Trust.UNTRUSTED,
        source=f"telegram:{author['id']}",
        shown_as=SourceName(kind=SourceKind.FORWARDED_MESSAGE, who=who),
    )


def _name(sender: Json) -> str:
    return sender.get("title") or " ".join(filter(None, (sender.get("first_name"), sender.get("last_name"))))


def _remarks(message: Json) -> Json:
    remarks: Json = {}
    if "forward_origin" in message:
        remarks["forwarded"] = True
    if "voice" in message or "video_note" in message:
        remarks["spoken"] = True
        if forward := message.get("forward_origin"):
            remarks["speaker"] = _forwarded(forward).model_dump(mode="json")
    if album := message.get("media_group_id"):
        remarks[ALBUM] = album
    if unread := next((kind for kind in _UNREAD_KINDS if kind in message), None):
        remarks["unread"] = unread
    return remarks


def _may_go_on(message: Json) -> Json:
    """Return where the client may have split a longer text: clients cut in the second half of what a message holds."""
    text: str = message.get("text") or ""
    if "forward_origin" in message or "via_bot" in message or (length := utf16_len(text)) <= MESSAGE_LIMIT // 2:
        return {}
    return {MAY_GO_ON: WITHIN_A_WORD if length >= MESSAGE_LIMIT else BETWEEN_WORDS}


def _files(message: Json) -> tuple[WantedFile, ...]:
    if sizes := message.get("photo"):
        largest: Json = sizes[-1]
        return (WantedFile(largest["file_id"], "photo.jpg", "image/jpeg", largest.get("file_size", 0)),)
    for kind, (name, media_type) in _FILE_KINDS.items():
        if found := message.get(kind):
            return (
                WantedFile(
                    found["file_id"],
                    found.get("file_name") or name,
                    found.get("mime_type") or media_type,
                    found.get("file_size", 0),
                ),
            )
    return ()
