"""`butler login calendar`: Google's consent to the owner's events and nothing else, sealed in the vault."""

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
    from modules.calendar.config import CalendarSettings

WHY = """
Butler asks Google for two permissions: “View and edit events on all your calendars” (calendar.events), to list them
when you ask and to change what you approve, and “See the list of Google calendars you're subscribed to”
(calendar.calendarlist.readonly), to know them by their names. It can share, empty or delete no calendar. What Google
gives is sealed in {vault}.
To take it back at any time: https://myaccount.google.com/connections
"""


def sign_in(ctx: LoginContext, *, wanted: str | None, client: Path | None, no_browser: bool) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept."""
    from modules.calendar.config import CalendarModuleSettings  # noqa: PLC0415
    from modules.calendar.records import SCOPES  # noqa: PLC0415

    service = GoogleService("calendar", "calendar", "Google Calendar", SCOPES, WHY)
    account = google_account(ctx, "calendar", CalendarModuleSettings, wanted)

    def check(login: "OAuthLogin", missing: list[str]) -> str:
        return _checked(ctx, account.settings, login, missing)

    sign_in_to_google(ctx, service, account, check, client=client, no_browser=no_browser)


def _checked(ctx: LoginContext, settings: "CalendarSettings", login: "OAuthLogin", missing: list[str]) -> str:
    """Return the account's address if all is allowed and it is the owner's; raise `Refuse`."""
    if missing:
        raise Refuse(
            f"on Google's page you left out {', '.join(missing)}, without which Butler can do nothing in your "
            "calendar; nothing is kept. Run it again and tick it"
        )
    address = _account_address(settings, login.consent("").text())
    if not is_owners(ctx.dialogue, address, ctx.loaded.settings.owner.emails):
        raise Refuse(f"{address} is not your account, so nothing is kept")
    return address


def _account_address(settings: "CalendarSettings", text: str) -> str:
    """Ask the new sign-in for the account's address."""
    from modules.calendar.integration_google_calendar import CalendarIntegration  # noqa: PLC0415 - heavy
    from modules.calendar.records import CALENDARS  # noqa: PLC0415

    context = replace(offline_context(), vault=MemoryVault({settings.credentials_env: text}))
    integration = CalendarIntegration(settings, context)
    try:
        calendars = ask(integration, CALENDARS, {})["calendars"]
        return str(next((one["id"] for one in calendars if one["primary"]), ""))
    finally:
        integration.stop()
