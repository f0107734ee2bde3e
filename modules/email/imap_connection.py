"""The one connection to a mailbox that all calls share, one at a time; opened anew where it was lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from modules.email.imap import FolderState
from modules.email.imap_account import MailAccount
from modules.email.integration_imap import ImapConnection

INBOX = "INBOX"


class SharedConnection:
    """Whoever has its turn has the folder open that was asked for, and its state fresh."""

    def __init__(self, account: MailAccount) -> None:
        self._account = account
        self._turn = asyncio.Lock()
        self._connection: ImapConnection | None = None

    async def another(self) -> ImapConnection:
        """A connection that is not shared."""

        async def open_one() -> ImapConnection:
            return await ImapConnection.open(await self._account.login())

        return await self._account.logged_in(open_one)

    @asynccontextmanager
    async def at(self, folder: str = INBOX) -> AsyncGenerator[tuple[ImapConnection, FolderState]]:
        """The connection with a folder open; a fault with NOT_FOUND where there is none of that name."""
        async with self._turn:
            state = await self._still_open(folder)
            if state is None or self._connection is None:
                self._connection = await self.another()
                state = await self._connection.select(folder)
            yield self._connection, state

    async def close(self) -> None:
        """Say goodbye, once whoever has its turn is done."""
        async with self._turn:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None

    async def _still_open(self, folder: str) -> FolderState | None:
        if self._connection is None or not self._connection.usable:
            return None
        try:
            return await self._connection.select(folder)
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.NOT_FOUND:
                raise
            # It may have died in silence since the last call; a fresh one tells what is wrong, if anything is.
            self._connection.drop()
            return None
