"""One Google account: its access tokens and its client; a refused token is renewed once."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeVar

from butler.contract.errors import IntegrationFault
from butler.contract.ports import Clock, Vault
from modules._accounts.google_client import Api, GoogleClient
from modules._accounts.google_errors import Product, SignIn
from modules._accounts.oauth import AccessTokens

T = TypeVar("T")


class GoogleAccount:
    """`credentials` is the vault's variable of the consent; `login` is the command that signs in again."""

    def __init__(
        self, api: Api, product: Product, *, api_root: str, credentials: str, vault: Vault, clock: Clock, login: str
    ) -> None:
        self._product, self._clock, self._login = product, clock, login
        self._tokens = AccessTokens(vault, credentials, clock, command=login, authority="Google")
        self.client = GoogleClient(api, api_root)

    async def send(self, ask: Callable[[str, SignIn], Awaitable[T]]) -> T:
        """Ask with an access token, and once more with a new one if that is refused. Raise `IntegrationFault`."""
        token = await self._tokens.get()
        try:
            return await ask(token, self._sign_in())
        except IntegrationFault as fault:
            if fault.http_status != HTTPStatus.UNAUTHORIZED:
                raise
            # Nothing was done; the token may have been revoked early.
            self._tokens.forget()
        return await ask(await self._tokens.get(), self._sign_in())

    def signed_in(self) -> None:
        """Use the credentials that the vault now holds."""
        self._tokens.forget()

    def _sign_in(self) -> SignIn:
        return SignIn(self._product, self._login, self._clock.now())
