"""The mailbox connection that all calls share, one at a time; it is reopened when lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from time import monotonic

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules.email.imap.account import MailAccount
from modules.email.imap.syntax import FolderState
from modules.email.integration_imap import ImapConnection

INBOX = "INBOX"
_TRUSTED_S = 30.0
"""Seconds after an answer for which a connection is assumed alive and its folder open."""


def refuse_renumbered(folder: FolderState, uidvalidity: int) -> None:
    """Raise a fault if the known UIDs name other mails by now."""
    if folder.uidvalidity != uidvalidity:
        raise IntegrationFault(
            IntegrationErrorCode.CONFLICT, say("the mailbox was rebuilt, so its numbers name other mails now")
        )


class SharedConnection:
    """A shared connection; its current user has the requested folder open, with a fresh state."""

    def __init__(self, account: MailAccount) -> None:
        self._account = account
        self._turn = asyncio.Lock()
        self._connection: ImapConnection | None = None
        self._used_at = 0.0

    async def another(self) -> ImapConnection:
        """Open a connection that is not shared."""

        async def open_one() -> ImapConnection:
            return await ImapConnection.open(await self._account.login())

        return await self._account.logged_in(open_one)

    @asynccontextmanager
    async def at(
        self, folder: str = INBOX, *, fresh: bool = True
    ) -> AsyncGenerator[tuple[ImapConnection, FolderState]]:
        """Yield the connection with a folder open; raise a fault with NOT_FOUND if the folder does not exist.

        Without `fresh`, the state may date from when the folder was opened, as long as it is the same folder: opening a
        large one again makes some servers scan all of it.
        """
        async with self._turn:
            state = self._opened(folder) if not fresh else None
            if state is None:
                state = await self._still_open(folder)
            if state is None or self._connection is None:
                self._connection = await self.another()
                state = await self._connection.select(folder)
            yield self._connection, state
            self._used_at = monotonic()

    async def close(self) -> None:
        """Log out once the connection's current user is done."""
        async with self._turn:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None

    def _opened(self, folder: str) -> FolderState | None:
        connection = self._connection
        if connection is None or not connection.usable or monotonic() - self._used_at > _TRUSTED_S:
            return None
        return connection.opened[1] if connection.opened and connection.opened[0] == folder else None

    async def _still_open(self, folder: str) -> FolderState | None:
        if self._connection is None or not self._connection.usable:
            return None
        try:
            return await self._connection.select(folder)
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.NOT_FOUND:
                raise
            # The connection may have died silently since the last call; a new one reports any real problem.
            self._connection.drop()
            return None
