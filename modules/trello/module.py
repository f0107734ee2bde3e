"""`user_trello_*`: reads the owner's boards at Trello, and changes them once the owner has approved."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.bulk import BulkToolAdapter
from butler.contract.channel import ChannelInfo
from butler.contract.hooks import HookReceiver
from butler.contract.integration import Idempotency
from butler.contract.module import CheckResult, Module, ModuleContext, Source
from butler.contract.polling import PollingSource, source_name
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Rendered, StepResult
from butler.contract.speech import phrase
from butler.contract.tools import Preview, ToolHandler, ToolMetadata, ToolSpec, input_tool, output_tool
from modules.trello import args as a
from modules.trello import card_bulk, previews
from modules.trello.account_calls import Accounts, Doing, Finding, answering, reconciling
from modules.trello.bulk import TrelloBulkAdapter
from modules.trello.card_bulk import CardBulk
from modules.trello.change_tools import ChangeTools
from modules.trello.config import FirstTrelloSettings, TrelloModuleSettings, TrelloSettings
from modules.trello.create_tools import CreateTools
from modules.trello.hook_boards import BoardReceiver
from modules.trello.integration_trello import LOGIN, TrelloIntegration
from modules.trello.reading import Reading
from modules.trello.records import ME
from modules.trello.rendering import rendered
from modules.trello.source import TrelloPoll


class TrelloModule(Module):
    """Nothing connects before the first call."""

    channel = "trello"
    about = ChannelInfo(
        title=phrase("Trello"),
        contents=phrase("your boards"),
        thing=phrase("what stands on your boards"),
        referent=ReferentKind.CARD,
        makes_things=True,
        next_acts=("change_card", "read_card", "move_card"),
        completed_from=phrase("your boards"),
        brands=("trello",),
        login=LOGIN,
    )
    settings_model = TrelloModuleSettings

    def __init__(self, settings: TrelloModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._settings = settings.user_accounts()
        self._integrations = {
            name: TrelloIntegration(account, context, login=_login(name, account))
            for name, account in self._settings.items()
        }
        self._names = tuple(self._integrations)
        self._sources = {
            name: PollingSource(
                source_name("trello.user", name, first=isinstance(account, FirstTrelloSettings)),
                TrelloPoll(name, self._integrations[name], context),
                context.clock,
                every_s=account.poll_interval,
            )
            for name, account in self._settings.items()
            if account.watch
        }
        accounts = Accounts(self._integrations)
        self._reading = Reading(accounts, context.clock, context.zone)
        self._making = CreateTools(accounts, context.zone)
        self._changing = ChangeTools(accounts, context.zone)

    def user_inputs(self) -> Sequence[ToolSpec]:
        if not self._names:
            return ()
        boards = "List the person's Trello boards with their lists."
        cards = "Find cards on the person's Trello boards."
        card = "Read one card of the person's Trello boards with its text and comments."
        reading = self._reading
        return (
            self._input("list_boards", boards, a.ListBoardsArgs, answering(reading.boards)),
            self._input(
                "list_cards",
                cards,
                a.ListCardsArgs,
                answering(reading.cards),
                partial(previews.preview_list_cards, zone=self.context.zone),
            ),
            self._input("read_card", card, a.ReadCardArgs, answering(reading.card)),
        )

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        return rendered(result)

    def user_outputs(self) -> Sequence[ToolSpec]:
        if not self._names:
            return ()
        making, changing = self._making, self._changing
        return (
            self._output(
                "create_card",
                "Make a card on one of the person's Trello boards.",
                a.CreateCardArgs,
                making.card,
                making.place,
                making.find_card,
                partial(previews.preview_create_card, zone=self.context.zone),
                Idempotency.NONE,
            ),
            self._output(
                "create_list",
                "Make a list on one of the person's Trello boards.",
                a.CreateListArgs,
                making.list,
                making.list_place,
                making.find_list,
                previews.preview_create_list,
                Idempotency.NONE,
            ),
            self._output(
                "comment_card",
                "Write a comment on a card of the person's Trello boards.",
                a.CommentCardArgs,
                making.comment,
                changing.about,
                making.find_comment,
                previews.preview_comment_card,
                Idempotency.NONE,
            ),
            self._output(
                "change_card",
                "Change the name, description or due date of a card of the person's Trello boards, or say it is done.",
                a.ChangeCardArgs,
                changing.change,
                changing.about,
                changing.find_change,
                partial(previews.preview_change_card, zone=self.context.zone),
                Idempotency.STATE,
            ),
            self._output(
                "delete_card",
                "Delete one card of the person's Trello boards for good; archiving is what can be undone.",
                a.DeleteCardArgs,
                changing.delete,
                changing.about,
                changing.find_deleted,
                previews.preview_delete_card,
                Idempotency.STATE,
            ),
            *CardBulk(self.context.bulk, self._names).specs(),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {**a.ROLES, **card_bulk.roles()} if self._names else {}

    def integrations(self) -> Sequence[BaseIntegration]:
        return tuple(self._integrations.values())

    def sources(self) -> Sequence[Source]:
        return tuple(self._sources.values())

    def look_now(self, account: str) -> None:
        """Poll the account whose webhook reported a change."""
        if account in self._sources:
            self._sources[account].look_now()

    def hooks(self) -> Sequence[HookReceiver]:
        vault, public = self.context.vault, self.context.public_url
        return tuple(
            BoardReceiver(_hook_name(name, account), account, vault, partial(self.look_now, name))
            for name, account in self._settings.items()
            if public and account.watch and vault.get(account.secret_env)
        )

    def bulk_adapters(self) -> Sequence[BulkToolAdapter]:
        if not self._names:
            return ()
        return (TrelloBulkAdapter(self._integrations, self.context.clock, self.context.zone),)

    async def signed_in(self) -> None:
        for integration in self._integrations.values():
            await integration.signed_in()

    async def checks(self) -> Sequence[CheckResult]:
        return [
            await _check(name, self._settings[name], integration) for name, integration in self._integrations.items()
        ]

    async def stop(self) -> None:
        for integration in self._integrations.values():
            await integration.stop()

    def _input(
        self,
        action: str,
        description: str,
        args: type[BaseModel],
        handler: ToolHandler,
        preview: Callable[[Any], Preview] | None = None,
    ) -> ToolSpec:
        tool = f"user_trello_{action}"
        return input_tool(tool, description, args, handler, preview, accounts=self._names, facts=a.FACTS.get(tool, ()))

    def _output(
        self,
        action: str,
        description: str,
        args: type[BaseModel],
        do: Doing,
        complete: Doing,
        find: Finding,
        preview: Callable[[Any], Preview],
        idempotency: Idempotency,
    ) -> ToolSpec:
        tool = f"user_trello_{action}"
        return output_tool(
            tool,
            description,
            args,
            answering(do),
            preview,
            idempotency=idempotency,
            complete=answering(complete),
            reconcile=reconciling(find),
            accounts=self._names,
            facts=a.FACTS.get(tool, ()),
        )


def _hook_name(name: str, account: TrelloSettings) -> str:
    return "trello" if isinstance(account, FirstTrelloSettings) else f"trello-{name.replace('_', '-')}"


def _login(name: str, account: TrelloSettings) -> str:
    return LOGIN if isinstance(account, FirstTrelloSettings) else f"{LOGIN} --account {name}"


async def _check(name: str, settings: TrelloSettings, integration: TrelloIntegration) -> CheckResult:
    title = "your Trello" if isinstance(settings, FirstTrelloSettings) else f"your Trello, {name}"
    result = await integration.request("doctor", ME)
    if result.error is not None:
        todo = f"run `{_login(name, settings)}` (docs/how-to/connect-trello.md)"
        return CheckResult(title, ok=False, detail=result.error.message, todo=todo)
    return CheckResult(title, ok=True, detail=f"@{(result.data or {})['username']}")
