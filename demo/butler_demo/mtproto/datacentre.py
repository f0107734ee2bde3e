# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon's sessions carry no complete types.)
"""A Telegram data centre for tests and the demo: real MTProto 2.0 over loopback, for Telethon 1.45.

To point a client at it, register the key and the address before it connects:

    telethon.crypto.rsa.add_key(centre.public_key_pem, old=False)
    session.set_dc(centre.dc_id, centre.host, centre.port)

A session string made by `session_string` holds the address already. What can be done to it from outside stands in
`control/`, one part a file; `docs/explanation/the-mtproto-data-centre.md` tells it as a whole.
"""

import asyncio
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from telethon.sessions import StringSession

from butler_demo.mtproto.connection import Connection
from butler_demo.mtproto.context import DC_ID, State
from butler_demo.mtproto.control.channels import ChannelControl
from butler_demo.mtproto.control.faults import FaultControl
from butler_demo.mtproto.control.files import FileControl
from butler_demo.mtproto.control.history import HistoryControl
from butler_demo.mtproto.control.messages import MessageControl
from butler_demo.mtproto.control.people import PeopleControl
from butler_demo.mtproto.control.sessions import SessionControl
from butler_demo.mtproto.crypto import ServerKey
from butler_demo.mtproto.transport import Transport
from butler_demo.serving import close_listener, hold_port


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DataCentre(
    PeopleControl, ChannelControl, MessageControl, FileControl, HistoryControl, SessionControl, FaultControl
):
    """One data centre with its accounts and messages, all in memory.

    `now` gives the dates of messages (aware); the protocol itself always runs on the real clock, because
    clients compare it with their own. A `server_key` that several share saves the time of making one. Methods
    that are not `async` must run in the event loop's thread.
    """

    dc_id = DC_ID

    def __init__(self, *, now: Callable[[], datetime] = _utc_now, server_key: ServerKey | None = None) -> None:
        super().__init__(State(now))
        self._server_key = server_key or ServerKey()
        self._server: asyncio.Server | None = None
        self._held: socket.socket | None = None

    @property
    def host(self) -> str:
        """The address it listens on, an IP address."""
        return self._state.host

    @property
    def port(self) -> int:
        """The port it listens on; it stays the same while offline."""
        return self._state.port

    @property
    def public_key_pem(self) -> str:
        """The RSA public key, PKCS#1 PEM."""
        return self._server_key.public_pem

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 takes a free one."""
        self._held = self._held or hold_port(host, port)
        self._state.host, self._state.port = self._held.getsockname()
        self._server = await asyncio.start_server(self._serve, self.host, self.port, reuse_port=True)

    async def stop(self) -> None:
        """Close the port and every connection. Accounts, messages and auth keys stay."""
        await self.go_offline()
        if self._held is not None:
            self._held.close()
            self._held = None

    async def go_offline(self) -> None:
        """Become unreachable: connections break, new ones are refused."""
        if self._server is not None:
            await close_listener(self._server)
            self._server = None
        tasks = list(self._announcer.connections.values())
        for connection in list(self._announcer.connections):
            connection.abort()
        await asyncio.gather(*tasks)

    async def come_back(self) -> None:
        """Listen again on the same port."""
        await self.start(self.host, self.port)

    def session_string(self, user_id: int) -> str:
        """A Telethon `StringSession` that is signed in to this account, without a login.

        Raises:
            RuntimeError: the data centre was not started, so that it has no address yet.
        """
        if not self.port:
            raise RuntimeError("start the data centre before you ask for a session: it holds the address")
        authorization = self._state.authorizations.create()
        authorization.sign_in(self._state.directory.accounts[user_id])
        session: Any = StringSession()
        session.set_dc(self.dc_id, self.host, self.port)
        session.auth_key = authorization.auth_key
        return session.save()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(
            Transport(reader, writer),
            server_key=self._server_key,
            authorizations=self._state.authorizations,
            dispatcher=self._dispatcher,
        )
        task = asyncio.current_task()
        assert task is not None
        self._announcer.connections[connection] = task
        try:
            await connection.serve()
        finally:
            del self._announcer.connections[connection]
