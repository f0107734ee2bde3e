"""One account of each provider that is polled, on its stand-in, with rooms that are rows of a real store."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from butler.contract.events import Event
from butler.contract.mirror import SeenQuery
from butler.contract.module import Module, ModuleContext
from butler.contract.polled import PolledKind, PolledQuery
from butler.contract.polling import Poll, PollingSource
from butler.event_store import StoreEvents, StorePolled
from butler.sink import StoreCursors, StoreMirror
from butler.store.open import open_store
from butler.store.queries import events
from butler.store.store import Store
from butler_demo.calendar.server import CalendarServer
from butler_demo.drive.server import DriveServer
from butler_demo.gmail.server import GmailServer
from butler_demo.mailbox.server import MailServer
from butler_demo.trello.server import TrelloServer
from modules.calendar.config import CalendarModuleSettings
from modules.calendar.module import CalendarModule
from modules.drive.config import DriveModuleSettings
from modules.drive.module import DriveModule
from modules.email.config import EmailSettings
from modules.email.module import EmailModule
from modules.email.source import MailboxSource
from modules.trello.config import TrelloModuleSettings
from modules.trello.module import TrelloModule
from tests.modules.email.mailhost import PASSWORD, mail
from tests.support.context import MemoryVault, TurnedClock, make_context
from tests.support.waiting import until

ME, ANNA = "me@home.example", "anna@friends.example"
MOST_STEPS = 20


class Account(Protocol):
    """What the suite asks of each provider."""

    operation: str
    """What a look at it asks for, that can be told to fail; empty where only the connection can."""
    source: str
    tells: bool
    """Whether its changes are events of their own."""
    module: Module

    def make(self, context: ModuleContext) -> Module: ...

    async def add(self, name: str) -> str:
        """Something new there; its id."""
        ...

    async def remove(self, name: str, ref: str) -> None: ...

    def forget_cursor(self) -> None:
        """What the cursor says means nothing any more."""
        ...

    def sign_out(self) -> None: ...


class _Base:
    operation = ""
    source = ""
    tells = True

    def __init__(self, server: Any) -> None:
        self.server = server
        self.module: Module


class Gmail(_Base):
    """The person's Gmail."""

    operation, source, tells = "gmail.users.history.list", "email.user", False

    def secrets(self) -> dict[str, str]:
        return {"GMAIL": self.server.credentials_json(ME)}

    def make(self, context: ModuleContext) -> Module:
        section = {"api_root": self.server.url, "credentials_env": "GMAIL"}
        return EmailModule(EmailSettings.model_validate({"user": section}), context)

    async def add(self, name: str) -> str:
        return str(self.server.deliver(ME, mail(name)).id)

    async def remove(self, name: str, ref: str) -> None:
        del name
        self.server.delete(ME, ref)

    def forget_cursor(self) -> None:
        self.server.forget_history(ME)

    def sign_out(self) -> None:
        self.server.revoke(ME)


class Imap(_Base):
    """A mailbox over IMAP."""

    source, tells = "email.user", False

    def secrets(self) -> dict[str, str]:
        self.server.add_mailbox(ME, PASSWORD)
        return {"ADDRESS": ME, "PASSWORD": PASSWORD}

    def make(self, context: ModuleContext) -> Module:
        section = {
            "provider": "smtp_imap",
            "imap": self.server.imap_url,
            "smtp": self.server.smtp_url,
            "address_env": "ADDRESS",
            "password_env": "PASSWORD",
        }
        return EmailModule(EmailSettings.model_validate({"user": section}), context)

    async def add(self, name: str) -> str:
        return str(self.server.put(ME, mail(name)).uid)

    async def remove(self, name: str, ref: str) -> None:
        del name
        self.server.expunge(ME, [int(ref)])

    def forget_cursor(self) -> None:
        self.server.change_uidvalidity(ME)

    def sign_out(self) -> None:
        vault = self.module.context.vault
        assert isinstance(vault, MemoryVault)
        vault.values["PASSWORD"] = "not it"


class Calendar(_Base):
    """A Google Calendar."""

    operation, source = "calendar.events.list", "calendar.user"

    def secrets(self) -> dict[str, str]:
        return {"USER_CALENDAR_OAUTH_JSON": self.server.credentials_json(ME)}

    def make(self, context: ModuleContext) -> Module:
        return CalendarModule(CalendarModuleSettings.model_validate({"user": {"api_root": self.server.url}}), context)

    async def add(self, name: str) -> str:
        at = self.module.context.clock.now() + timedelta(days=2)
        times = {"start": {"dateTime": at.isoformat()}, "end": {"dateTime": (at + timedelta(hours=1)).isoformat()}}
        return str(self.server.add_event(ME, {"summary": name, **times})["id"])

    async def remove(self, name: str, ref: str) -> None:
        del name
        self.server.cancel(ME, ref)

    def forget_cursor(self) -> None:
        self.server.forget_sync_tokens(ME)

    def sign_out(self) -> None:
        self.server.revoke(ME)


class Drive(_Base):
    """A Google Drive."""

    operation, source = "drive.changes.list", "drive.user"

    def secrets(self) -> dict[str, str]:
        scopes = ["https://www.googleapis.com/auth/drive.readonly"]
        return {"USER_DRIVE_OAUTH_JSON": self.server.credentials_json(ME, scopes)}

    def make(self, context: ModuleContext) -> Module:
        return DriveModule(DriveModuleSettings.model_validate({"user": {"api_root": self.server.url}}), context)

    async def add(self, name: str) -> str:
        return str(self.server.add_file(ME, name, b"text", "text/plain"))

    async def remove(self, name: str, ref: str) -> None:
        del name
        self.server.delete(ref)

    def forget_cursor(self) -> None:
        self.server.forget_changes()

    def sign_out(self) -> None:
        self.server.revoke(ME)


