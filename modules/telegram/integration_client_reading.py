# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""Reads an account's conversations, their messages and files. Nothing is marked as read."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from telethon import errors, functions, types, utils

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Json, Method, RawAnswer, ResultProvenance, method
from butler.contract.mirror import SeenFile
from butler.contract.ports import BlobStore
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules.telegram.client_records import (
    ClientLink,
    ClientMessages,
    Dialogs,
    DownloadFile,
    FoundMessages,
    GetMessages,
    ListDialogs,
    ListMessages,
)
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_feed_media import carried
from modules.telegram.integration_client_feed_messages import Participants, seen
from modules.telegram.integration_client_peers import Peer, Peers
from modules.telegram.method_ids import USER_DIALOGS, USER_DOWNLOAD, USER_GET_MESSAGES, USER_HISTORY
from modules.telegram.text import utf16_slice
from modules.telegram.user_items import item_of

PAGE = 100
PAGES = 20
"""Most pages of a history to search for matching messages."""
DIALOGS_LOOKED_THROUGH = 1000
ALBUM_REACH = 9
"""The items of an album have consecutive ids; there are at most ten."""


class Reading:
    """The reading methods of one account."""

    def __init__(self, connection: ClientConnection, peers: Peers, feed_filter: FeedFilter, blobs: BlobStore) -> None:
        self._connection = connection
        self._peers = peers
        self._filter = feed_filter
        self._blobs = blobs

    def methods(self) -> list[Method]:
        """Return the methods."""
        read = Idempotency.READ
        return [
            method(USER_DIALOGS, args=ListDialogs, answer=Dialogs, run=self._raw_dialogs, idempotency=read),
            method(USER_HISTORY, args=ListMessages, answer=ClientMessages, run=self._raw_history, idempotency=read),
            method(USER_GET_MESSAGES, args=GetMessages, answer=FoundMessages, run=self._raw_get, idempotency=read),
            method(USER_DOWNLOAD, args=DownloadFile, answer=Attachment, run=self._raw_download, idempotency=read),
        ]

    async def _raw_dialogs(self, _call: IntegrationCall, args: ListDialogs) -> RawAnswer:
        async def read(client: Any) -> Json:
            items: list[Json] = []
            muted, looked_through = 0, 0
            async for dialog in client.iter_dialogs(limit=DIALOGS_LOOKED_THROUGH, ignore_migrated=True):
                looked_through += 1
                if args.unread and not (dialog.unread_count or dialog.dialog.unread_mark):
                    continue
                item = self._dialog(dialog, client.self_id)
                if item is None:
                    continue
                if item["muted"] and not args.muted:
                    muted += 1
                    continue
                items.append(item)
                if len(items) >= args.limit:
                    break
            answer: Json = {"count": len(items), "items": items, "muted_left_out": muted}
            if looked_through >= DIALOGS_LOOKED_THROUGH:
                reason = say("only the newest {count} conversations were looked through", count=DIALOGS_LOOKED_THROUGH)
                answer |= {"complete": False, "reason": reason}
            if not items:
                answer["empty_because"] = _no_dialogs(args, muted)
            return answer

        return _read(await self._connection.run(read), "dialogs")

    async def _raw_history(self, _call: IntegrationCall, args: ListMessages) -> RawAnswer:
        async def read(client: Any) -> Json:
            peer = await self._peers.to_read(client, args.chat)
            read_up_to = await _read_up_to(client, peer, args.topic) if args.unread else 0
            found: list[Json] = []
            name, offset = "", 0
            for _ in range(PAGES):
                page = await client(_page(peer, args, offset))
                cast = Participants(page.users, page.chats, client.self_id)
                name = name or cast.name(peer.id)
                old = False
                for message in page.messages:
                    offset = message.id
                    old = message.id <= read_up_to or _before(message, args.since)
                    if old or len(found) >= args.limit:
                        break
                    item = (
                        None
                        if isinstance(message, types.MessageEmpty)
                        else _item(message, self._connection.account, cast)
                    )
                    if item and not (args.unread and item["outgoing"]):
                        found.append(item)
                whole = not isinstance(page, types.messages.MessagesSlice | types.messages.ChannelMessages)
                if whole or old or not page.messages or len(found) >= args.limit:
                    break
            answer: Json = {"count": len(found), "items": found, "chat": peer.address, "name": name}
            return answer if found else {**answer, "empty_because": _no_messages(args)}

        return _read(await self._connection.run(read), str(args.chat))

    async def _raw_get(self, _call: IntegrationCall, args: GetMessages) -> RawAnswer:
        async def read(client: Any) -> Json:
            peer = await self._peers.to_read(client, args.chat)
            found, cast = await messages_by_id(client, peer, args.message_ids)
            if args.album and found and (album := getattr(found[0], "grouped_id", None)):
                first = found[0].id
                around = range(max(first - ALBUM_REACH, 1), first + ALBUM_REACH + 1)
                near, cast = await messages_by_id(client, peer, around)
                found = [message for message in near if getattr(message, "grouped_id", None) == album]
            items = [_item(message, self._connection.account, cast) for message in found]
            there = {item["message_id"] for item in items}
            missing = [message_id for message_id in args.message_ids if message_id not in there]
            return {"items": items, "missing": missing, "name": cast.name(peer.id)}

        return _read(await self._connection.run(read), str(args.chat))

    async def _raw_download(self, _call: IntegrationCall, args: DownloadFile) -> RawAnswer:
        async def read(client: Any) -> Json:
            peer = await self._peers.to_read(client, args.chat)
            for again in (False, True):
                found, _ = await messages_by_id(client, peer, (args.message_id,))
                file = _file(found[0]) if found else None
                if file is None:
                    raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, say("this message has no file any more"))
                if file.size > args.most:
                    raise IntegrationFault(IntegrationErrorCode.REJECTED, _too_large(file.size, args.most))
                try:
                    # Of the media alone: given the message, Telethon fetches it again each time the reference expires.
                    data: bytes | None = await client.download_media(found[0].media, file=bytes)
                except errors.FileReferenceExpiredError:
                    if again:
                        raise
                    continue
                data = data or b""
                if len(data) > args.most:
                    raise IntegrationFault(IntegrationErrorCode.REJECTED, _too_large(len(data), args.most))
                sha256 = await self._blobs.put(data)
                return {"name": file.name, "size": len(data), "sha256": sha256, "media_type": file.media_type}
            raise AssertionError("the second time ends in an answer or an error")

        return _read(await self._connection.run(read), str(args.chat))

    def _dialog(self, dialog: Any, me: int) -> Json | None:
        """Return a conversation's list entry, or None if it is left out."""
        is_user = isinstance(dialog.entity, types.User)
        cast = Participants([dialog.entity] if is_user else [], [] if is_user else [dialog.entity], me)
        glimpse, usernames = cast.glimpse(dialog.id), cast.names(dialog.id)
        if self._filter.leaves_out(dialog.id, usernames):
            return None
        until = dialog.dialog.notify_settings.mute_until
        in_telegram = until is not None and until > datetime.now(UTC)
        return {
            "id": f"telegram:{dialog.id}",
            "name": glimpse.title,
            "unread": dialog.unread_count,
            "at": dialog.date,
            "last_text": _last_text(dialog.message, cast),
            "kind": glimpse.kind,
            "muted": self._filter.is_muted(dialog.id, usernames, in_telegram=in_telegram),
            "usernames": usernames,
        }


