"""`butler login drive`: a consent of Google's to read the person's files, sealed by the vault."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from butler.cli.login_accounts import NAME, Desk, chosen
from butler.cli.login_oauth import GoogleService, Tray, Wanted, ask, is_owners, sign_in_to_google
from butler.contract.errors import ConfigError, Refuse
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
    from modules.drive.records import READONLY  # noqa: PLC0415

    service = GoogleService("drive", "drive", "Google Drive", READONLY, WHY)
    name, settings, section = _account(desk, wanted)

    def check(login: "OAuthLogin", missing: list[str]) -> str:
        return _checked(desk, settings, login, missing)

    account = Wanted(name, settings, section)
    sign_in_to_google(desk, service, account, check, client=client, no_browser=no_browser)


def _account(desk: Desk, wanted: str | None) -> "tuple[str, DriveSettings, tuple[str, str] | None]":
    """The account's name and settings, and the section that is still to be written for it, as title and lines."""
    from modules.drive.config import DriveModuleSettings  # noqa: PLC0415

    user, section = desk.user_section("drive"), None
    drive = 'provider = "google_drive"\n'
    if user is None:
        if wanted not in {None, "main"}:
            raise ConfigError(f"there is no [{TITLE}] yet: sign in to your first account without --account")
        user, section = DriveModuleSettings.model_validate({"user": {}}).user, (TITLE, drive)
    elif wanted and wanted != user.account and wanted not in user.accounts and NAME.fullmatch(wanted):
        if not desk.dialogue.agrees(f"There is no account {wanted!r} yet. Add it to {desk.config}?", default=True):
            raise Refuse("nothing is changed")
        values: dict[str, Any] = desk.loaded.settings.modules["drive"]["user"]
        further: dict[str, Any] = values.get("accounts", {})
        values = {**values, "accounts": {**further, wanted: {}}}
        user, section = DriveModuleSettings.model_validate({"user": values}).user, (f"{TITLE}.accounts.{wanted}", drive)
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
