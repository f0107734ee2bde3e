# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""auth.exportLoginToken: a new device signs in by a QR code that a signed-in one has scanned.

https://core.telegram.org/api/qr-login describes the exchange. The times are the real clock's, because clients
compare them with their own.
"""

import secrets
from datetime import UTC, datetime, timedelta

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.auth import check_app, signed_in

_LIFETIME = timedelta(seconds=30)


def export_login_token(
    context: Context, request: functions.auth.ExportLoginTokenRequest
) -> types.auth.LoginToken | types.auth.LoginTokenSuccess:
    """A token to show, or the login itself once one was scanned; then the password may still be asked for."""
    check_app(request)
    authorization = context.authorization
    account, authorization.scanned_by = authorization.scanned_by, None
    if account is None:
        token = secrets.token_bytes(32)
        context.state.login_tokens[token] = authorization
        return types.auth.LoginToken(datetime.now(UTC) + _LIFETIME, token)
    if account.password is not None:
        authorization.awaiting_password = account
        raise RpcFault(401, "SESSION_PASSWORD_NEEDED")
    return types.auth.LoginTokenSuccess(signed_in(context, account))


METHODS: Methods = {functions.auth.ExportLoginTokenRequest: export_login_token}
