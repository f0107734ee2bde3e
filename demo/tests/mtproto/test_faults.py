"""Faults by order, and what the data centre never does twice."""

import pytest
from telethon import TelegramClient, errors, functions, helpers

from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.faults import Moment
from demo.tests.mtproto.support import ANNA, OWNER, Connect, raw, wait_until

SEND = "messages.sendMessage"


async def send(client: TelegramClient, text: str, random_id: int) -> None:
    """Send with a random id of our own, as a caller does who wants to repeat it safely."""
    peer = await client.get_input_entity(ANNA)
    await raw(client, functions.messages.SendMessageRequest(peer, text, random_id=random_id))


async def test_a_random_id_sends_once(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    await send(client, "once", 7)
    with pytest.raises(errors.RandomIdDuplicateError):
        await send(client, "once", 7)
    assert [message.text for message in centre.messages(ANNA)] == ["once"]
    assert [message.random_id for message in centre.sent_by(OWNER)] == [7]
    assert [call.error for call in centre.calls if call.method == SEND] == [None, "500 RANDOM_ID_DUPLICATE"]


async def test_a_random_id_is_the_accounts_own(connect: Connect, centre: DataCentre) -> None:
    owner, anna = await connect(OWNER), await connect(ANNA)
    await send(owner, "mine", 7)
    peer = await anna.get_input_entity(OWNER)
    await anna(functions.messages.SendMessageRequest(peer, "mine too", random_id=7))
    assert len(centre.messages(ANNA)) == 2


async def test_a_missing_random_id_is_refused(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    with pytest.raises(errors.RandomIdEmptyError):
        await send(client, "no id", 0)
    assert centre.sent_by(OWNER) == []


async def test_an_answer_lost_after_the_effect_shows_as_duplicate_when_repeated(
    connect: Connect, centre: DataCentre
) -> None:
    session = centre.session_string(OWNER)
    client = await connect(session, auto_reconnect=False)
    random_id = helpers.generate_random_long()
    centre.drop(SEND, Moment.AFTER_EFFECT)
    with pytest.raises(ConnectionError):
        await send(client, "did it arrive?", random_id)
    assert len(centre.sent_by(OWNER)) == 1
    again = await connect(session)
    with pytest.raises(errors.RandomIdDuplicateError):
        await send(again, "did it arrive?", random_id)
    assert [message.text for message in centre.messages(ANNA)] == ["did it arrive?"]


async def test_a_connection_lost_before_the_effect_sends_nothing(connect: Connect, centre: DataCentre) -> None:
    session = centre.session_string(OWNER)
    client = await connect(session, auto_reconnect=False)
    centre.drop(SEND, Moment.BEFORE_EFFECT)
    with pytest.raises(ConnectionError):
        await send(client, "lost", 8)
    assert centre.sent_by(OWNER) == []
    assert [call.answered for call in centre.calls if call.method == SEND] == [False]
    again = await connect(session)
    await send(again, "lost", 8)
    assert [message.text for message in centre.messages(ANNA)] == ["lost"]


async def test_telethons_own_repetition_after_a_reconnect_sends_once(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    centre.drop(SEND, Moment.AFTER_EFFECT)
    with pytest.raises(errors.RandomIdDuplicateError):
        await send(client, "repeated by the library", 9)
    assert len(centre.messages(ANNA)) == 1


async def test_a_call_that_is_never_answered_leaves_the_client_waiting(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    centre.drop(SEND, Moment.AFTER_EFFECT, cut=False)
    waiting = client.loop.create_task(send(client, "silence", 10))
    await wait_until(lambda: len(centre.sent_by(OWNER)) == 1)
    assert (await client.get_me()).id == OWNER
    assert not waiting.done()
    waiting.cancel()


async def test_a_flood_wait_comes_with_its_seconds(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    centre.fail(SEND, 420, "FLOOD_WAIT_33")
    with pytest.raises(errors.FloodWaitError) as caught:
        await send(client, "too fast", 11)
    assert caught.value.seconds == 33
    assert centre.sent_by(OWNER) == []
    assert centre.calls[-1].error == "420 FLOOD_WAIT_33"


@pytest.mark.parametrize(
    ("code", "message", "error"),
    [
        (400, "PEER_FLOOD", errors.PeerFloodError),
        (420, "SLOWMODE_WAIT_9", errors.SlowModeWaitError),
        (401, "AUTH_KEY_UNREGISTERED", errors.AuthKeyUnregisteredError),
        (406, "AUTH_KEY_DUPLICATED", errors.AuthKeyDuplicatedError),
    ],
)
async def test_an_ordered_error_arrives_typed_and_as_often_as_ordered(
    connect: Connect, centre: DataCentre, code: int, message: str, error: type[Exception]
) -> None:
    client = await connect(OWNER)
    centre.fail(SEND, code, message, times=2)
    for _ in range(2):
        with pytest.raises(error):
            await send(client, "refused", 12)
    await send(client, "through", 12)
    assert [sent.text for sent in centre.sent_by(OWNER)] == ["through"]


async def test_a_misspelt_method_cannot_be_ordered_to_fail(centre: DataCentre) -> None:
    with pytest.raises(ValueError, match=r"messages\.SendMessage"):
        centre.fail("messages.SendMessage", 400, "PEER_FLOOD")
    with pytest.raises(ValueError, match="there is no method"):
        centre.drop("sendMessage", Moment.AFTER_EFFECT)


async def test_an_unreachable_data_centre_refuses_connections_until_it_comes_back(
    connect: Connect, centre: DataCentre
) -> None:
    session = centre.session_string(OWNER)
    await centre.go_offline()
    with pytest.raises(ConnectionError):
        await connect(session, connection_retries=1, retry_delay=0)
    await centre.come_back()
    client = await connect(session)
    assert (await client.get_me()).id == OWNER


async def test_a_call_before_the_client_has_introduced_itself_is_refused(connect: Connect, centre: DataCentre) -> None:
    client = await connect(None)
    sender = client._sender
    centre._state.authorizations.find(client.session.auth_key.key_id).initialised = False
    with pytest.raises(errors.ConnectionNotInitedError):
        await sender.send(functions.updates.GetStateRequest())
