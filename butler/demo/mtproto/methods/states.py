# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The state of a client in the sequence of events of private chats and groups."""

from typing import Any

from telethon.tl import types

from butler.demo.mtproto.context import Context


def state_of(context: Context, pts: int) -> Any:
    """The state of a client that has seen the events up to `pts`."""
    account_id, store = context.account.id, context.state.store
    unread = sum(store.unread(account_id, peer_id) for peer_id in context.box.conversations)
    return types.updates.State(pts=pts, qts=0, date=context.state.now(), seq=0, unread_count=unread)
