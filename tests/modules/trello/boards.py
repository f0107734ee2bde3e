"""The Trello module on its stand-in: a person's boards, and the tools on them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import Reconciled, ToolCall
from butler.registry import Registry
from butler_demo.trello.limits import LimitRules
from butler_demo.trello.server import TrelloServer
from modules.trello.bulk import TrelloBulkAdapter
from modules.trello.config import TrelloModuleSettings
from modules.trello.module import TrelloModule
from tests.modules.email.mailhost import Notes
from tests.support.context import MemoryVault, RecordingProbe, make_context

ME, ANNA = "robin", "anna"
KEY, TOKEN = "USER_TRELLO_KEY", "USER_TRELLO_TOKEN"


class Boards:
    """The server with one board of three lists, and the module that talks with it."""

    def __init__(self, server: TrelloServer, **fields: Any) -> None:
        self.server = server
        self.me, self.anna = server.add_member(ME, "Robin Vale"), server.add_member(ANNA, "Anna Berg")
        self.home = server.add_board("Home", ME, [ANNA])
        self.todo, self.doing, self.done = (server.add_list(self.home, name) for name in ("To do", "Doing", "Done"))
        given = server.credentials(ME)
        self.context: ModuleContext = make_context(secrets={KEY: given.key, TOKEN: given.token}, probe=RecordingProbe())
        section = {"api_root": server.url, "requests_per_10s": 100_000} | fields
        self.module = TrelloModule(TrelloModuleSettings.model_validate({"user": section}), self.context)
        self.registry = Registry()
        self.registry.add_module(self.module)

    @property
    def probe(self) -> RecordingProbe:
        assert isinstance(self.context.probe, RecordingProbe)
        return self.context.probe

    @property
    def vault(self) -> MemoryVault:
        assert isinstance(self.context.vault, MemoryVault)
        return self.context.vault

    @property
    def adapter(self) -> TrelloBulkAdapter:
        (adapter,) = self.module.bulk_adapters()
        assert isinstance(adapter, TrelloBulkAdapter)
        return adapter

    def call(self, tool: str, args: dict[str, Any], notes: Notes | None = None) -> ToolCall:
        tool = f"user_trello_{tool}"
        model = self.registry.spec(tool).args.model_validate(args)
        return ToolCall(tool, model, call_id="call-1", trace_id="trace-1", token="1", progress=notes)

    async def do(self, tool: str, notes: Notes | None = None, **args: Any) -> IntegrationResult:
        return await self.registry.invoke(self.call(tool, args, notes))

    async def data(self, tool: str, **args: Any) -> dict[str, Any]:
        """The data of a call that works."""
        result = await self.do(tool, **args)
        assert result.data is not None, result.error
        return result.data

    async def fault(self, tool: str, **args: Any) -> tuple[str, str]:
        """Code and message of a call that does not."""
        result = await self.do(tool, **args)
        assert result.error is not None, result.data
        return result.error.code.value, result.error.message

    async def completed(self, tool: str, **args: Any) -> dict[str, Any]:
        """The arguments as they are shown and frozen: what was left out is filled in."""
        call = self.call(tool, args)
        complete = self.registry.spec(call.tool).complete
        assert complete is not None
        result = await complete(call)
        assert result.data is not None, result.error
        return {**result.data, **args}

    async def found_out(self, tool: str, notes: Notes | None, **args: Any) -> Reconciled:
        return await self.registry.reconcile(self.call(tool, args, notes))

    def card(self, card_id: str) -> dict[str, Any]:
        """A card as Trello has it."""
        card = self.server.card(card_id)
        assert card is not None
        return card

    def names(self, list_id: str) -> list[str]:
        """The cards of a list that are on the board, from top to bottom."""
        return [
            card["name"] for card in self.server.cards(self.home) if card["idList"] == list_id and not card["closed"]
        ]


@asynccontextmanager
async def boards(**fields: Any) -> AsyncGenerator[Boards]:
    """All of it, served; `fields` are settings of the account."""
    server = TrelloServer()
    server.enforce_limits(LimitRules(per_key=10**6, per_token=10**6, of_members=10**6))
    await server.start()
    made = Boards(server, **fields)
    try:
        yield made
    finally:
        await made.module.stop()
        await server.stop()
