# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# (Telethon carries no complete types, and builds its error classes without any.)
"""Signs in to the owner's account once, and yields a session that can be stored.

It uses phone number and code, or a QR code, and then the password if the account has one. Each step opens a new
connection with the same key, so that the owner may take their time to look for the code. Only while a QR code is shown
does the connection stay open: Telegram reports the scan on it.
"""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import Field
from telethon import TelegramClient, errors, events, functions, types, utils
from telethon.crypto import rsa
from telethon.password import compute_check
from telethon.sessions import StringSession

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.records import ClosedRecord
from modules.telegram.config import AccountSettings
from modules.telegram.integration_client_errors import fault_of

SEND_CODE = "telegram_client.login.send_code.v1"
SIGN_IN = "telegram_client.login.sign_in.v1"
QR_CODE = "telegram_client.login.qr_code.v1"
CHECK_PASSWORD = "telegram_client.login.check_password.v1"  # noqa: S105 - a method's name

QR_LONGEST_S, QR_SHORTEST_S = 60.0, 3.0
"""How long to wait for a scan, whatever the code's own expiry says: this machine's clock may be wrong."""
QR_RENEW_BEFORE_S = 2.0

_WRONG = {
    errors.PhoneNumberInvalidError: "Telegram takes this for no phone number: write it whole, like +44 20 7946 0042",
    errors.PhoneNumberUnoccupiedError: "there is no Telegram account with this number yet: make one in the app first",
    errors.PhoneCodeInvalidError: "this is not the code that Telegram sent",
    errors.PhoneCodeEmptyError: "this is not the code that Telegram sent",
    errors.PasswordHashInvalidError: "this is not the account's password",
}
_HOPELESS = {
    errors.ApiIdInvalidError: "Telegram knows no app with this api_id and api_hash: copy both from my.telegram.org",
    errors.PhoneNumberBannedError: "Telegram has banned this number",
}
_WHERE = {
    "SentCodeTypeApp": "in your Telegram app, in the chat “Telegram”",
    "SentCodeTypeSms": "by SMS",
    "SentCodeTypeCall": "by a phone call",
    "SentCodeTypeEmailCode": "by mail",
}


class Phone(ClosedRecord):
    """The account's number with its country code."""

    phone: str = Field(min_length=1)


class Sent(ClosedRecord):
    """Where to look for the code."""

    where: str


class Code(ClosedRecord):
    """The code that Telegram sent."""

    code: str = Field(min_length=1)


class Password(ClosedRecord):
    """The account's password for two-step verification."""

    password: str = Field(min_length=1, repr=False)


class SignedIn(ClosedRecord):
    """The signed-in account; `needs_password` if the code was right and the password is still missing."""

    needs_password: bool = False
    user_id: int = 0
    name: str = ""
    username: str = ""


class Wait(ClosedRecord):
    """Whether a code was shown before, and is to be waited for."""

    shown: bool


class QrCode(ClosedRecord):
    """A code to show, or the account that signed in by the shown one."""

    url: str = Field(default="", repr=False)
    signed_in: SignedIn | None = None


