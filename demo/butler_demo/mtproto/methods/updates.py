# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""updates.*: where a client stands in the sequences of events, and what it has missed."""

from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.event_log import Event, EventKind, EventLog
from butler_demo.mtproto.methods.dialogs import dialog
from butler_demo.mtproto.methods.states import state_of
from butler_demo.mtproto.peers import find_channel
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.update_views import message_of, update
from butler_demo.mtproto.views import View

_LARGEST_DIFFERENCE = 100
_NEWEST = 20
_ASK_AGAIN_AFTER_S = 30


def get_state(context: Context, _request: functions.updates.GetStateRequest) -> types.updates.State:
    """The number of the newest event."""
    return state_of(context, context.box.pts)


def get_difference(context: Context, request: functions.updates.GetDifferenceRequest) -> Any:
    """What happened after the client's `pts` in private chats and groups, at most a hundred events at once.

    What came in secret chats after its `qts` is always whole. Of the channels it only tells which of them have
    changed since the client's `date`.
    """
    box, view = context.box, View(context.state, context.account.id)
    missed = _missed(box.log, request.pts)
    total_limit = request.pts_total_limit
    if missed is None or (total_limit and len(missed) > total_limit):
        return types.updates.DifferenceTooLong(pts=box.pts)
    changed = _changed_channels(context, request.date)
    encrypted = box.encrypted[max(request.qts, 0) :]
    if not missed and not changed and not encrypted:
        return types.updates.DifferenceEmpty(date=context.state.now(), seq=0)
    events = missed[: min(request.pts_limit or _LARGEST_DIFFERENCE, _LARGEST_DIFFERENCE)]
    new, others = _new_and_others(view, events)
    hints: list[Any] = [types.UpdateChannelTooLong(channel.id) for channel in changed]
    content: dict[str, Any] = {
        "new_messages": [view.message(message) for message in new],
        "new_encrypted_messages": encrypted,
        "other_updates": [*hints, *(update(view, event) for event in others)],
        **_entities(view, new, others, {channel.peer_id for channel in changed}),
    }
    if len(events) < len(missed):
        return types.updates.DifferenceSlice(intermediate_state=state_of(context, events[-1].pts), **content)
    return types.updates.Difference(state=state_of(context, box.pts), **content)


def get_channel_difference(context: Context, request: functions.updates.GetChannelDifferenceRequest) -> Any:
    """What happened in one channel after the client's `pts`, at most a hundred events at once."""
    channel = find_channel(context, request.channel)
    box, view = context.state.store.box(channel.peer_id), View(context.state, context.account.id)
    missed = _missed(box.log, request.pts)
    if missed is None:
        return _channel_too_long(context, channel, view)
    if not missed:
        return types.updates.ChannelDifferenceEmpty(pts=box.pts, final=True, timeout=_ASK_AGAIN_AFTER_S)
    events = missed[: min(max(request.limit, 1), _LARGEST_DIFFERENCE)]
    new, others = _new_and_others(view, events)
    return types.updates.ChannelDifference(
        pts=events[-1].pts,
        new_messages=[view.message(message) for message in new],
        other_updates=[update(view, event) for event in others],
        final=len(events) == len(missed),
        timeout=_ASK_AGAIN_AFTER_S,
        **_entities(view, new, others, {channel.peer_id}),
    )


def _missed(log: EventLog, pts: int) -> list[Event] | None:
    """The events after the client's `pts`, None when it is too old."""
    if pts <= 0:
        raise RpcFault(400, "PERSISTENT_TIMESTAMP_EMPTY")
    if pts > log.pts:
        raise RpcFault(400, "PERSISTENT_TIMESTAMP_INVALID")
    return log.since(pts)


def _channel_too_long(context: Context, channel: Channel, view: View) -> types.updates.ChannelDifferenceTooLong:
    """The channel as it is now, in the place of a difference that nobody can give any more."""
    box = context.state.store.box(channel.peer_id)
    conversation = box.conversations[channel.peer_id]
    newest = [box.messages[i] for i in conversation.newest_first(0, _NEWEST)]
    return types.updates.ChannelDifferenceTooLong(
        dialog=dialog(context, channel.peer_id, conversation.newest),
        messages=[view.message(message) for message in newest],
        final=True,
        timeout=_ASK_AGAIN_AFTER_S,
        **view.entities_of({channel.peer_id, *view.peers_in(newest)}),
    )


def _changed_channels(context: Context, since: datetime | None) -> list[Channel]:
    if not context.state.names_changed_channels or since is None:
        return []
    channels = context.state.directory.channels_with(context.account.id)
    logs = ((channel, context.state.store.box(channel.peer_id).log) for channel in channels)
    return [channel for channel, log in logs if log.changed_at is not None and log.changed_at >= since]


def _new_and_others(view: View, events: list[Event]) -> tuple[list[Message], list[Event]]:
    """The new messages that are still there, and the events of other kinds."""
    is_new = [event.kind is EventKind.NEW for event in events]
    messages = [message_of(view, event) for event, new in zip(events, is_new, strict=True) if new]
    others = [event for event, new in zip(events, is_new, strict=True) if not new]
    return [message for message in messages if not message.deleted], others


def _entities(view: View, new: list[Message], others: list[Event], peers: set[int]) -> dict[str, Any]:
    concerned = [message_of(view, event) for event in others]
    return view.entities_of(view.peers_in([*new, *concerned]) | peers)


METHODS: Methods = {
    functions.updates.GetStateRequest: get_state,
    functions.updates.GetDifferenceRequest: get_difference,
    functions.updates.GetChannelDifferenceRequest: get_channel_difference,
}
