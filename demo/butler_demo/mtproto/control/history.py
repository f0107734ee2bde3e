# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for long histories, and for how far and by which hints clients catch up."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import cycle

from telethon.tl import types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import is_channel
from butler_demo.mtproto.store import Line
from butler_demo.mtproto.update_views import updates_of
from butler_demo.mtproto.views import View


def _numbered(number: int) -> str:
    return f"message {number}"


class HistoryControl(Control):
    """Histories, horizons and hints."""

    def fill(
        self,
        user_id: int,
        peer_id: int,
        count: int,
        *,
        text: Callable[[int], str] = _numbered,
        every: timedelta = timedelta(minutes=1),
        until: datetime | None = None,
    ) -> None:
        """Put a long history into the empty conversation that an account has with a peer.

        `text` makes the words of message 0, 1 and so on; everybody who may write does so in turn, one message
        `every` so often up to `until` (aware; now). All of it is read, and older than any difference reaches:
        who is behind it is answered that the difference is too long. Nobody is told.

        Raises:
            RpcFault: the account may not write to the peer.
            ValueError: something was written there already, or it is a forum.
        """
        store = self._state.store
        readers = self._state.directory.readers(user_id, peer_id, None)
        box = store.box_for(user_id, peer_id)
        if box.threads or any(message.service is None for message in box.visible(peer_id)):
            raise ValueError("only a conversation in which nothing was written, and no forum, can be filled")
        start = (until or store.now()).replace(microsecond=0) - every * count
        authors = cycle(self._authors(user_id, peer_id))
        origins = store.reserve_origins(count)
        lines = [Line(next(authors), text(i), start + every * (i + 1), origin) for i, origin in enumerate(origins)]
        for owner_id, peer in readers.items():
            store.fill(owner_id, peer, lines)
        for reader_id in self._members(user_id, peer_id):
            self._state.reading.begin(reader_id, readers.get(reader_id, peer_id))

    def set_horizon(self, owner_id: int, events: int | None) -> None:
        """Let clients catch up on so many of the newest events only, of an account or of a channel's peer.

        A client that is further behind is answered `differenceTooLong` or `channelDifferenceTooLong`. None: on
        all of them.
        """
        self._state.store.box(owner_id).log.horizon = events

    def lose_updates(self, user_id: int, *, lost: bool = True) -> None:
        """Push nothing to an account, as if it got lost on the way; what happens is only in the difference."""
        if lost:
            self._announcer.unheard.add(user_id)
        else:
            self._announcer.unheard.discard(user_id)

    def name_changed_channels(self, *, named: bool) -> None:
        """Whether a difference names the channels that have changed (at first it does), or leaves that out."""
        self._state.names_changed_channels = named

    def hint_too_long(self, user_id: int, channel: Channel | None = None) -> None:
        """Push `updateChannelTooLong` or (no channel) `updatesTooLong`: something happened, ask for it."""
        view = View(self._state, user_id)
        for connection in self._announcer.connections_of(user_id):
            if channel is None:
                connection.push(types.UpdatesTooLong())
            else:
                entities = view.entities_of([channel.peer_id])
                connection.push(updates_of(view, [types.UpdateChannelTooLong(channel.id)], entities))

    def _members(self, user_id: int, peer_id: int) -> list[int]:
        """Everybody in a conversation."""
        directory = self._state.directory
        channel = directory.channel_of(peer_id)
        if channel is not None:
            return list(channel.members)
        if peer_id < 0:
            return list(directory.groups[-peer_id].member_ids)
        return [peer_id, user_id]

    def _authors(self, user_id: int, peer_id: int) -> list[int]:
        """Those of them who may write."""
        members = self._members(user_id, peer_id)
        if not is_channel(peer_id):
            return members
        return [member for member in members if self._may_write(member, peer_id)]

    def _may_write(self, user_id: int, peer_id: int) -> bool:
        try:
            self._state.directory.readers(user_id, peer_id, None)
        except RpcFault:
            return False
        return True