async def messages_by_id(client: Any, peer: Peer, ids: Sequence[int]) -> tuple[list[Any], Participants]:
    """Return the messages of a conversation with these ids, without those that no longer exist.

    Raise `IntegrationFault` if all ids belong to other conversations: outside of channels, an id does not say which
    chat its message is in.
    """
    wanted: list[Any] = [types.InputMessageID(message_id) for message_id in ids]
    if isinstance(peer.input, types.InputPeerChannel):
        channel: Any = utils.get_input_channel(peer.input)
        request: Any = functions.channels.GetMessagesRequest(channel, wanted)
    else:
        request = functions.messages.GetMessagesRequest(wanted)
    answer = await client(request)
    found = [message for message in answer.messages if not isinstance(message, types.MessageEmpty)]
    elsewhere = [message for message in found if utils.get_peer_id(message.peer_id) != peer.id]
    if elsewhere and len(ids) == len(elsewhere):
        raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, say("this conversation has no such message"))
    return [message for message in found if message not in elsewhere], Participants(
        answer.users, answer.chats, client.self_id
    )


def _page(peer: Peer, args: ListMessages, offset_id: int) -> Any:
    common: Json = {"offset_id": offset_id, "add_offset": 0, "limit": min(args.limit, PAGE), "max_id": 0, "min_id": 0}
    if args.words:
        return functions.messages.SearchRequest(
            peer=peer.input,
            q=args.words,
            filter=types.InputMessagesFilterEmpty(),
            min_date=args.since,
            max_date=None,
            hash=0,
            top_msg_id=args.topic or None,
            **common,
        )
    if args.topic:
        return functions.messages.GetRepliesRequest(peer.input, args.topic, offset_date=None, hash=0, **common)
    return functions.messages.GetHistoryRequest(peer.input, offset_date=None, hash=0, **common)


