"""The mail channel: the butler's own mailbox and the owner's accounts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from butler.contract.base_integration import BaseIntegration
from butler.contract.bulk import BulkToolAdapter
from butler.contract.channel import ChannelInfo
from butler.contract.hooks import HookReceiver
from butler.contract.module import CheckResult, Module, ModuleContext, Source
from butler.contract.names import Identity
from butler.contract.ports import SecondChannel
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase
from butler.contract.tools import ToolMetadata, ToolSpec
from modules.email.config import EmailSettings

if TYPE_CHECKING:
    from modules.email.identities import BotSide, UserSide


class EmailModule(Module):
    """`bot_email_*` where `[modules.email.bot]` is enabled, `user_email_*` where `[modules.email.user]` is."""

    channel = "email"
    about = ChannelInfo(
        title=phrase("Mail"),
        contents=phrase("your mails"),
        referent=ReferentKind.MAIL,
        next_acts=("read_message", "reply_to_thread", "archive"),
        brands=("gmail", "google"),
        login="butler login gmail",
    )
    settings_model = EmailSettings

    def __init__(self, settings: EmailSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._bot: BotSide | None = None
        self._user: UserSide | None = None
        if (settings.bot is not None and settings.bot.enabled) or settings.user_accounts():
            from modules.email.identities import enabled_sides  # noqa: PLC0415 - the mail libraries, only where mail is on

            self._bot, self._user = enabled_sides(settings, context)

    @property
    def _sides(self) -> "list[BotSide | UserSide]":
        return [side for side in (self._bot, self._user) if side is not None]

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return self._bot.inputs() if self._bot else ()

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return self._bot.outputs() if self._bot else ()

    def user_inputs(self) -> Sequence[ToolSpec]:
        return self._user.inputs() if self._user else ()

    def user_outputs(self) -> Sequence[ToolSpec]:
        return self._user.outputs() if self._user else ()

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {name: metadata for side in self._sides for name, metadata in side.metadata().items()}

    def integrations(self) -> Sequence[BaseIntegration]:
        return tuple(integration for side in self._sides for integration in side.integrations)

    def backing(self, identity: Identity) -> Sequence[BaseIntegration]:
        side = self._user if identity is Identity.USER else self._bot
        return side.integrations if side else ()

    def sources(self) -> Sequence[Source]:
        return tuple(source for side in self._sides for source in side.sources)

    def hooks(self) -> Sequence[HookReceiver]:
        return self._user.hooks() if self._user else ()

    def second_channel(self) -> SecondChannel | None:
        return self._bot.second_channel if self._bot else None

    def bulk_adapters(self) -> Sequence[BulkToolAdapter]:
        return self._user.bulk_adapters() if self._user else ()

    async def signed_in(self) -> None:
        if self._user is not None:
            await self._user.signed_in()

    async def checks(self) -> Sequence[CheckResult]:
        return [check for side in self._sides for check in await side.checks()]

    async def stop(self) -> None:
        for side in self._sides:
            await side.stop()
