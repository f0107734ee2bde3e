"""The owner's PIN: stored as a scrypt hash, requested by a challenge, locked for a while after wrong tries.

It is needed to approve calls of the highest risk, and for `/resume`. Wrong tries are counted across all challenges, so
that a new tap gives no new tries.
"""

import hashlib
import hmac
import secrets
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from approvals.risk import Risk
from butler.contract.errors import Refuse
from butler.store.queries import audit, cursors
from butler.store.queries.approvals import ApprovalRow

PIN = "pin"
CHALLENGE = "pin_challenge"
WRONG = "pin_wrong"
"""The facts: the PIN's hash, the open challenge, and the number of wrong tries."""

SHORTEST, LONGEST = 4, 12
CHALLENGE_LIFE = timedelta(minutes=5)
TRIES = 3
LOCKED_FOR = timedelta(minutes=15)
_COST, _BLOCK, _LANES = 2**15, 8, 1
_MEMORY = 2 * 128 * _COST * _BLOCK


@dataclass(frozen=True, slots=True)
class Secret:
    """A stored PIN: salt and scrypt hash, in hex."""

    salt: str
    digest: str

    def matches(self, typed: str) -> bool:
        """Check a PIN; takes a tenth of a second of a thread, on purpose."""
        return hmac.compare_digest(_scrypt(typed, self.salt), self.digest)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A request for the PIN in one chat: for an approval, or (without one) for `/resume`."""

    challenge_id: str
    chat: str
    until: str
    approval_id: str = ""
    revision: int = 0
    nonce_sha256: str = ""
    """The hash of the tapped button's nonce; the button is used up once the PIN is right."""
    closed: bool = False
    """Whether it is locked: typed digits are still kept out of every row, but not checked."""

    @property
    def subject(self) -> str:
        """Return the challenge's name in the audit log."""
        return self.approval_id or "resume"

    def open_at(self, now: datetime) -> bool:
        """Return whether a PIN is accepted now."""
        return not self.closed and now < datetime.fromisoformat(self.until)


def set_pin(connection: sa.Connection, typed: str, by: str, now: datetime) -> None:
    """Store a new PIN; this voids open challenges and wrong tries. Raises `Refuse` for an invalid PIN."""
    if not (SHORTEST <= len(typed) <= LONGEST and typed.isascii() and typed.isdecimal()):
        raise Refuse(f"a PIN has {SHORTEST} to {LONGEST} digits and nothing else")
    salt = secrets.token_hex(16)
    cursors.put_fact(connection, PIN, asdict(Secret(salt, _scrypt(typed, salt))), now)
    _forget(connection, now)
    audit.append(connection, "pin.set", PIN, by, {}, now)


def clear_pin(connection: sa.Connection, by: str, now: datetime) -> bool:
    """Delete the PIN; return False if none was set."""
    if secret_of(connection) is None:
        return False
    cursors.put_fact(connection, PIN, None, now)
    _forget(connection, now)
    audit.append(connection, "pin.cleared", PIN, by, {}, now)
    return True


def secret_of(connection: sa.Connection) -> Secret | None:
    """Return the stored PIN; None if none is set."""
    fact = cursors.fact(connection, PIN)
    return None if fact is None else Secret(**fact)


def needs_pin(connection: sa.Connection, row: ApprovalRow) -> bool:
    """Return whether approving this needs the PIN."""
    return row.risk == Risk.HIGHEST and secret_of(connection) is not None


def challenge(connection: sa.Connection, chat: str, now: datetime, **about: Any) -> Challenge:
    """Ask for the PIN in a chat, replacing any earlier challenge; `about` are the last fields of `Challenge`."""
    until = (now + CHALLENGE_LIFE).isoformat()
    opened = Challenge(secrets.token_hex(8), chat, until, **about)
    cursors.put_fact(connection, CHALLENGE, asdict(opened), now)
    audit.append(connection, "pin.asked", opened.subject, "butler", {"chat": chat}, now)
    return opened


def challenge_of(connection: sa.Connection) -> Challenge | None:
    """Return the newest challenge without a right answer, open or not."""
    fact = cursors.fact(connection, CHALLENGE)
    return None if fact is None else Challenge(**fact)


def drop_challenge(connection: sa.Connection, now: datetime) -> None:
    """Drop the challenge."""
    cursors.put_fact(connection, CHALLENGE, None, now)


def locked_until(connection: sa.Connection, now: datetime) -> datetime | None:
    """Return when the PIN can be tried again; None if it can be tried now."""
    _, end = _wrong(connection)
    return end if end is not None and now < end else None


def note_wrong(connection: sa.Connection, asked: Challenge, by: str, now: datetime) -> int:
    """Count a wrong PIN; return how many tries are left. The last one closes the challenge and locks the PIN."""
    counted, was_locked = _wrong(connection)
    # A lock that has ended gives new tries.
    count = 1 if was_locked else counted + 1
    until = (now + LOCKED_FOR).isoformat() if count >= TRIES else ""
    cursors.put_fact(connection, WRONG, {"count": count, "until": until}, now)
    audit.append(connection, "pin.wrong", asked.subject, by, {"count": count}, now)
    if until:
        cursors.put_fact(connection, CHALLENGE, asdict(replace(asked, closed=True)), now)
        audit.append(connection, "pin.locked", asked.subject, by, {"until": until}, now)
    return TRIES - count


def note_right(connection: sa.Connection, asked: Challenge, by: str, now: datetime) -> None:
    """Record a right PIN: the challenge is answered, and wrong tries are forgotten."""
    _forget(connection, now)
    audit.append(connection, "pin.right", asked.subject, by, {}, now)


def _wrong(connection: sa.Connection) -> tuple[int, datetime | None]:
    """Return the number of wrong tries, and until when the PIN is or was locked."""
    fact: dict[str, Any] | None = cursors.fact(connection, WRONG)
    if fact is None:
        return 0, None
    return fact["count"], datetime.fromisoformat(fact["until"]) if fact["until"] else None


def _forget(connection: sa.Connection, now: datetime) -> None:
    drop_challenge(connection, now)
    cursors.put_fact(connection, WRONG, None, now)


def _scrypt(typed: str, salt: str) -> str:
    return hashlib.scrypt(typed.encode(), salt=bytes.fromhex(salt), n=_COST, r=_BLOCK, p=_LANES, maxmem=_MEMORY).hex()
