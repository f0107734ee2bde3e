"""The position up to which the audit log was verified, so that the next check reads only what came since.

The record is sealed with the key that lies outside of the data folder: an attacker who changes the log and this file
cannot forge a record for it. An older record of ours only makes the next check longer.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from butler.store.chain import Head

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

log = structlog.get_logger(__name__)

NAME = "audit-checked"
ALL_AGAIN_AFTER = timedelta(days=30)
"""The interval after which the whole log is read again."""


@dataclass(frozen=True, slots=True)
class CheckedUpTo:
    """The last verified entry, the time of that check, and the time of the last check of the whole log."""

    seq: int
    hash: str
    at: datetime
    all_at: datetime

    @property
    def head(self) -> Head:
        return Head(self.seq, self.hash, f"{self.at:%Y-%m-%d %H:%M} UTC, when it was checked last")


def checked_up_to(data_dir: Path, cipher: "MultiFernet | None", now: datetime) -> CheckedUpTo | None:
    """Return the record of the last check; None if there is none, it is not ours, or all must be read again."""
    if cipher is None:
        return None
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - only where something is sealed

    try:
        held = json.loads(cipher.decrypt((data_dir / NAME).read_bytes().strip()))
        at, all_at = (datetime.fromisoformat(held[name]) for name in ("at", "all_at"))
        found = CheckedUpTo(int(held["seq"]), str(held["hash"]), at, all_at)
    except FileNotFoundError:
        return None
    except (OSError, InvalidToken, ValueError, KeyError, TypeError) as error:
        log.warning("audit_checked_unreadable", file=NAME, kind=type(error).__name__)
        return None
    # A record from the future was made before the clock was set back.
    return found if timedelta() <= now - found.all_at < ALL_AGAIN_AFTER else None


def note_checked(data_dir: Path, cipher: "MultiFernet | None", last: Head, now: datetime, all_at: datetime) -> bool:
    """Note that the log is verified up to its entry `last`; return False if that cannot be noted."""
    if cipher is None or last.seq == 0:
        return False
    held = {"seq": last.seq, "hash": last.hash, "at": now.isoformat(), "all_at": all_at.isoformat()}
    fresh = data_dir / f".{NAME}.new"
    try:
        fresh.touch(mode=0o600)
        fresh.write_bytes(cipher.encrypt(json.dumps(held).encode()) + b"\n")
        fresh.replace(data_dir / NAME)
    except OSError as error:
        log.warning("audit_checked_not_noted", file=NAME, kind=type(error).__name__)
        return False
    return True
