"""The ids of mails in the owner's IMAP mailboxes: account, folder, UIDVALIDITY, UID and Message-ID.

A UID identifies a mail only while the folder keeps its UIDVALIDITY, so an id made under another one no longer does; by
its Message-ID, the mail can still be found.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

_SCHEME = "imap"
_PARTS = 6


@dataclass(frozen=True, slots=True)
class MailRef:
    """The id of one mail. `folder` is spelt for use in a command; `message_id` may be empty."""

    account: str
    folder: str
    uidvalidity: int
    uid: int
    message_id: str = ""

    @property
    def place(self) -> str:
        """The id within the account; the mirror's `ref`."""
        return place_of(spelt_in_ids(self.folder), self.uidvalidity, self.uid)

    def __str__(self) -> str:
        return f"{_SCHEME}:{self.account}:{self.place}:{self.message_id}"


def spelt_in_ids(folder: str) -> str:
    """Return a folder's name with the separators of ids escaped."""
    return quote(folder, safe="")


def place_of(folder: str, uidvalidity: int, uid: int) -> str:
    """Return a mail's place within its account; `folder` as spelt in ids."""
    return f"{folder}:{uidvalidity}:{uid}"


def read_ref(text: str) -> MailRef | None:
    """Return the reference that an id names; None if it is no such id."""
    parts = text.split(":", _PARTS - 1)
    if len(parts) != _PARTS or parts[0] != _SCHEME:
        return None
    _, account, folder, uidvalidity, uid, message_id = parts
    if not (account and folder and uidvalidity.isdecimal() and uid.isdecimal()):
        return None
    return MailRef(account, unquote(folder), int(uidvalidity), int(uid), message_id)
