"""`butler login drive`: Google's consent to read the owner's files, sealed in the vault."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from butler.cli.login.accounts import LoginContext
from butler.cli.login.oauth import (
    GoogleService,
    MemoryVault,
    ask,
    google_account,
    is_owners,
    sign_in_to_google,
)
from butler.contract.errors import Refuse
from butler.offline import offline_context

if TYPE_CHECKING:
    from modules._accounts.oauth_login import OAuthLogin
    from modules.drive.config import DriveSettings

WHY = """
Butler asks Google for one permission, “See and download all your Google Drive files” (drive.readonly): to find and
read them when you ask. It changes nothing there. What Google gives is sealed in {vault}.
To take it back at any time: https://myaccount.google.com/connections
"""


def sign_in(ctx: LoginContext, *, wanted: str | None, client: Path | None, no_browser: bool) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept."""
    from modules.drive.config import DriveModuleSettings  # noqa: PLC0415
    from modules.drive.records import READONLY  # noqa: PLC0415

    service = GoogleService("drive", "drive", "Google Drive", (READONLY,), WHY)
    account = google_account(ctx, "drive", DriveModuleSettings, wanted)

    def check(login: "OAuthLogin", missing: list[str]) -> str:
        return _checked(ctx, account.settings, login, missing)

    sign_in_to_google(ctx, service, account, check, client=client, no_browser=no_browser)


def _checked(ctx: LoginContext, settings: "DriveSettings", login: "OAuthLogin", missing: list[str]) -> str:
    """Return the account's address if reading is allowed and it is the owner's; raise `Refuse`."""
    if missing:
        raise Refuse(
            f"on Google's page you left out {', '.join(missing)}, without which Butler can read no file of yours; "
            "nothing is kept. Run it again and tick it"
        )
    address = _account_address(settings, login.consent("").text())
    if not is_owners(ctx.dialogue, address, ctx.loaded.settings.owner.emails):
        raise Refuse(f"{address} is not your account, so nothing is kept")
    return address


def _account_address(settings: "DriveSettings", text: str) -> str:
    """Ask the new sign-in for the account's address."""
    from modules.drive.integration_google_drive import DriveIntegration  # noqa: PLC0415 - heavy
    from modules.drive.records import ABOUT  # noqa: PLC0415

    context = replace(offline_context(), vault=MemoryVault({settings.credentials_env: text}))
    integration = DriveIntegration(settings, context)
    try:
        return str(ask(integration, ABOUT, {})["address"])
    finally:
        integration.stop()
