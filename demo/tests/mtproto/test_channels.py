"""Supergroups and broadcast channels: what is in them, and where it is found."""

import pytest
from telethon import errors, functions, types, utils

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, BEN, OWNER, Connect, raw


async def test_a_channel_is_named_as_telethon_names_it(family: Channel) -> None:
    assert utils.get_peer_id(types.PeerChannel(family.id)) == family.peer_id
    assert utils.resolve_id(family.peer_id) == (family.id, types.PeerChannel)


async def test_channels_stand_among_the_dialogs_with_their_own_pts(
    connect: Connect, centre: DataCentre, family: Channel, news: Channel
) -> None:
    centre.inject(ANNA, OWNER, "hello")
    centre.inject(ANNA, family.peer_id, "hello all")
    centre.inject(BEN, news.peer_id, "extra, extra")
    client = await connect(OWNER)
    dialogs = {dialog.name: dialog for dialog in await client.get_dialogs()}
    assert dialogs.keys() == {"Annie", "Family", "Ben's News"}
    assert [(d.is_group, d.is_channel, d.dialog.pts) for d in dialogs.values() if d.name == "Annie"] == [
        (False, False, None)
    ]
    assert (dialogs["Family"].is_group, dialogs["Family"].entity.megagroup, dialogs["Family"].dialog.pts) == (
        True,
        True,
        3,
    )
    assert (dialogs["Ben's News"].is_group, dialogs["Ben's News"].entity.broadcast) == (False, True)
    assert {name: dialog.unread_count for name, dialog in dialogs.items()} == dict.fromkeys(dialogs, 1)


async def test_a_supergroup_counts_its_own_messages_and_all_members_see_the_same_ids(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    centre.inject(ANNA, OWNER, "so that the owner's own ids differ")
    owner, anna = await connect(OWNER), await connect(ANNA)
    await owner.get_dialogs()
    await anna.get_dialogs()
    sent = await owner.send_message(family.peer_id, "who is **in**?")
    [seen] = await anna.get_messages(family.peer_id, limit=1)
    assert (sent.id, sent.out, sent.raw_text) == (seen.id, True, "who is in?")
    assert (seen.out, seen.sender_id, seen.chat.title, seen.post) == (False, OWNER, "Family", False)
    assert centre.messages(BEN, family.peer_id)[-1].text == "who is in?"
    [own] = centre.sent_by(OWNER)
    assert (own.peer_id, own.random_id is not None) == (family.peer_id, True)
    replied = await anna.send_message(family.peer_id, "me", reply_to=sent.id)
    assert replied.reply_to.reply_to_msg_id == sent.id


async def test_a_post_of_a_channel_names_no_author(connect: Connect, centre: DataCentre, news: Channel) -> None:
    centre.inject(BEN, news.peer_id, "extra, extra")
    client = await connect(OWNER)
    [post] = await client.get_messages(await client.get_input_entity("bens_news"), limit=1)
    assert (post.post, post.from_id, post.sender_id) == (True, None, news.peer_id)


async def test_the_first_message_is_the_service_message_of_the_creation(connect: Connect, family: Channel) -> None:
    client = await connect(OWNER)
    [dialog] = await client.get_dialogs()
    [first] = await client.get_messages(dialog.entity, limit=10)
    assert isinstance(first, types.MessageService)
    assert (first.id, first.action.title) == (1, "Family")


async def test_history_of_a_channel_pages_both_ways(connect: Connect, centre: DataCentre, family: Channel) -> None:
    for i in range(230):
        centre.inject(ANNA, family.peer_id, f"message {i}")
    client = await connect(OWNER)
    [dialog] = await client.get_dialogs()
    expected = [f"message {i}" for i in range(230)]
    texts = [m.text for m in await client.get_messages(dialog.entity, limit=None, wait_time=0)]
    assert [text for text in texts if text is not None] == expected[::-1]
    oldest = await client.get_messages(dialog.entity, limit=150, reverse=True, min_id=1, wait_time=0)
    assert [m.text for m in oldest] == expected[:150]
    around = await raw(
        client,
        functions.messages.GetHistoryRequest(dialog.input_entity, 101, None, -2, 4, max_id=0, min_id=0, hash=0),
    )
    assert [m.id for m in around.messages] == [102, 101, 100, 99]
    assert (around.count, around.pts) == (231, centre._state.store.box(family.peer_id).pts)


async def test_messages_of_a_channel_are_found_by_id_and_by_words(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    first = centre.inject(ANNA, family.peer_id, "The Invoice is here")
    gone = centre.inject(BEN, family.peer_id, "oops")
    centre.delete(gone)
    centre.inject(BEN, OWNER, "which invoice?")
    client = await connect(OWNER)
    await client.get_dialogs()
    by_id = await client.get_messages(family.peer_id, ids=[first.id, gone.id, 99])
    assert [m and m.text for m in by_id] == ["The Invoice is here", None, None]
    assert [m.text for m in await client.get_messages(family.peer_id, search="invoice")] == ["The Invoice is here"]


async def test_a_random_id_is_used_up_by_any_kind_of_peer(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    centre.set_slow_mode(family, 30)
    client = await connect(OWNER)
    await client.get_dialogs()
    peer = await client.get_input_entity(family.peer_id)
    request = functions.messages.SendMessageRequest(peer, "once", random_id=7)
    await raw(client, request)
    with pytest.raises(errors.RandomIdDuplicateError):
        await raw(client, request)
    anna = await client.get_input_entity(ANNA)
    with pytest.raises(errors.RandomIdDuplicateError):
        await raw(client, functions.messages.SendMessageRequest(anna, "again", random_id=7))
    assert len(centre.sent_by(OWNER)) == 1


async def test_reading_a_supergroup_clears_the_count(connect: Connect, centre: DataCentre, family: Channel) -> None:
    first, second = [centre.inject(ANNA, family.peer_id, text) for text in ("one", "two")]
    client = await connect(OWNER)
    [dialog] = await client.get_dialogs()
    assert dialog.unread_count == 2
    centre.read(OWNER, family.peer_id, first.id)
    [dialog] = await client.get_dialogs()
    assert (dialog.unread_count, dialog.dialog.read_inbox_max_id) == (1, first.id)
    await client.send_message(family.peer_id, "who writes has read")
    [dialog] = await client.get_dialogs()
    assert (dialog.unread_count, second.id < dialog.dialog.read_inbox_max_id) == (0, True)
