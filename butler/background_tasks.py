"""The daemon's background tasks: learning the owner's contacts, and publishing commands in the owner's client.

None of it is needed to serve, so an outage costs only time: it is retried until it works.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

import sqlalchemy as sa
import structlog

from butler.adapters.files import Files
from butler.adapters.lock import read_lock
from butler.adapters.served import redefined
from butler.contract.card import OwnerChannel
from butler.contract.errors import ButlerError, Retryable
from butler.contract.module import AddressBookEntry, Module
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.store.queries import contacts
from butler.store.store import Store
from config.settings import ContactSettings

log = structlog.get_logger(__name__)

ADDRESS_BOOK_EVERY_S = 6 * 3600.0
EMPTY_BOOK_AGAIN_S = 300.0
"""Seconds after which an empty address book is read again: an unreachable account has no contacts either."""
FIRST_READ_S = 3.0
"""Seconds that a request may wait for the address books right after the start."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 300.0


async def until_done(what: str, action: Callable[[], Awaitable[None]]) -> None:
    """Run an action through all outages; log and abandon what only the owner can repair."""
    pause = FIRST_PAUSE_S
    while True:
        try:
            await action()
        except Retryable as outage:
            log.info("chore_again", what=what, why=str(outage), pause_s=pause)
        except Exception as error:  # noqa: BLE001 - the boundary: recorded, and the daemon does without
            log.warning("chore_left", what=what, why=_describe(error))
            return
        else:
            return
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_S)


async def publish_commands(channel: OwnerChannel, commands: Sequence[tuple[str, str]]) -> None:
    """Publish the commands in the owner's client, in the owner's language."""
    await until_done("commands", lambda: channel.commands(in_words(commands)))


async def republish_commands(channel: OwnerChannel, commands: Sequence[tuple[str, str]], _language: str) -> None:
    """Publish the commands in a new language (a work handler). An outage is `Retryable`; a refusal is logged."""
    try:
        await channel.commands(in_words(commands))
    except Retryable:
        raise
    except ButlerError as error:
        log.warning("chore_left", what="commands", why=_describe(error))


def in_words(commands: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Return the commands with their descriptions, in the current language."""
    return tuple((name, say(what)) for name, what in commands)


async def learn_contacts(store: Store, people: Sequence[ContactSettings], now: datetime) -> None:
    """Confirm the people in the settings, for as long as they are listed there."""
    known = [(person.name, _addresses(person)) for person in people]

    def work(connection: sa.Connection) -> None:
        every = [address for _, addresses in known for address in addresses]
        contacts.keep_only(connection, "settings", [name for name, _ in known], every)
        contacts.remove_reassigned(connection, "settings", known)
        for name, addresses in known:
            contacts.learn(connection, name, addresses, source="settings", owner_says_so=True, now=now)

    await store.write(work, "contacts")


def _addresses(person: ContactSettings) -> list[str]:
    telegram = [f"telegram:{person.telegram}"] if person.telegram else []
    return [*telegram, *([f"mail:{person.email}"] if person.email else [])]


async def tell_redefined(modules: Sequence[Module], tell: Callable[[str, str], Awaitable[None]]) -> None:
    """Tell the owner of methods whose schemas differ from the locked ones: their behaviour may have changed too."""

    def look() -> list[str]:
        specs = (spec for module in modules for one in module.integrations() for spec in one.describe_methods())
        return list(redefined(read_lock(Files()), {spec.method_id: spec for spec in specs}))

    async def check() -> None:
        if changed := await asyncio.to_thread(look):
            log.error("methods_redefined", methods=changed)
            text = say("Parts of me are not as they were locked: {methods}", methods=", ".join(changed))
            await tell("methods_redefined", text)

    await until_done("contracts", check)


class AddressBooks:
    """Imports the owner's names for people from their accounts, at the start and periodically."""

    def __init__(self, store: Store, clock: Clock, modules: Sequence[Module]) -> None:
        self._store, self._clock = store, clock
        self._asked = {module: asyncio.Event() for module in modules}

    async def keep(self) -> None:
        """Import until cancelled."""
        await asyncio.gather(*(self._keep(module) for module in self._asked))

    async def read_once(self) -> None:
        """Wait once, for a moment at most, until each address book was asked, with any result.

        Otherwise a contact named in the first second would be unknown.
        """
        waits = [asked.wait() for asked in self._asked.values()]
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_READ_S):
                await asyncio.gather(*waits)
        for asked in self._asked.values():
            asked.set()

    async def _keep(self, module: Module) -> None:
        entries: Sequence[AddressBookEntry] = ()
        source = f"address_book:{module.channel}"

        async def learn() -> None:
            nonlocal entries
            try:
                entries = await module.address_book()
                await self._store.write(
                    partial(_learn, entries=entries, source=source, now=self._clock.now()), "contacts"
                )
            finally:
                self._asked[module].set()

        while True:
            await until_done(source, learn)
            await asyncio.sleep(ADDRESS_BOOK_EVERY_S if entries else EMPTY_BOOK_AGAIN_S)


def _learn(connection: sa.Connection, *, entries: Sequence[AddressBookEntry], source: str, now: datetime) -> None:
    """Import the owner's own names for people as confirmed, for as long as they are in the address book."""
    every = [address for entry in entries for address in entry.addresses]
    contacts.keep_only(connection, source, [entry.name for entry in entries], every)
    contacts.remove_reassigned(connection, source, [(entry.name, entry.addresses) for entry in entries])
    for entry in entries:
        contacts.learn(connection, entry.name, entry.addresses, source=source, owner_says_so=True, now=now)


def _describe(error: Exception) -> str:
    return str(error) if isinstance(error, ButlerError) else type(error).__name__
