"""Where the mirror of one folder stands: what is kept of it, and what the folder was like when all of that was so."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from modules.email.imap.methods import State
from modules.email.imap.uids import Uids


class Standing(BaseModel):
    """The durable position; sets of UIDs are IMAP's own. `uidnext`, `exists` and `modseq` are of the last full look."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    address: str
    """Whose mailbox it was."""
    days: int
    """What `sync_days` said."""
    uidvalidity: int = 0
    uidnext: int = 0
    exists: int = 0
    modseq: int = 0
    kept: str = ""
    unread: str = ""
    """Of those that are kept, the ones that were unread."""

    def text(self) -> str:
        """For the cursor."""
        return self.model_dump_json(exclude_defaults=True)


class Held:
    """A standing while it is worked on."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.kept = Uids.read(standing.kept)
        self.unread = Uids.read(standing.unread)

    def keep(self, uids: Iterable[int], unread: Iterable[int]) -> str:
        """These are kept now; the cursor that says so."""
        added = Uids.of(uids)
        self.kept |= added
        self.unread = (self.unread - added) | Uids.of(unread)
        return self._text()

    def drop(self, uids: Iterable[int]) -> str:
        """These are kept no more; the cursor that says so."""
        gone = Uids.of(uids)
        self.kept -= gone
        self.unread -= gone
        return self._text()

    def settle(self, now: State) -> str:
        """All that was seen is kept as it is; the cursor that says so."""
        numbers = {"uidnext": now.uidnext, "exists": now.exists, "modseq": now.modseq, "uidvalidity": now.uidvalidity}
        self.standing = self.standing.model_copy(update=numbers)
        return self._text()

    def _text(self) -> str:
        update = {"kept": str(self.kept), "unread": str(self.unread)}
        self.standing = self.standing.model_copy(update=update)
        return self.standing.text()
