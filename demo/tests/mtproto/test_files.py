"""Files and albums: in parts, under references, once per random id."""

import hashlib
import io
from typing import Any

import pytest
from telethon import TelegramClient, errors, events, functions, types

from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, BEN, OWNER, Connect, collect, raw, wait_until


def named(data: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(data)
    file.name = name
    return file


async def upload(client: TelegramClient, file_id: int, *parts: bytes, count: int | None = None, md5: str = "") -> Any:
    for number, part in enumerate(parts):
        assert await raw(client, functions.upload.SaveFilePartRequest(file_id, number, part))
    file = types.InputFile(file_id, count or len(parts), "notes.txt", md5)
    return types.InputMediaUploadedDocument(file, "text/plain", [types.DocumentAttributeFilename("notes.txt")])


async def test_a_file_that_somebody_sends_is_downloaded_whole(connect: Connect, centre: DataCentre) -> None:
    data = bytes(range(256)) * 3000
    centre.inject(ANNA, OWNER, "as promised", media=centre.add_file(data, "numbers.bin"))
    centre.inject(ANNA, OWNER, "", media=centre.add_file(b"\xff\xd8 picture", is_photo=True))
    client = await connect(OWNER)
    photo, document = await client.get_messages(ANNA, limit=2)
    assert (document.text, document.file.name, document.file.size) == ("as promised", "numbers.bin", len(data))
    assert await client.download_media(document, bytes) == data
    assert (photo.photo is not None, await client.download_media(photo, bytes)) == (True, b"\xff\xd8 picture")


async def test_nobody_gets_a_file_without_its_access_hash_and_reference(connect: Connect, centre: DataCentre) -> None:
    centre.inject(ANNA, OWNER, "", media=centre.add_file(b"private", "private.txt"))
    owner, ben = await connect(OWNER), await connect(BEN)
    [message] = await owner.get_messages(ANNA, limit=1)
    document = message.document

    async def fetch(client: TelegramClient, **changed: Any) -> Any:
        fields = {"id": document.id, "access_hash": document.access_hash, "file_reference": document.file_reference}
        location = types.InputDocumentFileLocation(**{**fields, "thumb_size": "", **changed})
        return await raw(client, functions.upload.GetFileRequest(location, offset=0, limit=4096))

    assert (await fetch(owner)).bytes == b"private"
    with pytest.raises(errors.FileIdInvalidError):
        await fetch(ben)
    with pytest.raises(errors.FileReferenceEmptyError):
        await fetch(owner, file_reference=b"")
    with pytest.raises(errors.FileReferenceInvalidError):
        await fetch(owner, file_reference=b"made up")
    with pytest.raises(errors.LocationInvalidError):
        await fetch(owner, thumb_size="m")


@pytest.mark.parametrize(
    ("offset", "limit", "error"),
    [
        (100, 4096, errors.OffsetInvalidError),
        (0, 5000, errors.LimitInvalidError),
        (0, 2 * 1024 * 1024, errors.LimitInvalidError),
        (0, 12288, errors.LimitInvalidError),
        (1024 * 1024 - 4096, 8192, errors.LimitInvalidError),
    ],
)
async def test_pieces_start_and_end_on_whole_steps(
    connect: Connect, centre: DataCentre, offset: int, limit: int, error: type[Exception]
) -> None:
    centre.inject(ANNA, OWNER, "", media=centre.add_file(b"x" * 10_000, "x.bin"))
    client = await connect(OWNER)
    [message] = await client.get_messages(ANNA, limit=1)
    document = message.document
    location = types.InputDocumentFileLocation(document.id, document.access_hash, document.file_reference, "")
    with pytest.raises(error):
        await raw(client, functions.upload.GetFileRequest(location, offset, limit))


async def test_an_upload_must_be_whole_and_in_equal_parts(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    peer = await client.get_input_entity(ANNA)

    async def send(media: Any) -> None:
        await raw(client, functions.messages.SendMediaRequest(peer, media, "", random_id=1))

    with pytest.raises(errors.FilePartMissingError) as caught:
        await send(await upload(client, 11, b"x" * 1024, count=2))
    assert caught.value.which == 1
    with pytest.raises(errors.FilePartSizeInvalidError):
        await send(await upload(client, 12, b"x" * 1000, b"x"))
    with pytest.raises(errors.FilePartSizeChangedError):
        await send(await upload(client, 13, b"x" * 1024, b"x" * 2048, b"x"))
    with pytest.raises(errors.FilePartEmptyError):
        await upload(client, 14, b"")
    with pytest.raises(errors.FilePartTooBigError):
        await upload(client, 15, b"x" * (512 * 1024 + 1))
    with pytest.raises(errors.Md5ChecksumInvalidError):
        await send(await upload(client, 16, b"x", md5="0" * 32))
    assert centre.sent_by(OWNER) == []
    parts = (b"x" * 1024, b"y")
    await send(await upload(client, 17, *parts, md5=hashlib.md5(b"".join(parts)).hexdigest()))
    [message] = centre.sent_by(OWNER)
    assert message.media is not None
    assert (message.media.name, centre.read_file(message.media)) == ("notes.txt", b"x" * 1024 + b"y")


async def test_a_large_file_is_sent_in_big_parts(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    data = b"0123456789abcdef" * (11 * 65536)
    await client.send_file(ANNA, named(data, "large.bin"))
    media = centre.sent_by(OWNER)[0].media
    assert media is not None
    assert centre.read_file(media) == data
    assert {call.method for call in centre.calls} >= {"upload.saveBigFilePart"}


async def test_an_album_arrives_as_one(connect: Connect, centre: DataCentre) -> None:
    owner, anna = await connect(OWNER), await connect(ANNA)
    albums = collect(anna, events.Album())
    sent = await owner.send_file(
        ANNA, [named(b"one", "one.txt"), named(b"two", "two.txt")], caption=["both", ""], force_document=True
    )
    await wait_until(lambda: len(albums) == 1)
    assert len({message.grouped_id for message in sent}) == 1
    assert [message.file.name for message in albums[0].messages] == ["one.txt", "two.txt"]
    assert albums[0].text == "both"
    assert [await anna.download_media(m, bytes) for m in albums[0].messages] == [b"one", b"two"]
    assert len({message.random_id for message in centre.sent_by(OWNER)}) == 2


async def test_an_injected_album_and_forward_are_seen_as_such(connect: Connect, centre: DataCentre) -> None:
    files = [centre.add_file(data, is_photo=True) for data in (b"one", b"two")]
    centre.inject_album(ANNA, OWNER, files, "the garden")
    centre.forward(ANNA, OWNER, centre.inject(BEN, ANNA, "Ben's words"))
    client = await connect(OWNER)
    forwarded, second, first = await client.get_messages(ANNA, limit=3)
    assert (first.text, second.text, first.grouped_id) == ("the garden", "", second.grouped_id)
    assert (forwarded.text, forwarded.fwd_from.from_id) == ("Ben's words", types.PeerUser(BEN))


async def album_item(client: TelegramClient, text: str, random_id: int, **changed: Any) -> types.InputSingleMedia:
    uploaded = await upload(client, random_id, text.encode())
    media = await raw(client, functions.messages.UploadMediaRequest(types.InputPeerSelf(), uploaded))
    document = media.document
    fields = {"id": document.id, "access_hash": document.access_hash, "file_reference": document.file_reference}
    return types.InputSingleMedia(
        types.InputMediaDocument(types.InputDocument(**{**fields, **changed})), text, random_id
    )


async def test_an_album_is_sent_whole_once_or_not_at_all(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    peer = await client.get_input_entity(ANNA)
    first, second = [await album_item(client, text, i) for i, text in enumerate(("one", "two"), start=1)]

    async def send(*items: Any) -> Any:
        return await raw(client, functions.messages.SendMultiMediaRequest(peer, list(items)))

    await send(first, second)
    third = await album_item(client, "three", 3)
    for items in ((first, second), (third, second), (third, third)):
        with pytest.raises(errors.RandomIdDuplicateError):
            await send(*items)
    with pytest.raises(errors.MultiMediaTooLongError):
        await send(*[third] * 11)
    with pytest.raises(errors.MediaEmptyError):
        await send()
    with pytest.raises(errors.MediaInvalidError):
        await send(types.InputSingleMedia(await upload(client, 9, b"not made a file yet"), "", 9))
    photo = await raw(
        client,
        functions.messages.UploadMediaRequest(
            types.InputPeerSelf(), types.InputMediaUploadedPhoto((await upload(client, 10, b"photo")).file)
        ),
    )
    taken = types.InputPhoto(photo.photo.id, photo.photo.access_hash, photo.photo.file_reference)
    with pytest.raises(errors.MediaGroupedInvalidError):
        await send(third, types.InputSingleMedia(types.InputMediaPhoto(taken), "", 10))
    expired = await album_item(client, "four", 4, file_reference=third.media.id.file_reference)
    with pytest.raises(errors.BadRequestError, match="FILE_REFERENCE_1_INVALID"):
        await send(third, expired)
    assert [message.text for message in centre.sent_by(OWNER)] == ["one", "two"]


async def test_every_kind_of_send_uses_its_random_id_up(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    anna = await client.get_input_entity(ANNA)
    media = await upload(client, 21, b"notes")
    sends = [
        lambda random_id: functions.messages.SendMessageRequest(anna, "text", random_id=random_id),
        lambda random_id: functions.messages.SendMediaRequest(anna, media, "file", random_id=random_id),
    ]
    for used, send in enumerate(sends, start=1):
        await raw(client, send(used))
        for other in sends:
            with pytest.raises(errors.RandomIdDuplicateError):
                await raw(client, other(used))
        with pytest.raises(errors.RandomIdEmptyError):
            await raw(client, send(0))
    assert [message.text for message in centre.sent_by(OWNER)] == ["text", "file"]


async def test_a_group_message_is_deleted_for_all_by_its_author_or_the_creator(
    connect: Connect, centre: DataCentre
) -> None:
    centre.add_group(77, "Dinner", ANNA, OWNER, BEN)
    foreign = centre.inject(BEN, -77, "Ben's")
    client = await connect(OWNER)
    own = await client.send_message(-77, "mine")
    copy = centre.messages(OWNER, -77)[0]
    with pytest.raises(errors.MessageDeleteForbiddenError):
        await client.delete_messages(-77, [copy.id])
    await client.delete_messages(-77, [copy.id], revoke=False)
    await client.delete_messages(-77, [own.id])
    assert [m.text for m in centre.messages(ANNA, -77)] == ["Ben's"]
    anna = await connect(ANNA)
    await anna.delete_messages(-77, [centre.messages(ANNA, -77)[0].id])
    assert centre.messages(BEN, -77) == []
    assert foreign.text == "Ben's"
