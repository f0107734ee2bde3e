"""What reaches a client by itself, and what it catches up on."""

from telethon import events, functions
from telethon.sessions import StringSession

from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.event_log import EventKind
from butler_demo.mtproto.records import Change
from demo.tests.mtproto.support import ANNA, BEN, OWNER, Connect, collect, wait_until


async def test_an_injected_message_reaches_a_listening_client(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    seen = collect(client, events.NewMessage(incoming=True))
    centre.inject(ANNA, OWNER, "are you there?")
    await wait_until(lambda: len(seen) == 1)
    assert (seen[0].raw_text, seen[0].sender_id, seen[0].is_private) == ("are you there?", ANNA, True)
    assert (await seen[0].get_sender()).first_name == "Annie"


async def test_a_message_from_a_client_reaches_the_other_client(connect: Connect) -> None:
    owner, anna = await connect(OWNER), await connect(ANNA)
    seen = collect(owner, events.NewMessage(incoming=True))
    await anna.send_message(OWNER, "hello")
    await wait_until(lambda: len(seen) == 1)
    await seen[0].reply("hello yourself")
    [reply] = await anna.get_messages(OWNER, limit=1)
    assert reply.text == "hello yourself"


async def test_a_message_sent_elsewhere_reaches_the_accounts_other_client(connect: Connect) -> None:
    here, elsewhere = await connect(OWNER), await connect(OWNER)
    seen, echoed = collect(here, events.NewMessage()), collect(elsewhere, events.NewMessage())
    await elsewhere.send_message(ANNA, "from my phone")
    await wait_until(lambda: len(seen) == 1)
    assert (seen[0].out, seen[0].chat_id) == (True, ANNA)
    assert echoed == []


async def test_edits_and_deletions_reach_a_listening_client(connect: Connect, centre: DataCentre) -> None:
    owner, anna = await connect(OWNER), await connect(ANNA)
    edits, deletions = collect(owner, events.MessageEdited()), collect(owner, events.MessageDeleted())
    sent = await anna.send_message(OWNER, "ten")
    await anna.edit_message(OWNER, sent.id, "twenty")
    await wait_until(lambda: len(edits) == 1)
    await anna.delete_messages(OWNER, [sent.id])
    await wait_until(lambda: len(deletions) == 1)
    assert deletions[0].deleted_ids == [edits[0].id]


async def test_a_client_that_asks_for_no_updates_gets_none(connect: Connect, centre: DataCentre) -> None:
    quiet = await connect(OWNER, receive_updates=False)
    listening = await connect(OWNER)
    heard, seen = collect(quiet, events.NewMessage()), collect(listening, events.NewMessage())
    centre.inject(ANNA, OWNER, "anybody?")
    await wait_until(lambda: len(seen) == 1)
    assert (await quiet.get_me()).id == OWNER
    assert heard == []


async def test_a_client_catches_up_on_everything_it_missed(connect: Connect, centre: DataCentre) -> None:
    session = StringSession(centre.session_string(OWNER))
    first = await connect(session)
    centre.inject(ANNA, OWNER, "seen live")
    state = await first(functions.updates.GetStateRequest())
    assert state.unread_count == 1
    await first.disconnect()
    for i in range(150):
        centre.inject(ANNA if i % 2 else BEN, OWNER, f"missed {i}")
    again = await connect(session, catch_up=True, sequential_updates=True)
    seen = collect(again, events.NewMessage(incoming=True))
    await wait_until(lambda: len(seen) >= 150)
    missed = [event.raw_text for event in seen if event.raw_text != "seen live"]
    assert missed == [f"missed {i}" for i in range(150)]


async def test_a_client_catches_up_after_the_data_centre_was_away(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER, connection_retries=100)
    seen = collect(client, events.NewMessage(incoming=True))
    port = centre.port
    await centre.go_offline()
    centre.inject(ANNA, OWNER, "while you were away")
    await centre.come_back()
    assert centre.port == port
    assert (await client.get_me()).id == OWNER
    await client.catch_up()
    await wait_until(lambda: len(seen) == 1)
    assert seen[0].raw_text == "while you were away"


async def test_subscribers_hear_of_every_change_until_they_leave(connect: Connect, centre: DataCentre) -> None:
    changes: list[Change] = []
    leave = centre.subscribe(changes.append)
    client = await connect(OWNER)
    sent = await client.send_message(ANNA, "one")
    await client.edit_message(ANNA, sent.id, "two")
    await client.delete_messages(ANNA, [sent.id])
    assert [(change.kind, change.message.owner_id, change.message.text) for change in changes] == [
        (EventKind.NEW, OWNER, "one"),
        (EventKind.NEW, ANNA, "one"),
        (EventKind.EDITED, OWNER, "two"),
        (EventKind.EDITED, ANNA, "two"),
        (EventKind.DELETED, OWNER, "two"),
        (EventKind.DELETED, ANNA, "two"),
    ]
    leave()
    centre.inject(ANNA, OWNER, "unheard")
    assert len(changes) == 6
