"""What runs beside serving is tried until it works, and ends nothing when it does not."""

import asyncio
from functools import partial

import pytest

from butler import background_tasks, daemon
from butler.contract.card import OwnerChannel
from butler.contract.errors import Refuse, Retryable
from butler.contract.module import AddressBookEntry
from butler.contract.ports import Clock
from butler.store.errors import FencedError, StoreUnavailableError
from butler.store.open import open_store
from butler.store.queries import contacts
from tests.support.context import TurnedClock
from tests.support.waiting import until

COMMANDS = (("help", "what I can do"),)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(background_tasks, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(background_tasks, "EMPTY_BOOK_AGAIN_S", 0.01)
    monkeypatch.setattr(daemon, "LOCK_LOOK_S", 0.01)


class Answers:
    """Gives one answer after another; an exception is raised. The last one stays."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0

    def next(self):
        self.asked += 1
        answer = self.answers[min(self.asked, len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Channel(OwnerChannel):
    def __init__(self, *answers):
        self.calls = Answers(*answers)

    async def commands(self, commands):
        assert commands == COMMANDS
        self.calls.next()


class Book:
    """A module that knows people."""

    def __init__(self, *answers, channel="telegram"):
        self.calls, self.channel = Answers(*answers), channel

    async def address_book(self):
        return self.calls.next()


class Lock:
    def __init__(self, *answers):
        self.calls = Answers(*answers)

    async def hold(self):
        self.calls.next()


async def test_the_commands_are_shown_once_the_network_is_there():
    channel = Channel(Retryable("no network"), Retryable("no network"), None)
    await asyncio.wait_for(background_tasks.publish_commands(channel, COMMANDS), 60)
    assert channel.calls.asked == 3


@pytest.mark.parametrize("why", [Refuse("no"), ValueError("words of a person")])
async def test_commands_that_can_never_be_shown_are_left(why):
    channel = Channel(why)
    await asyncio.wait_for(background_tasks.publish_commands(channel, COMMANDS), 60)
    assert channel.calls.asked == 1


async def test_an_address_book_that_was_away_is_learnt_later_and_another_does_not_wait_for_it(tmp_path):
    store = open_store("sqlite://", data_dir=tmp_path)
    clock: Clock = TurnedClock()
    anna, bob = AddressBookEntry("Anna", ("telegram:1",)), AddressBookEntry("Bob", ("telegram:2",))
    away, late = Book(ValueError("broken"), Retryable("away"), channel="post"), Book((), Retryable("away"), (), (anna,))
    task = asyncio.create_task(
        background_tasks.AddressBooks(store, clock, [away, late, Book((bob,), channel="pigeon")]).keep()
    )

    async def known():
        return {contact.name for contact in await store.read(contacts.all_confirmed)}

    await until(lambda: late.calls.asked == 4)
    async with asyncio.timeout(60):
        while await known() != {"Anna", "Bob"}:  # noqa: ASYNC110 - the rows announce nothing
            await asyncio.sleep(0.01)
    assert not task.done()
    task.cancel()
    await asyncio.wait([task])
    await store.close()


@pytest.mark.parametrize("answer", [(AddressBookEntry("Anna", ("telegram:1",)),), Retryable("away"), ValueError("no")])
async def test_a_request_right_after_the_start_waits_until_the_address_books_were_asked(tmp_path, answer):
    store = open_store("sqlite://", data_dir=tmp_path)
    opened = asyncio.Event()

    class SlowBook(Book):
        async def address_book(self):
            await opened.wait()
            return await super().address_book()

    books = background_tasks.AddressBooks(store, TurnedClock(), [SlowBook(answer), Book((), channel="post")])
    keeping = asyncio.create_task(books.keep())
    waiting = asyncio.create_task(books.read_once())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    opened.set()
    await asyncio.wait_for(waiting, 60)
    known = {contact.name for contact in await store.read(contacts.all_confirmed)}
    assert known == ({"Anna"} if isinstance(answer, tuple) else set())
    keeping.cancel()
    await asyncio.wait([keeping])
    await store.close()


async def test_a_book_that_does_not_answer_holds_up_one_request_for_a_moment_and_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(background_tasks, "FIRST_READ_S", 0.01)
    store = open_store("sqlite://", data_dir=tmp_path)
    books = background_tasks.AddressBooks(store, TurnedClock(), [Book()])
    await asyncio.wait_for(books.read_once(), 60)
    monkeypatch.setattr(background_tasks, "FIRST_READ_S", 60.0)
    await asyncio.wait_for(books.read_once(), 60)
    await store.close()


async def test_who_is_no_longer_in_an_address_book_is_no_longer_known_by_it(tmp_path):
    store = open_store("sqlite://", data_dir=tmp_path)
    anna, bob = AddressBookEntry("Anna", ("telegram:1", "telegram:@anna")), AddressBookEntry("Bob", ("telegram:2",))
    book = Book((anna, bob), (AddressBookEntry("Anna", ("telegram:1",)),))
    for _ in range(2):
        entries = await book.address_book()
        learn = partial(
            background_tasks._learn, entries=entries, source="address_book:telegram", now=TurnedClock().now()
        )
        await store.write(learn)
    found = await store.read(contacts.all_confirmed)
    assert [(contact.name, contact.addresses) for contact in found] == [("Anna", ("telegram:1",))]
    await store.close()


async def test_a_lock_that_cannot_be_looked_at_is_no_end_and_one_that_is_taken_is():
    lock = Lock(None, StoreUnavailableError("restarting"), None, FencedError())
    with pytest.raises(FencedError):
        await asyncio.wait_for(daemon.keep_lock(lock), 60)
    assert lock.calls.asked == 4
