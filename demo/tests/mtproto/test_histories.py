"""Long histories: put there at once, read page by page, and too long for a difference."""

from datetime import UTC, datetime, timedelta

import pytest
from telethon import functions, types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from demo.tests.mtproto.support import ANNA, BEN, OWNER, Connect, raw


async def test_a_long_history_is_read_page_by_page(connect: Connect, centre: DataCentre) -> None:
    until = datetime(2026, 3, 1, 12, tzinfo=UTC)
    centre.inject(BEN, OWNER, "another conversation")
    centre.fill(OWNER, ANNA, 2_000, text=lambda i: f"line {i}", every=timedelta(hours=1), until=until)
    client = await connect(OWNER)
    messages = await client.get_messages(ANNA, limit=None, wait_time=0)
    assert [m.text for m in messages] == [f"line {i}" for i in range(1999, -1, -1)]
    assert [(m.date, m.out) for m in messages[:2]] == [(until, True), (until - timedelta(hours=1), False)]
    assert len({call.peer_id for call in centre.calls if call.method == "messages.getHistory"}) == 1
    [early] = await client.get_messages(ANNA, limit=1, offset_date=until - timedelta(hours=1500))
    assert early.text == "line 498"
    assert [m.text for m in centre.messages(ANNA, OWNER)][-1] == "line 1999"


async def test_a_history_is_read_and_goes_on_as_any_conversation(connect: Connect, centre: DataCentre) -> None:
    centre.fill(OWNER, ANNA, 50)
    client = await connect(OWNER)
    centre.inject(ANNA, OWNER, "new")
    [dialog] = await client.get_dialogs()
    assert (dialog.unread_count, dialog.message.text, dialog.dialog.read_inbox_max_id) == (1, "new", 50)
    await client.edit_message(ANNA, 50, "changed")
    assert centre.messages(ANNA, OWNER)[49].text == "changed"
    await client.send_read_acknowledge(ANNA)
    await client.send_message(ANNA, "yes", reply_to=49)
    [received] = centre.messages(ANNA, OWNER)[-1:]
    assert (received.text, received.reply_to) == ("yes", 49)


async def test_a_client_from_before_a_history_is_told_that_it_is_too_much(
    connect: Connect, centre: DataCentre, family: Channel
) -> None:
    client = await connect(OWNER)
    before = await raw(client, functions.updates.GetStateRequest())
    centre.fill(OWNER, ANNA, 500)
    centre.fill(OWNER, family.peer_id, 500)
    late = await raw(client, functions.updates.GetDifferenceRequest(before.pts, before.date, before.qts))
    assert (type(late), late.pts) == (types.updates.DifferenceTooLong, 501)
    await client.get_dialogs()
    channel, everything = await client.get_input_entity(family.peer_id), types.ChannelMessagesFilterEmpty()
    request = functions.updates.GetChannelDifferenceRequest(channel, everything, pts=2, limit=100)
    late = await raw(client, request)
    assert (type(late), late.dialog.pts) == (types.updates.ChannelDifferenceTooLong, 502)


async def test_everybody_who_may_write_has_written(centre: DataCentre, family: Channel, news: Channel) -> None:
    centre.add_group(77, "Dinner", ANNA, OWNER, BEN)
    for peer, authors in ((family.peer_id, {ANNA, OWNER, BEN}), (-77, {ANNA, OWNER, BEN}), (news.peer_id, {BEN})):
        centre.fill(BEN, peer, 30)
        assert {m.from_id for m in centre.messages(OWNER, peer) if not m.service} == authors
    with pytest.raises(ValueError, match="nothing was written"):
        centre.fill(OWNER, -77, 30)
    with pytest.raises(ValueError, match="no forum"):
        centre.fill(ANNA, centre.add_channel(900, "House", ANNA, forum=True).peer_id, 30)
    with pytest.raises(RpcFault, match="CHAT_ADMIN_REQUIRED"):
        centre.fill(OWNER, centre.add_channel(901, "More News", BEN, OWNER, broadcast=True).peer_id, 30)
