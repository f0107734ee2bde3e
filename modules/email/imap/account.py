"""Access to a mailbox: its servers, its address, and its password or access token, read when needed."""

import ssl
from collections.abc import Awaitable, Callable
from typing import TypeVar

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.module import CheckResult
from butler.contract.speech import say
from modules._accounts.oauth import AccessTokens
from modules._accounts.oauth_login import OF_TOKENS
from modules.email.config import MailServerSettings, UserServerSettings, endpoint
from modules.email.integration_imap import Login
from modules.email.integration_smtp import Submission

T = TypeVar("T")


class MailAccount:
    """Access to one mailbox. Every method raises an `IntegrationFault` for what only the owner can fix."""

    def __init__(
        self, settings: MailServerSettings, lookup: Callable[[str], str], tokens: AccessTokens | None = None
    ) -> None:
        """`lookup` returns a variable's value; `tokens` makes access tokens if the variable does not hold one."""
        self.settings = settings
        self._lookup = lookup
        self._tokens = tokens

    @property
    def address(self) -> str:
        """The mailbox's address in lower case."""
        return self._value(self.settings.address_env).lower()

    def scopes(self, *, smtp: bool) -> tuple[str, ...]:
        """Return the OAuth scopes that reading by IMAP or sending by SMTP needs; empty with a password."""
        if not isinstance(self.settings, UserServerSettings) or self.settings.auth != "xoauth2":
            return ()
        others = "IMAP." if smtp else "SMTP."
        return tuple(one for one in self.settings.scopes if one not in OF_TOKENS and others not in one)

    async def login(self) -> Login:
        """Return the credentials and server for reading."""
        return Login(
            endpoint(self.settings.imap),
            self.address,
            await self._secret(),
            xoauth2=self.settings.auth == "xoauth2",
            tls=self._tls(),
        )

    async def submission(self) -> Submission:
        """Return the credentials and server for sending."""
        return Submission(
            endpoint(self.settings.smtp),
            self.address,
            await self._secret(),
            xoauth2=self.settings.auth == "xoauth2",
            tls=self._tls(),
        )

    async def logged_in(self, act: Callable[[], Awaitable[T]]) -> T:
        """Run `act`, which logs in first; run it again if the server refused an access token that can be renewed."""
        try:
            return await act()
        except IntegrationFault as fault:
            if fault.code is not IntegrationErrorCode.AUTH_REQUIRED or self._tokens is None:
                raise
            # The token may have ended early, as it does when the owner changes their password.
            self._tokens.forget()
        return await act()

    def forget(self) -> None:
        """Drop the access token that was made with older credentials."""
        if self._tokens is not None:
            self._tokens.forget()

    async def _secret(self) -> str:
        if self._tokens is not None:
            return await self._tokens.get()
        return self._value(self.settings.password_env)

    def _value(self, name: str) -> str:
        value = self._lookup(name)
        if not value:
            own = isinstance(self.settings, UserServerSettings)
            todo = say("run `butler login mail`") if own else say("set it to use this mailbox")
            raise IntegrationFault(
                IntegrationErrorCode.AUTH_REQUIRED,
                say("{variable} is not set; {todo}", variable=name, todo=todo),
                effect=Effect.NONE,
            )
        return value

    def _tls(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self.settings.tls_ca or None)
        except OSError as error:
            raise IntegrationFault(
                IntegrationErrorCode.AUTH_REQUIRED, say("tls_ca names no certificate file that can be read")
            ) from error


def encryption_check(settings: MailServerSettings, name: str) -> list[CheckResult]:
    """Return a line for `butler doctor` if the mailbox is accessed without encryption."""
    bare = [way for way in ("imap", "smtp") if not endpoint(getattr(settings, way)).encrypted]
    if not bare:
        return []
    detail = f"{' and '.join(bare)} without TLS: the password crosses the network as it is"
    todo = "use imaps:// and smtp+starttls:// if you can"
    return [CheckResult(f"{name}: encryption", ok=True, detail=detail, todo=todo)]
