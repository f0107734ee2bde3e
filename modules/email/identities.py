"""The two identities on mail with their services; loaded only if one of them is enabled."""

from collections.abc import Mapping, Sequence

from butler.contract.base_integration import BaseIntegration
from butler.contract.bulk import BulkToolAdapter
from butler.contract.hooks import HookReceiver
from butler.contract.module import CheckResult, ModuleContext, Source
from butler.contract.tools import ToolMetadata, ToolSpec
from modules.email import tools
from modules.email.args import BOT_ROLES, USER_ROLES
from modules.email.bot_mailbox import BotMailbox
from modules.email.bulk.tools import MailBulk, roles
from modules.email.checks import mailbox_checks, stamp_checks
from modules.email.config import BotMailboxSettings, EmailSettings, GmailSettings, UserMailboxSettings
from modules.email.filing import Filing
from modules.email.gmail.push_tokens import PushTokens
from modules.email.hook_gmail import GmailHook
from modules.email.imap.account import MailAccount, encryption_check
from modules.email.intake import Intake
from modules.email.integration_google_certs import GOOGLES, GoogleCerts
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.integration_unsubscribe import UnsubscribeIntegration
from modules.email.invite_args import INVITE_ROLES
from modules.email.invites import InviteAnswers
from modules.email.items import MailItems
from modules.email.owner_mail import MailToOwner
from modules.email.parsing.reader import MailReader
from modules.email.ranking import SenderRanks, rank_roles
from modules.email.source import MailboxSource
from modules.email.unsubscribe import Unsubscribing
from modules.email.unsubscribe_args import BOT_UNSUBSCRIBE_ROLES, USER_UNSUBSCRIBE_ROLES
from modules.email.user_side import UserMailbox, UserMailboxes


class BotSide:
    """The butler's mailbox with its services."""

    def __init__(self, settings: BotMailboxSettings, reader: MailReader, context: ModuleContext) -> None:
        self._settings, self._reader = settings, reader
        self._lists = UnsubscribeIntegration(context.probe)
        account = MailAccount(settings, context.vault.get)
        self.integration = SmtpImapIntegration(
            account, context.storage.blobs, context.probe, largest_mail=settings.largest_mail_mb * 1024 * 1024
        )
        filing = Filing(self.integration, settings.handled_folder, context) if settings.handled_folder else None
        intake = Intake(self.integration, MailItems(reader, context, settings), context, filing)
        self._source = MailboxSource("email.bot", self.integration, intake, context.clock, settings.poll_interval)
        self._mailbox = BotMailbox(self.integration, intake, reader, context, settings.handled_folder)
        self.second_channel = MailToOwner(self.integration, reader, context)

    @property
    def integrations(self) -> Sequence[BaseIntegration]:
        return [self.integration, self._lists]

    @property
    def sources(self) -> Sequence[Source]:
        return [self._source]

    def inputs(self) -> Sequence[ToolSpec]:
        return tools.bot_inputs(self._mailbox)

    def outputs(self) -> Sequence[ToolSpec]:
        return tools.bot_outputs(self._mailbox, Unsubscribing(self._lists, self._mailbox.original, forwards=True))

    def metadata(self) -> Mapping[str, ToolMetadata]:
        return {**BOT_ROLES, "bot_email_unsubscribe": BOT_UNSUBSCRIBE_ROLES}

    async def checks(self) -> list[CheckResult]:
        settings = self._settings
        todo = f"check {settings.address_env}, {settings.password_env}, imap and smtp in [modules.email.bot]"
        name = "the butler's mailbox"
        return [
            *await mailbox_checks(self.integration, name, f"sending from {name}", todo),
            *await stamp_checks(self.integration, f"{name}: Authentication-Results", settings.authserv_id),
            *encryption_check(settings, name),
        ]

    async def stop(self) -> None:
        await self.integration.stop()
        await self._reader.stop()


