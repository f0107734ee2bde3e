# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for messages: what others write, edit, delete and read."""

import os
from collections.abc import Callable, Sequence
from datetime import datetime

from telethon.tl import types

from butler_demo.mtproto.channels import Topic
from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.methods.notify import FOREVER
from butler_demo.mtproto.methods.sending import first_author, new_album
from butler_demo.mtproto.records import Change, Media, Message
from butler_demo.mtproto.store import Draft


class MessageControl(Control):
    """What happens in conversations without a client doing it."""

    def inject(
        self,
        from_id: int,
        to_id: int,
        text: str,
        reply_to: Message | None = None,
        *,
        media: Media | None = None,
        topic: Topic | None = None,
    ) -> Message:
        """Have one account write to another, to `-group_id` or to a channel's peer.

        Returns the author's copy, or the channel's message. `reply_to` is anybody's copy of the message that it
        answers, `media` a file from `add_file`, with the text as its caption. In a forum `topic` is that of the
        answered message, or General, unless it is given. Slow mode does not apply.

        Raises:
            RpcFault: the text or the peer would be refused to a client as well.
        """
        origin = reply_to.origin if reply_to else None
        topic_id = topic.id if topic else None
        return self._state.store.post(Draft(from_id, to_id, text, reply_to=origin, media=media, topic=topic_id))

    def inject_album(self, from_id: int, to_id: int, files: Sequence[Media], caption: str = "") -> list[Message]:
        """Have one account send several files as one album, the caption under the first; see `inject`."""
        album = new_album()
        captions = [caption, *[""] * (len(files) - 1)]
        drafts = [
            Draft(from_id, to_id, text, media=media, album=album) for text, media in zip(captions, files, strict=True)
        ]
        return self._state.store.post_all(drafts)

    def forward(self, from_id: int, to_id: int, message: Message) -> Message:
        """Have one account forward a message that it sees (any copy will do); see `inject`."""
        origin = first_author(self._state.directory, message)
        return self._state.store.post(
            Draft(from_id, to_id, message.text, media=message.media, forward=origin, entities=message.entities)
        )

    def inject_encrypted(self, user_id: int) -> None:
        """Have a secret chat's message come in: bytes that only the device of the other side could read.

        Clients are pushed `updateNewEncryptedMessage` and find it in the difference after their `qts`.
        """
        box = self._state.store.box(user_id)
        secret = types.EncryptedMessage(1, self._state.store.now(), os.urandom(64), types.EncryptedFileEmpty())
        box.encrypted.append(secret)
        self._announcer.tell(user_id, [types.UpdateNewEncryptedMessage(secret, len(box.encrypted))])

    def inject_login_code(self, user_id: int) -> Message:
        """Have Telegram's own account (777000) write the account's login code into its chats."""
        return self._state.write_login_code(user_id)

    def edit(self, message: Message, text: str) -> Message:
        """Have the author change a message everywhere; any copy of it will do.

        Raises:
            RpcFault: it would be refused to the author's client as well.
        """
        return self._state.store.edit(message.from_id, message, text, ())

    def delete(self, *messages: Message, for_everyone: bool = True) -> None:
        """Delete messages, or only these copies of them."""
        self._state.store.delete(messages, for_everyone=for_everyone)

    def read(self, user_id: int, peer_id: int, max_id: int = 0) -> None:
        """Have an account read a conversation up to a message of its own box (0: all)."""
        self._state.reading.read(user_id, peer_id, max_id)

    def mute(self, user_id: int, peer_id: int, until: datetime = FOREVER) -> None:
        """Mute a conversation for an account until an aware time."""
        self._state.mute(user_id, peer_id, until)

    def unmute(self, user_id: int, peer_id: int) -> None:
        """Let an account hear of a conversation again."""
        self._state.mute(user_id, peer_id, None)

    def messages(self, user_id: int, peer_id: int | None = None) -> list[Message]:
        """An account's copies, oldest first, of one conversation or of all its own; deleted ones are gone.

        With a channel's peer the channel's messages; they belong to no account, so they are never among "all".
        """
        box = self._state.store.box(user_id) if peer_id is None else self._state.store.box_for(user_id, peer_id)
        return box.visible(peer_id)

    def sent_by(self, user_id: int) -> list[Message]:
        """Everything that ever left an account, oldest first, deleted or not: the provider's own record."""
        own = [message for message in self._state.store.box(user_id).messages.values() if message.outgoing]
        in_channels = [
            message
            for channel in self._state.directory.channels.values()
            for message in self._state.store.box(channel.peer_id).messages.values()
            if message.from_id == user_id and message.service is None
        ]
        return sorted([*own, *in_channels], key=lambda message: message.origin)

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call `callback` on every new, edited or deleted copy; the function returned ends that."""
        self._announcer.subscribers.append(callback)
        return lambda: self._announcer.subscribers.remove(callback)
