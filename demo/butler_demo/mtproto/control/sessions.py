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
