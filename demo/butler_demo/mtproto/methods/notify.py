# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""account.getNotifySettings: which conversations are muted, and until when."""

from datetime import UTC, datetime

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods, State
from butler_demo.mtproto.peers import peer_id_of

FOREVER = datetime.fromtimestamp(2**31 - 1, tz=UTC)


def settings_of(state: State, user_id: int, peer_id: int) -> types.PeerNotifySettings:
    """How an account wants to hear of a conversation; without `mute_until` as of any other."""
    return types.PeerNotifySettings(mute_until=state.mute_until.get((user_id, peer_id)))


def get_notify_settings(
    context: Context, request: functions.account.GetNotifySettingsRequest
) -> types.PeerNotifySettings:
    """The settings of one conversation; those of whole kinds of conversations are never changed here."""
    if isinstance(request.peer, types.InputNotifyPeer):
        return settings_of(context.state, context.account.id, peer_id_of(context, request.peer.peer))
    return types.PeerNotifySettings(mute_until=datetime.fromtimestamp(0, tz=UTC))


METHODS: Methods = {functions.account.GetNotifySettingsRequest: get_notify_settings}
