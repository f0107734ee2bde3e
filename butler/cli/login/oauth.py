"""The dialogue of a sign-in by consent, for Gmail and for mail servers with OAuth."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from butler.cli.dialogue import Dialogue
from butler.cli.login.accounts import NAME, add_section, chosen
from butler.cli.login.browser import Listening, Pasted, way
from butler.clock import RealClock
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import ButlerError, ConfigError, IntegrationErrorCode, Refuse
from butler.contract.integration import IntegrationCall, Json

if TYPE_CHECKING:
    from butler.cli.login.accounts import LoginContext
    from modules._accounts.oauth import Consent
    from modules._accounts.oauth_login import OAuthClient, OAuthLogin

TRIES = 3
WHICH_CLIENT = (
    "Google wants to know which program signs in: make an OAuth client of the kind “Desktop app” in Google's console, "
    "download its JSON, and run `butler login {what} --client FILE` (docs/how-to/connect-{guide}.md)"
)
GUIDES = {"gmail": "mail"}
TESTING = (
    "Your project at Google is in testing mode: this consent ends on {day:%A, %d %B}, whatever you do. Publish the "
    "project (OAuth consent screen > Publish app) and sign in once more to keep it."
)


class MemoryVault:
    """A `Vault` in memory: holds a sign-in until it is tested and kept."""

    def __init__(self, values: dict[str, str]) -> None:
        self.values = values

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    def put(self, name: str, value: str) -> None:
        self.values[name] = value


def consent(dialogue: Dialogue, login: "OAuthLogin", browser: Pasted | Listening, *, hint: str) -> Json:
    """Let the user consent; return the allowed and the missing scopes. Raise `Refuse` with nothing kept."""
    from modules._accounts.oauth_login import BEGIN, EXCHANGE  # noqa: PLC0415 - heavy

    try:
        page = ask(login, BEGIN, {"redirect_uri": browser.redirect_uri, "hint": hint})
        browser.visit(page["address"])
        for left in range(TRIES - 1, -1, -1):
            answer = browser.answer()
            if not answer:
                raise Refuse("nothing was typed, so nothing is changed")
            result = asyncio.run(login.call(_call(EXCHANGE, {"answer": answer})))
            if result.error is None:
                return result.data or {}
            again = isinstance(browser, Pasted) and result.error.code is IntegrationErrorCode.INVALID_INPUT
            if not again or not left:
                raise Refuse(f"{result.error.message}; nothing is changed")
            dialogue.say(f"  Not yet: {result.error.message}.")
        raise AssertionError("the loop ends in it")
    finally:
        browser.close()


@dataclass(frozen=True, slots=True)
class GoogleService:
    """A service to sign in to: `butler login WHAT`, for a channel, with only the permissions that it needs."""

    what: str
    channel: str
    name: str
    scopes: tuple[str, ...]
    why: str
    """The requested permissions and their use, with `{vault}` for where the consent is stored."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The chosen account, and the missing section for it, as title and lines."""

    name: str
    settings: Any
    """The channel's own; each kind names `credentials_env` and `client`."""
    section: tuple[str, str] | None


def google_account(ctx: "LoginContext", channel: str, settings_model: type[Any], wanted: str | None) -> Wanted:
    """Return a channel's chosen account, and the missing section for it.

    Raises `ConfigError` for an invalid name, and `Refuse` if it is not to be added.
    """
    title = f"modules.{channel}.user"
    line = f'provider = "google_{channel}"\n'
    user: Any = ctx.user_section(channel)
    section: tuple[str, str] | None = None
    if user is None:
        if wanted not in {None, "main"}:
            raise ConfigError(f"there is no [{title}] yet: sign in to your first account without --account")
        user, section = settings_model.model_validate({"user": {}}).user, (title, line)
    elif wanted and wanted != user.account and wanted not in user.accounts and NAME.fullmatch(wanted):
        if not ctx.dialogue.agrees(f"There is no account {wanted!r} yet. Add it to {ctx.config}?", default=True):
            raise Refuse("nothing is changed")
        values: dict[str, Any] = ctx.loaded.settings.modules[channel]["user"]
        further: dict[str, Any] = values.get("accounts", {})
        values = {**values, "accounts": {**further, wanted: {}}}
        user, section = settings_model.model_validate({"user": values}).user, (f"{title}.accounts.{wanted}", line)
    name, settings = chosen(user, wanted, title)
    return Wanted(name, settings, section)


