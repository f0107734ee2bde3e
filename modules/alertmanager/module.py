"""`/hooks/alertmanager`: alerts become events, and the owner is told. There is nothing to call here, so no tools."""

from collections.abc import Sequence

from butler.contract.hooks import HookReceiver, HookRequest
from butler.contract.module import CheckResult, Module
from modules._remote.alerts import AlertReceiver
from modules._remote.hook_signs import check_basic, check_bearer, secret_of
from modules.alertmanager.config import AlertmanagerModuleSettings, AlertmanagerSettings


class AlertmanagerModule(Module):
    """The person's Alertmanager."""

    channel = "alertmanager"
    settings_model = AlertmanagerModuleSettings

    def hooks(self) -> Sequence[HookReceiver]:
        bot = self._bot()
        if bot is None:
            return ()
        return (AlertReceiver(self.channel, lambda request: self._check(bot, request), self.context.happenings),)

    async def checks(self) -> Sequence[CheckResult]:
        bot = self._bot()
        if bot is None:
            return ()
        missing = [name for name in self._variables(bot) if not self.context.vault.get(name)]
        detail = f"{missing[0]} is not set, so nothing is let through" if missing else "takes alerts"
        todo = "write it into the secrets file as NAME=value, or set it in the environment" if missing else ""
        return [CheckResult("alerts of Alertmanager", ok=not missing, detail=detail, todo=todo)]

    def _bot(self) -> AlertmanagerSettings | None:
        bot: AlertmanagerSettings | None = self.settings.bot
        return bot if bot is not None and bot.enabled else None

    @staticmethod
    def _variables(bot: AlertmanagerSettings) -> tuple[str, ...]:
        return (bot.password_env,) if bot.username else (bot.token_env,)

    def _check(self, bot: AlertmanagerSettings, request: HookRequest) -> None:
        (variable,) = self._variables(bot)
        secret = secret_of(self.context.vault, variable)
        if bot.username:
            check_basic(request.headers, bot.username, secret)
        else:
            check_bearer(request.headers, secret)
