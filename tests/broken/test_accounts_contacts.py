"""A contact goes by the name that the owner says now, and is reached at the very address that the owner gave."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from approvals.people import Names, contact_of, stored_form
from butler.background_tasks import learn_contacts
from butler.store.queries import contacts
from butler.store.store import Store
from config.settings import ContactSettings
from tests.approvals.harness import create_tables

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


ANNA, BOB = ContactSettings(name="Anna", email="a@x.example"), ContactSettings(name="Bob", email="b@x.example")


async def known(store: Store) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {one.name: (one.aliases, one.addresses) for one in await store.read(contacts.all_confirmed)}


@pytest.mark.parametrize("first", [(), (ANNA,)], ids=["at once", "taken from the one, then given to the other"])
async def test_an_address_that_moved_to_another_contact_of_the_settings_makes_no_one_person_of_two(
    store: Store, first: tuple[ContactSettings, ...]
) -> None:
    anna = ContactSettings(name="Anna", telegram="5", email="a@x.example")
    await learn_contacts(store, [anna, BOB], NOW)
    if first:
        await learn_contacts(store, [ContactSettings(name="Anna", telegram="5"), BOB], NOW)
    moved = ContactSettings(name="Bob", email="a@x.example")
    await learn_contacts(store, [ContactSettings(name="Anna", telegram="5"), moved], NOW)
    assert await known(store) == {
        "Anna": (("anna",), ("telegram:5",)),
        "Bob": (("bob",), ("mail:a@x.example",)),
    }


async def test_two_addresses_that_changed_places_in_the_settings_make_no_one_person_of_two(store: Store) -> None:
    await learn_contacts(store, [ANNA, BOB], NOW)
    assert (ANNA.email, BOB.email) == ("a@x.example", "b@x.example")
    changed = [ANNA.model_copy(update={"email": BOB.email}), BOB.model_copy(update={"email": ANNA.email})]
    await learn_contacts(store, changed, NOW)
    assert await known(store) == {
        "Anna": (("anna",), ("mail:b@x.example",)),
        "Bob": (("bob",), ("mail:a@x.example",)),
    }


async def test_an_address_of_somebody_whom_only_the_address_book_knows_by_now_goes_to_its_new_owner_alone(
    store: Store,
) -> None:
    def book(connection: sa.Connection) -> None:
        contacts.learn(connection, "Anna", ["telegram:5"], source="address_book", owner_says_so=True, now=NOW)

    await learn_contacts(store, [ANNA], NOW)
    await store.write(book)
    await learn_contacts(store, [ContactSettings(name="Bob", email="a@x.example")], NOW)
    await store.write(book)
    assert await known(store) == {
        "Anna": (("anna",), ("telegram:5",)),
        "Bob": (("bob",), ("mail:a@x.example",)),
    }


async def test_a_contact_that_was_renamed_keeps_the_name_that_the_owner_gave_by_a_tap(store: Store) -> None:
    await learn_contacts(store, [ANNA], NOW)
    await store.write(
        lambda c: contacts.learn(c, "Mum", ["mail:a@x.example"], source="owner", owner_says_so=True, now=NOW)
    )
    await learn_contacts(store, [ANNA.model_copy(update={"name": "Annie"})], NOW)
    ((aliases, addresses),) = (await known(store)).values()
    assert (set(aliases), addresses) == ({"mum", "annie"}, ("mail:a@x.example",))
