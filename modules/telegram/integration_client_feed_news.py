# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon's TL classes carry no complete types.)
"""Sorts what an answer of Telegram says by what it changes, and decides which updates are worth a look."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import structlog
from telethon import types, utils

from butler.contract.mirror import SeenMessage
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_records import Deleted, DialogSeen, Move, Muting, News, Read
from modules.telegram.integration_client_feed_messages import Participants, seen, unreadable

log = structlog.get_logger(__name__)

_NEW_OR_EDITED = (types.UpdateNewMessage, types.UpdateEditMessage)
_IN_CHANNEL = (types.UpdateNewChannelMessage, types.UpdateEditChannelMessage)
_OF_CHANNEL = (*_IN_CHANNEL, types.UpdateDeleteChannelMessages, types.UpdateChannelTooLong, types.UpdateChannel)
_SHORT = (types.UpdateShortMessage, types.UpdateShortChatMessage, types.UpdateShortSentMessage, types.UpdatesTooLong)
_WITHOUT_NUMBER = (types.UpdateNotifySettings, types.UpdateUserName, types.UpdateChat)


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint that something happened: the channels with news, and the channels that the owner has read, by marked id.

    No difference reports that a channel was read.
    """

    channels: frozenset[int] = frozenset()
    read: frozenset[int] = frozenset()


def hint_of(pushed: Any) -> Hint | None:
    """Return a hint if a pushed update is a reason to look. Most are not, such as typing and online states."""
    if isinstance(pushed, _SHORT):
        return Hint()
    updates = getattr(pushed, "updates", None) or [getattr(pushed, "update", None)]
    worth = [one for one in updates if isinstance(one, (*_OF_CHANNEL, *_WITHOUT_NUMBER)) or hasattr(one, "pts")]
    channels = frozenset(_channel_of(one) for one in worth if isinstance(one, _OF_CHANNEL))
    read = frozenset(_channel_of(one) for one in worth if isinstance(one, types.UpdateReadChannelInbox))
    return Hint(channels, read) if worth else None


class Reader:
    """Reads one answer for one account, and drops what the owner's settings leave out."""

    def __init__(self, answer: Any, account: str, me: int, feed_filter: FeedFilter) -> None:
        self._account = account
        self._filter = feed_filter
        self.cast = Participants(answer.users, answer.chats, me)
        written = getattr(answer, "messages", None) or getattr(answer, "new_messages", None) or ()
        items = [move for one in written if (move := _move(one))]
        pairs = dict.fromkeys((*self.cast.moved_groups(), *items))
        self.moves = tuple(Move(old=old, new=new) for old, new in pairs)
        for move in self.moves:
            feed_filter.note_move(move.old, move.new)

    def leaves_out(self, chat: int) -> bool:
        """Return whether a chat is left out."""
        return self._filter.leaves_out(chat, self.cast.names(chat))

    def messages(self, messages: Iterable[Any]) -> tuple[SeenMessage, ...]:
        """Return the messages that are stored, in their order."""
        written = [one for one in messages if isinstance(one, types.Message | types.MessageService)]
        return tuple(self._seen(one) for one in written if not self.leaves_out(utils.get_peer_id(one.peer_id)))

    def _seen(self, message: Any) -> SeenMessage:
        try:
            return seen(message, self._account, self.cast)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # A message of an unknown shape must not stop those that follow.
            log.warning("unreadable_message", account=self._account, kind=type(error).__name__)
            return unreadable(message, self._account)

    def dialog(self, dialog: Any) -> DialogSeen:
        """Return a dialog's record."""
        return DialogSeen(
            glimpse=self.cast.glimpse(utils.get_peer_id(dialog.peer)),
            top=dialog.top_message,
            read_upto=dialog.read_inbox_max_id,
            unread=dialog.unread_count,
            pts=dialog.pts or 0,
            muted_until=dialog.notify_settings.mute_until,
        )

    def news(self, messages: Iterable[Any], updates: Iterable[Any], *, channel: int | None = None) -> News:
        """Return what happened, in the common box or in a channel."""
        updates = list(updates)
        carriers = _NEW_OR_EDITED if channel is None else _IN_CHANNEL
        written = [*messages, *(one.message for one in updates if isinstance(one, carriers))]
        if channel is None:
            written = [one for one in written if not isinstance(one.peer_id, types.PeerChannel)]
        kept = self.messages(written)
        reads = tuple(read for one in updates if (read := _read(one)) and not self.leaves_out(read.chat))
        mutings = tuple(muting for one in updates if (muting := _muting(one)) and not self.leaves_out(muting.chat))
        chats = {utils.get_peer_id(one.peer_id) for one in written}
        chats |= {one.chat for one in (*reads, *mutings)} | ({channel} if channel is not None else set())
        return News(
            glimpses=tuple(self.cast.glimpse(chat) for chat in sorted(chats) if not self.leaves_out(chat)),
            messages=kept,
            deleted=tuple(deleted for one in updates if (deleted := _deleted(one))),
            reads=reads,
            mutings=mutings,
            moves=self.moves,
            channels=tuple(sorted({_channel_of(one) for one in updates if isinstance(one, _OF_CHANNEL)})),
        )


def _move(message: Any) -> tuple[int, int] | None:
    """Return the old and new id of a group that became a supergroup, from either chat's service message."""
    if not isinstance(message, types.MessageService):
        return None
    here, action = utils.get_peer_id(message.peer_id), message.action
    match action:
        case types.MessageActionChatMigrateTo():
            return here, utils.get_peer_id(types.PeerChannel(action.channel_id))
        case types.MessageActionChannelMigrateFrom():
            return utils.get_peer_id(types.PeerChat(action.chat_id)), here
        case _:
            return None


def _channel_of(update: Any) -> int:
    if isinstance(update, _IN_CHANNEL):
        return utils.get_peer_id(update.message.peer_id)
    return utils.get_peer_id(types.PeerChannel(update.channel_id))


def _read(update: Any) -> Read | None:
    match update:
        case types.UpdateReadHistoryInbox(top_msg_id=None):
            chat = utils.get_peer_id(update.peer)
        case types.UpdateReadChannelInbox():
            chat = _channel_of(update)
        case _:
            return None
    return Read(chat=chat, upto=update.max_id, unread=update.still_unread_count)


def _muting(update: Any) -> Muting | None:
    if not isinstance(update, types.UpdateNotifySettings) or not isinstance(update.peer, types.NotifyPeer):
        return None
    return Muting(chat=utils.get_peer_id(update.peer.peer), until=update.notify_settings.mute_until)


def _deleted(update: Any) -> Deleted | None:
    match update:
        case types.UpdateDeleteMessages():
            return Deleted(refs=tuple(update.messages))
        case types.UpdateDeleteChannelMessages():
            return Deleted(refs=tuple(update.messages), chat=_channel_of(update))
        case _:
            return None
