# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""TL objects for what the store holds, as one account sees it."""

from collections.abc import Iterable
from typing import Any

from telethon.tl import types

from butler.demo.mtproto.context import DC_ID, State
from butler.demo.mtproto.directory import Account, Group
from butler.demo.mtproto.message_box import Event, EventKind, MessageBox
from butler.demo.mtproto.peers import plain_peer
from butler.demo.mtproto.records import Media, Message


class View:
    """The eyes of one account: names from its address book, its access hashes, its copies."""

    def __init__(self, state: State, viewer_id: int) -> None:
        self._state = state
        self._directory = state.directory
        self._viewer_id = viewer_id

    def user(self, account: Account) -> types.User:
        """An account under the name that the viewer gave it; its phone number only if it is a contact."""
        contact = self._directory.contacts_of(self._viewer_id).get(account.id)
        is_self = account.id == self._viewer_id
        is_mutual = contact is not None and self._viewer_id in self._directory.contacts_of(account.id)
        return types.User(
            id=account.id,
            is_self=is_self,
            contact=contact is not None,
            mutual_contact=is_mutual,
            access_hash=self._directory.access_hash(self._viewer_id, account.id),
            first_name=contact.first if contact else account.first_name,
            last_name=contact.last if contact else account.last_name,
            username=account.username,
            phone=account.phone if contact or is_self else None,
            status=types.UserStatusRecently(),
        )

    def users(self, ids: Iterable[int]) -> list[Any]:
        """Users by id, each once; ids of groups are skipped."""
        accounts = self._directory.accounts
        return [self.user(accounts[i]) for i in sorted(set(ids)) if i in accounts]

    def chat(self, group: Group) -> types.Chat:
        """A basic group."""
        return types.Chat(
            id=group.id,
            title=group.title,
            photo=types.ChatPhotoEmpty(),
            participants_count=len(group.member_ids),
            date=group.created_at,
            version=1,
            creator=group.creator_id == self._viewer_id,
        )

    def message(self, message: Message) -> types.Message:
        """A message; like Telegram, `from_id` is left out where the peer of a private chat is the author."""
        is_private = message.peer_id >= 0
        reply_to, forward = message.reply_to, message.forward
        return types.Message(
            id=message.id,
            peer_id=plain_peer(message.peer_id),
            from_id=None if is_private and not message.outgoing else types.PeerUser(message.from_id),
            date=message.date,
            message=message.text,
            out=message.outgoing,
            media=media(message.media, message) if message.media else None,
            entities=list(message.entities) or None,
            reply_to=types.MessageReplyHeader(reply_to_msg_id=reply_to) if reply_to else None,
            fwd_from=types.MessageFwdHeader(date=forward.date, from_id=types.PeerUser(forward.from_id))
            if forward
            else None,
            edit_date=message.edited_at,
        )

    def entities(self, messages: Iterable[Message]) -> dict[str, Any]:
        """`users` and `chats` of everybody who appears in these messages, as keyword arguments."""
        ids: set[int] = set()
        for message in messages:
            ids |= {message.peer_id, message.from_id}
            if message.forward:
                ids.add(message.forward.from_id)
        return self.entities_of(ids)

    def entities_of(self, ids: Iterable[int]) -> dict[str, Any]:
        """`users` and `chats` of these peers, as keyword arguments; the viewer is always among them."""
        all_ids = {*ids, self._viewer_id}
        groups = self._directory.groups
        return {
            "users": self.users(all_ids),
            "chats": [self.chat(groups[-i]) for i in sorted(all_ids) if -i in groups],
        }

    def update(self, box: MessageBox, event: Event) -> Any:
        """The `Update` that tells of an event."""
        peer = plain_peer(event.peer_id)
        message = box.messages[event.message_id]
        count = {"pts": event.pts, "pts_count": 1}
        if event.kind is EventKind.NEW:
            return types.UpdateNewMessage(self.message(message), **count)
        if event.kind is EventKind.EDITED:
            return types.UpdateEditMessage(self.message(message), **count)
        if event.kind is EventKind.DELETED:
            return types.UpdateDeleteMessages([message.id], **count)
        if event.kind is EventKind.READ_BY_OWNER:
            unread = box.unread(event.peer_id)
            return types.UpdateReadHistoryInbox(peer, message.id, still_unread_count=unread, **count)
        return types.UpdateReadHistoryOutbox(peer, message.id, **count)

    def updates(self, box: MessageBox, events: Iterable[Event], first: Iterable[Any] = ()) -> types.Updates:
        """One `Updates` of several events, after the updates in `first`."""
        events = list(events)
        messages = [box.messages[event.message_id] for event in events]
        return types.Updates(
            updates=[*first, *(self.update(box, event) for event in events)],
            date=self._state.now(),
            seq=0,
            **self.entities(messages),
        )


def media(item: Media, message: Message) -> types.MessageMediaPhoto | types.MessageMediaDocument:
    """A file as the media of a message. A photo has one size, whose width and height nobody measured."""
    common: dict[str, Any] = {
        "id": item.file_id,
        "access_hash": item.file_id,
        "file_reference": b"file",
        "date": message.date,
        "dc_id": DC_ID,
    }
    if item.is_photo:
        sizes: list[Any] = [types.PhotoSize(type="x", w=800, h=800, size=item.size)]
        return types.MessageMediaPhoto(photo=types.Photo(sizes=sizes, **common))
    document = types.Document(mime_type=item.mime_type, size=item.size, attributes=list(item.attributes), **common)
    return types.MessageMediaDocument(document=document)
