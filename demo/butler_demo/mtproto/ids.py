"""Peers as one number, the way Telethon and the Bot API write them.

A user's id stands as it is, a basic group's id is negated, a channel's (or supergroup's) id is `-100` followed
by the ten digits of its id.
"""

_CHANNEL_BASE = 10**12


def group_peer(group_id: int) -> int:
    """The peer of a basic group."""
    return -group_id


def channel_peer(channel_id: int) -> int:
    """The peer of a channel or a supergroup."""
    return -_CHANNEL_BASE - channel_id


def is_channel(peer_id: int) -> bool:
    """Whether the peer is a channel or a supergroup."""
    return peer_id < -_CHANNEL_BASE


def is_group(peer_id: int) -> bool:
    """Whether the peer is a basic group."""
    return -_CHANNEL_BASE < peer_id < 0


def channel_id_of(peer_id: int) -> int:
    """The channel's own id, of its peer."""
    return -peer_id - _CHANNEL_BASE
