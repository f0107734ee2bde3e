# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for logins and sessions: codes and QR codes, and how sessions end."""

import base64
from typing import Literal

from telethon.tl import types

from butler_demo.mtproto.control.base import Control


class SessionControl(Control):
    """Who comes in and who is thrown out."""

    def scan(self, url: str, user_id: int) -> None:
        """Have an account's phone scan a QR code and allow the login; `url` is the `tg://login?token=...` in it.

        The device that shows the code is pushed `updateLoginToken`. An account with a password still needs it.

        Raises:
            KeyError: no device shows this code, or it was scanned before.
        """
        encoded = url.removeprefix("tg://login?token=")
        token = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        shown_by = self._state.login_tokens.pop(token)
        shown_by.scanned_by = self._state.directory.accounts[user_id]
        self._state.on_scanned(shown_by)

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
