"""The position of a folder's mirror: what is kept of the folder, and the folder's state at that time."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from modules.email.imap.methods import State
from modules.email.imap.uids import Uids


class FolderPosition(BaseModel):
    """The durable position; sets of UIDs are IMAP's own. `uidnext`, `exists`, `modseq`: as of the last full look."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    address: str
    """The mailbox's address at that time."""
    days: int
    """The value of `sync_days` at that time."""
    uidvalidity: int = 0
    uidnext: int = 0
    exists: int = 0
    modseq: int = 0
    kept: str = ""
    unread: str = ""
    """The unread ones of the kept mails."""

    def text(self) -> str:
        """Return the text for the cursor."""
        return self.model_dump_json(exclude_defaults=True)


class Held:
    """A position while it is updated."""

    def __init__(self, standing: FolderPosition) -> None:
        self.standing = standing
        self.kept = Uids.read(standing.kept)
        self.unread = Uids.read(standing.unread)

    def keep(self, uids: Iterable[int], unread: Iterable[int]) -> str:
        """Record mails as kept; return the new cursor."""
        added = Uids.of(uids)
        self.kept |= added
        self.unread = (self.unread - added) | Uids.of(unread)
        return self._text()

    def drop(self, uids: Iterable[int]) -> str:
        """Record mails as no longer kept; return the new cursor."""
        gone = Uids.of(uids)
        self.kept -= gone
        self.unread -= gone
        return self._text()

    def settle(self, now: State) -> str:
        """Record the folder's state once everything in it is kept; return the new cursor."""
        numbers = {"uidnext": now.uidnext, "exists": now.exists, "modseq": now.modseq, "uidvalidity": now.uidvalidity}
        self.standing = self.standing.model_copy(update=numbers)
        return self._text()

    def _text(self) -> str:
        update = {"kept": str(self.kept), "unread": str(self.unread)}
        self.standing = self.standing.model_copy(update=update)
        return self.standing.text()
