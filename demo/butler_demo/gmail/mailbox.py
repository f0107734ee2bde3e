"""One account's mailbox: messages, threads, labels, aliases, drafts and their history, all in memory."""

import itertools
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime

from butler_demo.gmail.history import History, HistoryKind
from butler_demo.gmail.labels import LabelStore
from butler_demo.gmail.mime import MailContent, read_mail
from butler_demo.gmail.records import Alias, Draft, EventKind, Label, MailEvent, Message, Watch

_FIRST_MESSAGE_NUMBER = 0x18C0_0000_0000_0001


def message_ids() -> Iterator[str]:
    """Return the ids of one server's messages; no two mailboxes share one."""
    return (f"{number:016x}" for number in itertools.count(_FIRST_MESSAGE_NUMBER))


class Mailbox:
    """What one account holds. Every change goes through a method here, is in the history and is announced."""

    def __init__(
        self,
        address: str,
        name: str,
        ids: Iterator[str],
        now: Callable[[], datetime],
        announce: Callable[[MailEvent], None],
    ) -> None:
        """`address` is lower case, `name` is the owner's display name."""
        self.address = address
        self.name = name
        self.history = History()
        self.labels = LabelStore()
        self.aliases: dict[str, Alias] = {}
        self.watch: Watch | None = None
        self.last_search: tuple[tuple[object, ...], list[Message]] | None = None
        """What was asked last, and what was found."""
        self._ids = ids
        self._now = now
        self._announce = announce
        self._messages: dict[str, Message] = {}
        self._by_time: list[tuple[datetime, str]] = []
        self._threads: defaultdict[str, list[str]] = defaultdict(list)
        self._by_message_id: defaultdict[str, list[str]] = defaultdict(list)
        self._drafts: dict[str, Draft] = {}
        self._draft_numbers = itertools.count(1)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The account's own address and its verified aliases."""
        return (self.address, *(alias.email for alias in self.aliases.values() if alias.verified))

    def newest_first(self) -> list[Message]:
        """Return all messages, newest first."""
        return [self._messages[message_id] for _, message_id in reversed(self._by_time)]

    def get(self, message_id: str) -> Message | None:
        """Return the message, None if this mailbox does not hold it."""
        return self._messages.get(message_id)

    def thread(self, thread_id: str) -> list[Message]:
        """Return the messages of a thread, oldest first; empty if there is no such thread."""
        held = (self._messages[message_id] for message_id in self._threads.get(thread_id, ()))
        return sorted(held, key=lambda message: (message.received, message.id))

    def thread_for(self, content: MailContent) -> str | None:
        """Return the thread that this mail continues: it cites one of its mails and keeps its subject."""
        for cited in content.references:
            for message_id in self._by_message_id.get(cited, ()):
                message = self._messages[message_id]
                if message.content.base_subject == content.base_subject:
                    return message.thread_id
        return None

    def add(self, raw: bytes, label_ids: Collection[str], received: datetime, thread_id: str | None = None) -> Message:
        """Store a mail in the given thread, else in the one it continues, else in a new one."""
        content = read_mail(raw)
        message_id = next(self._ids)
        message = Message(
            id=message_id,
            thread_id=thread_id or self.thread_for(content) or message_id,
            label_ids=tuple(dict.fromkeys(label_ids)),
            history_id=self.history.advance(),
            received=received,
            raw=raw,
            content=content,
        )
        self._messages[message_id] = message
        insort(self._by_time, (received, message_id))
        self._threads[message.thread_id].append(message_id)
        if content.message_id:
            self._by_message_id[content.message_id].append(message_id)
        self.history.append(HistoryKind.MESSAGE_ADDED, message, self._now())
        self._announce(MailEvent(EventKind.ADDED, self.address, message))
        return message

    def relabel(self, message: Message, add: Collection[str], remove: Collection[str]) -> Message:
        """Add and remove labels. What changes nothing leaves no history."""
        removed = tuple(label for label in message.label_ids if label in remove)
        added = tuple(label for label in dict.fromkeys(add) if label not in message.label_ids)
        if not added and not removed:
            return message
        kept = tuple(label for label in message.label_ids if label not in removed)
        changed = replace(message, label_ids=kept + added, history_id=self.history.advance())
        self._messages[message.id] = changed
        if added:
            self.history.append(HistoryKind.LABEL_ADDED, changed, self._now(), added)
        if removed:
            self.history.append(HistoryKind.LABEL_REMOVED, changed, self._now(), removed)
        self._announce(MailEvent(EventKind.RELABELLED, self.address, changed))
        return changed

    def delete(self, message_id: str) -> None:
        """Delete a message for good, with the draft that holds it."""
        message = replace(self._messages.pop(message_id), history_id=self.history.advance())
        del self._by_time[bisect_left(self._by_time, (message.received, message_id))]
        self._threads[message.thread_id].remove(message_id)
        if message.content.message_id:
            self._by_message_id[message.content.message_id].remove(message_id)
        self._drafts = {key: draft for key, draft in self._drafts.items() if draft.message_id != message_id}
        self.history.append(HistoryKind.MESSAGE_DELETED, message, self._now())
        self._announce(MailEvent(EventKind.DELETED, self.address, message))

    def delete_label(self, label: Label) -> None:
        """Delete one of the user's labels and take it off every message."""
        self.labels.delete(label)
        for message in list(self._messages.values()):
            self.relabel(message, (), (label.id,))

    def drafts(self) -> list[Draft]:
        """Return all drafts, newest first."""
        return list(reversed(self._drafts.values()))

    def draft(self, draft_id: str) -> Draft | None:
        """Return the draft, None if there is none (it was sent or deleted)."""
        return self._drafts.get(draft_id)

    def create_draft(self, raw: bytes, received: datetime, thread_id: str | None) -> Draft:
        """Store a new draft."""
        message = self.add(raw, ["DRAFT"], received, thread_id)
        draft = Draft(f"r{next(self._draft_numbers):018d}", message.id)
        self._drafts[draft.id] = draft
        return draft

    def replace_draft(self, draft: Draft, raw: bytes, received: datetime, thread_id: str | None) -> Draft:
        """Replace what a draft holds: the draft keeps its id, its message is a new one."""
        old = self._messages[draft.message_id]
        self.delete(draft.message_id)
        message = self.add(raw, ["DRAFT"], received, thread_id or old.thread_id)
        self._drafts[draft.id] = replace(draft, message_id=message.id)
        return self._drafts[draft.id]

    def delete_draft(self, draft: Draft) -> None:
        """Delete a draft with its message for good."""
        self.delete(draft.message_id)
