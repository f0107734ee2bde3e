# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""auth.*LoginToken: a new device signs in by a QR code that a signed-in one has scanned."""

from datetime import UTC, datetime

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.directory import Account
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.auth import check_app, signed_in


def export_login_token(
    context: Context, request: functions.auth.ExportLoginTokenRequest
) -> types.auth.LoginToken | types.auth.LoginTokenSuccess:
    """A token to show, or the login itself once one was accepted; then the password may still be asked for."""
    check_app(request)
    account = context.state.login_tokens.take_accepted(context.authorization)
    if account is not None:
        return _success(context, account)
    shown = context.state.login_tokens.export(context.authorization, frozenset(request.except_ids))
    return types.auth.LoginToken(shown.expires, shown.token)


def import_login_token(
    context: Context, request: functions.auth.ImportLoginTokenRequest
) -> types.auth.LoginToken | types.auth.LoginTokenSuccess:
    """The login of a session that shows a token here, having come from another data centre."""
    account = context.state.login_tokens.take_accepted(context.authorization)
    if account is not None:
        return _success(context, account)
    shown = context.state.login_tokens.find(request.token)
    return types.auth.LoginToken(shown.expires, shown.token)


def accept_login_token(context: Context, request: functions.auth.AcceptLoginTokenRequest) -> types.Authorization:
    """The caller lets the device that shows the token sign in; that device is told to ask again."""
    context.state.accept_login_token(request.token, context.account)
    now = datetime.now(UTC)
    return types.Authorization(
        hash=1,
        device_model="Unknown",
        platform="",
        system_version="",
        api_id=0,
        app_name="",
        app_version="",
        date_created=now,
        date_active=now,
        ip="127.0.0.1",
        country="",
        region="",
    )


def _success(context: Context, account: Account) -> types.auth.LoginTokenSuccess:
    if account.password is not None:
        context.authorization.awaiting_password = account
        raise RpcFault(401, "SESSION_PASSWORD_NEEDED")
    return types.auth.LoginTokenSuccess(signed_in(context, account))


METHODS: Methods = {
    functions.auth.ExportLoginTokenRequest: export_login_token,
    functions.auth.ImportLoginTokenRequest: import_login_token,
    functions.auth.AcceptLoginTokenRequest: accept_login_token,
}