class TelegramClientLogin(BaseIntegration):
    """One sign-in. CONFLICT means that the code has expired, and a new one has to be sent."""

    provider = "telegram_client"

    def __init__(self, settings: AccountSettings, api_hash: str) -> None:
        self._settings = settings
        self._api_hash = api_hash
        self._waiting: Any = None
        self._ends = datetime.now(UTC)
        self._scanned = asyncio.Event()
        self._session: Any = StringSession()
        if centre := settings.data_centre:
            rsa.add_key(centre.key_file.read_text(), old=False)
            self._session.set_dc(centre.number, centre.host, centre.port)
        self._phone, self._code_hash = "", ""
        super().__init__()

    def methods(self) -> list[Method]:
        none = Idempotency.NONE
        return [
            method(SEND_CODE, args=Phone, answer=Sent, run=self._raw_send_code, idempotency=none),
            method(SIGN_IN, args=Code, answer=SignedIn, run=self._raw_sign_in, idempotency=none),
            method(QR_CODE, args=Wait, answer=QrCode, run=self._raw_qr_code, idempotency=none),
            method(CHECK_PASSWORD, args=Password, answer=SignedIn, run=self._raw_check_password, idempotency=none),
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": False, "account": "", "detail": "not signed in yet", "todo": "Run `butler login telegram`."}

    def session(self) -> str:
        """Return the session as text, to be stored after the last step: a full credential of the account."""
        return str(self._session.save())

    async def _raw_send_code(self, _call: IntegrationCall, args: Phone) -> RawAnswer:
        phone = utils.parse_phone(args.phone)
        if phone is None:
            raise _wrong(_WRONG[errors.PhoneNumberInvalidError])
        request = functions.auth.SendCodeRequest(phone, self._settings.api_id, self._api_hash, types.CodeSettings())
        async with self._connected() as client:
            sent = await client(request)
        self._phone, self._code_hash = phone, sent.phone_code_hash
        return RawAnswer({"where": _WHERE.get(type(sent.type).__name__, "as the Telegram app tells you")})

    async def _raw_sign_in(self, _call: IntegrationCall, args: Code) -> RawAnswer:
        async with self._connected() as client:
            try:
                answer = await client(functions.auth.SignInRequest(self._phone, self._code_hash, args.code))
            except errors.SessionPasswordNeededError:
                return RawAnswer({"needs_password": True})
        return _signed_in(answer)

    async def _raw_qr_code(self, _call: IntegrationCall, args: Wait) -> RawAnswer:
        """Return the next code, or who has signed in if the shown code is scanned before it expires."""
        if args.shown:
            left = (self._ends - datetime.now(UTC)).total_seconds() - QR_RENEW_BEFORE_S
            with suppress(TimeoutError):
                async with asyncio.timeout(min(max(left, QR_SHORTEST_S), QR_LONGEST_S)):
                    await self._scanned.wait()
        with typed_errors():
            client = await self._opened()
            self._scanned.clear()
            try:
                answer = await self._login_token(client)
            except errors.SessionPasswordNeededError:
                return RawAnswer({"signed_in": {"needs_password": True}})
        if isinstance(answer, types.auth.LoginToken):
            self._ends = answer.expires or datetime.now(UTC)
            token = urlsafe_b64encode(answer.token).decode().rstrip("=")
            return RawAnswer({"url": f"tg://login?token={token}"})
        return RawAnswer({"signed_in": _signed_in(answer.authorization).data})

    async def _login_token(self, client: Any) -> Any:
        """Return a token, or the sign-in to which it led, if need be from the account's own data centre."""
        request = functions.auth.ExportLoginTokenRequest(self._settings.api_id, self._api_hash, except_ids=[])
        answer = await client(request)
        if isinstance(answer, types.auth.LoginTokenMigrateTo):
            await client._switch_dc(answer.dc_id)  # noqa: SLF001 - as Telethon's own sign-in does; there is no other way
            answer = await client(functions.auth.ImportLoginTokenRequest(answer.token))
        return answer

    async def _opened(self) -> Any:
        """Return the connection that stays open and listens for the scan of a code."""
        if self._waiting is None:
            self._waiting = self._client(receive_updates=True)
            self._waiting.add_event_handler(self._heard, events.Raw(types.UpdateLoginToken))
        if not self._waiting.is_connected():
            await self._waiting.connect()
        return self._waiting

    async def _heard(self, _update: Any) -> None:
        self._scanned.set()

    async def close(self) -> None:
        """Close the connection on which a code was shown."""
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            await waiting.disconnect()

    async def _raw_check_password(self, _call: IntegrationCall, args: Password) -> RawAnswer:
        async with self._connected() as client:
            asked = await client(functions.account.GetPasswordRequest())
            answer = await client(functions.auth.CheckPasswordRequest(compute_check(asked, args.password)))
        return _signed_in(answer)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Any]:
        client = self._client(receive_updates=False)
        try:
            with typed_errors():
                await client.connect()
                yield client
        finally:
            await client.disconnect()

    def _client(self, *, receive_updates: bool) -> Any:
        return TelegramClient(
            self._session,
            self._settings.api_id,
            self._api_hash,
            device_model="Butler",
            timeout=10,
            connection_retries=1,
            retry_delay=1,
            request_retries=2,  # the first answer may redirect to the account's own data centre
            raise_last_call_error=True,
            flood_sleep_threshold=0,
            receive_updates=receive_updates,
        )


@contextmanager
def typed_errors() -> Generator[None]:
    """Turn Telethon's errors into typed ones; raise `IntegrationFault`."""
    try:
        yield
    except errors.SessionPasswordNeededError:
        raise
    except errors.PhoneCodeExpiredError:
        fault = IntegrationFault(IntegrationErrorCode.CONFLICT, "the code is too old")
    except tuple(_WRONG) as error:
        fault = _wrong(_WRONG[type(error)])
    except tuple(_HOPELESS) as error:
        fault = IntegrationFault(IntegrationErrorCode.REJECTED, _HOPELESS[type(error)])
    except IntegrationFault:
        raise
    except Exception as error:  # noqa: BLE001 - Telethon's errors share no base; each becomes a typed one
        fault = fault_of(error, Effect.NONE)
    else:
        return
    # Raised here and not above, so that it does not chain the other exception, whose request holds the code.
    raise fault


def _wrong(message: str) -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)


def _signed_in(answer: Any) -> RawAnswer:
    if isinstance(answer, types.auth.AuthorizationSignUpRequired):
        raise _wrong(_WRONG[errors.PhoneNumberUnoccupiedError])
    user = answer.user
    return RawAnswer({"user_id": user.id, "name": utils.get_display_name(user), "username": user.username or ""})