async def _read_up_to(client: Any, peer: Peer, topic: int) -> int:
    """Return the id of the newest message that the owner has read."""
    if topic:
        answer = await client(functions.messages.GetForumTopicsByIDRequest(peer.input, [topic]))
        return max((getattr(found, "read_inbox_max_id", 0) for found in answer.topics), default=0)
    answer = await client(functions.messages.GetPeerDialogsRequest([types.InputDialogPeer(peer.input)]))
    return max((dialog.read_inbox_max_id for dialog in answer.dialogs), default=0)


def _before(message: Any, since: datetime | None) -> bool:
    return since is not None and message.date is not None and message.date < since


def _item(message: Any, account: str, cast: Participants) -> Json:
    return {
        **item_of(seen(message, account, cast)),
        "exact_text": getattr(message, "message", None) or "",
        "links": [{"text": link.text, "url": link.url} for link in _links(message)],
    }


def _links(message: Any) -> Iterator[ClientLink]:
    """Yield the message's links in order, by each entity's own address: the text of a link may be anything."""
    text: str = getattr(message, "message", None) or ""
    for entity in getattr(message, "entities", None) or ():
        shown = utf16_slice(text, entity.offset, entity.length)
        match entity:
            case types.MessageEntityTextUrl():
                yield ClientLink(text=shown, url=entity.url)
            case types.MessageEntityUrl():
                yield ClientLink(text=shown, url=shown)
            case types.MessageEntityEmail():
                yield ClientLink(text=shown, url=f"mailto:{shown}")
            case _:
                pass


def _file(message: Any) -> SeenFile | None:
    return next(iter(carried(getattr(message, "media", None)).files), None)


def _last_text(message: Any, cast: Participants) -> str:
    if message is None:
        return ""
    last = seen(message, "", cast)
    return last.text or ", ".join(file.name for file in last.files)


def _no_dialogs(args: ListDialogs, muted: int) -> str:
    if muted:
        return say("there is nothing but in muted conversations")
    return say("nothing is unread") if args.unread else say("this account has no conversations")


def _no_messages(args: ListMessages) -> str:
    return _nothing_in_topic(args) if args.topic else _nothing_in_conversation(args)


def _nothing_in_topic(args: ListMessages) -> str:
    if args.words:
        return say("no message of this topic holds these words")
    if args.unread:
        return say("nothing in this topic is unread")
    if args.since is not None:
        return say("nothing was written in this topic since then")
    return say("this topic has no messages")


def _nothing_in_conversation(args: ListMessages) -> str:
    if args.words:
        return say("no message of this conversation holds these words")
    if args.unread:
        return say("nothing in this conversation is unread")
    if args.since is not None:
        return say("nothing was written in this conversation since then")
    return say("this conversation has no messages")


def _too_large(size: int, most: int) -> str:
    return say(
        "the file has {size} MB, and at most {most} MB are fetched", size=_megabytes(size), most=_megabytes(most)
    )


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f}".removesuffix(".0")


def _read(data: Json, source_ref: str) -> RawAnswer:
    return RawAnswer(data, provenance=ResultProvenance(source_type="telegram", source_ref=source_ref))
