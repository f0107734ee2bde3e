# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for logins and sessions: codes and QR codes, and how sessions end."""

from typing import Literal

from telethon.tl import types

from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.login_tokens import token_of


class SessionControl(Control):
    """Who comes in and who is thrown out."""

    def scan(self, url: str, user_id: int) -> None:
        """Have an account's phone scan a QR code and allow the login; `url` is the `tg://login?token=...` in it.

        The device that shows the code is pushed `updateLoginToken`. An account with a password still needs it.

        Raises:
            ValueError: it is no such link.
            RpcFault: 400 AUTH_TOKEN_EXPIRED and the like, as the phone would be answered.
        """
        self._state.accept_login_token(token_of(url), self._state.directory.accounts[user_id])

    def expire_login_tokens(self) -> None:
        """Let all QR codes that are shown become too old to be scanned."""
        self._state.login_tokens.expire()

    def expire_codes(self) -> None:
        """Let all login codes that were sent become too old: 400 PHONE_CODE_EXPIRED."""
        self._state.authorizations.forget_codes()

    def ban_number(self, user_id: int) -> None:
        """Ban an account's number from Telegram: logins are answered 400 PHONE_NUMBER_BANNED."""
        self._state.directory.banned.add(user_id)

    def revoke(
        self,
        user_id: int,
        *,
        tell: bool = True,
        refusal: Literal["SESSION_REVOKED", "AUTH_KEY_UNREGISTERED", "USER_DEACTIVATED_BAN"] = "SESSION_REVOKED",
    ) -> None:
        """End all sessions of an account: their calls are answered 401 with `refusal` from now on.

        Telegram makes a client that is connected look (`updatesTooLong`), so that it learns of it at once;
        with `tell=False` it learns at its next call.
        """
        connections = self._announcer.connections_of(user_id)
        self._state.authorizations.revoke(user_id, refusal)
        for connection in connections if tell else ():
            connection.push(types.UpdatesTooLong())

    def forget_keys(self, user_id: int) -> None:
        """Lose the auth keys of an account's sessions: every message is answered with the transport error -404."""
        self._state.authorizations.forget(user_id)

    def duplicate_keys(self, user_id: int) -> None:
        """Act as if the sessions of an account had been used from two places: 406 AUTH_KEY_DUPLICATED for good."""
        for authorization in self._state.authorizations.of(user_id):
            authorization.duplicated = True

    def make_keys_exclusive(self, *, exclusive: bool = True) -> None:
        """Let a key die (406 AUTH_KEY_DUPLICATED for both) when a second connection uses it while one is open."""
        self._announcer.keys_are_exclusive = exclusive
