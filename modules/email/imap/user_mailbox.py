"""One of the owner's accounts over IMAP and SMTP with its services; read-only tools are answered here."""

from collections.abc import Sequence
from datetime import UTC, datetime

from butler.contract.integration import IntegrationResult
from butler.contract.module import CheckResult, ModuleContext, Source
from butler.contract.polling import source_name
from butler.contract.speech import phrase
from butler.contract.tools import ToolCall
from modules._accounts.oauth import AccessTokens
from modules.email.args import ListThreadsArgs, UserReadArgs, UserSearchArgs
from modules.email.checks import consent_checks, mailbox_checks
from modules.email.config import FirstUserServerSettings, UserServerSettings
from modules.email.imap.account import MailAccount, encryption_check
from modules.email.imap.folders import Role
from modules.email.imap.reading import Hits, MailboxReading, StoredMail
from modules.email.imap.sync import MailboxSync
from modules.email.imap.user_finding import MailFinder
from modules.email.imap.user_sending import UserSending
from modules.email.imap.user_threads import UserThreads
from modules.email.inbound import keep_files
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.original import Original
from modules.email.parsing.reader import MailReader
from modules.email.replying import OwnAddresses
from modules.email.source import MailboxSource
from modules.email.views import ToolFailedError, listing, row, whole

FILES_WITHIN_S = 1.0
"""Seconds for the server to file its own copy in Sent, as many do, before we append ours."""

_LOGIN = "butler login mail"
_AUTHORITY = phrase("the provider")


class ServerMailbox:
    """Implements `UserMailbox`."""

    def __init__(self, account: str, settings: UserServerSettings, reader: MailReader, context: ModuleContext) -> None:
        self._account = account
        self._settings = settings
        self._context = context
        tokens = AccessTokens(context.vault, settings.password_env, context.clock, command=_LOGIN, authority=_AUTHORITY)
        way_in = MailAccount(settings, context.vault.get, tokens if settings.auth == "xoauth2" else None)
        named = {Role.SENT: settings.sent_folder, Role.DRAFTS: settings.drafts_folder}
        self.integration = SmtpImapIntegration(
            way_in, context.storage.blobs, context.probe, named=named, files_within_s=FILES_WITHIN_S
        )
        first = isinstance(settings, FirstUserServerSettings)
        name = source_name("email.user", account, first=first)
        self._title = "your mailbox" if first else f"your mailbox, {account}"
        self._sync = MailboxSync(account, settings, self.integration, reader, context)
        self._source = MailboxSource(name, self.integration, self._sync, context.clock, settings.poll_interval)
        calls = MailboxReading(self.integration, reader)
        self._calls = calls
        self._finder = MailFinder(account, calls)
        self._threads = UserThreads(self._finder, calls)
        self.sending = UserSending(self.integration, self._finder, calls, context)

    async def addresses(self, call: ToolCall) -> OwnAddresses:  # noqa: ARG002 - others have to ask the provider
        return self.sending.own()

    async def search(self, call: ToolCall) -> IntegrationResult:
        args: UserSearchArgs = call.args
        try:
            folders = await self._finder.searched_folders(call, args.place)
            found = [await self._calls.search(call, args, folder) for folder in folders]
        except ToolFailedError as failure:
            return failure.result
        mails = sorted((mail for hits in found for mail in hits.mails), key=_arrived, reverse=True)
        rows = [row(mail.read.mail, self._finder.entry(mail)) for mail in mails[: args.limit]]
        return listing(rows, sum(hits.count for hits in found), complete=_all_of(found), reason=_reason(found))

    async def read(self, call: ToolCall) -> IntegrationResult:
        args: UserReadArgs = call.args
        try:
            stored = await self._finder.find(call, args.message_id)
        except ToolFailedError as failure:
            return failure.result
        files = await keep_files(stored.read, self._context.storage.blobs)
        return whole(stored.read.mail, self._finder.entry(stored), files)

    async def original(self, call: ToolCall, message_id: str) -> Original:
        stored = await self._finder.find(call, message_id)
        return Original(stored.raw, stored.read)

    async def threads(self, call: ToolCall) -> IntegrationResult:
        args: ListThreadsArgs = call.args
        try:
            return await self._threads.listed(call, args)
        except ToolFailedError as failure:
            return failure.result

    async def checks(self) -> Sequence[CheckResult]:
        settings, context, name = self._settings, self._context, self._title
        todo = f"check {settings.address_env}, {settings.password_env}, imap and smtp of the account {self._account}"
        lines = await mailbox_checks(self.integration, name, f"sending from {name}", todo)
        if settings.auth == "xoauth2":
            lines += await consent_checks(
                context.vault,
                settings.password_env,
                context.clock,
                name=name,
                wanted=settings.scopes,
                command=_LOGIN,
                authority=_AUTHORITY,
            )
        return [*lines, *encryption_check(settings, name)]

    def sources(self) -> Sequence[Source]:
        return (self._source,)

    async def signed_in(self) -> None:
        self._sync.forget()
        await self.integration.signed_in()

    async def stop(self) -> None:
        await self.integration.stop()


def _arrived(mail: StoredMail) -> datetime:
    return mail.fetched.received_at or datetime.fromtimestamp(0, UTC)


def _all_of(found: Sequence[Hits]) -> bool:
    return all(hits.complete for hits in found)


def _reason(found: Sequence[Hits]) -> str:
    return next((hits.reason for hits in found if hits.reason), "")
