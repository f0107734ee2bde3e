"""Names that nobody confirmed: suggestions with the address as it is, and one tap that makes them the owner's word."""

from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from butler.contract.inbound import InboundKind
from butler.contract.mirror import ChatKind, MirrorUpdate, SeenChat, SeenMessage
from butler.engine import LocalEngine
from butler.sink import StoreSink
from butler.store.queries import audit, contacts, mirror, people
from butler.store.queries.people import Sighting
from butler.store.store import Store
from tests.orchestrator.builders import mail
from tests.orchestrator.harness import NOON, Harness
from tests.support.reading import reading_planner
from tests.support.tables import create_tables


async def seen(harness: Harness, address: str, name: str, *, sent: int = 0, received: int = 1) -> None:
    rows = [Sighting(address, name, NOON)] * received + [Sighting(address, "", NOON, sent=True)] * sent
    await harness.store.write(lambda c: people.note(c, "email:main", rows))


async def known(harness: Harness) -> dict[str, tuple[str, ...]]:
    found = await harness.store.read(contacts.all_confirmed)
    return {contact.name: contact.addresses for contact in found}


async def contacts_command(harness: Harness) -> None:
    payload = {"name": "contacts", "rest": ""}
    await harness.say("/contacts", kind=InboundKind.COMMAND, payload=payload)


@pytest.fixture
async def empty() -> AsyncIterator[Harness]:
    """A butler with the embedded planner, that knows nobody."""
    store = Store("sqlite://")
    create_tables(store.engine)
    yield Harness(store, reading_planner())
    await store.close()


async def test_one_tap_gives_the_name_and_goes_on_with_the_request(empty: Harness):
    await seen(empty, "mail:greta@friends.example", "Greta Holm", sent=3)
    await empty.say("mail Greta that I am late")
    assert "Greta Holm · greta@friends.example · 1 from them, 3 by you" in empty.phone.said[-1]
    assert await known(empty) == {}
    assert empty.sent() == []
    await empty.tap("1. greta@friends.example")
    assert await known(empty) == {"Greta": ("mail:greta@friends.example",)}
    await empty.tap("Approve")
    assert [call.args.to[0].address for call in empty.outputs()] == ["mail:greta@friends.example"]


async def test_who_only_writes_to_the_owner_is_told_as_such_and_stands_below(empty: Harness):
    await seen(empty, "mail:greta@spam.example", "Greta Holm", received=9)
    await seen(empty, "mail:greta@friends.example", "Greta Holm", sent=1)
    await empty.say("mail Greta that I am late")
    lines = empty.phone.said[-1].splitlines()
    assert "greta@friends.example" in lines[2]
    assert "greta@spam.example" in lines[3]
    assert "you have never written to them" in lines[3]


async def test_nobody_is_suggested_who_has_a_name_already_or_is_the_owner(empty: Harness):
    await seen(empty, "mail:anna@friends.example", "Anna Berg", sent=1)
    await seen(empty, "mail:me@home.example", "Anna Me", sent=1)
    await empty.store.write(
        lambda c: contacts.learn(
            c, "Annabel", ["mail:anna@friends.example"], source="owner", owner_says_so=True, now=NOON
        )
    )
    await empty.say("mail Anna that I am late")
    assert empty.phone.said[-1].startswith("I don't know anybody called Anna.")


async def test_a_name_that_hides_something_is_shown_with_what_it_hides(empty: Harness):
    await seen(empty, "mail:greta@xn--frinds-7fg.example", "Greta\u202e", sent=1)
    await empty.say("mail Greta that I am late")
    assert "Greta[U+202E]" in empty.phone.said[-1]
    assert "the domain" in empty.phone.said[-1]


async def test_a_tap_on_an_old_suggestion_does_nothing_twice(empty: Harness):
    await seen(empty, "mail:greta@friends.example", "Greta Holm", sent=3)
    await empty.say("mail Greta that I am late")
    button = empty.phone.buttons("1. greta")[-1]
    await empty.press(button)
    await empty.press(button)
    assert len(empty.phone.buttons("Approve")) == 1
    named = await empty.store.read(lambda c: [e for e in audit.entries(c) if e.kind == "contact.named"])
    assert [(entry.subject, entry.actor) for entry in named] == [("mail:greta@friends.example", "telegram:42")]


