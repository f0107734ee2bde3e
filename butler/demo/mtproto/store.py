"""The message store: what is sent, edited, deleted and read, in the boxes of everybody concerned."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from butler.demo.mtproto.directory import Directory
from butler.demo.mtproto.errors import RpcFault
from butler.demo.mtproto.message_box import Event, EventKind, MessageBox
from butler.demo.mtproto.records import Forward, Media, Message

TEXT_LIMIT = 4096  # UTF-16 units
CAPTION_LIMIT = 1024
EDIT_PERIOD = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class Draft:
    """A message on its way in. `reply_to` is the origin of the message that it answers."""

    from_id: int
    peer_id: int
    text: str
    random_id: int | None = None
    reply_to: int | None = None
    media: Media | None = None
    forward: Forward | None = None
    entities: tuple[Any, ...] = ()


class MessageStore:
    """The boxes of all accounts. `on_event` hears of every event, right after it was stored."""

    def __init__(self, directory: Directory, now: Callable[[], datetime]) -> None:
        self.on_event: Callable[[MessageBox, Event], None] = lambda _box, _event: None
        self.boxes: dict[int, MessageBox] = {}
        self._directory = directory
        self._now = now
        self._origins = 0

    def box(self, owner_id: int) -> MessageBox:
        """The box of an account; a new one is empty."""
        return self.boxes.setdefault(owner_id, MessageBox(owner_id))

    def post(self, draft: Draft) -> Message:
        """Deliver a message and return the sender's copy.

        Raises:
            RpcFault: 500 RANDOM_ID_DUPLICATE when the account has used the random id before (nothing is
                stored then), or 400 with what is wrong about the text or the peer.
        """
        _check_text(draft)
        readers = self._directory.readers(draft.from_id, draft.peer_id)
        sender_box = self.box(draft.from_id)
        if draft.random_id is not None and draft.random_id in sender_box.id_by_random_id:
            raise RpcFault(500, "RANDOM_ID_DUPLICATE")
        self._origins += 1
        date = self._now().replace(microsecond=0)
        for owner_id, peer_id in readers.items():
            self._put_copy(draft, self.box(owner_id), peer_id, date)
        return sender_box.messages[sender_box.id_by_origin[self._origins]]

    def edit(self, author_id: int, message_id: int, text: str, entities: tuple[Any, ...]) -> Message:
        """Change the text of the author's own message in every box, and return the author's copy.

        Raises:
            RpcFault: 400 or 403 with why it cannot be edited so.
        """
        message = self.box(author_id).find(message_id)
        if message is None:
            raise RpcFault(400, "MESSAGE_ID_INVALID")
        if not message.outgoing:
            raise RpcFault(403, "MESSAGE_AUTHOR_REQUIRED")
        if (message.text, message.entities) == (text, entities):
            raise RpcFault(400, "MESSAGE_NOT_MODIFIED")
        now = self._now().replace(microsecond=0)
        if now - message.date > EDIT_PERIOD:
            raise RpcFault(400, "MESSAGE_EDIT_TIME_EXPIRED")
        _check_text(Draft(author_id, message.peer_id, text, media=message.media))
        for box, copy in self._copies(message):
            box.put(replace(copy, text=text, entities=entities, edited_at=now))
            self.on_event(box, box.record(EventKind.EDITED, copy))
        return self.box(author_id).messages[message_id]

    def delete(self, owner_id: int, message_ids: Iterable[int], *, for_everyone: bool) -> int:
        """Delete the owner's copies, or everybody's; returns how many of the owner's there were."""
        messages = [message for i in message_ids if (message := self.box(owner_id).find(i))]
        for message in messages:
            for box, copy in self._copies(message):
                if for_everyone or box.owner_id == owner_id:
                    box.put(replace(copy, deleted=True))
                    self.on_event(box, box.record(EventKind.DELETED, copy))
        return len(messages)

    def read(self, owner_id: int, peer_id: int, max_id: int) -> bool:
        """Mark a peer's messages up to `max_id` (0: all) as read; false when nothing was unread."""
        box = self.box(owner_id)
        already_read = box.read_by_owner.get(peer_id, 0)
        newly_read = [
            message
            for message in box.visible(peer_id)
            if not message.outgoing and message.id > already_read and (not max_id or message.id <= max_id)
        ]
        if not newly_read:
            return False
        box.read_by_owner[peer_id] = newly_read[-1].id
        self.on_event(box, box.record(EventKind.READ_BY_OWNER, newly_read[-1]))
        for author_id in {message.from_id for message in newly_read}:
            last = [message for message in newly_read if message.from_id == author_id][-1]
            self._mark_read_by_peer(author_id, last)
        return True

    def _put_copy(self, draft: Draft, box: MessageBox, peer_id: int, date: datetime) -> None:
        outgoing = box.owner_id == draft.from_id
        copy = Message(
            owner_id=box.owner_id,
            id=box.next_id,
            peer_id=peer_id,
            from_id=draft.from_id,
            text=draft.text,
            date=date,
            outgoing=outgoing,
            origin=self._origins,
            random_id=draft.random_id if outgoing else None,
            reply_to=box.id_by_origin.get(draft.reply_to) if draft.reply_to else None,
            media=draft.media,
            forward=draft.forward,
            entities=draft.entities,
        )
        box.put(copy)
        self.on_event(box, box.record(EventKind.NEW, copy))

    def _mark_read_by_peer(self, author_id: int, read_copy: Message) -> None:
        box = self.box(author_id)
        own_copy = box.messages[box.id_by_origin[read_copy.origin]]
        if own_copy.id > box.read_by_peer.get(own_copy.peer_id, 0):
            box.read_by_peer[own_copy.peer_id] = own_copy.id
            self.on_event(box, box.record(EventKind.READ_BY_PEER, own_copy))

    def _copies(self, message: Message) -> list[tuple[MessageBox, Message]]:
        copies = ((box, box.id_by_origin.get(message.origin)) for box in self.boxes.values())
        return [(box, copy) for box, i in copies if i is not None and (copy := box.find(i))]


def utf16_units(text: str) -> int:
    """The length of a text as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def _check_text(draft: Draft) -> None:
    length = utf16_units(draft.text)
    if draft.media is None and not draft.text.strip():
        raise RpcFault(400, "MESSAGE_EMPTY")
    if draft.media is None and length > TEXT_LIMIT:
        raise RpcFault(400, "MESSAGE_TOO_LONG")
    if draft.media is not None and length > CAPTION_LIMIT:
        raise RpcFault(400, "MEDIA_CAPTION_TOO_LONG")
