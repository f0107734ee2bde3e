"""`butler login gmail`: Google's consent to the least that is needed, sealed in the vault."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from butler.cli.login.accounts import NAME, LoginContext, chosen
from butler.cli.login.oauth import GoogleService, MemoryVault, Wanted, ask, is_owners, refuse_butlers, sign_in_to_google
from butler.contract.errors import ConfigError, Refuse
from butler.offline import offline_context

if TYPE_CHECKING:
    from modules._accounts.oauth_login import OAuthLogin
    from modules.email.config import GmailSettings

TITLE = "modules.email.user"
WHY = """
Butler asks Google for one permission, “Read, compose, and send emails from your Gmail account” (gmail.modify): to find
and read your mail, to keep drafts, and to send what you approved. It cannot delete mail for good, and it does not see
your calendar or your files. What Google gives is sealed in {vault}.
To take it back at any time: https://myaccount.google.com/connections
"""


def sign_in(ctx: LoginContext, *, wanted: str | None, client: Path | None, no_browser: bool) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept."""
    from modules.email.integration_gmail_records import MODIFY  # noqa: PLC0415

    service = GoogleService("gmail", "email", "Gmail", (MODIFY,), WHY)
    name, settings, section = _account(ctx, wanted)

    def check(login: "OAuthLogin", missing: list[str]) -> str:
        return _checked(ctx, settings, login, missing)

    account = Wanted(name, settings, section)
    sign_in_to_google(ctx, service, account, check, client=client, no_browser=no_browser)


def _account(ctx: LoginContext, wanted: str | None) -> "tuple[str, GmailSettings, tuple[str, str] | None]":
    """Return the account's name and settings, and the missing section for it, as title and lines."""
    from modules.email.config import EmailSettings, GmailSettings  # noqa: PLC0415

    user, section = ctx.user_section("email"), None
    gmail = 'provider = "gmail_oauth"\n'
    if user is None:
        if wanted not in {None, "main"}:
            raise ConfigError(f"there is no [{TITLE}] yet: sign in to your first account without --account")
        user, section = EmailSettings.model_validate({"user": {"provider": "gmail_oauth"}}).user, (TITLE, gmail)
    elif wanted and wanted != user.account and wanted not in user.accounts and NAME.fullmatch(wanted):
        if not ctx.dialogue.agrees(f"There is no account {wanted!r} yet. Add it to {ctx.config}?", default=True):
            raise Refuse("nothing is changed")
        values = ctx.loaded.settings.modules["email"]["user"]
        values = {**values, "accounts": {**values.get("accounts", {}), wanted: {"provider": "gmail_oauth"}}}
        user, section = EmailSettings.model_validate({"user": values}).user, (f"{TITLE}.accounts.{wanted}", gmail)
    name, settings = chosen(user, wanted, TITLE)
    if not isinstance(settings, GmailSettings):
        raise ConfigError(f"the account {name!r} is on a mail server of its own: run `butler login mail`")
    return name, settings, section


def _checked(ctx: LoginContext, settings: "GmailSettings", login: "OAuthLogin", missing: list[str]) -> str:
    """Return the mailbox's address if all is allowed and it is the owner's; raise `Refuse`."""
    if missing:
        raise Refuse(
            f"on Google's page you left out {', '.join(missing)}, without which Butler can do nothing with your mail; "
            "nothing is kept. Run it again and tick it"
        )
    address = _mailbox_address(settings, login.consent("").text())
    refuse_butlers(ctx, address)
    if not is_owners(ctx.dialogue, address, ctx.loaded.settings.owner.emails):
        raise Refuse(f"{address} is not your mailbox, so nothing is kept")
    return address


def _mailbox_address(settings: "GmailSettings", text: str) -> str:
    """Ask the new sign-in for the mailbox's address."""
    from modules.email.integration_gmail import GmailIntegration  # noqa: PLC0415 - heavy
    from modules.email.integration_gmail_records import PROFILE  # noqa: PLC0415

    context = replace(offline_context(), vault=MemoryVault({settings.credentials_env: text}))
    integration = GmailIntegration(settings, context)
    try:
        return str(ask(integration, PROFILE, {})["address"])
    finally:
        integration.stop()
