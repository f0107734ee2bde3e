"""Who sees channels and supergroups, and what members may do there."""

from datetime import timedelta

import pytest
from telethon import errors, functions, types

from butler_demo.mtproto.channels import Ban, Channel
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from demo.tests.mtproto.support import ANNA, BEN, OWNER, STRANGER, Connect, raw


async def test_an_access_hash_is_good_for_one_viewer_and_closed_channels_show_their_name_only(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    owner, stranger = await connect(OWNER), await connect(STRANGER)
    peer = (await owner.get_dialogs())[0].input_entity
    foreign = types.InputChannel(peer.channel_id, peer.access_hash)
    with pytest.raises(errors.ChannelInvalidError):
        await raw(stranger, functions.channels.GetFullChannelRequest(foreign))
    own = types.InputChannel(family.id, centre.access_hash(STRANGER, family.peer_id))
    with pytest.raises(errors.ChannelPrivateError):
        await raw(stranger, functions.channels.GetFullChannelRequest(own))
    chats = await raw(stranger, functions.channels.GetChannelsRequest([own]))
    assert [(type(chat), chat.title) for chat in chats.chats] == [(types.ChannelForbidden, "Family")]


async def test_a_full_channel_and_its_members_are_shown(
    connect: Connect, centre: DataCentre, family: Channel, news: Channel
) -> None:
    centre.promote(OWNER, family)
    centre.ban(BEN, family, Ban.MEDIA)
    centre.inject(ANNA, family.peer_id, "hello all")
    client = await connect(OWNER)
    await client.get_dialogs()
    full = await client(functions.channels.GetFullChannelRequest(family.peer_id))
    assert (full.full_chat.about, full.full_chat.participants_count, full.full_chat.unread_count) == ("All of us", 3, 1)
    assert full.full_chat.pts == 3
    members = await client.get_participants(family.peer_id)
    assert {user.id: type(user.participant) for user in members} == {
        ANNA: types.ChannelParticipantCreator,
        OWNER: types.ChannelParticipantAdmin,
        BEN: types.ChannelParticipantBanned,
    }
    assert (await client.get_permissions(family.peer_id, BEN)).is_banned
    with pytest.raises(errors.UserNotParticipantError):
        await client.get_permissions(family.peer_id, "sven_s")
    with pytest.raises(errors.ChatAdminRequiredError):
        await client.get_participants(news.peer_id)


@pytest.mark.parametrize(
    ("bans", "error"),
    [
        ([Ban.SEND], errors.ChatWriteForbiddenError),
        ([Ban.PLAIN], errors.ChatSendPlainForbiddenError),
    ],
)
async def test_a_member_may_not_write_what_is_forbidden(
    connect: Connect, centre: DataCentre, family: Channel, bans: list[Ban], error: type[Exception]
) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    centre.ban(OWNER, family, *bans)
    with pytest.raises(error):
        await client.send_message(family.peer_id, "hello")
    centre.unban(OWNER, family)
    assert (await client.send_message(family.peer_id, "hello")).id
    centre.forbid(family, bans)
    with pytest.raises(error):
        await client.send_message(family.peer_id, "hello")
    centre.promote(OWNER, family)
    assert (await client.send_message(family.peer_id, "admins may")).id


async def test_a_removed_member_finds_the_channel_private_until_they_join_again(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    centre.ban(OWNER, family)
    for attempt in (
        client.send_message(family.peer_id, "hello"),
        client.get_messages(family.peer_id, limit=1),
        client.send_read_acknowledge(family.peer_id),
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


async def test_a_limited_account_may_write_to_mutual_contacts_only(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    await client.get_dialogs()
    centre.limit(OWNER)
    with pytest.raises(errors.UserBannedInChannelError):
        await client.send_message(family.peer_id, "hello")
    with pytest.raises(errors.PeerFloodError):
        await client.send_message("sven_s", "hello")
    assert (await client.send_message(ANNA, "hello")).id


async def test_slow_mode_names_the_seconds_to_wait(connect: Connect, centre: DataCentre, family: Channel) -> None:
    centre.set_slow_mode(family, 30)
    client = await connect(OWNER)
    await client.get_dialogs()
    await client.send_message(family.peer_id, "first")
    with pytest.raises(errors.SlowModeWaitError) as caught:
        await client.send_message(family.peer_id, "second")
    assert 28 <= caught.value.seconds <= 30
    assert (await client.get_entity(family.peer_id)).slowmode_enabled
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
    centre.promote(OWNER, family)
    await client.delete_messages(family.peer_id, [annas.id])
    with pytest.raises(errors.MessageDeleteForbiddenError):
        await client.delete_messages(family.peer_id, [1])


async def test_a_channel_cannot_take_a_taken_id_or_username(centre: DataCentre, news: Channel) -> None:
    with pytest.raises(ValueError, match="taken"):
        centre.add_channel(600, "Twin", ANNA)
    with pytest.raises(ValueError, match="taken"):
        centre.add_channel(602, "Twin", ANNA, username="Anna_B")
    with pytest.raises(ValueError, match="no accounts"):
        centre.add_channel(602, "Ghosts", ANNA, 77)
