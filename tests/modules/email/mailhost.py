"""A mail module under test on a mail host: the demo's embedded server, or Dovecot with Postfix."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime
from itertools import count
from typing import Any

from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import ToolCall, ToolSpec
from butler.demo.mailbox.server import MailServer
from butler.registry import Registry
from modules.email.config import EmailSettings
from modules.email.module import EmailModule
from tests.services.postfix import Postfix
from tests.support.context import MemorySink, RecordingProbe, make_context
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


class BotUnderTest:
    """The butler's side of the module on one mailbox of a host."""

    def __init__(self, host: Host, context: ModuleContext, **settings: Any) -> None:
        self.host = host
        self.context = context
        self.address = context.secrets["ADDRESS"]
        section = {"address_env": "ADDRESS", "password_env": "PASSWORD", "imap": host.imaps_url, "tls_ca": host.ca_file}
        section |= {"smtp": host.smtp_starttls_url, "poll_interval": "60s"} | settings
        self.module = EmailModule(EmailSettings.model_validate({"bot": section}), context)
        registry = Registry()
        registry.add_module(self.module)
        self.registry = registry

    @property
    def sink(self) -> MemorySink:
        assert isinstance(self.context.sink, MemorySink)
        return self.context.sink

    @property
    def probe(self) -> RecordingProbe:
        assert isinstance(self.context.probe, RecordingProbe)
        return self.context.probe

    def spec(self, tool: str) -> ToolSpec:
        return self.registry.spec(tool)

    def call(self, tool: str, args: Mapping[str, Any], *, notes: Notes | None = None, token: str = TOKEN) -> ToolCall:
        model = self.spec(tool).args.model_validate(args)
        return ToolCall(tool, model, call_id="call-1", trace_id="trace-1", token=token, progress=notes)

    async def do(self, tool: str, *, notes: Notes | None = None, token: str = TOKEN, **args: Any) -> IntegrationResult:
        return await self.registry.invoke(self.call(tool, args, notes=notes, token=token))

    async def deliver(self, raw: bytes) -> None:
        await asyncio.to_thread(self.host.deliver, raw, ANNA, [self.address])

    async def flags(self) -> list[frozenset[str]]:
        mails = await asyncio.to_thread(self.host.mailbox, self.address)
        return [mail.flags - {"\\Recent"} for mail in mails]

    async def check(self) -> dict[str, Any]:
        result = await self.do("bot_email_check_and_route_inbox")
        assert result.data is not None, result.error
        return result.data

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


def bot_context(host: Host, **more_secrets: str) -> ModuleContext:
    """A context with a mailbox of its own on the host."""
    address = f"butler{next(_numbers)}@home.example"
    host.add_mailbox(address, PASSWORD, token=f"token-of-{address}")
    secrets = {"ADDRESS": address, "PASSWORD": PASSWORD, "TOKEN": f"token-of-{address}"}
    return make_context(secrets=secrets | more_secrets)
