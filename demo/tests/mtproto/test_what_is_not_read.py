"""Secret chats, and the chat in which Telegram itself writes login codes: there for clients to leave alone."""

from telethon import events, functions, types

from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, OWNER, Connect, collect, raw, wait_until


async def test_a_secret_message_is_pushed_and_in_the_difference_but_in_no_history(
    connect: Connect, centre: DataCentre
) -> None:
    client = await connect(OWNER)
    start = await raw(client, functions.updates.GetStateRequest())
    pushed, seen = collect(client, events.Raw(types.UpdateNewEncryptedMessage)), collect(client, events.NewMessage())
    centre.inject_encrypted(OWNER)
    await wait_until(lambda: len(pushed) == 1)
    difference = await raw(client, functions.updates.GetDifferenceRequest(start.pts, start.date, start.qts))
    assert [m.bytes for m in difference.new_encrypted_messages] == [pushed[0].message.bytes]
    assert (start.qts, pushed[0].qts, difference.state.qts) == (0, 1, 1)
    request = functions.updates.GetDifferenceRequest(start.pts, start.date, difference.state.qts)
    assert isinstance(await raw(client, request), types.updates.DifferenceEmpty)
    assert (seen, await client.get_dialogs(), centre.messages(OWNER)) == ([], [], [])


async def test_a_login_code_comes_into_the_chat_with_telegram(connect: Connect, centre: DataCentre) -> None:
    phone = await connect(ANNA)
    seen = collect(phone, events.NewMessage())
    new_device = await connect(None)
    sent = await new_device.send_code_request("+15550002")
    assert isinstance(sent.type, types.auth.SentCodeTypeApp)
    await wait_until(lambda: len(seen) == 1)
    assert (seen[0].chat_id, "12345" in seen[0].raw_text) == (777000, True)
    sender = await seen[0].get_sender()
    assert (sender.first_name, sender.phone, sender.verified, sender.support) == ("Telegram", "42777", True, True)
    assert "12345" in centre.inject_login_code(OWNER).text


async def test_without_another_device_the_code_comes_by_sms(connect: Connect, centre: DataCentre) -> None:
    client = await connect(None)
    sent = await client.send_code_request("+15550002")
    assert isinstance(sent.type, types.auth.SentCodeTypeSms)
    assert centre.messages(ANNA) == []


async def test_a_call_tells_which_conversation_it_named(connect: Connect, centre: DataCentre) -> None:
    centre.inject(ANNA, OWNER, "hello")
    client = await connect(OWNER)
    await client.get_messages(ANNA, limit=1)
    assert [call.peer_id for call in centre.calls if call.method == "messages.getHistory"] == [ANNA]