async def test_where_none_of_the_suggestions_is_meant_nobody_is_named_and_what_to_do_is_said(empty: Harness):
    await seen(empty, "mail:greta@friends.example", "Greta Holm", sent=3)
    await empty.say("mail Greta that I am late")
    await empty.tap("None of these")
    assert empty.phone.said[-1] == "All right. Say it with an address, or add Greta under [[contacts]] in butler.toml."
    assert await known(empty) == {}
    assert empty.phone.buttons("Approve") == []


async def test_a_stranger_cannot_tap_a_suggestion(empty: Harness):
    await seen(empty, "mail:greta@friends.example", "Greta Holm", sent=3)
    await empty.say("mail Greta that I am late")
    await empty.press(empty.phone.buttons("1. greta")[-1], sender="telegram:666")
    assert await known(empty) == {}


async def test_a_group_is_suggested_by_its_title(empty: Harness):
    chat = SeenChat(channel="telegram", account="main", chat="telegram:-55", title="Greta 👪", kind=ChatKind.GROUP)
    await empty.store.write(lambda c: mirror.keep(c, MirrorUpdate("telegram", "main", chats=[chat]), NOON))
    await empty.say("tell Greta that I am late")
    assert "a group on Telegram" in empty.phone.said[-1]
    await empty.tap("1. Telegram -55")
    assert await known(empty) == {"Greta": ("telegram:-55",)}


async def test_contacts_lists_who_is_known_and_offers_who_is_written_to(harness: Harness):
    await harness.meet()
    await seen(harness, "mail:greta@friends.example", "Greta Holm", sent=3)
    await seen(harness, "mail:shop@ads.example", "The Shop", received=50)
    await contacts_command(harness)
    assert "People you know by name (2)\nAnna: @anna" in harness.phone.said[-1]
    assert "Greta Holm · greta@friends.example" in harness.phone.said[-1]
    assert "Shop" not in harness.phone.said[-1]
    await harness.tap("Call them “Greta Holm”")
    assert harness.phone.said[-1] == "Greta Holm is greta@friends.example from now on."
    assert (await known(harness))["Greta Holm"] == ("mail:greta@friends.example",)


async def test_whom_the_owner_does_not_want_named_is_offered_no_more(empty: Harness):
    await seen(empty, "mail:greta@friends.example", "Greta Holm", sent=3)
    await contacts_command(empty)
    assert empty.phone.said[-1].startswith("You have given nobody a name yet.")
    await empty.tap("Not them")
    assert empty.phone.said[-1] == "All right, I won't suggest them again."
    await contacts_command(empty)
    assert empty.phone.said[-1].endswith("Everybody you write to has a name here.")


async def test_people_are_counted_once_for_each_message_that_is_kept(harness: Harness):
    def message(number: int, *, outgoing: bool = False, text: str = "hi") -> SeenMessage:
        return SeenMessage(
            channel="telegram",
            account="main",
            chat="telegram:7",
            ref=str(number),
            order=number,
            at=NOON,
            sender="telegram:42" if outgoing else "telegram:7",
            sender_name="" if outgoing else "Greta",
            outgoing=outgoing,
            text=text,
        )

    def keep(connection: sa.Connection) -> None:
        chat = SeenChat(channel="telegram", account="main", chat="telegram:7", title="Greta")
        for rows in ([message(1), message(2, outgoing=True)], [message(2, outgoing=True), message(1, text="edited")]):
            mirror.keep(connection, MirrorUpdate("telegram", "main", chats=[chat], messages=rows), NOON)

    await harness.store.write(keep)
    found = await harness.store.read(lambda c: people.called(c, "greta", 5))
    assert [(one.address, one.name, one.received, one.sent) for one in found] == [("telegram:7", "Greta", 1, 1)]


async def test_who_writes_to_the_butler_is_seen_too(harness: Harness):
    sink = StoreSink(harness.store, harness.clock, LocalEngine(harness.store, harness.clock))
    item = mail("hello", sender="mail:carol@x.example", sender_name="Carol")
    await sink.put(item)
    await sink.put(item)
    found = await harness.store.read(lambda c: people.called(c, "carol", 5))
    assert [(one.address, one.sources, one.received) for one in found] == [
        ("mail:carol@x.example", ("email:butler",), 1)
    ]
