"""One of the owner's Gmail accounts with its services; read-only tools are answered here."""

from collections.abc import Sequence

from butler.contract.door import failed
from butler.contract.errors import ConfigError, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.module import CheckResult, ModuleContext, Source
from butler.contract.polling import source_name
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules._accounts.pushed_poll import pushed_source
from modules.email.args import ListThreadsArgs, UserReadArgs, UserSearchArgs
from modules.email.checks import consent_checks
from modules.email.config import FirstGmailSettings, GmailSettings
from modules.email.gmail.calls import MOST_COUNTED, GmailCalls, GmailMail, data_of
from modules.email.gmail.push import GmailPush
from modules.email.gmail.query import query_of
from modules.email.gmail.sending import GmailSending
from modules.email.gmail.sync import GmailSync
from modules.email.hook_gmail import NAME as HOOK
from modules.email.hook_gmail import PushedAccount
from modules.email.inbound import keep_files
from modules.email.integration_gmail import LOGIN, GmailIntegration
from modules.email.integration_gmail_records import GET_THREADS, MODIFY, PROFILE, Got, GotThreads
from modules.email.live_check import live_check
from modules.email.original import Original
from modules.email.parsing.reader import MailReader
from modules.email.replying import OwnAddresses
from modules.email.views import Conversation, MailEntry, ToolFailedError, listing, row, thread_listing, whole

_NOT_IN_A_THREAD = frozenset({"DRAFT", "TRASH", "SPAM"})


class GmailMailbox:
    """Implements `UserMailbox`."""

    def __init__(self, account: str, settings: GmailSettings, reader: MailReader, context: ModuleContext) -> None:
        self._account, self._settings = account, settings
        self._reader = reader
        self._context = context
        first = isinstance(settings, FirstGmailSettings)
        self._login = LOGIN if first else f"{LOGIN} --account {account}"
        self._title = "your Gmail" if first else f"your Gmail, {account}"
        self.integration = GmailIntegration(settings, context, login=self._login)
        self._calls = GmailCalls(self.integration, context.owner)
        self._sync = GmailSync(account, settings, self.integration, reader, context)
        name = source_name("email.user", account, first=first)
        self._push = GmailPush(account, settings, self.integration, context)
        self._source, self._pushed = pushed_source(
            *(name, self._sync, self._push, context.clock),
            every_s=settings.poll_interval,
            pushed_every_s=settings.pushed_poll_interval,
        )
        self.sending = GmailSending(self._calls, reader, context)

    async def addresses(self, call: ToolCall) -> OwnAddresses:
        return await self._calls.own(call)

    async def search(self, call: ToolCall) -> IntegrationResult:
        args: UserSearchArgs = call.args
        try:
            query = query_of(args, self._context.zone, args.place)
            refs, complete = await self._calls.refs(call, query, MOST_COUNTED)
            mails = await self._calls.headers(call, [ref.id for ref in refs[: args.limit]])
        except ToolFailedError as failure:
            return failure.result
        rows = [row((await self._reader.read(mail.raw)).mail, _entry(mail.got)) for mail in mails]
        reason = "" if complete else say("there are more than {count} such mails", count=len(refs))
        return listing(rows, len(refs), complete=complete, reason=reason)

    async def read(self, call: ToolCall) -> IntegrationResult:
        args: UserReadArgs = call.args
        try:
            mail = await self._calls.mail(call, args.message_id)
        except ToolFailedError as failure:
            return failure.result
        read = await self._reader.read(mail.raw)
        return whole(read.mail, _entry(mail.got), await keep_files(read, self._context.storage.blobs))

    async def original(self, call: ToolCall, message_id: str) -> Original:
        mail = await self._calls.mail(call, message_id)
        return Original(mail.raw, await self._reader.read(mail.raw))

    async def threads(self, call: ToolCall) -> IntegrationResult:
        args: ListThreadsArgs = call.args
        try:
            ids, complete = await self._calls.thread_ids(call, query_of(args, self._context.zone), MOST_COUNTED)
            found = await self._conversations(call, ids[: args.limit])
        except ToolFailedError as failure:
            return failure.result
        reason = "" if complete else say("there are more than {count} such conversations", count=len(ids))
        return thread_listing(found, len(ids), complete=complete, reason=reason)

    async def checks(self) -> Sequence[CheckResult]:
        todo = f"run `{self._login}` (docs/how-to/connect-mail.md), or check {self._settings.credentials_env}"
        name = self._title
        consent = await consent_checks(
            self._context.vault,
            self._settings.credentials_env,
            self._context.clock,
            name=name,
            wanted=(MODIFY,),
            command=self._login,
            authority="Google",
        )
        push = await self._push.check(name)
        return [await live_check(name, self.integration, PROFILE, todo), *consent, *([push] if push else ())]

    @property
    def pushed(self) -> PushedAccount | None:
        """Return how Google pushes for this account, if wanted. Raise `ConfigError` for an account without an audience.

        A token's audience is the webhook's own address, unless the settings name another.
        """
        if not self._push.wanted:
            return None
        root = self._context.public_url
        audience = self._settings.push_audience or (f"{root}/hooks/{HOOK}" if root else "")
        if not audience:
            raise ConfigError("push_topic in [modules.email.user] needs public_url in [web], or push_audience")
        who = self._settings.push_service_account
        return PushedAccount(self._account, audience, who, self._push.address, self._source.look_now)

    def sources(self) -> Sequence[Source]:
        return (self._source,)

    async def signed_in(self) -> None:
        self.integration.signed_in()
        self._sync.signed_in()
        self._push.signed_in()
        self._pushed.tend()

    async def stop(self) -> None:
        self.integration.stop()

    async def _conversations(self, call: ToolCall, ids: Sequence[str]) -> list[Conversation]:
        if not ids:
            return []
        result = await self._calls.call(call, GET_THREADS, {"ids": list(ids)})
        found = GotThreads.model_validate(data_of(result))
        if found.left:
            raise ToolFailedError(
                failed(IntegrationErrorCode.RATE_LIMITED, say("Gmail would not give all conversations"))
            )
        conversations: list[Conversation] = []
        for thread in found.threads:
            mails = [mail for mail in thread.mails if _NOT_IN_A_THREAD.isdisjoint(mail.labels)]
            if mails:
                newest = GmailMail(mails[-1], result.raw[mails[-1].id])
                shown = row((await self._reader.read(newest.raw)).mail, _entry(newest.got))
                unread = sum("UNREAD" in mail.labels for mail in mails)
                conversations.append(Conversation(shown, len(mails), unread))
        return conversations


def _entry(got: Got) -> MailEntry:
    return MailEntry(got.id, f"gmail:{got.thread_id}", got.received_at, "UNREAD" in got.labels, got.size)
