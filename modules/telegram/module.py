"""Telegram as a channel of Butler: the bot that talks with the owner, and the owner's own account."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.channel import ChannelInfo
from butler.contract.errors import ConfigError
from butler.contract.hooks import HookReceiver
from butler.contract.module import AddressBookEntry, CheckResult, Module, ModuleContext, Source
from butler.contract.names import Identity
from butler.contract.referents import ReferentKind
from butler.contract.rendering import PlanContext, Rendered, StepResult
from butler.contract.speech import phrase
from butler.contract.tools import IOToolSpec, ToolMetadata
from modules.telegram.admission import Admission
from modules.telegram.bot_gap import Gap
from modules.telegram.config import BotSettings, TelegramSettings, UserSettings
from modules.telegram.hook_secret import HookSecret
from modules.telegram.lanes import Lanes
from modules.telegram.normalise import Receiver, migrated
from modules.telegram.rendering import which_conversation, which_group
from modules.telegram.tool_args import BOT_METADATA
from modules.telegram.tools import BotTools
from modules.telegram.user_calls import Accounts
from modules.telegram.user_roles import USER_METADATA
from modules.telegram.user_tools import UserTools

if TYPE_CHECKING:
    from modules.telegram.user_account import UserAccount


class BotSide:
    """The butler's bot and its parts. The library is imported here, only when the identity is on."""

    def __init__(self, settings: BotSettings, context: ModuleContext) -> None:
        from modules.telegram.bot_intake import BotIntake  # noqa: PLC0415 - heavy
        from modules.telegram.bot_webhook import BotWebhook  # noqa: PLC0415 - heavy
        from modules.telegram.hook_bot import BotHook  # noqa: PLC0415 - heavy
        from modules.telegram.integration_telegram_bot_api import TelegramBotApi  # noqa: PLC0415 - heavy
        from modules.telegram.owner_channel import TelegramOwnerChannel  # noqa: PLC0415 - heavy
        from modules.telegram.source_bot import BotSource  # noqa: PLC0415 - heavy
        from modules.telegram.source_bot_hook import BotHookSource  # noqa: PLC0415 - heavy

        self.context, self._settings = context, settings
        self.lanes = Lanes()
        self.admission = Admission(context.owner, settings.allowed_groups, context.storage.cursors)
        secret = HookSecret(settings, context)
        self.api: TelegramBotApi = TelegramBotApi(
            settings, context.vault, context.storage.blobs, context.probe, hook_secret=secret.value
        )
        self.channel = TelegramOwnerChannel(self.api, context, self.lanes, self.moved)
        self.webhook = BotWebhook(self.api, settings, context, secret)
        self.intake, gap = BotIntake(self.api, context, self.admission), Gap(context, self.tell_owner)
        poll = BotSource(self.api, context, self.intake, gap, self.webhook)
        self.source: BotSource | BotHookSource = poll
        self.hooks: tuple[HookReceiver, ...] = ()
        if settings.mode == "webhook":
            if not context.public_url.startswith("https://"):
                raise ConfigError('[modules.telegram.bot] mode = "webhook" needs public_url in [web], with https://')
            fallback = poll if settings.webhook_fallback else None
            self.source = BotHookSource(self.api, context, self.intake, gap, self.webhook, self.tell_owner, fallback)
            self.hooks = (BotHook(self.intake, secret, self.source.note_update),)
        self.tools = BotTools(self.api, context, self.lanes, self.moved)

    async def moved(self, old: int, new: int) -> None:
        """Store that a group has a new id, as if Telegram had sent an update about it."""
        await self.admission.moved(old, new)
        receiver = Receiver(self.api.bot_id(), self.context.owner.telegram_user_id)
        await self.context.inbox.sink.put(migrated(receiver, old, new, self.context.clock.now()))

    async def tell_owner(self, text: str) -> None:
        """Send a text to the owner, if there is one yet."""
        if home := self.channel.home():
            await self.channel.say(home, OwnerMessage(text=plain(text)))

    async def checks(self) -> list[CheckResult]:
        """Check that the token is valid, and that updates arrive."""
        from modules.telegram.checks import bot_checks  # noqa: PLC0415 - only for `butler doctor`

        wanted = self.webhook.url if self._settings.mode == "webhook" else ""
        return await bot_checks(self.api, wanted, beside_daemon=self.context.beside_daemon)


