"""Keeps a PIN out of every row: it is checked before its message is stored, and only the result is stored.

Digits typed too late, or while the PIN is locked, are not checked but still kept out: they may well be the PIN. Digits
that nobody asked for are only chat. Keyboards write digits in many ways: those of any script, full-width ones and
keycaps count as digits.
"""

import asyncio
import re
import unicodedata
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from approvals.pin import Challenge, Secret, challenge_of, locked_until, secret_of
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.ports import Clock, OwnerFacts
from butler.store.store import Store

PAYLOAD = "pin"
VEILED_FOR = timedelta(minutes=15)
"""How long after its end a challenge still keeps digits out of the rows."""
_KINDS = frozenset({InboundKind.CHAT, InboundKind.EDITED})
_NAMED = re.compile(r"(?:(?:my|mein|meine|mon|mi) )?(?:code )?pin\b\W*(?=(?:\W*\d){4})", re.IGNORECASE)
_BETWEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"})
"""What may be between digits: blanks, invisible characters, and what makes a keycap of a digit."""


class Typed(StrEnum):
    """The kind of digits typed, as the stored item records it."""

    RIGHT = "right"
    WRONG = "wrong"
    LATE = "late"
    """Too late to be checked."""
    ELSEWHERE = "elsewhere"
    """The PIN, in another chat than the challenge's. Other digits there are only chat."""


class PinRedactor:
    """Redacts items between the sources and the inbox."""

    def __init__(self, store: Store, owner: OwnerFacts, clock: Clock) -> None:
        self._store, self._owner, self._clock = store, owner, clock

    async def redact(self, item: Inbound) -> Inbound:
        """Return the item as it may be stored. Raises the store's errors: then nothing is stored."""
        owner = self._owner.telegram_user_id
        if item.kind not in _KINDS or item.sender != f"telegram:{owner}" or not (typed := digits_in(item.text)):
            return item
        now = self._clock.now()
        asked, secret, locked = await self._store.read(lambda c: self._look(c, now))
        if asked is None or secret is None or not _covers(asked, now):
            return item
        if asked.chat != item.chat:
            if not await asyncio.to_thread(secret.matches, typed):
                return item
            verdict = Typed.ELSEWHERE
        elif asked.open_at(now) and not locked:
            right = await asyncio.to_thread(secret.matches, typed)
            verdict = Typed.RIGHT if right else Typed.WRONG
        else:
            verdict = Typed.LATE
        payload = {PAYLOAD: verdict.value, "challenge": asked.challenge_id}
        return item.model_copy(update={"text": "", "segments": (), "payload": payload})

    def _look(self, connection: sa.Connection, now: datetime) -> tuple[Challenge | None, Secret | None, bool]:
        return challenge_of(connection), secret_of(connection), locked_until(connection, now) is not None


def digits_in(text: str) -> str:
    """Return the digits of a text that consists only of digits, as `0` to `9`; empty for any other text."""
    kept = "".join(sign for sign in text if unicodedata.category(sign) != "Cf").strip()
    named = _NAMED.match(kept)
    kept = kept[named.end() :] if named else kept
    lines = [sign for sign in kept.rstrip(".,;!?") if unicodedata.category(sign) not in _BETWEEN]
    digits = [unicodedata.decimal(sign, None) for sign in lines]
    return "".join(str(digit) for digit in digits) if None not in digits else ""


def _covers(asked: Challenge, now: datetime) -> bool:
    return now < datetime.fromisoformat(asked.until) + VEILED_FOR
