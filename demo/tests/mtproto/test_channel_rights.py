"""Who sees channels and supergroups, and what members may do there."""

from datetime import timedelta

import pytest
from telethon import errors, functions, types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from demo.tests.mtproto.support import ANNA, OWNER, STRANGER, Connect, raw
from tests.support.stoppable_clock import StoppableClock


async def test_an_access_hash_is_good_for_one_viewer_and_closed_channels_are_private(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    owner, stranger = await connect(OWNER), await connect(STRANGER)
    peer = (await owner.get_dialogs())[0].input_entity
    foreign = types.InputChannel(peer.channel_id, peer.access_hash)
    wanted: list[types.TypeInputMessage] = [types.InputMessageID(1)]
    with pytest.raises(errors.ChannelInvalidError):
        await raw(stranger, functions.channels.GetMessagesRequest(foreign, wanted))
    own = types.InputChannel(family.id, centre._state.directory.access_hash(STRANGER, family.peer_id))
    with pytest.raises(errors.ChannelPrivateError):
        await raw(stranger, functions.channels.GetMessagesRequest(own, wanted))


async def test_a_restricted_member_may_not_write(connect: Connect, centre: DataCentre, family: Channel) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    centre.restrict(OWNER, family)
    with pytest.raises(errors.ChatWriteForbiddenError):
        await client.send_message(family.peer_id, "hello")
    centre.restrict(OWNER, family, may_write=True)
    assert (await client.send_message(family.peer_id, "hello")).id


async def test_a_removed_member_finds_the_channel_private_until_they_join_again(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    centre.ban(OWNER, family)
    for attempt in (
        client.send_message(family.peer_id, "hello"),
        client.get_messages(family.peer_id, limit=1),
    ):
        with pytest.raises(errors.ChannelPrivateError):
            await attempt
    assert await client.get_dialogs() == []
    centre.join(OWNER, family)
    assert (await client.send_message(family.peer_id, "back")).id


async def test_only_admins_write_in_a_broadcast_channel_and_only_members_in_a_public_group(
    connect: Connect, centre: DataCentre, news: Channel
) -> None:
    public = centre.add_channel(601, "Open House", ANNA, username="open_house")
    centre.inject(ANNA, public.peer_id, "welcome")
    client = await connect(OWNER)
    with pytest.raises(errors.ChatAdminRequiredError):
        await client.send_message("bens_news", "hello")
    assert [m.text for m in await client.get_messages("open_house", limit=1)] == ["welcome"]
    with pytest.raises(errors.ChatWriteForbiddenError):
        await client.send_message("open_house", "hello")
    with pytest.raises(RpcFault, match="CHAT_ADMIN_REQUIRED"):
        centre.inject(OWNER, news.peer_id, "not by injection either")


async def test_slow_mode_names_the_seconds_to_wait(
    connect: Connect, centre: DataCentre, family: Channel, centre_clock: StoppableClock
) -> None:
    centre_clock.stop()
    centre.set_slow_mode(family, 30)
    client = await connect(OWNER)
    await client.get_dialogs()
    await client.send_message(family.peer_id, "first")
    with pytest.raises(errors.SlowModeWaitError) as caught:
        await client.send_message(family.peer_id, "second")
    assert caught.value.seconds == 30
    assert (await client.get_dialogs())[0].entity.slowmode_enabled
    centre._state.directory.channels[500].members[OWNER].wrote_at -= timedelta(seconds=31)
    await client.send_message(family.peer_id, "third")
    assert [m.text for m in centre.sent_by(OWNER)] == ["first", "third"]


async def test_own_messages_are_edited_and_deleted_and_others_by_admins_only(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    annas = centre.inject(ANNA, family.peer_id, "Anna's")
    client = await connect(OWNER)
    await client.get_dialogs()
    own = await client.send_message(family.peer_id, "one")
    assert (await client.edit_message(family.peer_id, own.id, "two")).text == "two"
    with pytest.raises(errors.MessageAuthorRequiredError):
        await client.edit_message(family.peer_id, annas.id, "not Anna's")
    with pytest.raises(errors.MessageDeleteForbiddenError):
        await client.delete_messages(family.peer_id, [own.id, annas.id])
    await client.delete_messages(family.peer_id, [own.id])
    assert [m.text for m in centre.messages(ANNA, family.peer_id) if m.text] == ["Anna's"]
    anna = await connect(ANNA)
    await anna.get_dialogs()
    await anna.delete_messages(family.peer_id, [annas.id])
    with pytest.raises(errors.MessageDeleteForbiddenError):
        await anna.delete_messages(family.peer_id, [1])


async def test_a_channel_cannot_take_a_taken_id_or_username(centre: DataCentre, news: Channel) -> None:
    with pytest.raises(ValueError, match="taken"):
        centre.add_channel(600, "Twin", ANNA)
    with pytest.raises(ValueError, match="taken"):
        centre.add_channel(602, "Twin", ANNA, username="Anna_B")
    with pytest.raises(ValueError, match="no accounts"):
        centre.add_channel(602, "Ghosts", ANNA, 77)
