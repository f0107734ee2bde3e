"""A contact goes by the name that the owner says now, and is reached at the very address that the owner gave."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from approvals.people import Names, contact_of, stored_form
from butler.chores import learn_contacts
from butler.store.queries import contacts
from butler.store.store import Store
from config.settings import ContactSettings
from tests.approvals.house import create_tables

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = create_tables(Store("sqlite://"))
    yield store
    await store.close()


async def test_a_contact_that_was_renamed_in_the_settings_goes_by_the_new_name_alone(store: Store) -> None:
    await learn_contacts(store, [ContactSettings(name="Bob", telegram="@lodger")], NOW)
    await learn_contacts(store, [ContactSettings(name="Anna", telegram="@lodger")], NOW)
    (anna,) = await store.read(contacts.all_confirmed)
    assert (anna.name, anna.aliases) == ("Anna", ("anna",))


async def test_a_second_name_for_a_contact_leaves_the_first_one_as_it_is(store: Store) -> None:
    def work(connection: sa.Connection) -> None:
        for name in ("Anna", "Sister"):
            contacts.learn(connection, name, ["telegram:5"], source="owner", owner_says_so=True, now=NOW)

    await store.write(work)
    (anna,) = await store.read(contacts.all_confirmed)
    assert (anna.name, anna.aliases) == ("Anna", ("anna", "sister"))


async def test_a_domain_with_a_sharp_s_is_not_the_domain_with_a_double_s(store: Store) -> None:
    await learn_contacts(store, [ContactSettings(name="Kim", email="Kim@straße.example")], NOW)
    (kim,) = await store.read(contacts.all_confirmed)
    assert kim.addresses == ("mail:kim@straße.example",)
    names = await store.read(Names)
    assert names.of("mail:kim@straße.example") == "Kim"
    assert names.of("mail:kim@strasse.example") is None
    assert await store.read(lambda c: contact_of(c, "mail:kim@strasse.example")) is None
    assert stored_form("mail:\N{KELVIN SIGN}im@straße.example") != stored_form("mail:kim@straße.example")


async def test_a_public_name_that_moved_on_to_another_contact_makes_no_one_person_of_two(store: Store) -> None:
    before = (("Anna", ["telegram:5", "telegram:@choir"]), ("Bob", ["telegram:9"]))
    after = (("Anna", ["telegram:5"]), ("Bob", ["telegram:9", "telegram:@choir"]))

    def work(connection: sa.Connection) -> None:
        for name, addresses in (*before, *after):
            contacts.learn(connection, name, addresses, source="address_book", owner_says_so=True, now=NOW)

    await store.write(work)
    known = {one.name: (one.aliases, "telegram:9" in one.addresses) for one in await store.read(contacts.all_confirmed)}
    assert known == {"Anna": (("anna",), False), "Bob": (("bob",), True)}


async def test_a_couple_that_shares_a_mailbox_stays_two_people_on_telegram(store: Store) -> None:
    shared = "home@friends.example"
    couple = [
        ContactSettings(name="Anna", telegram="1", email=shared),
        ContactSettings(name="Bob", telegram="2", email=shared),
    ]
    for _ in range(2):
        await learn_contacts(store, couple, NOW)
    reached = {one.name: one.address("telegram") for one in await store.read(contacts.all_confirmed)}
    assert reached == {"Anna": "telegram:1", "Bob": "telegram:2"}
