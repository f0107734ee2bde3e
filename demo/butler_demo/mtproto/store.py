"""The message store: what is sent, edited, deleted and read, in the boxes of everybody concerned."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from butler_demo.mtproto.channels import GENERAL_TOPIC
from butler_demo.mtproto.directory import Directory
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.event_log import Event, EventKind
from butler_demo.mtproto.ids import is_channel
from butler_demo.mtproto.message_box import MessageBox
from butler_demo.mtproto.records import Forward, Media, Message

TEXT_LIMIT = 4096  # UTF-16 units
CAPTION_LIMIT = 1024
EDIT_PERIOD = timedelta(hours=48)


NEW_TOPIC = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A message on its way in. `reply_to` is the origin of the message that it answers.

    `topic` is the forum topic; None takes that of the answered message, `NEW_TOPIC` begins one.
    """

    from_id: int
    peer_id: int
    text: str
    random_id: int | None = None
    reply_to: int | None = None
    media: Media | None = None
    forward: Forward | None = None
    entities: tuple[Any, ...] = ()
    album: int | None = None
    topic: int | None = None
    service: Any | None = None


class MessageStore:
    """The boxes of all accounts and channels. `on_event` hears of every event, right after it was stored."""

    def __init__(self, directory: Directory, now: Callable[[], datetime]) -> None:
        self.on_event: Callable[[MessageBox, Event], None] = lambda _box, _event: None
        self.boxes: dict[int, MessageBox] = {}
        self._directory = directory
        self._clock = now
        self._origins = 0
        self._used_random_ids: set[tuple[int, int]] = set()

    def now(self) -> datetime:
        """The time as messages carry it: whole seconds."""
        return self._clock().replace(microsecond=0)

    def box(self, owner_id: int) -> MessageBox:
        """The box of an account, or of a channel by its peer; a new one is empty."""
        found = self.boxes.get(owner_id)
        if found is None:
            found = self.boxes[owner_id] = MessageBox(owner_id)
        return found

    def box_for(self, user_id: int, peer_id: int) -> MessageBox:
        """The box in which an account sees a conversation."""
        return self.box(peer_id if is_channel(peer_id) else user_id)

    def check_random_ids(self, user_id: int, random_ids: Iterable[int]) -> None:
        """Refuse random ids that the account has used before, to whomever.

        Raises:
            RpcFault: 500 RANDOM_ID_DUPLICATE.
        """
        if any((user_id, random_id) in self._used_random_ids for random_id in random_ids):
            raise RpcFault(500, "RANDOM_ID_DUPLICATE")

    def post(self, draft: Draft) -> Message:
        """Deliver a message and return the sender's copy, or the channel's message.

        Raises:
            RpcFault: 500 RANDOM_ID_DUPLICATE, or 400 or 403 with what is wrong about the text or the peer.
        """
        return self.post_all([draft])[0]

    def post_all(self, drafts: Sequence[Draft]) -> list[Message]:
        """Deliver several messages of one sender to one peer, or (any fault) none of them; see `post`."""
        sender_id, peer_id = drafts[0].from_id, drafts[0].peer_id
        random_ids = [draft.random_id for draft in drafts if draft.random_id is not None]
        for draft in drafts:
            _check_text(draft)
        drafts = [self._placed(draft) for draft in drafts]
        readers = self._directory.readers(sender_id, peer_id)
        self.check_random_ids(sender_id, random_ids)
        if len(set(random_ids)) < len(random_ids):
            raise RpcFault(500, "RANDOM_ID_DUPLICATE")
        self._used_random_ids.update((sender_id, random_id) for random_id in random_ids)
        return [self._deliver(draft, readers) for draft in drafts]

    def edit(self, editor_id: int, message: Message, text: str, entities: tuple[Any, ...]) -> Message:
        """Change the text of a message in every box, and return the editor's copy.

        The message must be the editor's own, or a post of a channel that the editor manages.

        Raises:
            RpcFault: 400 or 403 with why it cannot be edited so.
        """
        channel = self._directory.channel_of(message.peer_id)
        manages = channel is not None and channel.is_broadcast and channel.is_admin(editor_id)
        if message.service is not None:
            raise RpcFault(400, "MESSAGE_ID_INVALID")
        if message.from_id != editor_id and not manages:
            raise RpcFault(403, "MESSAGE_AUTHOR_REQUIRED")
        if (message.text, message.entities) == (text, entities):
            raise RpcFault(400, "MESSAGE_NOT_MODIFIED")
        now = self.now()
        if now - message.date > EDIT_PERIOD:
            raise RpcFault(400, "MESSAGE_EDIT_TIME_EXPIRED")
        _check_text(Draft(editor_id, message.peer_id, text, media=message.media))
        for box, copy in self._copies(message):
            box.put(replace(copy, text=text, entities=entities, edited_at=now))
            self.record(box, EventKind.EDITED, copy, now)
        return self.box(message.owner_id).messages[message.id]

    def delete(self, messages: Iterable[Message], *, for_everyone: bool) -> None:
        """Delete these copies, or everybody's."""
        now = self.now()
        for message in messages:
            for box, copy in self._copies(message):
                if for_everyone or box.owner_id == message.owner_id:
                    box.put(replace(copy, deleted=True))
                    self.record(box, EventKind.DELETED, copy, now)

    def _placed(self, draft: Draft) -> Draft:
        """The draft with its topic, where the peer is a forum and it may be written to."""
        channel = self._directory.channel_of(draft.peer_id)
        if channel is None or not channel.is_forum:
            return replace(draft, topic=None)
        topic = draft.topic
        if topic is None:
            box = self.box(draft.peer_id)
            replied = box.messages.get(box.id_by_origin.get(draft.reply_to or 0, 0))
            topic = (replied.topic if replied else None) or GENERAL_TOPIC
        if topic != NEW_TOPIC:
            channel.check_topic(topic)
        return replace(draft, topic=topic)

    def _deliver(self, draft: Draft, readers: dict[int, int]) -> Message:
        self._origins += 1
        date = self.now()
        for owner_id, peer_id in readers.items():
            self._put_copy(draft, self.box(owner_id), peer_id, date)
        box = self.box_for(draft.from_id, draft.peer_id)
        message = box.messages[box.id_by_origin[self._origins]]
        if is_channel(message.peer_id):
            self._note_writing(message)
        return message

    def _note_writing(self, message: Message) -> None:
        """Who writes to a channel has read it, or that topic of it."""
        channel, box = self._directory.channel_of(message.peer_id), self.box(message.from_id)
        assert channel is not None
        if member := channel.members.get(message.from_id):
            member.wrote_at = message.date
        if message.topic is None:
            box.read_by_owner[message.peer_id] = message.id
            self.record(box, EventKind.READ, message, message.date)
        else:
            box.topics_read_by_owner[message.peer_id, message.topic] = message.id

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
            random_id=draft.random_id if outgoing or is_channel(peer_id) else None,
            reply_to=box.id_by_origin.get(draft.reply_to) if draft.reply_to else None,
            media=draft.media,
            forward=draft.forward,
            entities=draft.entities,
            album=draft.album,
            topic=box.next_id if draft.topic == NEW_TOPIC else draft.topic,
            service=draft.service,
        )
        box.put(copy)
        self.record(box, EventKind.NEW, copy, date)

    def record(self, box: MessageBox, kind: EventKind, message: Message, at: datetime) -> None:
        """Count the event and tell of it; an account's reading of a channel is told, but not counted anywhere."""
        if message.owner_id == box.owner_id:
            event = box.record(kind, message, at)
        else:
            event = Event(kind, message.peer_id, message.id, self.box(message.owner_id).pts)
        self.on_event(box, event)

    def _copies(self, message: Message) -> list[tuple[MessageBox, Message]]:
        copies = ((box, box.id_by_origin.get(message.origin)) for box in self.boxes.values())
        return [(box, copy) for box, i in copies if i is not None and (copy := box.find(i))]


def utf16_units(text: str) -> int:
    """The length of a text as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def _check_text(draft: Draft) -> None:
    length = utf16_units(draft.text)
    if draft.service is not None:
        return
    if draft.media is None and not draft.text.strip():
        raise RpcFault(400, "MESSAGE_EMPTY")
    if draft.media is None and length > TEXT_LIMIT:
        raise RpcFault(400, "MESSAGE_TOO_LONG")
    if draft.media is not None and length > CAPTION_LIMIT:
        raise RpcFault(400, "MEDIA_CAPTION_TOO_LONG")
