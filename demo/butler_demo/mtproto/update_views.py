# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The updates that tell an account of events, in its own box and in its channels."""

from collections.abc import Iterable, Sequence
from typing import Any

from telethon.tl import types

from butler_demo.mtproto.event_log import Event, EventKind
from butler_demo.mtproto.ids import channel_id_of, is_channel
from butler_demo.mtproto.peers import plain_peer
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.views import View


def message_of(view: View, event: Event) -> Message:
    """The message that an event is about, as it is now."""
    return view.state.store.box_for(view.viewer_id, event.peer_id).messages[event.message_id]


def update(view: View, event: Event) -> Any:
    """The `Update` that tells the viewer of an event."""
    if is_channel(event.peer_id):
        return _channel_update(view, event)
    message, count = message_of(view, event), {"pts": event.pts, "pts_count": 1}
    if event.kind is EventKind.NEW:
        return types.UpdateNewMessage(view.message(message), **count)
    if event.kind is EventKind.EDITED:
        return types.UpdateEditMessage(view.message(message), **count)
    if event.kind is EventKind.DELETED:
        return types.UpdateDeleteMessages([message.id], **count)
    unread = view.state.reading.unread(view.viewer_id, event.peer_id)
    return types.UpdateReadHistoryInbox(plain_peer(event.peer_id), message.id, still_unread_count=unread, **count)


def updates(view: View, events: Sequence[Event], first: Iterable[Any] = ()) -> types.Updates:
    """One `Updates` of several events, after the updates in `first`."""
    messages = [message_of(view, event) for event in events]
    return updates_of(view, [*first, *(update(view, event) for event in events)], view.entities(messages))


def updates_of(view: View, items: list[Any], entities: dict[str, Any] | None = None) -> types.Updates:
    """One `Updates` of these updates; without `entities` the viewer alone is named."""
    return types.Updates(updates=items, date=view.state.now(), seq=0, **(entities or view.entities_of(())))


def _channel_update(view: View, event: Event) -> Any:
    channel_id, message = channel_id_of(event.peer_id), message_of(view, event)
    count = {"pts": event.pts, "pts_count": 1}
    if event.kind is EventKind.NEW:
        return types.UpdateNewChannelMessage(view.message(message), **count)
    if event.kind is EventKind.EDITED:
        return types.UpdateEditChannelMessage(view.message(message), **count)
    if event.kind is EventKind.DELETED:
        return types.UpdateDeleteChannelMessages(channel_id, [message.id], **count)
    unread = view.state.reading.unread(view.viewer_id, event.peer_id)
    return types.UpdateReadChannelInbox(channel_id, message.id, still_unread_count=unread, pts=event.pts)
