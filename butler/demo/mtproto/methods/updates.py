# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""updates.*: where a client stands in the sequence of events, and what it has missed."""

from typing import Any

from telethon.tl import functions, types

from butler.demo.mtproto.context import Context, Methods
from butler.demo.mtproto.message_box import EventKind
from butler.demo.mtproto.views import View

_LARGEST_DIFFERENCE = 100


def get_state(context: Context, _request: functions.updates.GetStateRequest) -> types.updates.State:
    """The number of the newest event."""
    return state_of(context, context.box.pts)


def get_difference(context: Context, request: functions.updates.GetDifferenceRequest) -> Any:
    """What happened after the client's `pts`, at most a hundred events at once."""
    box, view = context.box, View(context.state, context.account.id)
    missed = box.since(request.pts)
    if not missed:
        return types.updates.DifferenceEmpty(date=context.state.now(), seq=0)
    events = missed[:_LARGEST_DIFFERENCE]
    new = [
        message
        for event in events
        if event.kind is EventKind.NEW and (message := box.find(event.message_id)) is not None
    ]
    others = [event for event in events if event.kind is not EventKind.NEW]
    concerned = [box.messages[event.message_id] for event in others]
    content: dict[str, Any] = {
        "new_messages": [view.message(message) for message in new],
        "new_encrypted_messages": [],
        "other_updates": [view.update(box, event) for event in others],
        **view.entities([*new, *concerned]),
    }
    if len(events) < len(missed):
        return types.updates.DifferenceSlice(intermediate_state=state_of(context, events[-1].pts), **content)
    return types.updates.Difference(state=state_of(context, box.pts), **content)


def state_of(context: Context, pts: int) -> Any:
    """The state of a client that has seen the events up to `pts`."""
    box = context.box
    unread = sum(box.unread(peer_id) for peer_id in {message.peer_id for message in box.visible()})
    return types.updates.State(pts=pts, qts=0, date=context.state.now(), seq=0, unread_count=unread)


METHODS: Methods = {
    functions.updates.GetStateRequest: get_state,
    functions.updates.GetDifferenceRequest: get_difference,
}
