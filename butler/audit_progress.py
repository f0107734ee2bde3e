"""Up to where the audit log was found whole, so that the next check reads only what came since.

The record is sealed with the key that lies outside of the data folder: whoever can change the log there, and this file
with it, cannot make one that vouches for what they wrote. An older record of ours only makes the next check longer.
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
"""So long after all of it was read, all of it is read again."""


@dataclass(frozen=True, slots=True)
class CheckedUpTo:
    """The last entry that was read and found whole, when that was, and when the whole log was read last."""

    seq: int
    hash: str
    at: datetime
    all_at: datetime

    @property
    def head(self) -> Head:
        return Head(self.seq, self.hash, f"{self.at:%Y-%m-%d %H:%M} UTC, when it was checked last")


def checked_up_to(data_dir: Path, cipher: "MultiFernet | None", now: datetime) -> CheckedUpTo | None:
    """The record of the last check; None where there is none, it is not ours, or all is to be read again."""
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
    # One that lies ahead was made before the clock was set back.
    return found if timedelta() <= now - found.all_at < ALL_AGAIN_AFTER else None


def note_checked(data_dir: Path, cipher: "MultiFernet | None", last: Head, now: datetime, all_at: datetime) -> bool:
    """Note that the log was found whole up to its entry `last`; False where that cannot be noted."""
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
