"""Maps Gmail's mails to the mirror: a chat for each thread, a message for each mail, Gmail's snippet as its text."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from butler.contract.mirror import ChatKind, Mirror, MirrorUpdate, Removal, SeenChat, SeenMessage, SeenPerson, SeenQuery
from modules.email.gmail.changes import Relabelling
from modules.email.integration_gmail_records import Got
from modules.email.parsing.reader import MailReader

CHANNEL = "email"
_MOST_OTHERS = 200
_MOST_IN_THREAD = 1000
_PORTION = 500


def chat_of(thread_id: str) -> str:
    """Return a thread's address."""
    return f"gmail:{thread_id}"


class GmailMapper:
    """Builds the mirror's rows for one account."""

    def __init__(self, account: str, mirror: Mirror, reader: MailReader) -> None:
        self._account = account
        self._mirror = mirror
        self._reader = reader

    async def seen(self, got: Got, headers: bytes) -> SeenMessage:
        """Return a mail as a mirror message."""
        mail = (await self._reader.read(headers)).mail
        return SeenMessage(
            channel=CHANNEL,
            account=self._account,
            chat=chat_of(got.thread_id),
            ref=got.id,
            order=int(got.received_at.timestamp() * 1000),
            at=got.received_at,
            sender=f"mail:{mail.sender.address}" if mail.sender else "",
            sender_name=mail.sender.name if mail.sender else "",
            outgoing="SENT" in got.labels,
            unread="UNREAD" in got.labels,
            subject=mail.subject,
            text=got.snippet,
            reply_to=mail.in_reply_to,
            message_id=mail.message_id,
            labels=tuple(got.labels),
            size=got.size,
            others=tuple(
                SeenPerson(address=f"mail:{person.address}", name=person.name)
                for person in (*mail.to, *mail.cc)[:_MOST_OTHERS]
            ),
            problems=mail.problems,
        )

    async def relabelled(self, changes: Mapping[str, Relabelling]) -> list[SeenMessage]:
        """Return known mails with their current labels; unknown ones were never kept."""
        found: list[SeenMessage] = []
        for thread_id in dict.fromkeys(change.thread_id for change in changes.values()):
            for message in await self._thread(chat_of(thread_id)):
                if (change := changes.get(message.ref)) is not None:
                    labels = change.applied(message.labels)
                    found.append(message.model_copy(update={"labels": labels, "unread": "UNREAD" in labels}))
        return found

    async def strays(self, listed: Iterable[str], newer_than: datetime, before_order: int) -> list[Removal]:
        """Return removals of mails kept between these two times (both exclusive) but not listed."""
        still_there = frozenset(listed)
        low = int(newer_than.timestamp() * 1000)
        gone: list[Removal] = []
        while True:
            query = SeenQuery(
                CHANNEL, self._account, since=newer_than, before_order=before_order, muted=True, limit=_PORTION
            )
            portion = [one for one in await self._mirror.messages(query) if one.chat.startswith(chat_of(""))]
            gone += [
                Removal(ref=one.ref, chat=one.chat) for one in portion if one.ref not in still_there and one.order > low
            ]
            if len(portion) < _PORTION:
                return gone
            before_order = portion[-1].order

    async def batch(self, messages: Sequence[SeenMessage], removed: Sequence[Removal] = ()) -> MirrorUpdate:
        """Return a batch of messages and removals with their threads' new states."""
        chats = dict.fromkeys([*(one.chat for one in messages), *(one.chat for one in removed)])
        threads = [await self._chat(chat, messages, removed) for chat in chats]
        return MirrorUpdate(CHANNEL, self._account, [one for one in threads if one is not None], messages, removed)

    async def forget_all(self) -> int:
        """Remove the mails of another mailbox that the account's name stood for; return how many."""
        chats = await self._mirror.chats(CHANNEL, self._account)
        return sum([await self._mirror.forget(CHANNEL, self._account, one.chat) for one in chats])

    async def _thread(self, chat: str) -> Sequence[SeenMessage]:
        return await self._mirror.messages(SeenQuery(CHANNEL, self._account, chat, limit=_MOST_IN_THREAD))

    async def _chat(self, chat: str, messages: Sequence[SeenMessage], removed: Sequence[Removal]) -> SeenChat | None:
        held = {one.ref: one for one in await self._thread(chat)}
        held |= {one.ref: one for one in messages if one.chat == chat}
        for one in removed:
            if one.chat == chat:
                held.pop(one.ref, None)
        before = await self._mirror.chat(CHANNEL, self._account, chat)
        if not held and before is None:
            return None
        known = before or SeenChat(channel=CHANNEL, account=self._account, chat=chat, kind=ChatKind.THREAD)
        in_order = sorted(held.values(), key=lambda one: one.order)
        return known.model_copy(
            update={
                "title": in_order[0].subject if in_order else known.title,
                "unread": sum(one.unread for one in in_order),
                "last_order": in_order[-1].order if in_order else known.last_order,
            }
        )


def at_of(order: int) -> datetime:
    """Return the time of an order."""
    return datetime.fromtimestamp(order / 1000, UTC)
