"""The list of conversations, page by page."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from telethon import TelegramClient, errors, functions, types, utils

from butler_demo.mtproto.crypto import ServerKey
from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, OWNER, Connect, raw


async def page(client: TelegramClient, date: datetime | None, message_id: int, peer: Any, limit: int = 20) -> Any:
    return await raw(client, functions.messages.GetDialogsRequest(date, message_id, peer, limit, hash=0))


async def every_peer(client: TelegramClient, meanwhile: Any = None) -> list[int]:
    """The peers of all pages, as Telegram's own apps ask for them; `meanwhile` runs between the pages."""
    peers: list[int] = []
    answer = await page(client, None, 0, types.InputPeerEmpty())
    while answer.dialogs:
        peers += [utils.get_peer_id(dialog.peer) for dialog in answer.dialogs]
        if meanwhile is not None:
            meanwhile()
        last = answer.dialogs[-1]
        entity = {utils.get_peer_id(e): e for e in (*answer.users, *answer.chats)}[utils.get_peer_id(last.peer)]
        answer = await page(client, answer.messages[-1].date, last.top_message, utils.get_input_peer(entity))
    return peers


@pytest.mark.parametrize("same_second", [True, False])
async def test_pages_neither_repeat_nor_hide_a_conversation(
    connect: Connect, server_key: ServerKey, same_second: bool
) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    centre = DataCentre(now=lambda: clock[0], server_key=server_key)
    centre.add_account(OWNER, "1", "Olivia")
    expected: list[int] = []
    for i in range(25):
        centre.add_account(5000 + i, f"1777{i:04}", f"Person {i}")
        channel = centre.add_channel(700 + i, f"Channel {i}", 5000 + i, OWNER)
        for peer in (OWNER, channel.peer_id):
            clock[0] += timedelta(seconds=0 if same_second else 1)
            centre.inject(5000 + i, peer, "hello")
        expected += [5000 + i, channel.peer_id]
    await centre.start()
    client = await connect(centre.session_string(OWNER))
    writers = iter(range(5000, 5025))

    def somebody_writes() -> None:
        clock[0] += timedelta(seconds=1)
        centre.inject(next(writers), OWNER, "me first")

    assert sorted(await every_peer(client)) == sorted(expected)
    if not same_second:
        assert await every_peer(client) == expected[::-1]
        assert set(expected) - set(await every_peer(client, somebody_writes)) == {5000, 5001}, "they moved up"
    await client.disconnect()
    await centre.stop()


async def test_an_offset_peer_that_the_caller_may_not_address_is_refused(connect: Connect, centre: DataCentre) -> None:
    centre.inject(ANNA, OWNER, "hello")
    client = await connect(OWNER)
    with pytest.raises(errors.OffsetPeerIdInvalidError):
        await page(client, datetime(2026, 1, 1, tzinfo=UTC), 1, types.InputPeerUser(ANNA, access_hash=5))


async def test_nothing_is_in_the_archive(connect: Connect, centre: DataCentre) -> None:
    centre.inject(ANNA, OWNER, "hello")
    client = await connect(OWNER)
    assert len(await client.get_dialogs(folder=0)) == 1
    assert await client.get_dialogs(folder=1) == []


async def test_dialogs_of_peers_are_shown_one_by_one(connect: Connect, centre: DataCentre) -> None:
    family = centre.add_channel(500, "Family", ANNA, OWNER)
    centre.inject(ANNA, OWNER, "hello")
    client = await connect(OWNER)
    await client.get_dialogs()
    peers = [types.InputDialogPeer(await client.get_input_entity(peer)) for peer in (family.peer_id, ANNA, OWNER)]
    answer = await raw(client, functions.messages.GetPeerDialogsRequest(peers))
    assert [(type(d.peer), d.pts, d.top_message, d.unread_count) for d in answer.dialogs] == [
        (types.PeerChannel, 2, 1, 0),
        (types.PeerUser, None, 1, 1),
    ]
    assert answer.state.pts == 2
