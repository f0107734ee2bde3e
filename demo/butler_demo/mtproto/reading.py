"""What accounts have read: in each conversation, and in each topic of a forum."""

from butler_demo.mtproto.event_log import EventKind
from butler_demo.mtproto.store import MessageStore


class ReadMarks:
    """Moves the marks and tells the readers' clients of it."""

    def __init__(self, store: MessageStore) -> None:
        self._store = store

    def read(self, reader_id: int, peer_id: int, max_id: int) -> None:
        """Mark a peer's messages up to `max_id` (0: all) as read, and tell the reader's clients."""
        own_box, box = self._store.box(reader_id), self._store.box_for(reader_id, peer_id)
        conversation = box.conversations[peer_id]
        ids = conversation.between(own_box.read_by_owner.get(peer_id, 0), max_id or conversation.newest)
        newly_read = [message for i in ids if (message := box.messages[i]).from_id != reader_id]
        if not newly_read:
            return
        own_box.read_by_owner[peer_id] = newly_read[-1].id
        self._store.record(own_box, EventKind.READ, newly_read[-1], self._store.now())

    def begin(self, reader_id: int, peer_id: int) -> None:
        """Count what is in a conversation by now as read, and tell nobody."""
        newest = self._store.box_for(reader_id, peer_id).conversations[peer_id].newest
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
        return box.conversations[peer_id].unread(self._store.box(reader_id).read_by_owner.get(peer_id, 0), reader_id)

    def unread_in_topic(self, reader_id: int, channel_peer: int, topic_id: int) -> int:
        """How many messages of a topic an account has not read."""
        thread = self._store.box(channel_peer).threads[topic_id]
        return thread.unread(self.topic_mark(reader_id, channel_peer, topic_id), reader_id)
