# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The state of a client in the sequence of events of private chats and groups."""

from typing import Any

from telethon.tl import types

from butler_demo.mtproto.context import Context


def state_of(context: Context, pts: int) -> Any:
    """The state of a client that has seen the events up to `pts`."""
    account_id, box, reading = context.account.id, context.box, context.state.reading
    unread = sum(reading.unread(account_id, peer_id) for peer_id in box.conversations)
    return types.updates.State(pts=pts, qts=len(box.encrypted), date=context.state.now(), seq=0, unread_count=unread)
