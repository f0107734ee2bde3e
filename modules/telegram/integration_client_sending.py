# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""Sends messages as the owner: texts, files and albums, each with a random id that is stored before sending.

Telegram takes a random id once: it refuses a repeat after a crash, so that nothing is sent twice. The ids of an album's
further items are derived from that of the first. Telethon's own sending hides the random id, so the requests are raw.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from telethon import errors, functions, types

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.ports import BlobStore
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules.telegram.client_records import SendAsUser, SentAsUser
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_peers import Peer, Peers
from modules.telegram.method_ids import USER_SEND
from modules.telegram.normalise import GENERAL_TOPIC
from modules.telegram.user_files import as_photos

_LOOKED_THROUGH = 50
"""How many of a chat's newest messages to search for one that Telegram had already."""


class Sending:
    """The sending method of one account."""

    def __init__(self, connection: ClientConnection, peers: Peers, blobs: BlobStore) -> None:
        self._connection = connection
        self._peers = peers
        self._blobs = blobs

    def methods(self) -> list[Method]:
        """Return the one method."""
        provider = Idempotency.PROVIDER
        return [method(USER_SEND, args=SendAsUser, answer=SentAsUser, run=self._raw_send, idempotency=provider)]

    async def _raw_send(self, call: IntegrationCall, args: SendAsUser) -> RawAnswer:
        if not call.token:
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, "a send as the person needs a token")
        peer = await self._connection.run(lambda client: self._peers.to_write(client, args.to))
        random_ids = _random_ids(int(call.token), max(len(args.attachments), 1))
        uploaded = await self._uploaded(peer, args.attachments)
        request = _request(peer, args, uploaded, random_ids)

        async def deliver(client: Any) -> Any:
            try:
                return await client(request)
            except errors.RandomIdDuplicateError:
                return None

        answer = await self._connection.run(deliver, unclear=Effect.UNKNOWN)
        ids = await self._found(peer, args) if answer is None else _sent_ids(answer, random_ids)
        first = ids[0] if ids else None
        sent = {"message_id": first, "message_ids": ids} | ({"repeated": True} if answer is None else {})
        return RawAnswer(sent, provider_request_id=str(first or ""))

    async def _found(self, peer: Peer, args: SendAsUser) -> list[int]:
        """Return the ids of the message that Telegram had already; empty if it cannot be told from others."""

        async def newest(client: Any) -> Any:
            return await client(functions.messages.GetHistoryRequest(peer.input, 0, None, 0, _LOOKED_THROUGH, 0, 0, 0))

        try:
            answer = await self._connection.run(newest)
        except IntegrationFault:
            # It was sent, even though its id cannot be read.
            return []
        own = [message for message in answer.messages if isinstance(message, types.Message) and message.out]
        return _matching(own, args)

    async def _uploaded(self, peer: Peer, attachments: Sequence[Attachment]) -> list[Any]:
        """Upload the files for this chat. Nobody sees them before the message is sent."""
        photos = as_photos(attachments)
        media: list[Any] = []
        for attachment in attachments:
            try:
                data = await self._blobs.get(attachment.sha256)
            except KeyError:
                raise IntegrationFault(
                    IntegrationErrorCode.INVALID_INPUT, say("a file that was to be sent is no longer there")
                ) from None

            async def upload(client: Any, attachment: Attachment = attachment, data: bytes = data) -> Any:
                file = await client.upload_file(data, file_name=attachment.name, file_size=len(data))
                fresh = _fresh(file, attachment, as_photo=photos)
                if len(attachments) == 1:
                    return fresh
                return _kept(await client(functions.messages.UploadMediaRequest(peer.input, fresh)))

            media.append(await self._connection.run(upload))
        return media


def _matching(own: Sequence[Any], args: SendAsUser) -> list[int]:
    """Return the ids of the sent message or album, if exactly one of these has the same text and files."""
    text, count = args.text.strip(), len(args.attachments)
    alike = [one for one in own if one.message.strip() == text and (one.media is not None) == bool(count)]
    if len(alike) != 1 or not text:
        return []
    (found,) = alike
    ids = sorted(one.id for one in own if found.grouped_id and one.grouped_id == found.grouped_id) or [found.id]
    return ids if len(ids) == max(count, 1) else []


def _random_ids(token: int, count: int) -> list[int]:
    """Return the stored id, and one for each further item that is the same on every attempt."""
    further = (sha256(f"{token}:{place}".encode()).digest()[:8] for place in range(1, count))
    return [token, *(int.from_bytes(digest) >> 1 for digest in further)]


def _request(peer: Peer, args: SendAsUser, media: Sequence[Any], random_ids: Sequence[int]) -> Any:
    reply_to = _reply_to(args)
    if not media:
        return functions.messages.SendMessageRequest(
            peer.input, args.text, no_webpage=True, reply_to=reply_to, random_id=random_ids[0]
        )
    if len(media) == 1:
        return functions.messages.SendMediaRequest(
            peer.input, media[0], args.text, reply_to=reply_to, random_id=random_ids[0]
        )
    texts = [args.text, *[""] * (len(media) - 1)]
    items: list[Any] = [
        types.InputSingleMedia(item, text, random_id=random_id)
        for item, text, random_id in zip(media, texts, random_ids, strict=True)
    ]
    return functions.messages.SendMultiMediaRequest(peer.input, items, reply_to=reply_to)


def _reply_to(args: SendAsUser) -> Any:
    """Return the reply header; in a topic, a message that is no reply replies to the one that opened it."""
    topic = args.topic if args.topic != GENERAL_TOPIC else 0
    if args.reply_to:
        return types.InputReplyToMessage(args.reply_to, top_msg_id=topic or None)
    return types.InputReplyToMessage(topic, top_msg_id=topic) if topic else None


def _fresh(file: Any, attachment: Attachment, *, as_photo: bool) -> Any:
    if as_photo:
        return types.InputMediaUploadedPhoto(file)
    name: Any = types.DocumentAttributeFilename(attachment.name)
    return types.InputMediaUploadedDocument(file, attachment.media_type, [name], force_file=True)


def _kept(media: Any) -> Any:
    """Return an uploaded file as an album refers to it."""
    match media:
        case types.MessageMediaPhoto(photo=types.Photo() as photo):
            kept = types.InputPhoto(photo.id, photo.access_hash, photo.file_reference)
            return types.InputMediaPhoto(kept)
        case types.MessageMediaDocument(document=types.Document() as document):
            kept = types.InputDocument(document.id, document.access_hash, document.file_reference)
            return types.InputMediaDocument(kept)
        case _:
            raise IntegrationFault(IntegrationErrorCode.REJECTED, say("Telegram does not take this file"))


def _sent_ids(answer: Any, random_ids: Sequence[int]) -> list[int]:
    if isinstance(answer, types.UpdateShortSentMessage):
        return [answer.id]
    updates = getattr(answer, "updates", ())
    ids = {update.random_id: update.id for update in updates if isinstance(update, types.UpdateMessageID)}
    return [ids[random_id] for random_id in random_ids if random_id in ids]
