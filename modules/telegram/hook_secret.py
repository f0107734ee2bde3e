"""The secret that proves that an update sent to the webhook comes from Telegram."""

import re
import secrets

from butler.contract.errors import ConfigError
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from modules._remote.hook_signs import same
from modules.telegram.config import BotSettings

_ALLOWED = re.compile(r"[A-Za-z0-9_-]{1,256}")
_BYTES = 32
SEALED_AS = "BUTLER_TELEGRAM_WEBHOOK_SECRET"


class HookSecret:
    """The secret that Telegram sends with every update: the owner's, or one generated and sealed on first use."""

    def __init__(self, settings: BotSettings, context: ModuleContext) -> None:
        self._variable, self._vault = settings.webhook_secret_env or SEALED_AS, context.vault
        self._known = ""

    def value(self) -> str:
        """Return the secret. Raise `ConfigError` if Telegram would refuse it, `SealedError` if the vault is sealed."""
        if not self._known:
            secret = self._vault.get(self._variable)
            if not secret:
                secret = secrets.token_urlsafe(_BYTES)
                self._vault.put(self._variable, secret)
            if not _ALLOWED.fullmatch(secret):
                raise ConfigError(
                    say(
                        "{variable} holds what Telegram does not take: write 1 to 256 of A-Z, a-z, 0-9, _ and -, or "
                        "leave it out and one is made",
                        variable=self._variable,
                    )
                )
            self._known = secret
        return self._known

    def is_shown(self, shown: str) -> bool:
        """Return whether the shown secret is right; compares in constant time."""
        return same(shown, self.value())
