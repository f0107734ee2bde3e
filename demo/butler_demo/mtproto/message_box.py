"""A message box: messages and the events that clients catch up on.

An account has one with its own copies of what is in private chats and basic groups. A channel or supergroup has
one that all its members share.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from butler_demo.mtproto.conversation import Conversation
from butler_demo.mtproto.event_log import Event, EventKind, EventLog
from butler_demo.mtproto.records import Message


class MessageBox:
    """Messages by id, ascending from 1, and what happened to them. Deleted ones stay, marked as deleted.

    `owner_id` is the account, or the channel's peer. An account's box also holds the newest message that was read
    in each conversation, and in each topic (by the channel's peer and the topic's id), and what came in secret
    chats. `threads` are the topics of a forum.
    """

    def __init__(self, owner_id: int) -> None:
        self.owner_id = owner_id
        self.messages: dict[int, Message] = {}
        self.log = EventLog()
        self.id_by_origin: dict[int, int] = {}
        self.read_by_owner: dict[int, int] = {}
        self.read_by_peer: dict[int, int] = {}
        self.topics_read_by_owner: dict[tuple[int, int], int] = {}
        self.topics_read_by_peer: dict[tuple[int, int], int] = {}
        self.conversations: dict[int, Conversation] = {}
        self.threads: dict[int, Conversation] = {}
        self.encrypted: list[Any] = []

    @property
    def pts(self) -> int:
        """The number of the last event."""
        return self.log.pts

    @property
    def next_id(self) -> int:
        """The id of the next message."""
        return len(self.messages) + 1

    def put(self, message: Message) -> None:
        """Store a new copy, or replace the one with the same id."""
        indexes = [self.conversations.setdefault(message.peer_id, self.conversation(message.peer_id))]
        if message.topic is not None:
            indexes.append(self.threads.setdefault(message.topic, self.thread(message.topic)))
        for index in indexes:
            if message.id not in self.messages:
                index.add(message)
            elif message.deleted:
                index.discard(message)
        self.messages[message.id] = message
        self.id_by_origin[message.origin] = message.id

    def fill(self, peer_id: int, messages: Sequence[Message], at: datetime) -> None:
        """Store many new messages of one conversation, which nobody can catch up on: they are history."""
        self.messages.update((message.id, message) for message in messages)
        self.id_by_origin.update((message.origin, message.id) for message in messages)
        self.conversations.setdefault(peer_id, self.conversation(peer_id)).extend(messages)
        self.log.skip(len(messages), at)

    def record(self, kind: EventKind, message: Message, at: datetime) -> Event:
        """Append an event; each counts one."""
        return self.log.append(kind, message.peer_id, message.id, at)

    def conversation(self, peer_id: int) -> Conversation:
        """The index of one conversation, an empty one where nothing was written yet."""
        found = self.conversations.get(peer_id)
        return Conversation(self._date_of) if found is None else found

    def thread(self, topic_id: int) -> Conversation:
        """The index of one topic, an empty one where nothing was written yet."""
        found = self.threads.get(topic_id)
        return Conversation(self._date_of) if found is None else found

    def visible(self, peer_id: int | None = None) -> list[Message]:
        """The messages that are not deleted, oldest first, of one peer or of all."""
        if peer_id is not None:
            return [self.messages[i] for i in self.conversation(peer_id).ids]
        return [message for message in self.messages.values() if not message.deleted]

    def find(self, message_id: int) -> Message | None:
        """The message with this id, unless it is deleted or never was."""
        message = self.messages.get(message_id)
        return None if message is None or message.deleted else message

    def _date_of(self, message_id: int) -> datetime:
        return self.messages[message_id].date
