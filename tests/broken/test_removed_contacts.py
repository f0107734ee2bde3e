"""Somebody who was taken out of the settings is not confirmed by them for ever."""

from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from butler.background_tasks import learn_contacts
from butler.store.queries import contacts
from butler.store.store import Store
from config.settings import ContactSettings
from tests.approvals.harness import create_tables
from tests.orchestrator.builders import NOON

ANNA = ContactSettings(name="Anna", telegram="@anna", email="anna@friends.example")
CAROL = ContactSettings(name="Carol", email="carol@choir.example")


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = create_tables(Store("sqlite://"))
    yield store
    await store.close()


async def known(store: Store) -> dict[str, tuple[str, ...]]:
    return {person.name: person.addresses for person in await store.read(contacts.all_confirmed)}


async def test_a_contact_that_was_taken_out_of_the_settings_is_known_no_more(store: Store) -> None:
    await learn_contacts(store, [ANNA, CAROL], NOON)
    await learn_contacts(store, [ANNA], NOON)
    assert set(await known(store)) == {"Anna"}
    assert await store.read(lambda c: contacts.confirmed(c, "mail:carol@choir.example")) is None
    await learn_contacts(store, [], NOON)
    assert await known(store) == {}


async def test_an_address_that_was_changed_in_the_settings_is_the_only_one(store: Store) -> None:
    await learn_contacts(store, [CAROL], NOON)
    await learn_contacts(store, [CAROL.model_copy(update={"email": "carol@new.example"})], NOON)
    assert await store.read(lambda c: contacts.confirmed(c, "mail:carol@choir.example")) is None
    assert await known(store) == {"Carol": ("mail:carol@new.example",)}


async def test_what_another_source_says_stays_and_a_contact_can_come_back(store: Store) -> None:
    def book(connection: sa.Connection) -> None:
        contacts.learn(connection, "Carol", ["telegram:77"], source="address_book", owner_says_so=True, now=NOON)

    await learn_contacts(store, [CAROL], NOON)
    await store.write(book)
    await learn_contacts(store, [], NOON)
    await store.write(book)
    assert await known(store) == {"Carol": ("telegram:77",)}
    await learn_contacts(store, [CAROL], NOON)
    assert await known(store) == {"Carol": ("telegram:77", "mail:carol@choir.example")}
