"""A message box: messages and the events that clients catch up on.

An account has one with its own copies of what is in private chats and basic groups. A channel or supergroup has
one that all its members share.
"""

from datetime import datetime

from butler.demo.mtproto.conversation import Conversation
from butler.demo.mtproto.event_log import Event, EventKind, EventLog
from butler.demo.mtproto.records import Message


class MessageBox:
    """Messages by id, ascending from 1, and what happened to them. Deleted ones stay, marked as deleted.

    `owner_id` is the account, or the channel's peer. `read_by_owner` and `read_by_peer` (an account's only) hold
    the newest message read in each conversation, channels among them.
    """

    def __init__(self, owner_id: int) -> None:
        self.owner_id = owner_id
        self.messages: dict[int, Message] = {}
        self.log = EventLog()
        self.id_by_origin: dict[int, int] = {}
        self.read_by_owner: dict[int, int] = {}
        self.read_by_peer: dict[int, int] = {}
        self.conversations: dict[int, Conversation] = {}

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
        if message.id not in self.messages:
            conversation = self.conversations[message.peer_id] = self.conversation(message.peer_id)
            conversation.add(message)
        elif message.deleted:
            self.conversations[message.peer_id].discard(message)
        self.messages[message.id] = message
        self.id_by_origin[message.origin] = message.id

    def record(self, kind: EventKind, message: Message, at: datetime) -> Event:
        """Append an event; each counts one."""
        return self.log.append(kind, message.peer_id, message.id, at)

    def conversation(self, peer_id: int) -> Conversation:
        """The index of one conversation, an empty one where nothing was written yet."""
        found = self.conversations.get(peer_id)
        return Conversation(lambda message_id: self.messages[message_id].date) if found is None else found

    def visible(self, peer_id: int | None = None) -> list[Message]:
        """The messages that are not deleted, oldest first, of one peer or of all."""
        if peer_id is not None:
            return [self.messages[i] for i in self.conversation(peer_id).ids]
        return [message for message in self.messages.values() if not message.deleted]

    def find(self, message_id: int) -> Message | None:
        """The message with this id, unless it is deleted or never was."""
        message = self.messages.get(message_id)
        return None if message is None or message.deleted else message
