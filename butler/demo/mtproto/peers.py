# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""Peers between the wire and the store: input peers with their access hashes, and plain peers."""

from typing import Any

from telethon.tl import types

from butler.demo.mtproto.context import Context
from butler.demo.mtproto.directory import Account
from butler.demo.mtproto.errors import RpcFault


def peer_id_of(context: Context, peer: Any) -> int:
    """The peer that an `InputPeer` means: a user's id, or a basic group's id negated.

    Raises:
        RpcFault: there is no such peer, or the caller may not address it.
    """
    if isinstance(peer, types.InputPeerChat):
        group = context.state.directory.groups.get(peer.chat_id)
        if group is None or context.account.id not in group.member_ids:
            raise RpcFault(400, "PEER_ID_INVALID")
        return -group.id
    account = find_account(context, peer)
    if account is None:
        raise RpcFault(400, "PEER_ID_INVALID")
    return account.id


def find_account(context: Context, user: Any) -> Account | None:
    """The account that an `InputUser` or `InputPeerUser` means, if the caller may address it.

    The access hash must be the one that the caller was given. Somebody in the caller's address book may be
    addressed with the hash 0, as at Telegram.
    """
    caller = context.account
    if isinstance(user, types.InputPeerSelf | types.InputUserSelf):
        return caller
    if not isinstance(user, types.InputPeerUser | types.InputUser):
        return None
    directory = context.state.directory
    known = user.access_hash == directory.access_hash(caller.id, user.user_id)
    is_contact = user.access_hash == 0 and user.user_id in directory.contacts_of(caller.id)
    return directory.accounts.get(user.user_id) if known or is_contact else None


def plain_peer(peer_id: int) -> types.PeerUser | types.PeerChat:
    """The `Peer` for a peer id of ours."""
    return types.PeerUser(peer_id) if peer_id >= 0 else types.PeerChat(-peer_id)
