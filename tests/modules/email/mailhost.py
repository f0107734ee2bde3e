"""A mail module under test on a mail host: the demo's embedded server, or Dovecot with Postfix."""

import asyncio
import imaplib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import ToolCall, ToolSpec
from butler.registry import Registry
from butler_demo.mailbox.records import SentMail, StoredMail
from butler_demo.mailbox.server import MailServer
from modules.email.config import EmailSettings, UserServerSettings
from modules.email.imap.sync import MailboxSync
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.module import EmailModule
from modules.email.parsing.reader import MailReader
from tests.services.postfix import Postfix
from tests.support.context import MemoryMirror, MemorySink, RecordingProbe, make_context
from tests.support.waiting import until

Host = MailServer | Postfix
PASSWORD = "correct horse"
TOKEN = "4611686018427387904"
ANNA = "anna@friends.example"
_numbers = count(1)


@dataclass
class Notes:
    """An attempt's progress in memory."""

    stored: dict[str, str] = field(default_factory=dict[str, str])

    async def save(self, **notes: str) -> None:
        self.stored |= notes


def mail(subject: str = "Lunch", body: str = "At one?", *, message_id: str | None = "", **headers: str) -> bytes:
    """A plain mail by Anna to the butler; `message_id=None` leaves it without one."""
    lines = {"From": f"Anna <{ANNA}>", "To": "butler@home.example", "Subject": Header(subject).encode()}
    lines |= {"Date": format_datetime(datetime.now(UTC))}
    if message_id is not None:
        lines["Message-ID"] = message_id or f"<mail-{next(_numbers)}@friends.example>"
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    return ("".join(f"{name}: {value}\r\n" for name, value in lines.items()) + f"\r\n{body}\r\n").encode()


class ModuleUnderTest:
    """The module with mailboxes on a host; `address` is the mailbox that a test is about."""

    def __init__(self, host: Host, context: ModuleContext, settings: Mapping[str, Any]) -> None:
        self.host = host
        self.context = context
        self.address = context.vault.get("ADDRESS")
        self.module = EmailModule(EmailSettings.model_validate(settings), context)
        self.registry = Registry()
        self.registry.add_module(self.module)

    @property
    def sink(self) -> MemorySink:
        assert isinstance(self.context.inbox.sink, MemorySink)
        return self.context.inbox.sink

    @property
    def probe(self) -> RecordingProbe:
        assert isinstance(self.context.probe, RecordingProbe)
        return self.context.probe

    def spec(self, tool: str) -> ToolSpec:
        return self.registry.spec(tool)

    def call(
        self, tool: str, args: Mapping[str, Any], *, notes: Notes | None = None, token: str = TOKEN, account: str = ""
    ) -> ToolCall:
        model = self.spec(tool).args.model_validate(args)
        return ToolCall(tool, model, "call-1", "trace-1", account, token=token, progress=notes)

    async def do(
        self, tool: str, *, notes: Notes | None = None, token: str = TOKEN, account: str = "", **args: Any
    ) -> IntegrationResult:
        return await self.registry.invoke(self.call(tool, args, notes=notes, token=token, account=account))

    async def completed(self, tool: str, account: str = "", **args: Any) -> dict[str, Any]:
        """The arguments with what the tool fills in of those that were left out."""
        complete = self.spec(tool).complete
        assert complete is not None
        result = await complete(self.call(tool, args, account=account))
        assert result.data is not None, result.error
        return result.data | args

    async def deliver(self, raw: bytes) -> None:
        await asyncio.to_thread(self.host.deliver, raw, ANNA, [self.address])

    async def mailbox(self, folder: str = "INBOX") -> list[StoredMail]:
        return await asyncio.to_thread(self.host.mailbox, self.address, folder)

    async def flags(self) -> list[frozenset[str]]:
        return [mail.flags - {"\\Recent"} for mail in await self.mailbox()]

    async def left(self, count: int = 1) -> list[SentMail]:
        """What left this mailbox for elsewhere, once there are `count`."""

        def mine() -> list[SentMail]:
            return [sent for sent in self.host.outgoing if sent.mail_from == self.address]

        await until(lambda: len(mine()) >= count, 20)
        return mine()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[asyncio.Task[None]]:
        """The source at work, past its first look."""
        (source,) = self.module.sources()
        task = asyncio.create_task(source.run())
        try:
            await until(lambda: source.health().last_ok is not None or task.done(), 20)
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class BotUnderTest(ModuleUnderTest):
    """The butler's side of the module on one mailbox of a host."""

    def __init__(self, host: Host, context: ModuleContext, **settings: Any) -> None:
        section = servers(host) | {"poll_interval": "60s"} | settings
        super().__init__(host, context, {"bot": section})

    async def check(self) -> dict[str, Any]:
        result = await self.do("bot_email_check_and_route_inbox")
        assert result.data is not None, result.error
        return result.data


class UserUnderTest(ModuleUnderTest):
    """The person's side of the module on a mailbox of a host; `more` are further accounts by name."""

    def __init__(
        self, host: Host, context: ModuleContext, more: Mapping[str, Mapping[str, Any]] | None = None, **settings: Any
    ) -> None:
        section = servers(host) | {"provider": "smtp_imap", "poll_interval": "60s"} | settings
        super().__init__(host, context, {"user": section | {"accounts": dict(more or {})}})

        assert isinstance(self.module.settings, EmailSettings)
        account = self.module.settings.user
        assert isinstance(account, UserServerSettings)
        (integration, *_) = self.module.integrations()
        assert isinstance(integration, SmtpImapIntegration)
        self.reader = MailReader()
        self.sync = MailboxSync("main", account, integration, self.reader, context)
        """What the source has done again and again."""

    async def stop(self) -> None:
        await self.module.stop()
        await self.reader.stop()

    async def look(self) -> None:
        """Bring the mirror up to date, which has to work."""
        error = await self.sync.look(lambda: None)
        assert error is None, error

    def elsewhere(self, number: int, flags: str) -> None:
        """Another mail program changes the flags of the inbox's mail of this number, and expunges."""
        url = urlsplit(self.host.imap_url)
        with imaplib.IMAP4(url.hostname or "", url.port or 0, timeout=60) as client:
            client.login(self.address, PASSWORD)
            client.select("INBOX")
            client.store(str(number), *flags.split(" ", 1))
            client.expunge()

    @property
    def mirror(self) -> MemoryMirror:
        assert isinstance(self.context.storage.mirror, MemoryMirror)
        return self.context.storage.mirror

    async def id_of(self, subject: str, account: str = "") -> str:
        """The id under which a search gives the newest mail with this subject."""
        result = await self.do("user_email_search_inbox", subject=subject, account=account)
        assert result.data is not None, result.error
        return result.data["messages"][0]["message_id"]


def servers(host: Host) -> dict[str, Any]:
    """The settings of a mailbox on a host."""
    return {
        "address_env": "ADDRESS",
        "password_env": "PASSWORD",
        "imap": host.imaps_url,
        "smtp": host.smtp_starttls_url,
        "tls_ca": host.ca_file,
    }


def mail_context(host: Host, who: str = "butler", **more_secrets: str) -> ModuleContext:
    """A context with a mailbox of its own on the host."""
    address = f"{who}{next(_numbers)}@home.example"
    host.add_mailbox(address, PASSWORD, token=f"token-of-{address}")
    secrets = {"ADDRESS": address, "PASSWORD": PASSWORD, "TOKEN": f"token-of-{address}"}
    return make_context(secrets=secrets | more_secrets)