class UserSide:
    """The owner's own accounts and their tools. The library is imported here, only when the identity is on."""

    def __init__(self, settings: UserSettings, context: ModuleContext, butler: str) -> None:
        from modules.telegram.user_account import UserAccount  # noqa: PLC0415 - heavy

        named = settings.by_name.items()
        self.accounts = [
            UserAccount(name, account, context, butler, default=at == 0) for at, (name, account) in enumerate(named)
        ]
        self.tools = UserTools(Accounts(self.accounts), context)

    async def address_book(self) -> Sequence[AddressBookEntry]:
        """Return the accounts' contacts, under the names that the owner gave them."""
        entries: list[AddressBookEntry] = []
        for account in self.accounts:
            entries += await account.address_book()
        return entries


class TelegramModule(Module):
    """The channel `telegram`."""

    channel: ClassVar[str] = "telegram"
    about: ClassVar[ChannelInfo] = ChannelInfo(
        title=phrase("Telegram"),
        contents=phrase("your chats"),
        referent=ReferentKind.MESSAGE,
        next_acts=("reply_to_message", "send_message", "read_message"),
        brands=("telegram",),
        login="butler login telegram",
    )
    settings_model: ClassVar[type[BaseModel]] = TelegramSettings

    def __init__(self, settings: TelegramSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self.bot = BotSide(settings.bot, context) if settings.bot and settings.bot.enabled else None
        butler = _bot_number(context.vault.get(settings.bot.token_env)) if settings.bot else ""
        self.user = UserSide(settings.user, context, butler) if settings.user and settings.user.by_name else None

    def user_inputs(self) -> Sequence[IOToolSpec]:
        return self.user.tools.inputs() if self.user else ()

    def user_outputs(self) -> Sequence[IOToolSpec]:
        return self.user.tools.outputs() if self.user else ()

    def bot_inputs(self) -> Sequence[IOToolSpec]:
        return self.bot.tools.inputs() if self.bot else ()

    def bot_outputs(self) -> Sequence[IOToolSpec]:
        return self.bot.tools.outputs() if self.bot else ()

    def tool_metadata(self) -> dict[str, ToolMetadata]:
        return {**(BOT_METADATA if self.bot else {}), **(USER_METADATA if self.user else {})}

    def render(self, result: StepResult, _zone: ZoneInfo, /) -> Rendered | None:
        return which_conversation(result)

    def render_together(self, results: Sequence[StepResult], _context: PlanContext, /) -> Rendered | None:
        return which_group(results)

    def integrations(self) -> Sequence[BaseIntegration]:
        feeds = [account.source.api for account in self._accounts()]
        return [*(side.api for side in (*self._bot(), *self._accounts())), *feeds]

    def backing(self, identity: Identity) -> Sequence[BaseIntegration]:
        return [side.api for side in (self._accounts() if identity is Identity.USER else self._bot())]

    def sources(self) -> Sequence[Source]:
        return [side.source for side in (*self._bot(), *self._accounts())]

    def owner_channel(self) -> OwnerChannel | None:
        return self.bot.channel if self.bot else None

    def hooks(self) -> Sequence[HookReceiver]:
        return self.bot.hooks if self.bot else ()

    async def address_book(self) -> Sequence[AddressBookEntry]:
        return await self.user.address_book() if self.user else ()

    async def checks(self) -> Sequence[CheckResult]:
        found = await self.bot.checks() if self.bot else []
        return [*found, *[await account.check() for account in self._accounts()]]

    async def signed_in(self) -> None:
        for account in self._accounts():
            await account.connection.changed()

    async def stop(self) -> None:
        if self.bot:
            await self.bot.api.close()
        for account in self._accounts():
            await account.connection.close()

    def _bot(self) -> "tuple[BotSide, ...]":
        return (self.bot,) if self.bot else ()

    def _accounts(self) -> "Sequence[UserAccount]":
        return self.user.accounts if self.user else ()


def _bot_number(token: str) -> str:
    """Return the bot's id, with which every token begins; empty if the text is no token."""
    number = token.strip().partition(":")[0]
    return number if number.isascii() and number.isdigit() else ""
