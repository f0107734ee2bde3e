"""Forums: topics, what is written in them, and what was read there."""

from typing import Any

import pytest
from telethon import TelegramClient, errors, events, functions, types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, BEN, OWNER, Connect, collect, raw, wait_until


@pytest.fixture
def harness(centre: DataCentre) -> Channel:
    """A forum of Anna's with the owner and Ben."""
    return centre.add_channel(900, "House", ANNA, OWNER, BEN, forum=True)


async def topics(client: TelegramClient, harness: Channel, *ids: int) -> Any:
    peer = await client.get_input_entity(harness.peer_id)
    return await raw(client, functions.messages.GetForumTopicsByIDRequest(peer, list(ids)))


async def test_a_message_names_its_topic_and_what_it_answers(
    connect: Connect, centre: DataCentre, harness: Channel
) -> None:
    garden = centre.add_topic(harness, "Garden")
    question = centre.inject(ANNA, harness.peer_id, "roses?", topic=garden)
    client = await connect(OWNER)
    await client.get_dialogs()
    seen = collect(client, events.NewMessage())
    answer = await client.send_message(harness.peer_id, "yes", reply_to=question.id)
    plain = await client.send_message(harness.peer_id, "and tulips", reply_to=garden.id)
    general = await client.send_message(harness.peer_id, "hello all")
    centre.inject(ANNA, harness.peer_id, "good", reply_to=centre.messages(ANNA, harness.peer_id)[-3])
    await wait_until(lambda: len(seen) == 1)
    headers = [message.reply_to for message in (answer, plain, general, seen[0].message)]
    assert [(h and (h.forum_topic, h.reply_to_msg_id, h.reply_to_top_id)) for h in headers] == [
        (True, question.id, garden.id),
        (True, garden.id, None),
        None,
        (True, answer.id, garden.id),
    ]
    texts = [m.text for m in await client.get_messages(harness.peer_id, 10, reply_to=garden.id) if m.text]
    assert texts == ["good", "and tulips", "yes", "roses?"]
    found = await raw(
        client,
        functions.messages.SearchRequest(
            await client.get_input_entity(harness.peer_id),
            "hello",
            types.InputMessagesFilterEmpty(),
            None,
            None,
            offset_id=0,
            add_offset=0,
            limit=10,
            max_id=0,
            min_id=0,
            hash=0,
            top_msg_id=1,
        ),
    )
    assert [m.message for m in found.messages] == ["hello all"]


async def test_topics_are_shown_with_what_is_unread_and_unknown_ones_are_gone(
    connect: Connect, centre: DataCentre, harness: Channel
) -> None:
    garden = centre.add_topic(harness, "Garden")
    centre.inject(ANNA, harness.peer_id, "rain", topic=garden)
    client = await connect(OWNER)
    [dialog] = await client.get_dialogs()
    assert (dialog.entity.forum, dialog.unread_count) == (True, 2)
    shown = await topics(client, harness, garden.id, 99)
    assert [type(topic) for topic in shown.topics] == [types.ForumTopic, types.ForumTopicDeleted]
    assert (shown.topics[0].title, shown.topics[0].unread_count, shown.pts) == ("Garden", 2, dialog.dialog.pts)
    centre.read(OWNER, harness.peer_id)
    assert (await topics(client, harness, garden.id)).topics[0].unread_count == 0
    with pytest.raises(errors.BadRequestError, match="TOPIC_ID_INVALID"):
        await client.get_messages(harness.peer_id, reply_to=99)


async def test_a_group_without_topics_has_none(connect: Connect, centre: DataCentre, family: Channel) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    with pytest.raises(errors.ChannelForumMissingError):
        await topics(client, family, 1)
    with pytest.raises(ValueError, match="no forum"):
        centre.add_topic(family, "Garden")
    centre.inject(ANNA, family.peer_id, "hello")
    [message] = await client.get_messages(family.peer_id, limit=1)
    assert message.reply_to is None


async def test_an_answer_goes_to_its_own_conversation(connect: Connect, centre: DataCentre, harness: Channel) -> None:
    received = centre.inject(ANNA, OWNER, "coming?")
    centre.inject(BEN, OWNER, "and you?")
    client = await connect(OWNER)
    with pytest.raises(errors.MessageIdInvalidError):
        await client.send_message(BEN, "yes", reply_to=centre.messages(OWNER, ANNA)[0].id)
    anna, ben = await client.get_input_entity(ANNA), await client.get_input_entity(BEN)
    elsewhere = types.InputReplyToMessage(received.id, reply_to_peer_id=anna)
    with pytest.raises(errors.BadRequestError, match="REPLY_TO_INVALID"):
        await raw(client, functions.messages.SendMessageRequest(ben, "yes", reply_to=elsewhere, random_id=1))
    assert centre.sent_by(OWNER) == []