def sign_in_to_google(
    ctx: "LoginContext",
    service: GoogleService,
    wanted: Wanted,
    check: "Callable[[OAuthLogin, list[str]], str]",
    *,
    client: Path | None,
    no_browser: bool,
) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept.

    `check` takes the sign-in and the permissions that were refused, and returns the account's address; it raises
    `Refuse` if that is not to be kept.
    """
    from modules._accounts.oauth import read_consent  # noqa: PLC0415
    from modules._accounts.oauth_login import OAuthLogin  # noqa: PLC0415 - heavy

    dialogue, variable = ctx.dialogue, wanted.settings.credentials_env
    replaced = ctx.may_replace(variable)
    before = read_consent(ctx.known(variable))
    known = google_client(ctx, wanted.settings.client, client, before, service.what)
    login = OAuthLogin(known, service.scopes, RealClock())
    dialogue.say(service.why.format(vault=ctx.vault.folder).strip())
    hint = before.account if before else next(iter(ctx.loaded.settings.owner.emails), "")
    granted = consent(dialogue, login, way(dialogue, no_browser=no_browser), hint=hint)
    try:
        address = check(login, granted["missing"])
    except ButlerError:
        give_back(dialogue, login)
        raise
    kept = login.consent(address)
    dialogue.say(f"\nSigned in to {service.name} as {address}.")
    tell_end(dialogue, kept)
    ctx.seal({variable: kept.text()}, replaced=replaced)
    if wanted.section:
        add_section(ctx.config, *wanted.section)
    restart = "its settings have a new section" if wanted.section else ""
    ctx.tell_daemon(
        service.channel, wanted.name, restart=restart or ("it has read the old consent" if replaced else "")
    )


def google_client(
    ctx: "LoginContext", named: str, given: Path | None, before: "Consent | None", what: str
) -> "OAuthClient":
    """Return the OAuth client: given, from the settings, or the last one. Raise `Refuse`."""
    from modules._accounts.oauth_login import OAuthClient, read_client  # noqa: PLC0415 - heavy

    if given is not None:
        return read_client(given)
    if named:
        return read_client(ctx.config.resolve().parent / named)
    if before is not None:
        return OAuthClient.of(before)
    raise Refuse(WHICH_CLIENT.format(what=what, guide=GUIDES.get(what, what)))


def give_back(dialogue: Dialogue, login: "OAuthLogin") -> None:
    """Revoke at Google a consent that is not kept."""
    from modules._accounts.oauth_login import REVOKE  # noqa: PLC0415 - heavy

    try:
        ask(login, REVOKE, {})
    except ButlerError as error:
        dialogue.say(f"  {error.detail}: take it back yourself at https://myaccount.google.com/connections")


def tell_end(dialogue: Dialogue, kept: "Consent") -> None:
    """Say when a consent expires, if Google has said so."""
    if kept.ends_at is not None:
        dialogue.say(TESTING.format(day=kept.ends_at.astimezone()))


def ask(integration: BaseIntegration, method_id: str, args: dict[str, Any]) -> Json:
    """Make one call; raise `Refuse` with its error."""
    result = asyncio.run(integration.call(_call(method_id, args)))
    if result.error is not None:
        raise Refuse(result.error.message)
    return result.data or {}


def _call(method_id: str, args: dict[str, Any]) -> IntegrationCall:
    return IntegrationCall(trace_id="login", method_id=method_id, args=args, timeout_ms=60_000)


def refuse_butlers(ctx: "LoginContext", address: str) -> None:
    """Raise `Refuse` for the butler's own mailbox, which is never the owner's."""
    section = ctx.loaded.settings.modules.get("email", {}).get("bot", {})
    butlers = ctx.known(str(section.get("address_env", "BUTLER_EMAIL_ADDRESS")))
    if butlers and address.strip().lower() == butlers.lower():
        raise Refuse(f"{address} is the butler's own mailbox, and the two are never mixed; nothing is kept")


def is_owners(dialogue: Dialogue, address: str, owners: tuple[str, ...]) -> bool:
    """Return whether a mailbox is the owner's: by the settings, or by the owner's answer."""
    if address.lower() in {mine.lower() for mine in owners}:
        return True
    named = f"names {', '.join(owners)}" if owners else "names no address"
    question = f"This is the mailbox of {address}, and [owner] emails {named}. Is it yours?"
    if not dialogue.agrees(question, default=False):
        return False
    dialogue.say(f"  Add {address} to [owner] emails, so that Butler knows mail from there as yours.")
    return True
