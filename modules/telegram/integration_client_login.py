# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# (Telethon carries no complete types, and builds its error classes without any.)
"""Signs in to the person's own account once: phone number, code, password, and then a session that can be kept.

Each step connects anew with the same key, so that the person may take their time to look for the code.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from telethon import TelegramClient, errors, functions, types, utils
from telethon.crypto import rsa
from telethon.password import compute_check
from telethon.sessions import StringSession

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import BaseIntegration, Idempotency, IntegrationCall, Method, RawAnswer, method
from modules.telegram.config import UserSettings
from modules.telegram.integration_client_errors import fault_of

SEND_CODE = "telegram_client.login.send_code.v1"
SIGN_IN = "telegram_client.login.sign_in.v1"
CHECK_PASSWORD = "telegram_client.login.check_password.v1"  # noqa: S105 - a method's name

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


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Phone(_Record):
    """The account's number with its country code."""

    phone: str = Field(min_length=1)


class Sent(_Record):
    """Where to look for the code."""

    where: str


class Code(_Record):
    """The code that Telegram sent."""

    code: str = Field(min_length=1)


class Password(_Record):
    """The account's password for two-step verification."""

    password: str = Field(min_length=1, repr=False)


class SignedIn(_Record):
    """Whose account it is; `needs_password` when the code was right and the password is still missing."""

    needs_password: bool = False
    user_id: int = 0
    name: str = ""
    username: str = ""


class TelegramClientLogin(BaseIntegration):
    """One sign-in. CONFLICT means that the code is too old, and a new one has to be sent."""

    provider = "telegram_client"

    def __init__(self, settings: UserSettings, secrets: Mapping[str, str]) -> None:
        self._settings = settings
        self._api_hash = secrets.get(settings.api_hash_env, "")
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
            method(CHECK_PASSWORD, args=Password, answer=SignedIn, run=self._raw_check_password, idempotency=none),
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": False, "account": "", "detail": "not signed in yet", "todo": "Run `butler login telegram`."}

    def session(self) -> str:
        """The session as text, to be kept after SIGN_IN or CHECK_PASSWORD: a full credential of the account."""
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

    async def _raw_check_password(self, _call: IntegrationCall, args: Password) -> RawAnswer:
        async with self._connected() as client:
            asked = await client(functions.account.GetPasswordRequest())
            answer = await client(functions.auth.CheckPasswordRequest(compute_check(asked, args.password)))
        return _signed_in(answer)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Any, None]:
        client: Any = TelegramClient(
            self._session,
            self._settings.api_id,
            self._api_hash,
            device_model="Butler",
            timeout=10,
            connection_retries=1,
            retry_delay=1,
            request_retries=2,  # the first answer may send us to the account's own data centre
            raise_last_call_error=True,
            flood_sleep_threshold=0,
            receive_updates=False,
        )
        try:
            await client.connect()
            yield client
        except errors.PhoneCodeExpiredError:
            fault = IntegrationFault(IntegrationErrorCode.CONFLICT, "the code is too old")
        except tuple(_WRONG) as error:
            fault = _wrong(_WRONG[type(error)])
        except tuple(_HOPELESS) as error:
            fault = IntegrationFault(IntegrationErrorCode.REJECTED, _HOPELESS[type(error)])
        except Exception as error:  # noqa: BLE001 - Telethon's errors share no base; each becomes a typed one
            fault = fault_of(error, Effect.NONE)
        else:
            return
        finally:
            await client.disconnect()
        # Raised here and not above, so that it does not carry the other exception, whose request holds the code.
        raise fault


def _wrong(message: str) -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)


def _signed_in(answer: Any) -> RawAnswer:
    if isinstance(answer, types.auth.AuthorizationSignUpRequired):
        raise _wrong(_WRONG[errors.PhoneNumberUnoccupiedError])
    user = answer.user
    return RawAnswer({"user_id": user.id, "name": utils.get_display_name(user), "username": user.username or ""})
