"""`butler login telegram`: signs in to the person's own account and keeps the session in the secrets file."""

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from butler.cli.dialogue import Dialogue
from butler.cli.options import DEFAULT, ConfigOption
from butler.contract.errors import ConfigError, IntegrationErrorCode, Refuse
from butler.contract.integration import BaseIntegration, IntegrationCall, IntegrationError, Json
from config.load import load

WHAT_A_SESSION_IS = """
What you make here is a session: a key to your whole Telegram account, as strong as a phone that is signed in. Butler
keeps it in {secrets}, readable by you only, and uses it to send what you approved.
To take it back at any time: Telegram > Settings > Devices, and terminate the session that carries your app's name.
"""
WHERE_APPS_ARE = """
Telegram wants to know which app signs in. Open https://my.telegram.org, go to “API development tools”, make an app of
any name, and copy its api_id and api_hash.
"""
TRIES = 3


def login_telegram(
    config: ConfigOption = DEFAULT,
    phone: Annotated[str | None, typer.Option(help="Your number with its country code.")] = None,
    api_id: Annotated[int | None, typer.Option(help="From my.telegram.org, where butler.toml has none yet.")] = None,
) -> None:
    """Sign in to your own Telegram account, so that Butler can send in your name what you approve."""
    from butler.cli.files import keep_secrets  # noqa: PLC0415
    from modules.telegram.config import UserSettings  # noqa: PLC0415
    from modules.telegram.integration_client_login import TelegramClientLogin  # noqa: PLC0415 - heavy

    dialogue = Dialogue(asks=True)
    loaded = load(config)
    secrets_file = config.resolve().parent / loaded.settings.butler.secrets_file
    section = loaded.settings.modules.get("telegram", {}).get("user")
    settings = _settings(section) if section is not None else UserSettings()
    if not settings.enabled:
        raise ConfigError("[modules.telegram.user] is switched off; set enabled = true and try again")
    _not_overruled(settings.credentials_env)
    dialogue.say(WHAT_A_SESSION_IS.format(secrets=secrets_file).strip())
    if section is None:
        settings = UserSettings(api_id=_app(dialogue, api_id))
    elif not settings.api_id:
        raise ConfigError("[modules.telegram.user] has no api_id; copy it from my.telegram.org into butler.toml")
    fresh: dict[str, str] = {}
    if not loaded.secrets.get(settings.api_hash_env):
        fresh[settings.api_hash_env] = dialogue.secret("api_hash (hidden)")
    login = TelegramClientLogin(settings, {**loaded.secrets, **fresh})
    account = _sign_in(dialogue, login, phone)
    keep_secrets(secrets_file, {**fresh, settings.credentials_env: login.session()})
    if section is None:
        _add_section(config, settings.api_id)
    dialogue.say(f"\nSigned in as {account}. The session is in {secrets_file} as {settings.credentials_env}.")
    dialogue.say("Start Butler again if it is running.")


def _settings(section: Any) -> Any:
    from butler.discovery import check_section, discover  # noqa: PLC0415

    return check_section(discover()["telegram"], {"user": section}).user


def _not_overruled(variable: str) -> None:
    if os.environ.get(variable):
        raise Refuse(f"the environment sets {variable}, which wins over the secrets file; unset it and try again")


def _app(dialogue: Dialogue, given: int | None) -> int:
    if given is None:
        dialogue.say(WHERE_APPS_ARE.rstrip())
    text = dialogue.text("api_id", None if given is None else str(given))
    if not text.isdigit() or not int(text):
        raise Refuse("an api_id is a number, as my.telegram.org shows it")
    return int(text)


def _sign_in(dialogue: Dialogue, login: BaseIntegration, phone: str | None) -> str:
    """Go through the steps; who is signed in. Raises `Refuse` after too many wrong answers."""
    from modules.telegram.integration_client_login import CHECK_PASSWORD, SEND_CODE, SIGN_IN  # noqa: PLC0415

    given = iter([phone] if phone else [])

    def number() -> dict[str, str]:
        return {"phone": next(given, None) or dialogue.text("\nYour phone number, with its country code", None)}

    sent = _step(dialogue, login, SEND_CODE, number)
    dialogue.say(f"  Telegram has sent you a code {sent['where']}.")
    signed_in = _step(dialogue, login, SIGN_IN, lambda: {"code": dialogue.secret("The code (hidden)")})
    if signed_in["needs_password"]:
        dialogue.say("  The account has two-step verification.")
        signed_in = _step(dialogue, login, CHECK_PASSWORD, lambda: {"password": dialogue.secret("Password (hidden)")})
    return f"@{signed_in['username']}" if signed_in["username"] else str(signed_in["name"])


def _step(dialogue: Dialogue, login: BaseIntegration, method_id: str, ask: Callable[[], dict[str, str]]) -> Json:
    """One step of the sign-in, asked for again where the answer was wrong."""
    for left in range(TRIES - 1, -1, -1):
        args = ask()
        if not all(args.values()):
            raise Refuse("nothing was typed, so nothing is changed")
        result = asyncio.run(login.call(IntegrationCall(trace_id="login", method_id=method_id, args=args)))
        if result.error is None:
            return result.data or {}
        if result.error.code is not IntegrationErrorCode.INVALID_INPUT or not left:
            raise _refused(result.error)
        dialogue.say(f"  Not yet: {result.error.message}.")
    raise AssertionError("the loop ends in it")


def _refused(error: IntegrationError) -> Refuse:
    again = "; run `butler login telegram` again" if error.code is IntegrationErrorCode.CONFLICT else ""
    return Refuse(f"{error.message}{again}")


def _add_section(config: Path, api_id: int) -> None:
    """Write the section into butler.toml; what stands there stays as it is."""
    from butler.cli.files import write_whole  # noqa: PLC0415

    text, mode = config.read_text(encoding="utf-8"), stat.S_IMODE(config.stat().st_mode)
    write_whole(config, f"{text.rstrip()}\n\n[modules.telegram.user]\napi_id = {api_id}\n", mode=mode)
