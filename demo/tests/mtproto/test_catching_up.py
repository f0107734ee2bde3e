"""What clients miss in channels and how they catch up; and what is too long ago for that."""

from typing import Any

import pytest
from telethon import TelegramClient, events, functions, types
from telethon.sessions import StringSession

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from demo.tests.mtproto.support import ANNA, BEN, OWNER, Connect, collect, raw, wait_until


def input_channel(centre: DataCentre, channel: Channel) -> types.InputChannel:
    return types.InputChannel(channel.id, centre._state.directory.access_hash(OWNER, channel.peer_id))


async def channel_difference(client: TelegramClient, centre: DataCentre, channel: Channel, pts: int, limit: int) -> Any:
    everything = types.ChannelMessagesFilterEmpty()
    request = functions.updates.GetChannelDifferenceRequest(input_channel(centre, channel), everything, pts, limit)
    return await raw(client, request)


async def difference(client: TelegramClient, pts: int, **options: Any) -> Any:
    state = await raw(client, functions.updates.GetStateRequest())
    return await raw(client, functions.updates.GetDifferenceRequest(pts, state.date, state.qts, **options))


async def test_what_happens_in_a_channel_reaches_a_listening_member(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    seen, edits, gone = [collect(client, e()) for e in (events.NewMessage, events.MessageEdited, events.MessageDeleted)]
    message = centre.inject(ANNA, family.peer_id, "ten")
    centre.edit(message, "twenty")
    centre.delete(message)
    await wait_until(lambda: len(gone) == 1)
    assert [(e.raw_text, e.chat_id, e.sender_id) for e in (*seen, *edits)] == [
        ("ten", family.peer_id, ANNA),
        ("twenty", family.peer_id, ANNA),
    ]
    assert (gone[0].deleted_ids, gone[0].chat_id) == ([message.id], family.peer_id)


async def test_an_own_message_reaches_the_accounts_other_client_only(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    here, elsewhere = await connect(OWNER), await connect(OWNER)
    await here.get_dialogs()
    await elsewhere.get_dialogs()
    seen, echoed = collect(here, events.NewMessage()), collect(elsewhere, events.NewMessage())
    reads = collect(here, events.Raw(types.UpdateReadChannelInbox))
    await elsewhere.send_message(family.peer_id, "from my phone")
    await wait_until(lambda: bool(seen and reads))
    assert (seen[0].out, reads[0].max_id, reads[0].still_unread_count) == (True, seen[0].id, 0)
    assert echoed == []


async def test_the_difference_of_a_channel_comes_in_pieces_and_ends(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    start = (await channel_difference(client, centre, family, 2, 100)).pts
    messages = [centre.inject(ANNA, family.peer_id, f"message {i}") for i in range(150)]
    centre.edit(messages[0], "edited")
    centre.delete(messages[1])
    texts: list[str] = []
    others: list[Any] = []
    piece, pieces = None, 0
    while piece is None or not piece.final:
        piece = await channel_difference(client, centre, family, piece.pts if piece else start, 100)
        texts += [message.message for message in piece.new_messages]
        others += piece.other_updates
        pieces += 1
    assert texts == ["edited", *(f"message {i}" for i in range(2, 150))]
    assert [type(update) for update in others] == [types.UpdateEditChannelMessage, types.UpdateDeleteChannelMessages]
    assert (others[1].messages, others[1].channel_id, pieces) == ([messages[1].id], family.id, 2)
    last = await channel_difference(client, centre, family, piece.pts, 100)
    assert (type(last), last.pts, last.final) == (types.updates.ChannelDifferenceEmpty, piece.pts, True)


async def test_a_channel_beyond_its_horizon_shows_where_it_stands_now(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    for i in range(30):
        centre.inject(ANNA, family.peer_id, f"message {i}")
    centre.set_horizon(family.peer_id, 10)
    assert len((await channel_difference(client, centre, family, 22, 100)).new_messages) == 10
    late = await channel_difference(client, centre, family, 21, 100)
    assert isinstance(late, types.updates.ChannelDifferenceTooLong)
    assert (late.final, late.dialog.pts, late.dialog.top_message, late.dialog.unread_count) == (True, 32, 31, 30)
    assert [message.message for message in late.messages] == [f"message {i}" for i in range(29, 9, -1)]


@pytest.mark.parametrize(("pts", "error"), [(0, "PERSISTENT_TIMESTAMP_EMPTY"), (99, "PERSISTENT_TIMESTAMP_INVALID")])
async def test_an_impossible_pts_is_refused(
    connect: Connect, centre: DataCentre, family: Channel, pts: int, error: str
) -> None:
    client = await connect(OWNER)
    calls = (lambda: difference(client, pts), lambda: channel_difference(client, centre, family, pts, 100))
    for call in calls:
        with pytest.raises(Exception, match="timestamp"):
            await call()
    assert [call.error for call in centre.calls[-3:] if call.error] == [f"400 {error}"] * 2


async def test_a_common_difference_beyond_its_horizon_is_too_long(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    for i in range(30):
        centre.inject(ANNA, OWNER, f"message {i}")
    assert len((await difference(client, 1)).new_messages) == 30
    assert isinstance(await difference(client, 1, pts_total_limit=29), types.updates.DifferenceTooLong)
    sliced = await difference(client, 1, pts_limit=7)
    assert (len(sliced.new_messages), sliced.intermediate_state.pts) == (7, 8)
    centre.set_horizon(OWNER, 10)
    late = await difference(client, 20)
    assert (type(late), late.pts) == (types.updates.DifferenceTooLong, 31)
    assert len((await difference(client, 21)).new_messages) == 10


async def test_the_common_difference_names_the_channels_that_have_changed(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    centre.inject(ANNA, family.peer_id, "unseen")
    named = await difference(client, 1)
    assert [(type(update), update.channel_id) for update in named.other_updates] == [
        (types.UpdateChannelTooLong, family.id)
    ]
    assert [chat.access_hash for chat in named.chats] == [input_channel(centre, family).access_hash]
    centre.name_changed_channels(named=False)
    assert isinstance(await difference(client, 1), types.updates.DifferenceEmpty)


async def test_tl_06_a_client_that_knows_a_channel_catches_up_on_it_too(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    seen = collect(client, events.NewMessage())
    centre.lose_updates(OWNER)
    for i in range(150):
        centre.inject(ANNA, family.peer_id, f"message {i}")
    centre.inject(BEN, OWNER, "privately")
    assert (await client.get_me()).id == OWNER
    assert seen == []
    await client.catch_up()
    await wait_until(lambda: len(seen) >= 151)
    assert {event.raw_text for event in seen} == {"privately", *(f"message {i}" for i in range(150))}


async def test_lost_updates_are_noticed_as_a_gap(connect: Connect, centre: DataCentre, family: Channel) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    seen = collect(client, events.NewMessage())
    centre.lose_updates(OWNER)
    centre.inject(ANNA, family.peer_id, "lost")
    centre.lose_updates(OWNER, lost=False)
    centre.inject(ANNA, family.peer_id, "heard")
    await wait_until(lambda: len(seen) == 2)
    assert [event.raw_text for event in seen] == ["lost", "heard"]


async def test_a_pushed_hint_makes_a_client_look(connect: Connect, centre: DataCentre, family: Channel) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    seen = collect(client, events.NewMessage())
    centre.lose_updates(OWNER)
    centre.inject(ANNA, family.peer_id, "in the channel")
    centre.hint_too_long(OWNER, family)
    await wait_until(lambda: len(seen) == 1)
    centre.inject(ANNA, OWNER, "in private")
    centre.hint_too_long(OWNER)
    await wait_until(lambda: len(seen) == 2)


async def test_a_removed_member_hears_nothing_more(connect: Connect, centre: DataCentre, family: Channel) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    seen, changes = collect(client, events.NewMessage()), collect(client, events.Raw(types.UpdateChannel))
    centre.ban(OWNER, family)
    await wait_until(lambda: len(changes) == 1)
    centre.inject(ANNA, family.peer_id, "behind closed doors")
    centre.inject(ANNA, OWNER, "privately")
    await wait_until(lambda: len(seen) == 1)
    assert seen[0].raw_text == "privately"
    with pytest.raises(RpcFault, match="CHANNEL_PRIVATE"):
        centre.inject(OWNER, family.peer_id, "let me in")


async def test_a_client_catches_up_from_a_stored_state(connect: Connect, centre: DataCentre, family: Channel) -> None:
    session = StringSession(centre.session_string(OWNER))
    first = await connect(session)
    await first.get_dialogs()
    await first.disconnect()
    centre.inject(ANNA, family.peer_id, "while you were away")
    again = await connect(session, catch_up=True)
    seen = collect(again, events.NewMessage())
    await wait_until(lambda: len(seen) == 1)
    assert seen[0].chat_id == family.peer_id


async def test_muting_is_told_and_asked_for(connect: Connect, centre: DataCentre, family: Channel) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    told = collect(client, events.Raw(types.UpdateNotifySettings))
    centre.mute(OWNER, family.peer_id)
    await wait_until(lambda: len(told) == 1)
    peer = types.InputNotifyPeer(await client.get_input_entity(family.peer_id))
    settings = await raw(client, functions.account.GetNotifySettingsRequest(peer))
    assert settings.mute_until == told[0].notify_settings.mute_until
    assert settings.mute_until.year == 2038
    [dialog] = await client.get_dialogs()
    assert dialog.dialog.notify_settings.mute_until == settings.mute_until
    centre.unmute(OWNER, family.peer_id)
    assert (await raw(client, functions.account.GetNotifySettingsRequest(peer))).mute_until is None
    await wait_until(lambda: len(told) == 2)
    assert told[-1].notify_settings.mute_until is None
