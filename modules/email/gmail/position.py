"""The position of a Gmail account's mirror, stored together with the changes it stands for."""

from datetime import datetime

from butler.contract.records import Record


class Listing(Record):
    """A listing of mails by date, newest first: of all mails at first, or of a gap in the history."""

    since: int
    """Seconds since 1970; older mails are not listed. 0: no limit."""
    before: int = 0
    """Seconds since 1970; mails from then on are listed already. 0: none are yet."""
    kept: int = 0
    """The number of mails listed so far."""
    gap_from: int = 0
    """For a gap: when the history was last known, in seconds since 1970. 0: there is no gap."""


class HistoryPosition(Record):
    """The stored position. The next look continues from `history_id`, which was read before anything was listed."""

    address: str
    """The mailbox's address: ids of another mailbox mean nothing here."""
    history_id: str
    looked_at: datetime
    listing: Listing | None = None
    note: str = ""
    """A sentence for the owner on the last gap."""

    def text(self) -> str:
        """Return the cursor's value."""
        return self.model_dump_json()
