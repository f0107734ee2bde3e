"""`/hooks/NAME` for each endpoint of the settings. There is nothing to call here, so no tools."""

from collections.abc import Sequence

from butler.contract.hooks import HookReceiver
from butler.contract.module import CheckResult, Module
from modules.hooks.config import Endpoint, HooksBotSettings
from modules.hooks.config import HooksModuleSettings as Settings
from modules.hooks.receiver import EndpointReceiver


class HooksModule(Module):
    """Endpoints of one's own."""

    channel = "hooks"
    settings_model = Settings

    def hooks(self) -> Sequence[HookReceiver]:
        return [EndpointReceiver(endpoint, self.context) for endpoint in self._endpoints()]

    async def checks(self) -> Sequence[CheckResult]:
        return [self._check(endpoint) for endpoint in self._endpoints()]

    def _endpoints(self) -> Sequence[Endpoint]:
        bot: HooksBotSettings | None = self.settings.bot
        return bot.endpoint if bot is not None and bot.enabled else ()

    def _check(self, endpoint: Endpoint) -> CheckResult:
        if self.context.vault.get(endpoint.secret_env):
            return CheckResult(f"webhook {endpoint.name}", ok=True, detail=f"listens at /hooks/{endpoint.name}")
        return CheckResult(
            f"webhook {endpoint.name}",
            ok=False,
            detail=f"{endpoint.secret_env} is not set, so nothing is let through",
            todo="write it into the secrets file as NAME=value, or set it in the environment",
        )
