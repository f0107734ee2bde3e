"""Who the one person is: from the settings, or paired by a code that was said to the bot."""

import hmac
import secrets
from datetime import timedelta

import sqlalchemy as sa

from butler.contract.ports import Clock
from butler.store.queries import audit, cursors
from butler.store.store import Store

CODE_LIFE = timedelta(minutes=15)
TRIES = 5


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
        self._paired = await self._store.read(lambda c: cursors.fact(c, "paired"))

    async def pair(self, code: str, telegram_user_id: int) -> bool:
        """Pair with the person who says the open code; False when it is wrong, old, or tried too often."""
        now = self._clock.now()

        def work(connection: sa.Connection) -> bool:
            if self.telegram_user_id is not None:
                return False
            open_code = cursors.fact(connection, "pairing")
            if not open_code or open_code["until"] < now.timestamp() or open_code["tries"] >= TRIES:
                return False
            if not hmac.compare_digest(open_code["code"], code.strip().upper()):
                cursors.put_fact(connection, "pairing", {**open_code, "tries": open_code["tries"] + 1}, now)
                return False
            cursors.put_fact(connection, "pairing", None, now)
            cursors.put_fact(connection, "paired", telegram_user_id, now)
            audit.append(connection, "paired", f"telegram:{telegram_user_id}", "owner", {}, now)
            return True

        paired = await self._store.write(work, "pair")
        if paired:
            self._paired = telegram_user_id
        return paired

    async def open_pairing(self) -> str:
        """Make a code that the owner says to the bot as `/start CODE` within fifteen minutes."""
        now = self._clock.now()
        code = "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))
        value = {"code": code, "until": (now + CODE_LIFE).timestamp(), "tries": 0}
        await self._store.write(lambda c: cursors.put_fact(c, "pairing", value, now), "pairing")
        return code
