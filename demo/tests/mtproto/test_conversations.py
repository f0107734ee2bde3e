"""Contacts, dialogs and messages of the test data centre, through Telethon."""

import io
from datetime import UTC, datetime

import pytest
from telethon import errors, functions, types

from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from demo.tests.mtproto.support import ANNA, BEN, OWNER, STRANGER, Connect


async def test_contacts_stand_under_the_names_that_the_owner_chose(connect: Connect) -> None:
    client = await connect(OWNER)
    contacts = await client(functions.contacts.GetContactsRequest(hash=0))
    assert [(user.id, user.first_name, user.phone, user.mutual_contact) for user in contacts.users] == [
        (ANNA, "Annie", "15550002", True),
        (BEN, "Ben", "15550003", False),
    ]
    assert (await client.get_entity("+15550002")).id == ANNA


async def test_a_stranger_is_found_by_username_and_shows_no_phone(connect: Connect) -> None:
    client = await connect(OWNER)
    stranger = await client.get_entity("@Sven_S")
    assert (stranger.id, stranger.contact, stranger.phone) == (STRANGER, False, None)
    with pytest.raises(ValueError, match="nobody_here"):
        await client.get_entity("nobody_here")


async def test_an_id_alone_addresses_contacts_but_no_strangers(connect: Connect) -> None:
    client = await connect(OWNER)
    assert (await client.get_entity(ANNA)).first_name == "Annie"
    with pytest.raises(ValueError, match="Could not find the input entity"):
        await client.get_entity(STRANGER)
    with pytest.raises(errors.PeerIdInvalidError):
        await client.send_message(types.InputPeerUser(STRANGER, access_hash=5), "hello")


async def test_an_access_hash_is_good_for_one_viewer_only(connect: Connect) -> None:
    owner, ben = await connect(OWNER), await connect(BEN)
    peer = await owner.get_input_entity("sven_s")
    with pytest.raises(errors.PeerIdInvalidError):
        await ben.send_message(peer, "hello")


async def test_a_sent_message_is_in_both_boxes_and_in_the_providers_record(
    connect: Connect, centre: DataCentre
) -> None:
    client = await connect(OWNER)
    sent = await client.send_message(ANNA, "ten **minutes** late")
    [own] = centre.sent_by(OWNER)
    [received] = centre.messages(ANNA)
    assert (own.id, own.peer_id, own.text) == (sent.id, ANNA, "ten minutes late")
    assert own.random_id
    assert received.random_id is None
    assert (received.peer_id, received.from_id, received.outgoing) == (OWNER, OWNER, False)
    assert isinstance(received.entities[0], types.MessageEntityBold)
    assert centre.messages(BEN) == centre.sent_by(ANNA) == []


async def test_dialogs_show_newest_first_with_unread_counts(connect: Connect, centre: DataCentre) -> None:
    for text in ("one", "two"):
        centre.inject(ANNA, OWNER, text)
    centre.inject(OWNER, BEN, "hello Ben")
    client = await connect(OWNER)
    dialogs = await client.get_dialogs()
    assert [(d.name, d.unread_count, d.message.text) for d in dialogs] == [
        ("Ben", 0, "hello Ben"),
        ("Annie", 2, "two"),
    ]


async def test_dialogs_come_page_by_page(connect: Connect, centre: DataCentre) -> None:
    for i in range(130):
        centre.add_account(5000 + i, f"1777{i:04}", f"Person {i}")
        centre.inject(5000 + i, OWNER, f"hello {i}")
    client = await connect(OWNER)
    dialogs = await client.get_dialogs()
    assert [d.id for d in dialogs] == [5000 + i for i in reversed(range(130))]


async def test_history_pages_both_ways(connect: Connect, centre: DataCentre) -> None:
    for i in range(250):
        centre.inject(ANNA, OWNER, f"message {i}")
    client = await connect(OWNER)
    expected = [f"message {i}" for i in range(250)]
    newest_first = await client.get_messages(ANNA, limit=None, wait_time=0)
    assert [message.text for message in newest_first] == expected[::-1]
    oldest_first = await client.get_messages(ANNA, limit=None, reverse=True, wait_time=0)
    assert [message.text for message in oldest_first] == expected
    after = await client.get_messages(ANNA, min_id=newest_first[3].id, limit=None, wait_time=0)
    assert [message.text for message in after] == expected[:-4:-1]
    assert (await client.get_messages(ANNA, limit=0)).total == 250


async def test_search_finds_words_in_one_conversation(connect: Connect, centre: DataCentre) -> None:
    centre.inject(ANNA, OWNER, "The Invoice is here")
    centre.inject(BEN, OWNER, "which invoice?")
    centre.inject(ANNA, OWNER, "never mind")
    client = await connect(OWNER)
    assert [m.text for m in await client.get_messages(ANNA, search="invoice")] == ["The Invoice is here"]


