"""The two identities on mail, each with all that belongs to it; loaded only where one of them is on."""

from collections.abc import Mapping, Sequence

from butler.contract.integration import BaseIntegration, IntegrationCall
from butler.contract.module import CheckResult, ModuleContext
from butler.contract.tools import ToolMetadata, ToolSpec
from modules.email import tools
from modules.email.args import BOT_ROLES, USER_ROLES
from modules.email.bot_mailbox import BotMailbox
from modules.email.config import BotMailboxSettings, EmailSettings, UserMailboxSettings, endpoint
from modules.email.intake import Intake
from modules.email.integration_gmail import PROFILE, GmailIntegration
from modules.email.integration_smtp_imap import CHECK_IMAP, CHECK_SMTP, SmtpImapIntegration
from modules.email.owner_mail import MailToOwner
from modules.email.reader import MailReader
from modules.email.source import MailboxSource
from modules.email.user_mailbox import UserMailbox


class BotSide:
    """All of the butler's mailbox."""

    def __init__(self, settings: BotMailboxSettings, reader: MailReader, context: ModuleContext) -> None:
        self._settings, self._reader = settings, reader
        self.integration = SmtpImapIntegration(settings, context.secrets, context.blobs, context.probe)
        intake = Intake(self.integration, self._reader, context, settings.authserv_id)
        self.source = MailboxSource(self.integration, intake, context.clock, settings.poll_interval)
        self._mailbox = BotMailbox(self.integration, intake, self._reader, context)
        self.second_channel = MailToOwner(self.integration, context)

    def inputs(self) -> Sequence[ToolSpec]:
        return tools.bot_inputs(self._mailbox)

    def outputs(self) -> Sequence[ToolSpec]:
        return tools.bot_outputs(self._mailbox)

    def metadata(self) -> Mapping[str, ToolMetadata]:
        return BOT_ROLES

    async def checks(self) -> list[CheckResult]:
        settings = self._settings
        todo = f"check {settings.address_env}, {settings.password_env}, imap and smtp in [modules.email.bot]"
        return [
            await _check("the butler's mailbox", self.integration, CHECK_IMAP, todo),
            await _check("sending from the butler's mailbox", self.integration, CHECK_SMTP, todo),
            *_encryption(settings),
        ]

    async def stop(self) -> None:
        await self.integration.stop()
        await self._reader.stop()


class UserSide:
    """All of the person's mailbox."""

    def __init__(self, settings: UserMailboxSettings, reader: MailReader, context: ModuleContext) -> None:
        self._settings, self._reader = settings, reader
        self.integration = GmailIntegration(settings, context.secrets, context.blobs, context.probe)
        self._mailbox = UserMailbox(self.integration, self._reader, context)

    def inputs(self) -> Sequence[ToolSpec]:
        return tools.user_inputs(self._mailbox)

    def outputs(self) -> Sequence[ToolSpec]:
        return tools.user_outputs(self._mailbox)

    def metadata(self) -> Mapping[str, ToolMetadata]:
        return USER_ROLES

    async def checks(self) -> list[CheckResult]:
        todo = f"make new Gmail credentials (docs/how-to/connect-mail.md), or check {self._settings.credentials_env}"
        return [await _check("your Gmail", self.integration, PROFILE, todo)]

    async def stop(self) -> None:
        self.integration.stop()
        await self._reader.stop()


def enabled_sides(settings: EmailSettings, context: ModuleContext) -> tuple[BotSide | None, UserSide | None]:
    """The sides that are on; they share one reader."""
    reader, bot, user = MailReader(), settings.bot, settings.user
    return (
        BotSide(bot, reader, context) if bot is not None and bot.enabled else None,
        UserSide(user, reader, context) if user is not None and user.enabled else None,
    )


async def _check(name: str, integration: BaseIntegration, method_id: str, todo: str) -> CheckResult:
    result = await integration.call(IntegrationCall(trace_id="doctor", method_id=method_id, args={}))
    if result.error is not None:
        return CheckResult(name, ok=False, detail=result.error.message, todo=todo)
    data = result.data or {}
    return CheckResult(name, ok=True, detail=str(data.get("detail") or f"signed in as {data.get('address')}"))


def _encryption(settings: BotMailboxSettings) -> list[CheckResult]:
    bare = [name for name in ("imap", "smtp") if not endpoint(getattr(settings, name)).encrypted]
    if not bare:
        return []
    detail = f"{' and '.join(bare)} without TLS: the password crosses the network as it is"
    return [CheckResult("encryption", ok=True, detail=detail, todo="use imaps:// and smtp+starttls:// if you can")]
