"""The person's side of the mail module on the Gmail stand-in, with one account or two."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import ToolCall
from butler.registry import Registry
from butler_demo.gmail.server import GmailServer
from modules.email.config import EmailSettings
from modules.email.module import EmailModule
from tests.modules.email.mailhost import TOKEN, Notes
from tests.support.context import MemoryMirror, MemoryVault, RecordingProbe, make_context

ME = "me@home.example"
WORK = "me@work.example"
VARIABLE = "USER_EMAIL_OAUTH_JSON"


class GmailUnderTest:
    """The module, and the server that it talks with."""

    def __init__(
        self,
        server: GmailServer,
        *,
        address: str = ME,
        context: ModuleContext | None = None,
        probe: RecordingProbe | None = None,
        **fields: Any,
    ) -> None:
        """`context` is one that outlives this module; `fields` are settings of the account."""
        self.server = server
        secrets = {VARIABLE: server.credentials_json(address)}
        self.context = context or make_context(secrets=secrets, probe=probe or RecordingProbe())
        section = {"api_root": server.url, "credentials_env": VARIABLE} | fields
        self.module = EmailModule(EmailSettings.model_validate({"user": section}), self.context)
        self.registry = Registry()
        self.registry.add_module(self.module)

    @property
    def probe(self) -> RecordingProbe:
        assert isinstance(self.context.probe, RecordingProbe)
        return self.context.probe

    @property
    def mirror(self) -> MemoryMirror:
        assert isinstance(self.context.storage.mirror, MemoryMirror)
        return self.context.storage.mirror

    @property
    def vault(self) -> MemoryVault:
        assert isinstance(self.context.vault, MemoryVault)
        return self.context.vault

    def call(self, tool: str, args: dict[str, Any], notes: Notes | None = None, **fields: Any) -> ToolCall:
        model = self.registry.spec(tool).args.model_validate(args)
        fields = {"call_id": "call-1", "trace_id": "trace-1", "token": TOKEN} | fields
        return ToolCall(tool, model, progress=notes, **fields)

    async def do(self, tool: str, *, notes: Notes | None = None, **args: Any) -> IntegrationResult:
        return await self.registry.invoke(self.call(tool, args, notes))

    async def data(self, tool: str, **args: Any) -> dict[str, Any]:
        """The data of a call that works."""
        result = await self.do(tool, **args)
        assert result.data is not None, result.error
        return result.data

    async def completed(self, tool: str, **args: Any) -> dict[str, Any]:
        """The arguments as they are shown and frozen: what was left out is filled in."""
        complete = self.registry.spec(tool).complete
        assert complete is not None
        call = self.call(tool, args)
        result = await complete(call)
        assert result.data is not None, result.error
        left_out = {name: value for name, value in result.data.items() if name not in call.args.model_fields_set}
        return args | left_out

    def drafts(self, address: str = ME) -> int:
        return sum("DRAFT" in message.label_ids for message in self.server.mailbox(address))

    def asked(self, method_id: str) -> int:
        """How often a method was called."""
        return sum(call.method_id == method_id for call in self.probe.calls)


@asynccontextmanager
async def gmail_server(**options: Any) -> AsyncGenerator[GmailServer]:
    """The stand-in with the person's two accounts."""
    server = GmailServer(**options)
    server.add_account(ME, "Me")
    server.add_account(WORK, "Me at work")
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def gmail_account(**fields: Any) -> AsyncGenerator[GmailUnderTest]:
    """The module on a server of its own; `fields` are settings."""
    async with gmail_server() as server:
        under_test = GmailUnderTest(server, **fields)
        yield under_test
        await under_test.module.stop()