async def test_a_reply_points_to_the_message_in_each_ones_own_box(connect: Connect, centre: DataCentre) -> None:
    centre.inject(BEN, OWNER, "first, so that the ids differ")
    centre.inject(ANNA, OWNER, "coming?")
    owner, anna = await connect(OWNER), await connect(ANNA)
    [question] = await owner.get_messages(ANNA, limit=1)
    await owner.send_message(ANNA, "yes", reply_to=question.id)
    [answer] = await anna.get_messages(OWNER, limit=1)
    assert answer.reply_to.reply_to_msg_id != question.id
    reply = centre.inject(ANNA, OWNER, "good", reply_to=centre.sent_by(OWNER)[-1])
    assert reply.reply_to == answer.id


async def test_reading_clears_the_count(connect: Connect, centre: DataCentre) -> None:
    centre.inject(ANNA, OWNER, "read me")
    client = await connect(OWNER)
    centre.read(OWNER, ANNA)
    [dialog] = await client.get_dialogs()
    assert dialog.unread_count == 0


async def test_an_edit_changes_both_copies_and_only_the_authors_counts(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    sent = await client.send_message(ANNA, "ten minutes")
    edited = await client.edit_message(ANNA, sent.id, "twenty minutes")
    assert (edited.text, edited.id) == ("twenty minutes", sent.id)
    assert centre.messages(ANNA)[0].text == "twenty minutes"
    with pytest.raises(errors.MessageNotModifiedError):
        await client.edit_message(ANNA, sent.id, "twenty minutes")
    received = centre.inject(ANNA, OWNER, "fine")
    with pytest.raises(errors.MessageAuthorRequiredError):
        await client.edit_message(ANNA, received.id, "not fine")


async def test_a_deleted_message_is_gone_but_stays_in_the_providers_record(
    connect: Connect, centre: DataCentre
) -> None:
    client = await connect(OWNER)
    first, second = [await client.send_message(ANNA, text) for text in ("one", "two")]
    await client.delete_messages(ANNA, [first.id], revoke=False)
    assert [m.text for m in centre.messages(OWNER)] == ["two"]
    assert [m.text for m in centre.messages(ANNA)] == ["one", "two"]
    await client.delete_messages(ANNA, [second.id])
    assert [m.text for m in centre.messages(ANNA)] == ["one"]
    assert [(m.text, m.deleted) for m in centre.sent_by(OWNER)] == [("one", True), ("two", True)]
    assert await client.get_messages(ANNA, ids=second.id) is None


async def test_a_file_arrives_whole(connect: Connect, centre: DataCentre) -> None:
    owner, anna = await connect(OWNER), await connect(ANNA)
    data = bytes(range(256)) * 1000
    file = io.BytesIO(data)
    file.name = "numbers.bin"
    await owner.send_file(ANNA, file, caption="as promised")
    [message] = await anna.get_messages(OWNER, limit=1)
    assert (message.text, message.file.name, message.file.size) == ("as promised", "numbers.bin", len(data))
    assert await anna.download_media(message, bytes) == data
    media = centre.sent_by(OWNER)[0].media
    assert media is not None
    assert (media.name, media.size) == ("numbers.bin", len(data))


async def test_a_group_message_reaches_every_member(connect: Connect, centre: DataCentre) -> None:
    centre.add_group(77, "Dinner", ANNA, OWNER, BEN)
    client = await connect(OWNER)
    centre.inject(ANNA, -77, "at eight?")
    [dialog] = await client.get_dialogs()
    assert (dialog.name, dialog.is_group, dialog.unread_count) == ("Dinner", True, 1)
    assert (await client.send_message(dialog.entity, "yes")).text == "yes"
    assert [m.text for m in centre.messages(BEN, -77)] == ["at eight?", "yes"]
    stranger = await connect(STRANGER)
    with pytest.raises(errors.PeerIdInvalidError):
        await stranger.send_message(types.InputPeerChat(77), "let me in")


async def test_the_limits_of_a_message_are_telegrams(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    peer = await client.get_input_entity(ANNA)

    async def send(text: str, **options: object) -> None:
        await client(functions.messages.SendMessageRequest(peer, text, **options))

    await send("😀" * 2048)
    with pytest.raises(errors.MessageTooLongError):
        await send("😀" * 2048 + "!")
    with pytest.raises(errors.MessageEmptyError):
        await send(" \n")
    with pytest.raises(errors.EntityBoundsInvalidError):
        await send("short", entities=[types.MessageEntityBold(3, 4)])
    with pytest.raises(errors.MessageIdInvalidError):
        await send("to what?", reply_to=types.InputReplyToMessage(999))
    with pytest.raises(errors.ScheduleDateInvalidError):
        await send("later", schedule_date=datetime(2030, 1, 1, tzinfo=UTC))
    assert len(centre.sent_by(OWNER)) == 1
    with pytest.raises(RpcFault, match="MESSAGE_EMPTY"):
        centre.inject(ANNA, OWNER, "")


async def test_unknown_methods_are_refused(
    connect: Connect, centre: DataCentre, caplog: pytest.LogCaptureFixture
) -> None:
    client = await connect(OWNER)
    with pytest.raises(errors.InputMethodInvalidError):
        await client(functions.account.GetWallPapersRequest(hash=0))
    assert "account.getWallPapers" in caplog.text
    assert centre.calls[-1].error == "400 INPUT_METHOD_INVALID"
