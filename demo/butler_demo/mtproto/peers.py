# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""Peers between the wire and the store: input peers with their access hashes, and plain peers."""

from typing import Any

from telethon.tl import types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.context import Context
from butler_demo.mtproto.directory import Account
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import channel_id_of, channel_peer, group_peer, is_channel


def peer_id_of(context: Context, peer: Any) -> int:
    """The peer that an `InputPeer` means, as one number.

    Raises:
        RpcFault: there is no such peer, or the caller may not address it.
    """
    if isinstance(peer, types.InputPeerChat):
        group = context.state.directory.groups.get(peer.chat_id)
        if group is None or context.account.id not in group.member_ids:
            raise RpcFault(400, "PEER_ID_INVALID")
        return group_peer(group.id)
    if isinstance(peer, types.InputPeerChannel):
        return find_channel(context, peer).peer_id
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


def find_channel(context: Context, channel: Any) -> Channel:
    """The channel that an `InputChannel` or `InputPeerChannel` means, if the caller may see what is in it.

    Raises:
        RpcFault: CHANNEL_INVALID when the access hash is not the one that the caller was given,
            CHANNEL_PRIVATE when the channel is closed to the caller.
    """
    if not isinstance(channel, types.InputPeerChannel | types.InputChannel):
        raise RpcFault(400, "CHANNEL_INVALID")
    directory, caller_id = context.state.directory, context.account.id
    found = directory.channels.get(channel.channel_id)
    if found is None or channel.access_hash != directory.access_hash(caller_id, found.peer_id):
        raise RpcFault(400, "CHANNEL_INVALID")
    if not found.may_read(caller_id):
        raise RpcFault(406, "CHANNEL_PRIVATE")
    return found


def plain_peer(peer_id: int) -> types.PeerUser | types.PeerChat | types.PeerChannel:
    """The `Peer` for a peer id of ours."""
    if is_channel(peer_id):
        return types.PeerChannel(channel_id_of(peer_id))
    return types.PeerUser(peer_id) if peer_id >= 0 else types.PeerChat(-peer_id)


def named_peer(request: Any) -> int | None:
    """The conversation that a request names, whether or not the caller may address it."""
    for field in ("peer", "channel", "to_peer"):
        peer = getattr(request, field, None)
        if isinstance(peer, types.InputPeerUser):
            return peer.user_id
        if isinstance(peer, types.InputPeerChat):
            return group_peer(peer.chat_id)
        if isinstance(peer, types.InputPeerChannel | types.InputChannel):
            return channel_peer(peer.channel_id)
    return None
