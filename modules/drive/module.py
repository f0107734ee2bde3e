"""`user_drive_*`: searches and reads the owner's files at Google Drive, and changes nothing there."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from butler.contract.agent_ports import MemoryKind, SourceFetcher
from butler.contract.agents import AgentFailure, ConnectorInput
from butler.contract.arguments import Account, Question
from butler.contract.base_integration import BaseIntegration
from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.hooks import HookReceiver
from butler.contract.integration import READS, IntegrationResult
from butler.contract.module import CheckResult, Module, ModuleContext, Source
from butler.contract.reading import DOCUMENT_FACTS, document_data, not_read, remember
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolCall, ToolMetadata, ToolSpec, input_tool
from modules._accounts.google_notifications import FollowedAccount, FollowSettings, channel_hooks
from modules.drive.config import DriveModuleSettings, DriveSettings, FirstDriveSettings
from modules.drive.fetcher import Account as DriveAccount
from modules.drive.fetcher import DriveFetcher, file_id_of
from modules.drive.integration_google_drive import LOGIN, DriveIntegration
from modules.drive.records import ABOUT, CLOSE_CHANNEL, MOST_FOUND, NEWEST, OPEN_CHANNEL, SEARCH, Files
from modules.drive.source import DrivePoll

FIND, READ = "user_drive_search", "user_drive_read"
NONE_FITS, NONE_THERE = phrase("no file in your Drive has these words"), phrase("there is no file in your Drive")
_ROLES = {
    FIND: ToolMetadata.of(target="words", option="limit account"),
    READ: ToolMetadata.of(target="file question", option="recursive account"),
}
_FOUND = ("count", "files.0.source_id", "files.0.title", "files.0.date", "files.0.url")


class _Args(ClosedRecord):
    account: Account = ""


class FindArgs(_Args):
    """Words that stand in a file's name or in it; without any, the files that changed last."""

    words: str = Field(
        default="",
        max_length=300,
        description="Words of its name or content; left out: the newest files.",
        examples=["lease contract"],
    )
    limit: int = Field(default=10, ge=1, le=MOST_FOUND, description="How many at most.", examples=[5])


class ReadArgs(_Args):
    """A file by its id or its address in the browser, or all of a folder."""

    file: str = Field(
        min_length=1,
        max_length=500,
        description="A file shown or found, or its id or address as the owner wrote it.",
        examples=[{"handle": "file-2"}],
    )
    question: Question = ""
    recursive: bool = Field(default=False, description="Whether it is a folder, all of which is read.", examples=[True])


