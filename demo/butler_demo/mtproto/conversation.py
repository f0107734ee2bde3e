"""The index of one conversation: which messages are there, in order, so that pages and counts cost no scan."""

from bisect import bisect_left, bisect_right

from butler_demo.mtproto.records import Message


class Conversation:
    """The ids of the messages of one conversation that are not deleted, ascending; and whose they are."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._by_author: dict[int, list[int]] = {}

    @property
    def newest(self) -> int:
        """The newest message's id, 0 when there is none."""
        return self.ids[-1] if self.ids else 0

    def add(self, message: Message) -> None:
        """Take in a message that is newer than all that are there."""
        self.ids.append(message.id)
        self._by_author.setdefault(message.from_id, []).append(message.id)

    def discard(self, message: Message) -> None:
        """Forget a message that was deleted."""
        for ids in (self.ids, self._by_author[message.from_id]):
            if message.id in ids:
                ids.remove(message.id)

    def unread(self, read_up_to: int, reader_id: int) -> int:
        """How many messages after `read_up_to` are not the reader's own."""
        own = self._by_author.get(reader_id, [])
        return self._after(self.ids, read_up_to) - self._after(own, read_up_to)

    def count_from(self, message_id: int) -> int:
        """How many messages have this id or a newer one."""
        return len(self.ids) - bisect_left(self.ids, message_id)

    def newest_first(self, start: int, end: int) -> list[int]:
        """A slice of the ids, counted from the newest; negative positions lie before it and hold nothing."""
        total = len(self.ids)
        first, last = max(total - max(end, 0), 0), max(total - max(start, 0), 0)
        return self.ids[first:last][::-1]

    def between(self, after: int, up_to: int) -> list[int]:
        """The ids greater than `after`, up to and with `up_to`, ascending."""
        return self.ids[bisect_right(self.ids, after) : bisect_right(self.ids, up_to)]

    @staticmethod
    def _after(ids: list[int], message_id: int) -> int:
        return len(ids) - bisect_right(ids, message_id)
