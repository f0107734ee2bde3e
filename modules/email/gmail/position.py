"""The position of a Gmail account's mirror, stored together with the changes it stands for."""

from datetime import datetime

from butler.contract.records import Record


class Listing(Record):
    """A listing of mails by date, newest first: all of them at first, or those of a gap."""

    since: int
    """Seconds since 1970; older mails are left alone. 0: there is no limit."""
    before: int = 0
    """Seconds since 1970; from here on all is kept. 0: nothing is yet."""
    kept: int = 0
    """How many of these were new."""
    gap_from: int = 0
    """Where it fills a gap: when the history was known last."""


class HistoryPosition(Record):
    """The stored position. `history_id` is where the next look continues; it was read before anything was listed."""

    address: str
    """Whose mailbox it is: ids of another one mean nothing in it."""
    history_id: str
    looked_at: datetime
    listing: Listing | None = None
    note: str = ""
    """What the last gap has cost, for the owner."""

    def text(self) -> str:
        """Return the cursor's value."""
        return self.model_dump_json()
