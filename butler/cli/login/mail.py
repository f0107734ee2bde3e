"""`butler login mail`: a mailbox's password for IMAP, or the consent that its server requires instead."""

import asyncio
from typing import TYPE_CHECKING

from butler.cli.login.accounts import LoginContext, chosen
from butler.cli.login.browser import way
from butler.cli.login.oauth import MemoryVault, consent, is_owners, refuse_butlers
from butler.clock import RealClock
from butler.contract.errors import ConfigError, Refuse
from butler.offline import offline_context

if TYPE_CHECKING:
    from modules.email.config import UserServerSettings

TITLE = "modules.email.user"
TRIES = 3
WHERE_SERVERS_GO = (
    f'write [{TITLE}] with provider = "smtp_imap", imap and smtp into your settings first '
    "(docs/how-to/connect-mail.md); for Gmail, run `butler login gmail`"
)


def sign_in(ctx: LoginContext, *, wanted: str | None, no_browser: bool) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept."""
    from modules.email.config import UserServerSettings  # noqa: PLC0415

    section = ctx.user_section("email")
    if section is None:
        raise ConfigError(WHERE_SERVERS_GO)
    name, settings = chosen(section, wanted, TITLE)
    if not isinstance(settings, UserServerSettings):
        raise ConfigError(f"the account {name!r} is at Gmail: run `butler login gmail`")
    variables = settings.address_env, settings.password_env
    replaced = ctx.may_replace(settings.password_env)
    address = ctx.known(settings.address_env) or ctx.dialogue.text("The mailbox's address", None)
    refuse_butlers(ctx, address)
    if not is_owners(ctx.dialogue, address, ctx.loaded.settings.owner.emails):
        raise Refuse("only your own mailbox can be signed in to; nothing is kept")
    if settings.auth == "xoauth2":
        values = _by_consent(ctx, settings, address, no_browser=no_browser)
    else:
        values = _by_password(ctx, settings, address)
    ctx.dialogue.say(f"\nSigned in as {address}.")
    outside = [variable for variable in variables if ctx.vault.set_outside(variable) and variable not in replaced]
    ctx.seal({key: value for key, value in values.items() if key not in outside}, replaced=replaced)
    ctx.tell_daemon("email", name, restart="it has read the old password from the secrets file" if replaced else "")


def _by_password(ctx: LoginContext, settings: "UserServerSettings", address: str) -> dict[str, str]:
    """Return a password that both servers accept; ask again if one does not."""
    for left in range(TRIES - 1, -1, -1):
        password = ctx.dialogue.secret(f"The password of {address} (hidden)")
        if not password:
            raise Refuse("nothing was typed, so nothing is changed")
        try:
            return _tried(settings, {settings.address_env: address, settings.password_env: password})
        except Refuse as refusal:
            if not left:
                raise
            ctx.dialogue.say(f"  Not yet: {refusal.detail}.")
    raise AssertionError("the loop ends in it")


def _by_consent(ctx: LoginContext, settings: "UserServerSettings", address: str, *, no_browser: bool) -> dict[str, str]:
    """Return a consent that both servers accept."""
    from modules._accounts.oauth_login import OAuthClient, OAuthLogin  # noqa: PLC0415 - heavy

    client = OAuthClient(settings.client_id, settings.authorize_url, settings.token_url)
    login = OAuthLogin(client, settings.scopes, RealClock())
    ctx.dialogue.say("Your provider is asked for: " + ", ".join(settings.scopes) + ".")
    # Microsoft accepts any port of localhost, and no other name of this machine.
    browser = way(ctx.dialogue, no_browser=no_browser, host="localhost")
    granted = consent(ctx.dialogue, login, browser, hint=address)
    if granted["missing"]:
        raise Refuse(f"you left out {', '.join(granted['missing'])}; nothing is kept. Run it again and allow it")
    return _tried(settings, {settings.address_env: address, settings.password_env: login.consent(address).text()})


def _tried(settings: "UserServerSettings", values: dict[str, str]) -> dict[str, str]:
    """Return the credentials as they are after both servers accepted them; raise `Refuse` if one does not."""
    tray = MemoryVault(values)
    asyncio.run(_try(settings, tray))
    return tray.values  # a refresh token may be replaced by its use


async def _try(settings: "UserServerSettings", tray: MemoryVault) -> None:
    from modules._accounts.oauth import AccessTokens  # noqa: PLC0415 - heavy
    from modules.email.imap.account import MailAccount  # noqa: PLC0415 - heavy
    from modules.email.imap.methods import CHECK_IMAP, CHECK_SMTP  # noqa: PLC0415
    from modules.email.integration_smtp_imap import SmtpImapIntegration  # noqa: PLC0415 - heavy

    tokens = AccessTokens(tray, settings.password_env, RealClock()) if settings.auth == "xoauth2" else None
    integration = SmtpImapIntegration(MailAccount(settings, tray.get, tokens), offline_context().storage.blobs)
    try:
        for method_id in (CHECK_IMAP, CHECK_SMTP):
            result = await integration.request("login", method_id)
            if result.error is not None:
                raise Refuse(result.error.message)
    finally:
        await integration.stop()
