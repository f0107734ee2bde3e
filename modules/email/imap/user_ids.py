"""The ids of mails in the person's mailboxes over IMAP: they name account, folder, UIDVALIDITY and UID.

A UID means one mail only as long as the folder keeps its UIDVALIDITY, so an id that was made under another one names
nothing; with the mail's Message-ID in it, the mail can be found again all the same.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

_SCHEME = "imap"
_PARTS = 6


@dataclass(frozen=True, slots=True)
class MailRef:
    """Which mail is meant. `folder` is spelt for use in a command; `message_id` may be empty."""

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
    """A folder's name without what ids are separated by."""
    return quote(folder, safe="")


def place_of(folder: str, uidvalidity: int, uid: int) -> str:
    """Where a mail lies, within its account; the folder as it is spelt in ids."""
    return f"{folder}:{uidvalidity}:{uid}"


def read_ref(text: str) -> MailRef | None:
    """The mail that an id names; None for what is no such id."""
    parts = text.split(":", _PARTS - 1)
    if len(parts) != _PARTS or parts[0] != _SCHEME:
        return None
    _, account, folder, uidvalidity, uid, message_id = parts
    if not (account and folder and uidvalidity.isdecimal() and uid.isdecimal()):
        return None
    return MailRef(account, unquote(folder), int(uidvalidity), int(uid), message_id)
