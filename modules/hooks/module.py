"""`/hooks/NAME` for each endpoint of the settings. It offers no tools."""

from collections.abc import Sequence

from butler.contract.hooks import HookReceiver
from butler.contract.module import CheckResult, Module
from modules._remote.hook_signs import secret_check
from modules.hooks.config import Endpoint, HooksBotSettings
from modules.hooks.config import HooksModuleSettings as Settings
from modules.hooks.receiver import EndpointReceiver


class HooksModule(Module):
    """The owner's own endpoints."""

    channel = "hooks"
    settings_model = Settings

    def hooks(self) -> Sequence[HookReceiver]:
        return [EndpointReceiver(endpoint, self.context) for endpoint in self._endpoints()]

    async def checks(self) -> Sequence[CheckResult]:
        vault = self.context.vault
        return [
            secret_check(vault, one.secret_env, f"webhook {one.name}", f"listens at /hooks/{one.name}")
            for one in self._endpoints()
        ]

    def _endpoints(self) -> Sequence[Endpoint]:
        bot: HooksBotSettings | None = self.settings.bot
        return bot.endpoint if bot is not None and bot.enabled else ()