class DriveModule(Module):
    """Nothing connects before the first call."""

    channel = "drive"
    about = ChannelInfo(
        title=phrase("Drive"),
        words=Words.STATED,
        referent=ReferentKind.FILE,
        next_acts=("read",),
        brands=("google",),
        login=LOGIN,
    )
    settings_model = DriveModuleSettings

    def __init__(self, settings: DriveModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._accounts = {
            name: DriveAccount(DriveIntegration(account, context, login=_login(name, account)), account)
            for name, account in settings.user_accounts().items()
        }
        watched = {name: account for name, account in self._accounts.items() if account.settings.watch}
        self._polls = {name: DrivePoll(name, account.integration, context) for name, account in watched.items()}
        self._followed = {name: self._follow(name, account) for name, account in watched.items()}

    def user_inputs(self) -> Sequence[ToolSpec]:
        if not self._accounts:
            return ()
        find = "Find files in the person's Google Drive by words of their names or their content, or list the newest."
        read = "Read a file of the person's Google Drive, or with `recursive` all files of a folder."
        names = tuple(self._accounts)
        return (
            input_tool(FIND, find, FindArgs, self._find, accounts=names, facts=_FOUND),
            input_tool(READ, read, ReadArgs, self._read, accounts=names, facts=DOCUMENT_FACTS),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return _ROLES

    def integrations(self) -> Sequence[BaseIntegration]:
        return tuple(account.integration for account in self._accounts.values())

    def fetchers(self) -> Sequence[SourceFetcher]:
        return (DriveFetcher(self._accounts),) if self._accounts else ()

    def sources(self) -> Sequence[Source]:
        return tuple(one.source for one in self._followed.values())

    def hooks(self) -> Sequence[HookReceiver]:
        return channel_hooks(self.channel, self._followed)

    def look_now(self, account: str) -> None:
        """Look into the account whose webhook reported a change."""
        if account in self._followed:
            self._followed[account].source.look_now()

    async def signed_in(self) -> None:
        for poll in self._polls.values():
            poll.signed_in()
        for one in self._followed.values():
            one.signed_in()
        for integration in self.integrations():
            assert isinstance(integration, DriveIntegration)
            integration.signed_in()

    async def checks(self) -> Sequence[CheckResult]:
        lines = [await _check(name, account) for name, account in self._accounts.items()]
        pushes = [await one.check(_title(name, self._accounts[name])) for name, one in self._followed.items()]
        return [*lines, *(line for line in pushes if line is not None)]

    async def stop(self) -> None:
        for integration in self.integrations():
            assert isinstance(integration, DriveIntegration)
            integration.stop()

    def _follow(self, name: str, account: DriveAccount) -> FollowedAccount:
        settings = account.settings
        first = isinstance(settings, FirstDriveSettings)
        return FollowedAccount(
            *(self.channel, name, self._polls[name], account.integration, self.context),
            FollowSettings(first, settings.push, settings.poll_interval, settings.pushed_poll_interval),
            methods=(OPEN_CHANNEL, CLOSE_CHANNEL),
            things=_all_of_it,
        )

    async def _find(self, call: ToolCall) -> IntegrationResult:
        args: FindArgs = call.args
        wanted = {"words": args.words, "limit": args.limit} if args.words.strip() else {"limit": args.limit}
        method = SEARCH if args.words.strip() else NEWEST
        integration = self._accounts[call.account].integration
        result = await integration.request(call.trace_id, method, wanted, retry_policy=READS)
        if result.error is not None:
            return result
        found = Files.model_validate(result.data)
        if not found.files:
            return failed(IntegrationErrorCode.NOT_FOUND, say(NONE_FITS if args.words.strip() else NONE_THERE))
        data: dict[str, Any] = {"files": [_row(one.model_dump(mode="json")) for one in found.files]}
        data |= {"count": len(found.files), "complete": found.complete}
        return IntegrationResult(ok=True, data=data)

    async def _read(self, call: ToolCall) -> IntegrationResult:
        args: ReadArgs = call.args
        if file_id_of(args.file) is None:
            text = say("this is neither the id nor the address of a file in Drive; search for it by its name first")
            return failed(IntegrationErrorCode.INVALID_INPUT, text)
        document = await self.context.agents.documents.read(
            ConnectorInput(
                source_type="gdrive",
                source_identifier=args.file,
                credentials_id=call.account,
                recursive=args.recursive,
            )
        )
        if isinstance(document, AgentFailure):
            return not_read(document)
        remembered = await remember(self.context.agents.memory, document, MemoryKind.DOCUMENT)
        data = document_data(document, remembered=remembered)
        return IntegrationResult(ok=True, data=data | ({"question": args.question} if args.question else {}))


def _row(file: dict[str, Any]) -> dict[str, Any]:
    """Return a file's list entry; its id is kept as a handle."""
    return {
        "source_id": f"gdrive:{file['id']}",
        "title": file["name"],
        "media_type": file["media_type"],
        "size": file["size"],
        "date": file["modified_at"],
        "owner": file["owner"],
        "url": file["url"],
    }


def _login(name: str, account: DriveSettings) -> str:
    return LOGIN if isinstance(account, FirstDriveSettings) else f"{LOGIN} --account {name}"


async def _all_of_it() -> Sequence[str]:
    """Return the one channel by which Drive reports an account's changes."""
    return ("",)


def _title(name: str, account: DriveAccount) -> str:
    return "your Drive" if isinstance(account.settings, FirstDriveSettings) else f"your Drive, {name}"


async def _check(name: str, account: DriveAccount) -> CheckResult:
    title = _title(name, account)
    result = await account.integration.request("doctor", ABOUT)
    if result.error is not None:
        todo = f"run `{_login(name, account.settings)}` (docs/how-to/connect-drive.md)"
        return CheckResult(title, ok=False, detail=result.error.message, todo=todo)
    return CheckResult(title, ok=True, detail=str((result.data or {})["address"]))
