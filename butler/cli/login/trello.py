"""`butler login trello`: a key made by the user at Trello, and an allowed token, both sealed in the vault."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from butler.cli.login.accounts import LoginContext, add_section, chosen
from butler.cli.login.oauth import MemoryVault
from butler.contract.errors import ConfigError, Refuse
from butler.offline import offline_context

if TYPE_CHECKING:
    from modules.trello.config import TrelloSettings

TITLE = "modules.trello.user"
TRIES = 3
AUTHORIZE = "https://trello.com/1/authorize"
WHY = """
Butler reads your boards when you ask, and changes them only after you have said yes. Key and token are sealed in
{vault}. To take the token back at any time: https://trello.com/your/account, “Applications”.
"""
KEY = """
1. Make a Power-Up of your own, which is what Trello calls a program: https://trello.com/power-ups/admin, “New”. Any
   name will do; it needs no iframe address. Under “API key”, generate a key. It is the first of the two that you see
   there; the secret is not needed.
"""
ALLOW_IT = """
{step}. Open this page in a browser where you are signed in to Trello as yourself, on any device, and allow it:

  {page}

   It shows a token.
"""


def sign_in(ctx: LoginContext, *, wanted: str | None) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing kept."""
    name, settings, is_new = _account(ctx, wanted)
    dialogue = ctx.dialogue
    replaced = ctx.may_replace(settings.token_env)
    dialogue.say(WHY.format(vault=ctx.vault.folder).strip())
    known = ctx.known(settings.key_env)
    key = known if known and dialogue.agrees("Use the API key that is there already?", default=True) else ""
    if not key:
        replaced += ctx.may_replace(settings.key_env)
        dialogue.say(KEY)
        key = _typed(ctx, "The API key")
    from modules.trello.records import SCOPES  # noqa: PLC0415 - modules are loaded once one is signed in to

    data = {"expiration": "never", "scope": ",".join(SCOPES), "response_type": "token", "name": "Butler", "key": key}
    dialogue.say(ALLOW_IT.format(step=1 if key == known else 2, page=f"{AUTHORIZE}?{urlencode(data)}"))
    token, whose = _token(ctx, settings, key)
    if not dialogue.agrees(f"This is the account of {whose}. Is it yours?", default=True):
        raise Refuse("only your own boards can be signed in to; nothing is kept")
    dialogue.say(f"\nSigned in to Trello as {whose}.")
    values = {settings.token_env: token} | ({} if key == known else {settings.key_env: key})
    ctx.seal(values, replaced=replaced)
    if is_new:
        add_section(ctx.config, TITLE, 'provider = "trello"\n')
    restart = "its settings have a new section" if is_new else ""
    ctx.tell_daemon("trello", name, restart=restart or ("it has read the old token" if replaced else ""))


def _account(ctx: LoginContext, wanted: str | None) -> "tuple[str, TrelloSettings, bool]":
    """Return the account's name and settings, and whether its section is missing."""
    from modules.trello.config import TrelloModuleSettings  # noqa: PLC0415

    user = ctx.user_section("trello")
    if user is not None:
        return *chosen(user, wanted, TITLE), False
    if wanted not in {None, "main"}:
        raise ConfigError(f"there is no [{TITLE}] yet: sign in to your first account without --account")
    return *chosen(TrelloModuleSettings.model_validate({"user": {}}).user, wanted, TITLE), True


def _token(ctx: LoginContext, settings: "TrelloSettings", key: str) -> tuple[str, str]:
    """Return a token that Trello accepts, and its account; ask again if it does not."""
    for left in range(TRIES - 1, -1, -1):
        token = _typed(ctx, "The token (hidden)", hidden=True)
        try:
            return token, asyncio.run(_account_name(settings, {settings.key_env: key, settings.token_env: token}))
        except Refuse as refusal:
            if not left:
                raise
            ctx.dialogue.say(f"  Not yet: {refusal.detail}.")
    raise AssertionError("the loop ends in it")


async def _account_name(settings: "TrelloSettings", values: dict[str, str]) -> str:
    """Ask whose account it is, with the given key and token; raise `Refuse`."""
    from modules.trello.integration_trello import TrelloIntegration  # noqa: PLC0415
    from modules.trello.records import ME  # noqa: PLC0415

    integration = TrelloIntegration(settings, replace(offline_context(), vault=MemoryVault(values)))
    try:
        result = await integration.request("login", ME)
    finally:
        await integration.stop()
    if result.error is not None:
        raise Refuse(result.error.message)
    data = result.data or {}
    return f"{data['name']} (@{data['username']})"


def _typed(ctx: LoginContext, question: str, *, hidden: bool = False) -> str:
    text = ctx.dialogue.secret(question) if hidden else ctx.dialogue.text(question, None)
    if not text:
        raise Refuse("nothing was typed, so nothing is changed")
    return text
