"""The owner: from the settings, or paired by a code that was said to the bot."""

import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa

from butler.contract.ports import Clock
from butler.store.queries import audit, cursors, work
from butler.store.store import Store

CODE_LIFE = timedelta(minutes=15)
TRIES = 5
"""Tries of each sender: others' guesses do not use up the owner's."""
MOST_SENDERS = 1_000
"""Senders whose tries are counted; the code has 32 to the 8th forms, so a forgotten sender may begin again."""
PAIRED = "paired"
PAIRING = "pairing"
"""The facts: the paired Telegram user, and the open pairing code."""
OWNER_CHANGED = "owner_changed"
"""The work kind by which the command line notifies a running daemon."""


class Owner:
    """Implements `OwnerFacts`."""

    def __init__(self, store: Store, clock: Clock, *, telegram_user_id: int | None, emails: frozenset[str]) -> None:
        self._store, self._clock = store, clock
        self._configured, self._paired = telegram_user_id, None
        self._emails = emails

    @property
    def telegram_user_id(self) -> int | None:
        return self._configured if self._configured is not None else self._paired

    @property
    def emails(self) -> frozenset[str]:
        return self._emails

    async def load(self) -> None:
        """Load the paired user."""
        self._paired = await self._store.read(lambda c: cursors.fact(c, PAIRED))

    async def changed(self, _subject: str) -> None:
        """Handle an unpairing on the command line: that user is a stranger from now on."""
        await self.load()

    async def pair(self, code: str, telegram_user_id: int) -> bool:
        """Pair with the sender of the open code; return False for a wrong or old code, or too many tries."""
        now = self._clock.now()

        def try_code(connection: sa.Connection) -> bool:
            # Read the stored state: the command line may just have unpaired somebody.
            if self._configured is not None or cursors.fact(connection, PAIRED) is not None:
                return False
            open_code = cursors.fact(connection, PAIRING)
            if not open_code or open_code["until"] < now.timestamp():
                return False
            sender, tries = str(telegram_user_id), _tries(open_code)
            if tries.get(sender, 0) >= TRIES:
                return False
            if not hmac.compare_digest(_bytes(open_code["code"]), _bytes(code.strip().upper())):
                counted = {**tries, sender: tries.get(sender, 0) + 1}
                latest = dict(list(counted.items())[-MOST_SENDERS:])
                cursors.put_fact(connection, PAIRING, {**open_code, "tries": latest}, now)
                return False
            cursors.put_fact(connection, PAIRING, None, now)
            cursors.put_fact(connection, PAIRED, telegram_user_id, now)
            audit.append(connection, "paired", f"telegram:{telegram_user_id}", "owner", {}, now)
            return True

        paired = await self._store.write(try_code, "pair")
        if paired:
            self._paired = telegram_user_id
        return paired

    async def open_pairing(self) -> str:
        """Make a code that the owner says to the bot as `/start CODE` within fifteen minutes."""
        return await self._store.write(lambda c: open_code(c, self._clock.now()), "pairing")


def _tries(code: Mapping[str, Any]) -> dict[str, int]:
    """Return wrong codes by sender; none for a code opened before they were counted."""
    tries = code["tries"]
    return cast("dict[str, int]", tries) if isinstance(tries, dict) else {}


def _bytes(text: str) -> bytes:
    """Encode any input for comparison in constant time."""
    return text.encode("utf-8", "backslashreplace")


def open_code(connection: sa.Connection, now: datetime) -> str:
    """Make a new code; invalidate an open one."""
    code = "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))
    value: dict[str, Any] = {"code": code, "until": (now + CODE_LIFE).timestamp(), "tries": {}}
    cursors.put_fact(connection, PAIRING, value, now)
    return code


def unpair(connection: sa.Connection, by: str, now: datetime) -> int | None:
    """Unpair, and notify a running daemon; return who was paired."""
    former: int | None = cursors.fact(connection, PAIRED)
    cursors.put_fact(connection, PAIRED, None, now)
    work.add(connection, OWNER_CHANGED, "owner", now=now)
    if former is not None:
        audit.append(connection, "unpaired", f"telegram:{former}", by, {}, now)
    return former
