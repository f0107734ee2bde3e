"""`butler login drive`: a consent of Google's to read the person's files, sealed by the vault."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from butler.cli.login_accounts import NAME, Desk, add_section, chosen
from butler.cli.login_browser import way
from butler.cli.login_oauth import Tray, ask, consent, give_back, google_client, is_owners, tell_end
from butler.clock import RealClock
from butler.contract.errors import ButlerError, ConfigError, Refuse
from butler.offline import offline_context

if TYPE_CHECKING:
    from modules._accounts.oauth_login import OAuthLogin
    from modules.drive.config import DriveSettings

TITLE = "modules.drive.user"
WHY = """
Butler asks Google for one permission, “See and download all your Google Drive files” (drive.readonly): to find and
read them when you ask. It changes nothing there. What Google gives is sealed in {vault}.
To take it back at any time: https://myaccount.google.com/connections
"""


def sign_in(desk: Desk, *, wanted: str | None, client: Path | None, no_browser: bool) -> None:
    """The whole conversation; raises `ButlerError` where it cannot go on, with nothing kept."""
    from modules._accounts.oauth import read_consent  # noqa: PLC0415
    from modules._accounts.oauth_login import OAuthLogin  # noqa: PLC0415 - heavy
    from modules.drive.records import READONLY  # noqa: PLC0415

    dialogue = desk.dialogue
    name, settings, section = _account(desk, wanted)
    replaced = desk.may_replace(settings.credentials_env)
    before = read_consent(desk.known(settings.credentials_env))
    login = OAuthLogin(google_client(desk, settings.client, client, before, "drive"), (READONLY,), RealClock())
    dialogue.say(WHY.format(vault=desk.vault.folder).strip())
    hint = before.account if before else next(iter(desk.loaded.settings.owner.emails), "")
    granted = consent(dialogue, login, way(dialogue, no_browser=no_browser), hint=hint)
    try:
        address = _checked(desk, settings, login, granted["missing"])
    except ButlerError:
        give_back(dialogue, login)
        raise
    kept = login.consent(address)
    dialogue.say(f"\nSigned in to Google Drive as {address}.")
    tell_end(dialogue, kept)
    desk.seal({settings.credentials_env: kept.text()}, replaced=replaced)
    if section:
        add_section(desk.config, section, 'provider = "google_drive"\n')
    restart = "its settings have a new section" if section else ""
    desk.tell_daemon("drive", name, restart=restart or ("it has read the old consent" if replaced else ""))


def _account(desk: Desk, wanted: str | None) -> "tuple[str, DriveSettings, str]":
    """The account's name and settings, and the title of the section that is still to be written for it."""
    from modules.drive.config import DriveModuleSettings  # noqa: PLC0415

    user, section = desk.user_section("drive"), ""
    if user is None:
        if wanted not in {None, "main"}:
            raise ConfigError(f"there is no [{TITLE}] yet: sign in to your first account without --account")
        user, section = DriveModuleSettings.model_validate({"user": {}}).user, TITLE
    elif wanted and wanted != user.account and wanted not in user.accounts and NAME.fullmatch(wanted):
        if not desk.dialogue.agrees(f"There is no account {wanted!r} yet. Add it to {desk.config}?", default=True):
            raise Refuse("nothing is changed")
        values: dict[str, Any] = desk.loaded.settings.modules["drive"]["user"]
        further: dict[str, Any] = values.get("accounts", {})
        values = {**values, "accounts": {**further, wanted: {}}}
        user, section = DriveModuleSettings.model_validate({"user": values}).user, f"{TITLE}.accounts.{wanted}"
    name, settings = chosen(user, wanted, TITLE)
    return name, settings, section


def _checked(desk: Desk, settings: "DriveSettings", login: "OAuthLogin", missing: list[str]) -> str:
    """The account's address, where reading is allowed and it is the person's own; raises `Refuse`."""
    if missing:
        raise Refuse(
            f"on Google's page you left out {', '.join(missing)}, without which Butler can read no file of yours; "
            "nothing is kept. Run it again and tick it"
        )
    address = _whose(settings, login.consent("").text())
    if not is_owners(desk.dialogue, address, desk.loaded.settings.owner.emails):
        raise Refuse(f"{address} is not your account, so nothing is kept")
    return address


def _whose(settings: "DriveSettings", text: str) -> str:
    """The account's address, asked by the sign-in that was just made."""
    from modules.drive.integration_google_drive import DriveIntegration  # noqa: PLC0415 - heavy
    from modules.drive.records import ABOUT  # noqa: PLC0415

    context = replace(offline_context(), vault=Tray({settings.credentials_env: text}))
    integration = DriveIntegration(settings, context)
    try:
        return str(ask(integration, ABOUT, {})["address"])
    finally:
        integration.stop()
