"""`butler login telegram`: by phone number and code, or by QR code; the session is sealed in the vault."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from butler.cli.dialogue import Dialogue
from butler.cli.login.accounts import NAME, LoginContext, add_section, chosen
from butler.contract.errors import ConfigError, IntegrationErrorCode, Refuse
from butler.contract.integration import IntegrationError, Json

if TYPE_CHECKING:
    from modules.telegram.config import AccountSettings
    from modules.telegram.integration_client_login import TelegramClientLogin

WHAT_A_SESSION_IS = """
What you make here is a session: a key to your whole Telegram account, as strong as a phone that is signed in. Butler
keeps it sealed in {vault}, and uses it to read your chats and to send what you approved.
To take it back at any time: Telegram > Settings > Devices, and terminate the session that carries your app's name.
"""
WHERE_APPS_ARE = """
Telegram wants to know which app signs in. Open https://my.telegram.org, go to “API development tools”, make an app of
any name, and copy its api_id and api_hash.
"""
HOW_TO_SCAN = """
On your phone: Telegram > Settings > Devices > Link Desktop Device, and point it at this code. It is renewed by itself.
"""
TITLE = "modules.telegram.user"
TRIES = 3
PATIENCE_S = 300.0
QR_CALL_MS = 90_000


def sign_in(ctx: LoginContext, *, wanted: str | None, phone: str | None, by_qr: bool, api_id: int | None) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept."""
    from modules.telegram.integration_client_login import TelegramClientLogin  # noqa: PLC0415 - heavy

    dialogue = ctx.dialogue
    name, settings, section = _account(ctx, wanted, api_id)
    replaced = ctx.may_replace(settings.credentials_env)
    dialogue.say(WHAT_A_SESSION_IS.format(vault=ctx.vault.folder).strip())
    values: dict[str, str] = {}
    api_hash = ctx.known(settings.api_hash_env)
    if not api_hash:
        api_hash = values[settings.api_hash_env] = dialogue.secret("api_hash (hidden)")
    login = TelegramClientLogin(settings, api_hash)
    signed_in = asyncio.run(_by_code_to_scan(dialogue, login)) if by_qr else _by_phone(dialogue, login, phone)
    if signed_in["needs_password"]:
        signed_in = _password(dialogue, login)
    who = f"@{signed_in['username']}" if signed_in["username"] else str(signed_in["name"])
    dialogue.say(f"\nSigned in as {who}.")
    ctx.seal({**values, settings.credentials_env: login.session()}, replaced=replaced)
    if section:
        add_section(ctx.config, *section)
    restart = "its settings have a new section" if section else ""
    restart = restart or ("it has read the old session from the secrets file" if replaced else "")
    ctx.tell_daemon("telegram", name, restart=restart)


def _account(
    ctx: LoginContext, wanted: str | None, api_id: int | None
) -> "tuple[str, AccountSettings, tuple[str, str] | None]":
    """Return the account's name and settings, and the missing section for it, as title and lines."""
    from modules.telegram.config import UserSettings  # noqa: PLC0415 - only where it is used

    user: UserSettings | None = ctx.user_section("telegram")
    if user is None:
        fresh = UserSettings(api_id=_app(ctx.dialogue, api_id))
        if wanted not in {None, fresh.account}:
            raise ConfigError(f"there is no [{TITLE}] yet: sign in to your first account without --account")
        return fresh.account, fresh, (TITLE, f"api_id = {fresh.api_id}\n")
    section = None
    if wanted and wanted != user.account and wanted not in user.accounts and NAME.fullmatch(wanted):
        if not ctx.dialogue.agrees(f"There is no account {wanted!r} yet. Add it to {ctx.config}?", default=True):
            raise Refuse("nothing is changed")
        values = user.model_dump(exclude_unset=True)
        values["accounts"] = {**values.get("accounts", {}), wanted: {}}
        user, section = UserSettings.model_validate(values), (f"{TITLE}.accounts.{wanted}", "")
    name, settings = chosen(user, wanted, TITLE)
    if not settings.api_id:
        raise ConfigError(f"[{TITLE}] has no api_id; copy it from my.telegram.org into {ctx.config}")
    return name, settings, section


def _app(dialogue: Dialogue, given: int | None) -> int:
    if given is None:
        dialogue.say(WHERE_APPS_ARE.rstrip())
    text = dialogue.text("api_id", None if given is None else str(given))
    if not text.isdigit() or not int(text):
        raise Refuse("an api_id is a number, as my.telegram.org shows it")
    return int(text)


def _by_phone(dialogue: Dialogue, login: "TelegramClientLogin", phone: str | None) -> Json:
    """Sign in by number, then code; raise `Refuse` after too many wrong answers."""
    from modules.telegram.integration_client_login import SEND_CODE, SIGN_IN  # noqa: PLC0415 - heavy

    given = iter([phone] if phone else [])

    def number() -> dict[str, str]:
        return {"phone": next(given, None) or dialogue.text("\nYour phone number, with its country code", None)}

    sent = _step(dialogue, login, SEND_CODE, number)
    dialogue.say(f"  Telegram has sent you a code {sent['where']}.")
    return _step(dialogue, login, SIGN_IN, lambda: {"code": dialogue.secret("The code (hidden)")})


async def _by_code_to_scan(dialogue: Dialogue, login: "TelegramClientLogin") -> Json:
    """Show QR codes until one is scanned; raise `Refuse` if nobody does for a while."""
    from butler.cli.login.qr import Screen  # noqa: PLC0415 - only where a code is drawn
    from modules.telegram.integration_client_login import QR_CODE  # noqa: PLC0415 - heavy

    dialogue.say(HOW_TO_SCAN)
    screen, started, shown = Screen(), time.monotonic(), False
    try:
        while True:
            result = await login.request("login", QR_CODE, {"shown": shown}, timeout_ms=QR_CALL_MS)
            if result.error is not None:
                raise _refused(result.error)
            answer = result.data or {}
            if answer["signed_in"]:
                return answer["signed_in"]
            if time.monotonic() - started > PATIENCE_S:
                raise Refuse("nobody scanned a code; run `butler login telegram --qr` again when you are ready")
            screen.show(answer["url"])
            shown = True
    finally:
        await login.close()


def _password(dialogue: Dialogue, login: "TelegramClientLogin") -> Json:
    from modules.telegram.integration_client_login import CHECK_PASSWORD  # noqa: PLC0415 - heavy

    dialogue.say("  The account has two-step verification.")
    return _step(dialogue, login, CHECK_PASSWORD, lambda: {"password": dialogue.secret("Password (hidden)")})


def _step(dialogue: Dialogue, login: "TelegramClientLogin", method_id: str, ask: Callable[[], dict[str, str]]) -> Json:
    """Run one step of the sign-in, again if the answer was wrong."""
    for left in range(TRIES - 1, -1, -1):
        args = ask()
        if not all(args.values()):
            raise Refuse("nothing was typed, so nothing is changed")
        result = asyncio.run(login.request("login", method_id, args))
        if result.error is None:
            return result.data or {}
        if result.error.code is not IntegrationErrorCode.INVALID_INPUT or not left:
            raise _refused(result.error)
        dialogue.say(f"  Not yet: {result.error.message}.")
    raise AssertionError("the loop ends in it")


def _refused(error: IntegrationError) -> Refuse:
    again = "; run `butler login telegram` again" if error.code is IntegrationErrorCode.CONFLICT else ""
    return Refuse(f"{error.message}{again}")
