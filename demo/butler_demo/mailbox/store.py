"""Accounts, folders and mails in memory, with the numbers IMAP promises to keep: UIDs and UIDVALIDITY."""

import hmac
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from butler_demo.mailbox.records import EventKind, MailEvent, StoredMail

SPECIAL_USE = {"Archive": "\\Archive", "Drafts": "\\Drafts", "Sent": "\\Sent", "Trash": "\\Trash"}
_BARE_LINE_END = re.compile(rb"\r\n|\r|\n")


def with_crlf(raw: bytes) -> bytes:
    """The same mail with every line end as CRLF, as it travels on the wire."""
    return _BARE_LINE_END.sub(b"\r\n", raw)


class Folder:
    """A folder of one account. UIDs only grow; `revision` counts changes so that a session can catch up."""

    def __init__(self, address: str, name: str, uidvalidity: int, emit: Callable[[MailEvent], None]) -> None:
        self.address = address
        self.name = name
        self.uidvalidity = uidvalidity
        self.uidnext = 1
        self.revision = 0
        self.mails: dict[int, StoredMail] = {}
        self.flag_revisions: dict[int, int] = {}
        self.watchers: set[Callable[[], None]] = set()
        self._emit = emit

    def add(self, raw: bytes, flags: Iterable[str], received_at: datetime) -> StoredMail:
        """Store a mail under the next UID."""
        mail = StoredMail(self.uidnext, with_crlf(raw), frozenset(flags), received_at)
        self.uidnext += 1
        self.mails[mail.uid] = mail
        self._changed(EventKind.ADDED, mail)
        return mail

    def set_flags(self, uid: int, flags: frozenset[str]) -> StoredMail:
        """Replace the flags of a mail; a change that changes nothing is no event."""
        mail = self.mails[uid]
        if mail.flags != flags:
            mail = self.mails[uid] = replace(mail, flags=flags)
            self.flag_revisions[uid] = self.revision + 1
            self._changed(EventKind.FLAGGED, mail)
        return mail

    def expunge(self, uids: Iterable[int]) -> None:
        """Remove mails for good."""
        for uid in uids:
            mail = self.mails.pop(uid)
            self.flag_revisions.pop(uid, None)
            self._changed(EventKind.EXPUNGED, mail)

    def rebuild(self, uidvalidity: int) -> None:
        """Renumber from 1, newest first, under a new UIDVALIDITY: an old UID now names another mail."""
        newest_first = reversed(self.mails.values())
        self.mails = {uid: replace(mail, uid=uid) for uid, mail in enumerate(newest_first, start=1)}
        self.flag_revisions.clear()
        self.uidvalidity = uidvalidity
        self.uidnext = len(self.mails) + 1

    def _changed(self, kind: EventKind, mail: StoredMail) -> None:
        self.revision += 1
        self._emit(MailEvent(kind, self.address, self.name, mail=mail))
        for watcher in tuple(self.watchers):
            watcher()


@dataclass(slots=True)
class Account:
    """One user: an address to log in with, the secrets that are accepted, and the folders."""

    address: str
    password: str
    token: str | None
    folders: dict[str, Folder] = field(default_factory=dict[str, Folder])


class MailStore:
    """All accounts of the server. Addresses are compared without regard to case."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.subscribers: list[Callable[[MailEvent], None]] = []
        self._accounts: dict[str, Account] = {}
        self._uidvalidity = int(now().timestamp())

    def add_account(self, address: str, password: str, token: str | None) -> Account:
        """A new account with INBOX and the special-use folders; ValueError if the address is taken."""
        key = address.lower()
        if key in self._accounts:
            raise ValueError(f"There is already a mailbox for {address}.")
        account = self._accounts[key] = Account(key, password, token)
        for name in ("INBOX", *SPECIAL_USE):
            self.create_folder(account, name)
        return account

    def account(self, address: str) -> Account | None:
        """The account of an address, if it is one of ours."""
        return self._accounts.get(address.lower())

    def create_folder(self, account: Account, name: str) -> Folder:
        """A new empty folder with a UIDVALIDITY no folder had before."""
        folder = Folder(account.address, name, self.next_uidvalidity(), self.emit)
        account.folders[name] = folder
        return folder

    def next_uidvalidity(self) -> int:
        self._uidvalidity += 1
        return self._uidvalidity

    def check_password(self, address: str, password: str) -> Account | None:
        """The account if address and password belong together."""
        account = self.account(address)
        if account is None or not hmac.compare_digest(account.password.encode(), password.encode()):
            return None
        return account

    def check_token(self, address: str, token: str) -> Account | None:
        """The account if the OAuth token is the one that was set for it."""
        account = self.account(address)
        if account is None or account.token is None:
            return None
        return account if hmac.compare_digest(account.token.encode(), token.encode()) else None

    def emit(self, event: MailEvent) -> None:
        """Tell every subscriber of a change."""
        for subscriber in tuple(self.subscribers):
            subscriber(event)