class UserSide:
    """The owner's mailboxes with their services."""

    def __init__(self, accounts: Mapping[str, UserMailboxSettings], reader: MailReader, context: ModuleContext) -> None:
        self._reader, self._context = reader, context
        self._lists = UnsubscribeIntegration(context.probe)
        self._mailboxes = UserMailboxes(
            {name: _mailbox(name, settings, reader, context) for name, settings in accounts.items()}
        )
        adapters = {
            name: "gmail" if isinstance(account, GmailSettings) else "imap" for name, account in accounts.items()
        }
        self._bulk = MailBulk(context.bulk, adapters)
        pushed = [one for one in accounts.values() if isinstance(one, GmailSettings) and one.push_topic]
        self._certs = GoogleCerts(pushed[0].push_certs if pushed else GOOGLES, context.probe)
        self._hook = _receiver(self._mailboxes.every(), self._certs, context) if pushed else None
        self._ranks = SenderRanks(context.storage.mirror, tuple(accounts))

    @property
    def integrations(self) -> Sequence[BaseIntegration]:
        return [*(mailbox.integration for mailbox in self._mailboxes.every()), self._lists, self._certs]

    @property
    def sources(self) -> Sequence[Source]:
        return [source for mailbox in self._mailboxes.every() for source in mailbox.sources()]

    def inputs(self) -> Sequence[ToolSpec]:
        return (*tools.user_inputs(self._mailboxes), self._ranks.spec())

    def outputs(self) -> Sequence[ToolSpec]:
        return (
            tools.user_outputs(
                self._mailboxes,
                InviteAnswers(self._mailboxes, self._context),
                Unsubscribing(self._lists, self._mailboxes.original),
            )
            + self._bulk.specs()
        )

    def hooks(self) -> Sequence[HookReceiver]:
        return (self._hook,) if self._hook else ()

    def bulk_adapters(self) -> Sequence[BulkToolAdapter]:
        return bulk_adapters(self._mailboxes.named(), self._reader, self._context)

    def metadata(self) -> Mapping[str, ToolMetadata]:
        return {
            **USER_ROLES,
            "user_email_answer_invite": INVITE_ROLES,
            "user_email_unsubscribe": USER_UNSUBSCRIBE_ROLES,
            **roles(),
            **rank_roles(),
        }

    async def checks(self) -> list[CheckResult]:
        return [check for mailbox in self._mailboxes.every() for check in await mailbox.checks()]

    async def signed_in(self) -> None:
        for mailbox in self._mailboxes.every():
            await mailbox.signed_in()

    async def stop(self) -> None:
        for mailbox in self._mailboxes.every():
            await mailbox.stop()
        await self._reader.stop()


def _receiver(mailboxes: Sequence[UserMailbox], certs: GoogleCerts, context: ModuleContext) -> GmailHook:
    """Return the receiver of Google's pushes for the accounts that have them."""
    from modules.email.gmail.user_mailbox import GmailMailbox  # noqa: PLC0415 - Google's client, only where it is used

    pushed = (mailbox.pushed for mailbox in mailboxes if isinstance(mailbox, GmailMailbox))
    return GmailHook([one for one in pushed if one is not None], PushTokens(certs, context.clock))


def enabled_sides(settings: EmailSettings, context: ModuleContext) -> tuple[BotSide | None, UserSide | None]:
    """Build the enabled sides; they share one reader."""
    reader, bot, accounts = MailReader(), settings.bot, settings.user_accounts()
    return (
        BotSide(bot, reader, context) if bot is not None and bot.enabled else None,
        UserSide(accounts, reader, context) if accounts else None,
    )


def bulk_adapters(
    mailboxes: Sequence[tuple[str, UserMailbox]], reader: MailReader, context: ModuleContext
) -> Sequence[BulkToolAdapter]:
    """Build the bulk adapters: one for the accounts at Gmail, one for those on mail servers."""
    adapters: list[BulkToolAdapter] = []
    servers = {name: box.integration for name, box in mailboxes if isinstance(box.integration, SmtpImapIntegration)}
    if servers:
        from modules.email.bulk.imap import ImapBulkAdapter  # noqa: PLC0415 - only where it is used

        adapters.append(ImapBulkAdapter(servers, reader, context.storage.mirror, context.zone))
    if len(servers) < len(mailboxes):
        from modules.email.bulk.gmail import GmailBulkAdapter  # noqa: PLC0415 - Google's client, only where it is used
        from modules.email.gmail.user_mailbox import GmailMailbox  # noqa: PLC0415 - the same

        gmail = {name: box.integration for name, box in mailboxes if isinstance(box, GmailMailbox)}
        adapters.append(GmailBulkAdapter(gmail, reader, context.storage.mirror, context.zone))
    return adapters


def _mailbox(account: str, settings: UserMailboxSettings, reader: MailReader, context: ModuleContext) -> UserMailbox:
    if isinstance(settings, GmailSettings):
        from modules.email.gmail.user_mailbox import GmailMailbox  # noqa: PLC0415 - Google's client, only where it is used

        return GmailMailbox(account, settings, reader, context)
    from modules.email.imap.user_mailbox import ServerMailbox  # noqa: PLC0415

    return ServerMailbox(account, settings, reader, context)
