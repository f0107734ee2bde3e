"""`/hooks/alertmanager`: turns alerts into events, of which the owner is told. It offers no tools."""

from collections.abc import Sequence

from butler.contract.hooks import HookReceiver, HookRequest
from butler.contract.module import CheckResult, Module
from modules._remote.alerts import AlertReceiver
from modules._remote.hook_signs import check_basic, check_bearer, secret_check, secret_of
from modules.alertmanager.config import AlertmanagerModuleSettings, AlertmanagerSettings


class AlertmanagerModule(Module):
    """The owner's Alertmanager."""

    channel = "alertmanager"
    settings_model = AlertmanagerModuleSettings

    def hooks(self) -> Sequence[HookReceiver]:
        bot = self._bot()
        if bot is None:
            return ()
        return (AlertReceiver(self.channel, lambda request: self._check(bot, request), self.context.event_store),)

    async def checks(self) -> Sequence[CheckResult]:
        bot = self._bot()
        if bot is None:
            return ()
        return [secret_check(self.context.vault, self._variable(bot), "alerts of Alertmanager", "takes alerts")]

    def _bot(self) -> AlertmanagerSettings | None:
        bot: AlertmanagerSettings | None = self.settings.bot
        return bot if bot is not None and bot.enabled else None

    @staticmethod
    def _variable(bot: AlertmanagerSettings) -> str:
        return bot.password_env if bot.username else bot.token_env

    def _check(self, bot: AlertmanagerSettings, request: HookRequest) -> None:
        secret = secret_of(self.context.vault, self._variable(bot))
        if bot.username:
            check_basic(request.headers, bot.username, secret)
        else:
            check_bearer(request.headers, secret)