class Trello(_Base):
    """Boards at Trello."""

    operation, source = "get-boards-id-actions", "trello.user"

    def __init__(self, server: TrelloServer) -> None:
        super().__init__(server)
        server.add_member("robin", "Robin Vale")
        self.board = server.add_board("Home", "robin")
        self.todo = server.add_list(self.board, "To do")

    def secrets(self) -> dict[str, str]:
        given = self.server.credentials("robin")
        return {"USER_TRELLO_KEY": given.key, "USER_TRELLO_TOKEN": given.token}

    def make(self, context: ModuleContext) -> Module:
        section = {"api_root": self.server.url, "requests_per_10s": 100_000}
        return TrelloModule(TrelloModuleSettings.model_validate({"user": section}), context)

    async def add(self, name: str) -> str:
        return str(self.server.add_card(self.todo, name))

    async def remove(self, name: str, ref: str) -> None:
        del name
        self.server.delete_card(ref, "robin")

    def forget_cursor(self) -> None:
        """Its log is never too old; a page that is full leaves out what was before it."""

    def sign_out(self) -> None:
        self.server.revoke("robin")


class World:
    """An account, and the rooms that it is kept in; a new life begins with a new module over the same rows."""

    def __init__(self, account: Any, store: Store) -> None:
        self.account, self.store, self.clock = account, store, TurnedClock()
        self.context = make_context(
            secrets=account.secrets(),
            clock=self.clock,
            zone=ZoneInfo("Europe/Berlin"),
            cursors=StoreCursors(store, self.clock),
            mirror=StoreMirror(store, self.clock),
            polled=StorePolled(store, self.clock, lambda: None),
            event_store=StoreEvents(store, self.clock, lambda: None),
        )
        account.module = account.make(self.context)

    @property
    def source(self) -> PollingSource | MailboxSource:
        (source,) = self.account.module.sources()
        assert isinstance(source, PollingSource | MailboxSource)
        return source

    @property
    def poll(self) -> Poll:
        return self.source if isinstance(self.source, MailboxSource) else self.source.poll

    async def begin_anew(self) -> None:
        """What a restart does."""
        await self.account.module.stop()
        self.account.module = self.account.make(self.context)

    async def look(self) -> int:
        """Steps until all is done, and how many records are other than they were."""
        changed = 0
        for _ in range(MOST_STEPS):
            stepped = await self.poll.step()
            changed += stepped.changed
            if not stepped.more:
                return changed
        raise AssertionError("it does not come to an end")

    async def names(self) -> list[str]:
        """What is kept, by its name."""
        if not self.account.tells:
            messages = await self.context.storage.mirror.messages(SeenQuery("email", muted=True, limit=100))
            return sorted(one.subject for one in messages)
        found = [record for kind in PolledKind for record in await self.context.storage.polled.find(PolledQuery(kind))]
        return sorted(str(one.item.get("title") or one.item.get("name")) for one in found)

    async def rows(self) -> list[tuple[Any, ...]]:
        """All that is stored of it, to the last value, apart from when the rows were written."""
        query = "select channel, account, kind, ref, version, at, ends_at, item, removed_at from polled order by ref"
        if not self.account.tells:
            query = "select chat, ref, words, item, unread, removed_at from seen_messages order by ref"
        return await self.store.read(lambda c: [tuple(row) for row in c.exec_driver_sql(query)])

    async def told(self) -> Sequence[Event]:
        """What was told, in order."""
        long_ago = self.clock.now() - timedelta(days=3_000)
        found = await self.store.read(lambda c: events.since(c, None, long_ago, 100))
        return [event for event in found if event.name.value.endswith(".changed")]

    def turn(self, **by: float) -> None:
        self.clock.offset += timedelta(**by)

    def fail(self, status: int, **how: Any) -> None:
        """Let the next look fail."""
        reason = {"reason": "backendError"} if not isinstance(self.account, Trello) else {}
        self.account.server.fail(self.account.operation, status, **{**reason, **how})

    async def failing(self) -> None:
        """Once a look has failed, and the source waits for its next by the clock as it is."""
        await until(lambda: self.source.health().failing)
        # The wait begins as a task of its own, which has not read the clock where the trouble is seen first.
        for _ in range(3):
            await asyncio.sleep(0)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[asyncio.Task[None]]:
        """The source at work."""
        task = asyncio.create_task(self.source.run())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _gmail() -> GmailServer:
    server = GmailServer()
    server.add_account(ME, "Me")
    return server


def _calendar() -> CalendarServer:
    server = CalendarServer()
    server.add_account(ME, "Me", zone="Europe/Berlin")
    return server


def _drive() -> DriveServer:
    server = DriveServer()
    server.add_account(ME, "Me")
    return server


ACCOUNTS: dict[str, tuple[Any, Any]] = {
    "gmail": (_gmail, Gmail),
    "imap": (MailServer, Imap),
    "calendar": (_calendar, Calendar),
    "drive": (_drive, Drive),
    "trello": (TrelloServer, Trello),
}
"""Each provider's server, and the account on it."""


@asynccontextmanager
async def world(provider: str, folder: Path) -> AsyncGenerator[World]:
    """All of it, served."""
    make_server, account = ACCOUNTS[provider]
    server = make_server()
    await server.start()
    store = open_store("sqlite://", data_dir=folder)
    made = World(account(server), store)
    try:
        yield made
    finally:
        await made.account.module.stop()
        await store.close()
        await server.stop()
