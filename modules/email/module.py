"""The mail channel: the butler's own mailbox, and the person's Gmail."""

from collections.abc import Mapping, Sequence

from butler.contract.integration import BaseIntegration, IntegrationCall
from butler.contract.module import CheckResult, Module, ModuleContext
from butler.contract.tools import ToolMetadata, ToolSpec
from modules.email import tools
from modules.email.args import BOT_ROLES, USER_ROLES
from modules.email.bot_mailbox import BotMailbox
from modules.email.config import BotMailboxSettings, EmailSettings, UserMailboxSettings, endpoint
from modules.email.intake import Intake
from modules.email.integration_gmail import PROFILE, GmailIntegration
from modules.email.integration_smtp_imap import CHECK_IMAP, CHECK_SMTP, SmtpImapIntegration
from modules.email.reader import MailReader
from modules.email.source import MailboxSource
from modules.email.user_mailbox import UserMailbox


class _Bot:
    """All of the butler's mailbox."""

    def __init__(self, settings: BotMailboxSettings, reader: MailReader, context: ModuleContext) -> None:
        self.settings = settings
        self.integration = SmtpImapIntegration(settings, context.secrets, context.blobs, context.probe)
        self.intake = Intake(self.integration, reader, context, settings.authserv_id)
        self.source = MailboxSource(self.integration, self.intake, context.clock, settings.poll_interval)
        self.mailbox = BotMailbox(self.integration, self.intake, reader, context)


class _User:
    """All of the person's mailbox."""

    def __init__(self, settings: UserMailboxSettings, reader: MailReader, context: ModuleContext) -> None:
        self.settings = settings
        self.integration = GmailIntegration(settings, context.secrets, context.blobs, context.probe)
        self.mailbox = UserMailbox(self.integration, reader, context)


class EmailModule(Module):
    """`bot_email_*` where `[modules.email.bot]` is enabled, `user_email_*` where `[modules.email.user]` is."""

    channel = "email"
    settings_model = EmailSettings

    def __init__(self, settings: EmailSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._reader = MailReader()
        bot, user = settings.bot, settings.user
        self._bot = _Bot(bot, self._reader, context) if bot is not None and bot.enabled else None
        self._user = _User(user, self._reader, context) if user is not None and user.enabled else None

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return tools.bot_inputs(self._bot.mailbox) if self._bot else ()

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return tools.bot_outputs(self._bot.mailbox) if self._bot else ()

    def user_inputs(self) -> Sequence[ToolSpec]:
        return tools.user_inputs(self._user.mailbox) if self._user else ()

    def user_outputs(self) -> Sequence[ToolSpec]:
        return tools.user_outputs(self._user.mailbox) if self._user else ()

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {**(BOT_ROLES if self._bot else {}), **(USER_ROLES if self._user else {})}

    def integrations(self) -> Sequence[BaseIntegration]:
        return tuple(part.integration for part in (self._bot, self._user) if part is not None)

    def sources(self) -> Sequence[MailboxSource]:
        return (self._bot.source,) if self._bot else ()

    async def checks(self) -> Sequence[CheckResult]:
        results: list[CheckResult] = []
        if self._bot is not None:
            settings = self._bot.settings
            todo = f"check {settings.address_env}, {settings.password_env}, imap and smtp in [modules.email.bot]"
            results += [
                await _check("the butler's mailbox", self._bot.integration, CHECK_IMAP, todo),
                await _check("sending from the butler's mailbox", self._bot.integration, CHECK_SMTP, todo),
                *_encryption(settings),
            ]
        if self._user is not None:
            todo = f"sign in again with `butler login gmail`, or check {self._user.settings.credentials_env}"
            results.append(await _check("your Gmail", self._user.integration, PROFILE, todo))
        return results

    async def stop(self) -> None:
        if self._bot is not None:
            await self._bot.integration.stop()
        if self._user is not None:
            self._user.integration.stop()
        await self._reader.stop()


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
