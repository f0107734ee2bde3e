# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportIncompatibleMethodOverride=false
# (Telethon carries no complete types.)
"""One account's connection to Telegram, shared by the account's methods and its feed, as one signed-in device.

It opens on use only: when reconnecting in the background, Telethon drops pending requests. A session that was signed
out or used from elsewhere is given up immediately, since only the owner can help.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

import structlog
from telethon import TelegramClient
from telethon.crypto import rsa

from butler.contract.clock_steps import ClockSteps
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, Reconfigure
from butler.contract.ports import Clock, Vault
from butler.contract.speech import say
from modules.telegram.config import AccountSettings
from modules.telegram.integration_client_errors import LOGIN, fault_of, sign_in
from modules.telegram.integration_client_session import BoundedSession

T = TypeVar("T")

log = structlog.get_logger(__name__)

CONNECT_TIMEOUT_S = 10
MOST_OFF = timedelta(seconds=15)
"""Telethon accepts answers dated up to half a minute ahead."""


class ClientConnection:
    """Opens with the first `run`, and again after a loss. `close` and `changed` may be called at any time."""

    def __init__(self, account: str, settings: AccountSettings, vault: Vault, clock: Clock, login: str = LOGIN) -> None:
        """`account` is its name in the settings, `login` the command that signs it in."""
        self.account = account
        self._settings = settings
        self._vault = vault
        self.login = login
        self._client: _Client | None = None
        self._opening = asyncio.Lock()
        self._steps, self._set_by = ClockSteps(clock), timedelta()
        self._given_up: IntegrationFault | None = None
        self._heard: Callable[[Any], None] | None = None
        self._lost: Callable[[], None] | None = None

    async def listen(self, heard: Callable[[Any], None], lost: Callable[[], None]) -> None:
        """Subscribe to updates: each `Updates` goes to `heard` unchanged; `lost` is called when the connection is cut.

        Neither may raise. Updates are a hint that something happened, and no record: Telegram never sends those missed
        while there was no connection. After `lost`, the next `run` opens a new connection and subscribes again.
        """
        self._heard, self._lost = heard, lost
        await self._disconnect()

    async def run(self, act: Callable[[Any], Awaitable[T]], *, unclear: Effect = Effect.NONE) -> T:
        """Run `act` with the connected client; raise `IntegrationFault` only.

        `unclear` is what is known of the effect if the connection breaks during the call.
        """
        client = await self._open()
        try:
            return await _while_connected(client, act(client))
        except IntegrationFault:
            raise
        except Exception as error:  # noqa: BLE001 - Telethon's errors share no base; each becomes a typed one
            fault = fault_of(error, unclear, self.login)
        await self._give_up_if_signed_out(fault)
        raise fault

    async def changed(self) -> None:
        """Close the connection after a new sign-in: the next `run` opens with the session in the vault."""
        self._given_up = None
        await self._disconnect()

    async def close(self) -> None:
        """Close the connection."""
        await self._disconnect()

    async def _open(self) -> "_Client":
        if self._given_up is not None:
            raise self._given_up
        async with self._opening:
            await self._mind_clock()
            if self._client is None:
                self._client = self._build()
            client = self._client
            if not client.is_connected():
                try:
                    await client.connect()
                except Exception as error:  # noqa: BLE001 - as in `run`
                    fault = fault_of(error, Effect.NONE, self.login)
                    await self._give_up_if_signed_out(fault)
                    raise fault from None
            return client

    async def _mind_clock(self) -> None:
        """Reopen after the clock was set: Telethon derives message ids from it, and compares it with Telegram's.

        Telethon learns the clock's offset from the first answer on a connection only. On an open connection, it would
        ignore every answer as too old or too new.
        """
        self._set_by += self._steps.look()
        if abs(self._set_by) >= MOST_OFF:
            log.info("connection_opened_anew", account=self.account, clock_set_by_s=self._set_by.total_seconds())
            self._set_by = timedelta()
            await self._disconnect()

    def _build(self) -> "_Client":
        """Build the client; raise `IntegrationFault` if there is no usable session."""
        session = self._session()
        api_hash = self._credential(self._settings.api_hash_env)
        if not self._settings.api_id or not api_hash:
            variable = self._settings.api_hash_env
            raise sign_in(
                say("set api_id and {variable} to what my.telegram.org shows for your app", variable=variable)
            )
        return _Client(session, self._settings.api_id, api_hash, heard=self._heard, lost=self._lost)

    def _session(self) -> Any:
        variable = self._settings.credentials_env
        text = self._credential(variable)
        if not text:
            raise sign_in(say("{variable} is not set: run `{command}`", variable=variable, command=self.login))
        try:
            session = BoundedSession(text)
        except Exception:  # noqa: BLE001 - the text is a credential, and so may be the error's
            session = None
        if session is None:
            raise sign_in(
                say("{variable} holds no Telegram session: run `{command}`", variable=variable, command=self.login)
            )
        if centre := self._settings.data_centre:
            rsa.add_key(centre.key_file.read_text(), old=False)
            session.set_dc(centre.number, centre.host, centre.port)
        return session

    def _credential(self, variable: str) -> str:
        try:
            return self._vault.get(variable)
        except Reconfigure as error:
            raise sign_in(error.detail) from None

    async def _give_up_if_signed_out(self, fault: IntegrationFault) -> None:
        if fault.code is IntegrationErrorCode.AUTH_REQUIRED:
            self._given_up = fault
            await self._disconnect()

    async def _disconnect(self) -> None:
        if self._client is not None:
            client: Any = self._client
            self._client = None
            await client.disconnect()


class _Client(TelegramClient):
    """Telethon without its own reconnecting, retries, waits and catching up."""

    def __init__(
        self,
        session: Any,
        api_id: int,
        api_hash: str,
        *,
        heard: Callable[[Any], None] | None,
        lost: Callable[[], None] | None,
    ) -> None:
        super().__init__(
            session,
            api_id,
            api_hash,
            timeout=CONNECT_TIMEOUT_S,
            auto_reconnect=False,
            connection_retries=0,
            retry_delay=0,
            # No retry, no hidden wait, and the original error: otherwise the duplicate error would be swallowed.
            request_retries=0,
            raise_last_call_error=True,
            flood_sleep_threshold=0,
            receive_updates=heard is not None,
            device_model="Butler",
        )
        self._hand_on = heard or _discard_updates
        self._tell_lost = lost

    @property
    def self_id(self) -> int:
        """Return the account's own id; 0 before the first connection."""
        return self._self_id or 0

    async def _update_loop(self) -> None:
        """Forward updates; Telethon's own catching up keeps its position only in memory."""
        lost = asyncio.ensure_future(self.disconnected)
        try:
            while not lost.done():
                coming = asyncio.ensure_future(self._updates_queue.get())
                try:
                    await asyncio.wait({coming, lost}, return_when=asyncio.FIRST_COMPLETED)
                    if coming.done():
                        self._hand_on(coming.result())
                finally:
                    coming.cancel()
            _ = lost.cancelled() or lost.exception()
        finally:
            lost.cancel()
            if self._tell_lost is not None:
                self._tell_lost()


def _discard_updates(_update: Any) -> None:
    """Discard the updates that Telethon queues with an answer, asked for or not."""


async def _while_connected(client: Any, asking: Awaitable[T]) -> T:
    """Return the answer, or raise as soon as the connection is lost."""
    asked = asyncio.ensure_future(asking)
    lost: asyncio.Future[None] = client.disconnected
    try:
        await asyncio.wait({asked, lost}, return_when=asyncio.FIRST_COMPLETED)
        if asked.done() and not asked.cancelled():
            return asked.result()
        cause = lost.exception() if lost.done() and not lost.cancelled() else None
        raise cause or ConnectionError("the connection to Telegram was lost")
    finally:
        asked.cancel()
        lost.cancel()
