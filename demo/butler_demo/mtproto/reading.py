"""What accounts have read: in each conversation, and in each topic of a forum."""

from collections.abc import Iterable
from datetime import datetime

from butler_demo.mtproto.directory import Directory
from butler_demo.mtproto.event_log import EventKind
from butler_demo.mtproto.message_box import MessageBox
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.store import MessageStore


class ReadMarks:
    """Moves the marks and tells the readers' other clients and the authors of it."""

    def __init__(self, store: MessageStore, directory: Directory) -> None:
        self._store = store
        self._directory = directory

    def read(self, reader_id: int, peer_id: int, max_id: int) -> int:
        """Mark a peer's messages up to `max_id` (0: all) as read; how many events that made in the reader's box.

        The authors hear of it, but not those of a broadcast channel.
        """
        own_box, box = self._store.box(reader_id), self._store.box_for(reader_id, peer_id)
        conversation = box.conversation(peer_id)
        ids = conversation.between(own_box.read_by_owner.get(peer_id, 0), max_id or conversation.newest)
        newly_read = [message for i in ids if (message := box.messages[i]).from_id != reader_id]
        if not newly_read:
            return 0
        now = self._store.now()
        own_box.read_by_owner[peer_id] = newly_read[-1].id
        self._store.record(own_box, EventKind.READ_BY_OWNER, newly_read[-1], now)
        channel = self._directory.channel_of(peer_id)
        if channel is None or not channel.is_broadcast:
            for author_id, message in _last_of_each_author(newly_read).items():
                self._tell_author(author_id, message, now)
        return int(channel is None)

    def read_topic(self, reader_id: int, channel_peer: int, topic_id: int, max_id: int) -> None:
        """Mark a topic's messages up to `max_id` as read; the authors hear of it."""
        own_box, box = self._store.box(reader_id), self._store.box(channel_peer)
        read_up_to = self.topic_mark(reader_id, channel_peer, topic_id)
        ids = box.thread(topic_id).between(read_up_to, max_id)
        newly_read = [message for i in ids if (message := box.messages[i]).from_id != reader_id]
        if not newly_read:
            return
        now, key = self._store.now(), (channel_peer, topic_id)
        own_box.topics_read_by_owner[key] = newly_read[-1].id
        self._store.record(own_box, EventKind.TOPIC_READ_BY_OWNER, newly_read[-1], now)
        for author_id, message in _last_of_each_author(newly_read).items():
            author_box = self._store.box(author_id)
            if message.id > author_box.topics_read_by_peer.get(key, 0):
                author_box.topics_read_by_peer[key] = message.id
                self._store.record(author_box, EventKind.TOPIC_READ_BY_PEER, message, now)

    def begin(self, reader_id: int, peer_id: int) -> None:
        """Count what is in a conversation by now as read, and tell nobody."""
        newest = self._store.box_for(reader_id, peer_id).conversation(peer_id).newest
        self._store.box(reader_id).read_by_owner[peer_id] = newest

    def topic_mark(self, reader_id: int, channel_peer: int, topic_id: int) -> int:
        """The newest message that an account has read in a topic, there or by reading the whole forum."""
        box = self._store.box(reader_id)
        return max(box.read_by_owner.get(channel_peer, 0), box.topics_read_by_owner.get((channel_peer, topic_id), 0))

    def unread(self, reader_id: int, peer_id: int) -> int:
        """How many messages of a conversation an account has not read, in a forum those of all topics."""
        box = self._store.box_for(reader_id, peer_id)
        if box.threads:
            return sum(self.unread_in_topic(reader_id, peer_id, topic_id) for topic_id in box.threads)
        return box.conversation(peer_id).unread(self._store.box(reader_id).read_by_owner.get(peer_id, 0), reader_id)

    def unread_in_topic(self, reader_id: int, channel_peer: int, topic_id: int) -> int:
        """How many messages of a topic an account has not read."""
        thread = self._store.box(channel_peer).thread(topic_id)
        return thread.unread(self.topic_mark(reader_id, channel_peer, topic_id), reader_id)

    def _tell_author(self, author_id: int, read_copy: Message, at: datetime) -> None:
        author_box = self._store.box(author_id)
        box: MessageBox = self._store.box_for(author_id, read_copy.peer_id)
        own_copy = box.messages[box.id_by_origin[read_copy.origin]]
        if own_copy.id > author_box.read_by_peer.get(own_copy.peer_id, 0):
            author_box.read_by_peer[own_copy.peer_id] = own_copy.id
            self._store.record(author_box, EventKind.READ_BY_PEER, own_copy, at)


def _last_of_each_author(messages: Iterable[Message]) -> dict[int, Message]:
    return {message.from_id: message for message in messages}
