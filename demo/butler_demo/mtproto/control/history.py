# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for how far and by which hints clients catch up."""

from telethon.tl import types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.update_views import updates_of
from butler_demo.mtproto.views import View


class HistoryControl(Control):
    """Horizons, lost updates and hints."""

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
