"""Maps a folder's mails to the mirror: a chat for each conversation, a message for each mail."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime

from butler.contract.mirror import ChatKind, MirrorUpdate, Removal, SeenChat, SeenFile, SeenMessage, SeenPerson
from modules.email.imap.folders import shown
from modules.email.imap.methods import FetchedMail
from modules.email.imap.threads import bare_subject
from modules.email.imap.user_ids import MailRef, place_of, spelt_in_ids
from modules.email.parsing.reader import ReadMail

CHANNEL = "email"
_MOST_OTHERS = 200
_MOST_REMEMBERED = 5000


class FolderMapper:
    """Builds the mirror's rows for one folder of one account."""

    def __init__(self, account: str, folder: str, *, outgoing: bool) -> None:
        self._account = account
        self._folder, self._spelt = folder, spelt_in_ids(folder)
        self._labels = (shown(folder),)
        self._outgoing = outgoing
        self._chats: OrderedDict[str, None] = OrderedDict()

    def message(
        self, uidvalidity: int, fetched: FetchedMail, read: ReadMail, now: datetime, raw: bytes | None
    ) -> SeenMessage:
        """Return a mail as a mirror message; `now` replaces a time of arrival that the server does not report."""
        mail = read.mail
        at = fetched.received_at or now
        ref = place_of(self._spelt, uidvalidity, fetched.uid)
        return SeenMessage(
            channel=CHANNEL,
            account=self._account,
            chat=f"mail:{mail.thread_root or ref}",
            ref=ref,
            key=str(MailRef(self._account, self._folder, uidvalidity, fetched.uid, mail.message_id)),
            order=int(at.timestamp() * 1000),
            at=at,
            sender=f"mail:{mail.sender.address}" if mail.sender else "",
            sender_name=mail.sender.name if mail.sender else "",
            outgoing=self._outgoing,
            unread="\\Seen" not in fetched.flags,
            subject=mail.subject,
            text=mail.text,
            reply_to=mail.in_reply_to,
            message_id=mail.message_id,
            labels=self._labels,
            size=fetched.size,
            files=tuple(
                SeenFile(name=file.name, media_type=file.media_type, size=file.size) for file in mail.attachments
            ),
            others=tuple(
                SeenPerson(address=f"mail:{person.address}", name=person.name)
                for person in (*mail.to, *mail.cc)[:_MOST_OTHERS]
            ),
            problems=mail.problems,
            raw=raw,
        )

    def batch(self, messages: Sequence[SeenMessage]) -> MirrorUpdate:
        """Return a batch of mails with their conversations."""
        chats = {message.chat: message for message in messages if message.chat not in self._chats}
        for chat in chats:
            self._chats[chat] = None
        while len(self._chats) > _MOST_REMEMBERED:
            self._chats.popitem(last=False)
        return MirrorUpdate(CHANNEL, self._account, [self._chat(message) for message in chats.values()], messages)

    def removal(self, uidvalidity: int, uids: Iterable[int]) -> MirrorUpdate:
        """Return a batch that removes mails."""
        refs = (place_of(self._spelt, uidvalidity, uid) for uid in uids)
        return MirrorUpdate(CHANNEL, self._account, removed=[Removal(ref=ref) for ref in refs])

    def _chat(self, message: SeenMessage) -> SeenChat:
        # Unread mails are marked on the mails themselves, not on the chat.
        return SeenChat(
            channel=CHANNEL,
            account=self._account,
            chat=message.chat,
            title=bare_subject(message.subject),
            kind=ChatKind.THREAD,
        )
