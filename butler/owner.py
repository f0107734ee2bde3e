"""Who the one person is: from the settings, or paired by a code that was said to the bot."""

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
"""Of one sender: whoever else guesses takes none of them away from the owner."""
MOST_SENDERS = 1_000
"""Whose tries are counted; the code has 32 to the 8th forms, so those before them may begin anew."""
PAIRED = "paired"
PAIRING = "pairing"
"""The facts: the Telegram user who is paired, and the code that waits to be said."""
OWNER_CHANGED = "owner_changed"
"""Work row by which the command line tells a running daemon."""


class Owner:
    """Meets `OwnerFacts`."""

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
        """Read who is paired."""
        self._paired = await self._store.read(lambda c: cursors.fact(c, PAIRED))

    async def changed(self, _subject: str) -> None:
        """Work handler: somebody was unpaired on the command line, and is a stranger from here on."""
        await self.load()

    async def pair(self, code: str, telegram_user_id: int) -> bool:
        """Pair with the person who says the open code; False for a wrong or old one, or too many tries."""
        now = self._clock.now()

        def try_code(connection: sa.Connection) -> bool:
            # As it is stored: the command line may have unpaired somebody just now.
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
    """Wrong codes by sender; a code that was opened before they were counted so begins at none."""
    tries = code["tries"]
    return cast("dict[str, int]", tries) if isinstance(tries, dict) else {}


def _bytes(text: str) -> bytes:
    """What can be compared in constant time, whatever was typed."""
    return text.encode("utf-8", "backslashreplace")


def open_code(connection: sa.Connection, now: datetime) -> str:
    """A new code; one that was open before is void."""
    code = "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))
    value: dict[str, Any] = {"code": code, "until": (now + CODE_LIFE).timestamp(), "tries": {}}
    cursors.put_fact(connection, PAIRING, value, now)
    return code


def unpair(connection: sa.Connection, by: str, now: datetime) -> int | None:
    """Take the pairing back, and tell a running daemon; who was paired."""
    former: int | None = cursors.fact(connection, PAIRED)
    cursors.put_fact(connection, PAIRED, None, now)
    work.add(connection, OWNER_CHANGED, "owner", now=now)
    if former is not None:
        audit.append(connection, "unpaired", f"telegram:{former}", by, {}, now)
    return former
