"""A message box: messages and the events that clients catch up on.

An account has one with its own copies of what is in private chats and basic groups. A channel or supergroup has
one that all its members share.
"""

from collections import defaultdict
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
        self.topics_read_by_owner: dict[tuple[int, int], int] = {}
        self.conversations: defaultdict[int, Conversation] = defaultdict(Conversation)
        self.threads: defaultdict[int, Conversation] = defaultdict(Conversation)
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
        indexes = [self.conversations[message.peer_id]]
        if message.topic is not None:
            indexes.append(self.threads[message.topic])
        for index in indexes:
            if message.id not in self.messages:
                index.add(message)
            elif message.deleted:
                index.discard(message)
        self.messages[message.id] = message
        self.id_by_origin[message.origin] = message.id

    def record(self, kind: EventKind, message: Message, at: datetime) -> Event:
        """Append an event; each counts one."""
        return self.log.append(kind, message.peer_id, message.id, at)

    def visible(self, peer_id: int | None = None) -> list[Message]:
        """The messages that are not deleted, oldest first, of one peer or of all."""
        if peer_id is not None:
            return [self.messages[i] for i in self.conversations[peer_id].ids]
        return [message for message in self.messages.values() if not message.deleted]

    def find(self, message_id: int) -> Message | None:
        """The message with this id, unless it is deleted or never was."""
        message = self.messages.get(message_id)
        return None if message is None or message.deleted else message
