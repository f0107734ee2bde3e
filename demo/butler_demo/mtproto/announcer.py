# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""Tells those who are connected, and the data centre's subscribers, what has happened."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from telethon.tl import types

from butler_demo.mtproto.authorizations import Authorization
from butler_demo.mtproto.connection import Connection
from butler_demo.mtproto.context import State
from butler_demo.mtproto.event_log import Event, EventKind
from butler_demo.mtproto.ids import is_channel
from butler_demo.mtproto.message_box import MessageBox
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.peers import plain_peer
from butler_demo.mtproto.records import Change
from butler_demo.mtproto.update_views import updates, updates_of
from butler_demo.mtproto.views import View


class Announcer:
    """The open connections and who listens on them. Accounts in `unheard` are pushed nothing, as if it got lost."""

    def __init__(self, state: State) -> None:
        self.connections: dict[Connection, asyncio.Task[None]] = {}
        self.subscribers: list[Callable[[Change], None]] = []
        self.unheard: set[int] = set()
        self._state = state
        state.store.on_event = self._on_event
        state.on_muted = self._on_muted
        state.on_scanned = self._on_scanned

    def connections_of(self, user_id: int) -> list[Connection]:
        """The connections on which an account is signed in."""
        return [connection for connection in self.connections if _user_of(connection) == user_id]

    def tell(self, user_id: int, items: list[Any], peer_ids: Iterable[int] = ()) -> None:
        """Push updates to an account, with the peers that they are about."""
        view = View(self._state, user_id)
        entities = view.entities_of(peer_ids)
        for connection in self._listening(user_id):
            connection.push(updates_of(view, items, entities))

    def _listening(self, user_id: int) -> list[Connection]:
        """Whom an update reaches: a call's own effects come with its answer, so its connection is not pushed to."""
        if user_id in self.unheard:
            return []
        return [c for c in self.connections_of(user_id) if c.wants_updates and not c.is_calling]

    def _on_event(self, box: MessageBox, event: Event) -> None:
        for user_id in self._concerned(box):
            for connection in self._listening(user_id):
                connection.push(updates(View(self._state, user_id), [event]))
        if event.kind is not EventKind.READ:
            change = Change(event.kind, box.messages[event.message_id])
            for callback in list(self.subscribers):
                callback(change)

    def _concerned(self, box: MessageBox) -> set[int]:
        """The connected accounts that an event in this box is told to."""
        connected = {user_id for connection in self.connections if (user_id := _user_of(connection)) is not None}
        if not is_channel(box.owner_id):
            return connected & {box.owner_id}
        channel = self._state.directory.channel_of(box.owner_id)
        return connected & channel.members.keys() if channel else set()

    def _on_muted(self, user_id: int, peer_id: int) -> None:
        settings = settings_of(self._state, user_id, peer_id)
        peer = types.NotifyPeer(plain_peer(peer_id))
        self.tell(user_id, [types.UpdateNotifySettings(peer, settings)], [peer_id])

    def _on_scanned(self, authorization: Authorization) -> None:
        """Tell the device whose QR code was scanned, which is not signed in yet."""
        for connection in self.connections:
            if connection.authorization is authorization and connection.wants_updates:
                connection.push(types.UpdateShort(types.UpdateLoginToken(), self._state.now()))


def _user_of(connection: Connection) -> int | None:
    return connection.authorization.user_id if connection.authorization else None
