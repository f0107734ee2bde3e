# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""A Telegram data centre for tests and the demo: real MTProto 2.0 over loopback, for Telethon 1.45.

To point a client at it, register the key and the address before it connects:

    telethon.crypto.rsa.add_key(centre.public_key_pem, old=False)
    session.set_dc(centre.dc_id, centre.host, centre.port)

A session string made by `session_string` holds the address already.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from telethon.sessions import StringSession
from telethon.tl import types

from butler.demo.mtproto.connection import Connection
from butler.demo.mtproto.context import DC_ID, State
from butler.demo.mtproto.crypto import ServerKey
from butler.demo.mtproto.directory import Account, ContactName, Group
from butler.demo.mtproto.dispatch import Dispatcher, check_method
from butler.demo.mtproto.faults import Loss, Moment, Refusal
from butler.demo.mtproto.message_box import Event, EventKind, MessageBox
from butler.demo.mtproto.records import Call, Change, ChangeKind, Message
from butler.demo.mtproto.srp import PasswordVerifier
from butler.demo.mtproto.store import Draft
from butler.demo.mtproto.transport import Transport
from butler.demo.mtproto.views import View

_CHANGES = {
    EventKind.NEW: ChangeKind.NEW,
    EventKind.EDITED: ChangeKind.EDITED,
    EventKind.DELETED: ChangeKind.DELETED,
}


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DataCentre:
    """One data centre with its accounts and messages, all in memory.

    `now` gives the dates of messages (aware); the protocol itself always runs on the real clock, because
    clients compare it with their own. Methods that are not `async` must run in the event loop's thread.
    """

    dc_id = DC_ID

    def __init__(self, *, now: Callable[[], datetime] = _utc_now) -> None:
        self._state = State(now)
        self._state.store.on_event = self._on_event
        self._dispatcher = Dispatcher(self._state)
        self._server_key = ServerKey()
        self._server: asyncio.Server | None = None
        self._connections: dict[Connection, asyncio.Task[None]] = {}
        self._subscribers: list[Callable[[Change], None]] = []

    # Life

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
        self._server = await asyncio.start_server(self._serve, host, port)
        self._state.host, self._state.port = self._server.sockets[0].getsockname()[:2]

    async def stop(self) -> None:
        """Close the port and every connection. Accounts, messages and auth keys stay."""
        if self._server is not None:
            self._server.close()
            self._server = None
        tasks = list(self._connections.values())
        for connection in list(self._connections):
            connection.abort()
        await asyncio.gather(*tasks)

    async def go_offline(self) -> None:
        """Become unreachable: connections break, new ones are refused."""
        await self.stop()

    async def come_back(self) -> None:
        """Listen again on the same port."""
        await self.start(self.host, self.port)

    # People

    def add_account(
        self,
        user_id: int,
        phone: str,
        first_name: str,
        last_name: str | None = None,
        *,
        username: str | None = None,
        password: str | None = None,
        code: str = "12345",
    ) -> Account:
        """Add an account; `phone` with or without plus sign, `password` switches two-step verification on.

        Raises:
            ValueError: the id, the phone or the username is taken.
        """
        verifier = PasswordVerifier.of(password) if password else None
        account = Account(user_id, phone.lstrip("+"), first_name, last_name, username, code, verifier)
        self._state.directory.add_account(account)
        return account

    def befriend(
        self, owner_id: int, contact_id: int, as_first_name: str | None = None, as_last_name: str | None = None
    ) -> None:
        """Write one account into another's address book, under its own name or the one given."""
        account = self._state.directory.accounts[contact_id]
        name = ContactName(account.first_name, account.last_name)
        if as_first_name is not None:
            name = ContactName(as_first_name, as_last_name)
        self._state.directory.add_contact(owner_id, contact_id, name)

    def add_group(self, group_id: int, title: str, creator_id: int, *member_ids: int) -> Group:
        """Add a basic group; its peer id in records and for `inject` is `-group_id`.

        Raises:
            ValueError: the id is taken or somebody does not exist.
        """
        members = (creator_id, *member_ids)
        group = Group(group_id, title, creator_id, members, self._state.now().replace(microsecond=0))
        self._state.directory.add_group(group)
        return group

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

    # Messages

    def inject(self, from_id: int, to_id: int, text: str, reply_to: Message | None = None) -> Message:
        """Have one account write to another (or to `-group_id`); returns the author's copy.

        `reply_to` is anybody's copy of the message that it answers.

        Raises:
            RpcFault: the text or the peer would be refused to a client as well.
        """
        origin = reply_to.origin if reply_to else None
        return self._state.store.post(Draft(from_id, to_id, text, reply_to=origin))

    def messages(self, user_id: int, peer_id: int | None = None) -> list[Message]:
        """An account's copies, oldest first, of one conversation or of all; deleted ones are gone."""
        return self._state.store.box(user_id).visible(peer_id)

    def sent_by(self, user_id: int) -> list[Message]:
        """Everything that ever left an account, oldest first, deleted or not: the provider's own record."""
        messages = self._state.store.box(user_id).messages.values()
        return [message for message in messages if message.outgoing]

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call `callback` on every new, edited or deleted copy; the function returned ends that."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    # Calls and faults

    @property
    def calls(self) -> list[Call]:
        """The RPC calls so far (the last 100,000), oldest first."""
        return list(self._dispatcher.calls)

    def fail(self, method: str, code: int, message: str, *, times: int | None = 1, user_id: int | None = None) -> None:
        """Answer the next calls of a method (`messages.sendMessage`, `*` for any) with an error.

        For instance 420 FLOOD_WAIT_33, 406 AUTH_KEY_DUPLICATED, 400 PEER_FLOOD. `times=None`: from now on.
        """
        check_method(method)
        self._dispatcher.faults.add(method, Refusal(code, message), user_id=user_id, times=times)

    def drop(
        self,
        method: str,
        moment: Moment,
        *,
        times: int | None = 1,
        user_id: int | None = None,
        cut: bool = True,
    ) -> None:
        """Do not answer the next calls of a method, before or after their effect, and cut the connection.

        With `cut=False` the connection stays, and the client waits in vain.
        """
        check_method(method)
        self._dispatcher.faults.add(method, Loss(moment, cut), user_id=user_id, times=times)

    def heal(self) -> None:
        """Forget all faults that were ordered."""
        self._dispatcher.faults.clear()

    def revoke(self, user_id: int, *, tell: bool = True) -> None:
        """End all sessions of an account: their calls answer 401 SESSION_REVOKED from now on.

        Telegram makes a client that is connected look (`updatesTooLong`), so that it learns of it at once;
        with `tell=False` it learns at its next call.
        """
        connections = self._connections_of(user_id)
        self._state.authorizations.revoke(user_id)
        for connection in connections if tell else ():
            connection.push(types.UpdatesTooLong())

    def change_salts(self) -> None:
        """Make the next message of every client fail once with `bad_server_salt`."""
        self._state.authorizations.change_salts()

    # Wires

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(
            Transport(reader, writer),
            server_key=self._server_key,
            authorizations=self._state.authorizations,
            dispatcher=self._dispatcher,
        )
        task = asyncio.current_task()
        assert task is not None
        self._connections[connection] = task
        try:
            await connection.serve()
        finally:
            del self._connections[connection]

    def _connections_of(self, user_id: int) -> list[Connection]:
        return [
            connection
            for connection in self._connections
            if connection.authorization is not None and connection.authorization.user_id == user_id
        ]

    def _on_event(self, box: MessageBox, event: Event) -> None:
        """Tell the other connections of the account, and the subscribers."""
        for connection in self._connections_of(box.owner_id):
            if connection.wants_updates and not connection.is_calling:
                connection.push(View(self._state, box.owner_id).updates(box, [event]))
        if event.kind in _CHANGES:
            change = Change(_CHANGES[event.kind], box.messages[event.message_id])
            for callback in list(self._subscribers):
                callback(change)
