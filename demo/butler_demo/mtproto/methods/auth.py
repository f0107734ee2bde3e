# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""auth.* and account.*: signing in with a code and a password, signing out, presence."""

import os
import secrets
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.directory import Account
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.srp import SrpExchange
from butler_demo.mtproto.views import View


def send_code(context: Context, request: functions.auth.SendCodeRequest) -> types.auth.SentCode:
    """Begin a login; the code goes to the chat with Telegram on other devices, or counts as sent by SMS."""
    check_app(request)
    return _new_code(context, request.phone_number)


def sign_in(context: Context, request: functions.auth.SignInRequest) -> types.auth.Authorization:
    """Finish a login with the code, or say that the account's password is needed as well."""
    account = _account_of_phone(context, request.phone_number)
    _check_code_hash(context, request.phone_number, request.phone_code_hash)
    if not request.phone_code:
        raise RpcFault(400, "PHONE_CODE_EMPTY")
    if request.phone_code != account.code:
        raise RpcFault(400, "PHONE_CODE_INVALID")
    if account.password is not None:
        context.authorization.awaiting_password = account
        raise RpcFault(401, "SESSION_PASSWORD_NEEDED")
    return signed_in(context, account)


def get_password(context: Context, _request: functions.account.GetPasswordRequest) -> types.account.Password:
    """The parameters of the password check, with a fresh server value for one attempt."""
    verifier = _password_owner(context).password
    common: dict[str, Any] = {
        "new_algo": types.PasswordKdfAlgoUnknown(),
        "new_secure_algo": types.SecurePasswordKdfAlgoUnknown(),
        "secure_random": os.urandom(16),
    }
    if verifier is None:
        return types.account.Password(**common)
    exchange = context.authorization.srp = SrpExchange(verifier)
    return types.account.Password(
        has_password=True,
        current_algo=verifier.algorithm,
        srp_B=exchange.server_value,
        srp_id=exchange.id,
        **common,
    )


def check_password(context: Context, request: functions.auth.CheckPasswordRequest) -> types.auth.Authorization:
    """Finish a login with the proof of the password; the exchange is used up either way."""
    account = _password_owner(context)
    exchange, context.authorization.srp = context.authorization.srp, None
    proof = request.password
    if not isinstance(proof, types.InputCheckPasswordSRP):
        raise RpcFault(400, "PASSWORD_HASH_INVALID")
    if exchange is None or proof.srp_id != exchange.id:
        raise RpcFault(400, "SRP_ID_INVALID")
    if not exchange.accepts(proof.A, proof.M1):
        raise RpcFault(400, "PASSWORD_HASH_INVALID")
    return signed_in(context, account)


def check_app(request: Any) -> None:
    """Refuse an application without id or hash."""
    if request.api_id <= 0 or not request.api_hash:
        raise RpcFault(400, "API_ID_INVALID")


def _new_code(context: Context, phone: str) -> types.auth.SentCode:
    account = _account_of_phone(context, phone)
    code_hash = secrets.token_hex(9)
    context.authorization.code_hashes[account.phone] = code_hash
    sent_to: Any = types.auth.SentCodeTypeSms(length=len(account.code))
    if context.state.authorizations.of(account.id):
        context.state.write_login_code(account.id)
        sent_to = types.auth.SentCodeTypeApp(length=len(account.code))
    return types.auth.SentCode(type=sent_to, phone_code_hash=code_hash, timeout=60)


def _account_of_phone(context: Context, phone: str) -> Account:
    account = context.state.directory.by_phone(phone)
    if account is None:
        raise RpcFault(400, "PHONE_NUMBER_INVALID")
    return account


def _check_code_hash(context: Context, phone: str, code_hash: str) -> None:
    if not code_hash:
        raise RpcFault(400, "PHONE_CODE_HASH_EMPTY")
    if context.authorization.code_hashes.get(phone.lstrip("+")) != code_hash:
        raise RpcFault(400, "PHONE_CODE_EXPIRED")


def _password_owner(context: Context) -> Account:
    return context.authorization.awaiting_password or context.account


def signed_in(context: Context, account: Account) -> Any:
    """Complete the login of the caller's session."""
    context.authorization.sign_in(account)
    return types.auth.Authorization(user=View(context.state, account.id).user(account))


METHODS: Methods = {
    functions.auth.SendCodeRequest: send_code,
    functions.auth.SignInRequest: sign_in,
    functions.auth.CheckPasswordRequest: check_password,
    functions.account.GetPasswordRequest: get_password,
}
