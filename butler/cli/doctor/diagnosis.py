"""`butler doctor`: checks everything that Butler needs, and says what works and how to repair the rest."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from butler.agents.parser import landlock
from butler.cli.doctor.checks import (
    check_channels,
    check_clock,
    check_daemon,
    check_data_folder,
    check_database,
    check_secrets_file,
    check_web_port,
)
from butler.cli.doctor.credentials import check_credentials, check_sealed
from butler.cli.doctor.table import show
from butler.cli.module_checks import check_module, context_of
from butler.composition.channels import configured_modules
from butler.contract.errors import ConfigError, Reconfigure
from butler.contract.module import CheckResult, Module
from butler.offline import refuse_idle_patterns
from butler.secret_names import secret_names, variables
from config.load import Loaded, load
from config.settings import LlmSettings

TELEGRAM, GMAIL_API = "https://api.telegram.org", "https://gmail.googleapis.com/"
GMAIL = "gmail_oauth"
MAIL_GUIDE = "docs/how-to/connect-mail.md"


@dataclass(frozen=True, slots=True)
class Account:
    """An account that Butler may use, and how to give it."""

    name: str
    todo: str
    vital: bool = False


ACCOUNTS = {
    ("telegram", "bot"): Account(
        "Telegram bot",
        "Without a bot it cannot talk with you: write [modules.telegram.bot] into your settings and the bot's token "
        "into the secrets file (docs/quickstart.md).",
        vital=True,
    ),
    ("telegram", "user"): Account("Your Telegram account", "To let it write in your name: `butler login telegram`."),
    ("email", "bot"): Account("The butler's mailbox", f"To send it mail: {MAIL_GUIDE}."),
    ("email", "user"): Account(
        "Your mailbox",
        f"To let it read and send your mail: `butler login gmail`, or `butler login mail` elsewhere ({MAIL_GUIDE}).",
    ),
}


async def examine(path: Path) -> AsyncIterator[CheckResult]:
    """Run all checks, in the order of their dependencies."""
    secrets_file = check_secrets_file(path)
    yield secrets_file
    if not secrets_file.ok:
        return
    try:
        loaded = load(path)
        daemon, running = check_daemon(loaded)
        modules = configured_modules(loaded, context_of(loaded, beside_daemon=running))
        refuse_idle_patterns(loaded.settings, path)
    except ConfigError as error:
        yield CheckResult("Configuration", ok=False, detail=error.detail, todo=f"Correct {path}.")
        return
    yield CheckResult("Configuration", ok=True, detail=f"{path} is valid")
    named = [*secret_names(loaded), *(name for module in modules for name in variables(module.settings))]
    yield check_credentials(loaded, named)
    for result in (*check_sealed(loaded), *check_data_folder(loaded), *check_database(loaded)):
        yield result
    yield daemon
    yield check_web_port(loaded.settings.web, running=running)
    if running:
        yield await check_channels(loaded.settings.web)
    yield check_model(loaded.settings.llm, loaded)
    yield check_readers()
    yield await check_clock(bot_api(loaded))
    for server in google(loaded):
        yield await check_clock(server, "Clock, by Google")
    for result in check_deprecated(modules):
        yield result
    for results in await asyncio.gather(*(check_module(module) for module in modules)):
        for result in results:
            yield result
    for result in check_missing(loaded):
        yield result


def check_missing(loaded: Loaded) -> Iterator[CheckResult]:
    """Report the accounts that Butler could use but does not have. Only the bot is indispensable."""
    for (channel, identity), account in ACCOUNTS.items():
        section = loaded.settings.modules.get(channel, {}).get(identity)
        if section is None:
            yield CheckResult(account.name, ok=not account.vital, detail="not set up", todo=account.todo, in_use=False)
        elif not section.get("enabled", True):
            todo = f"Set enabled = true in [modules.{channel}.{identity}]."
            yield CheckResult(account.name, ok=not account.vital, detail="switched off", todo=todo, in_use=False)


def check_deprecated(modules: Sequence[Module]) -> Iterator[CheckResult]:
    """Warn about deprecated methods in use, which still work."""
    for module in modules:
        warned = {spec.method_id: spec for one in module.integrations() for spec in one.describe_methods()}
        lines = [spec.deprecation for spec in warned.values() if spec.deprecated]
        if lines:
            todo = "It works still. See whether a newer version of Butler uses what replaces it."
            yield CheckResult(f"The channel {module.channel}", ok=True, detail="; ".join(lines), todo=todo)


def bot_api(loaded: Loaded) -> str:
    """Return the Bot API's address, whose answers carry the time."""
    return str(loaded.settings.modules.get("telegram", {}).get("bot", {}).get("api_base_url", TELEGRAM))


def google(loaded: Loaded) -> list[str]:
    """Return the Gmail API's address if one of the owner's accounts uses it: its tokens also depend on the time."""
    section: dict[str, Any] = loaded.settings.modules.get("email", {}).get("user", {})
    accounts = [section, *section.get("accounts", {}).values()] if section else []
    at_google = [one for one in accounts if one.get("provider", GMAIL) == GMAIL and one.get("enabled", True)]
    return list(dict.fromkeys(str(one.get("api_root", GMAIL_API)) for one in at_google))


def check_readers() -> CheckResult:
    """Check that the kernel confines the readers of untrusted files; without that, they read anyway."""
    held = landlock.version()
    detail = f"files are read by a process that can open no other (Landlock {held})"
    if not held:
        detail = "files are read by a process that the kernel does not keep from other files: it has no Landlock"
    return CheckResult("Reading documents", ok=True, detail=detail)


def check_model(llm: LlmSettings, loaded: Loaded) -> CheckResult:
    """Check that a language model can be built. Do not ask it anything: that would cost money."""
    name = "Language model"
    if llm.model == "embedded":
        return CheckResult(name, ok=True, detail="none; the embedded planner needs no account")
    from butler.agents.providers import make_model  # noqa: PLC0415 - a model's client is heavy, and only some have one

    try:
        make_model(llm, loaded.secrets.get(llm.api_key_env, ""))
    except ConfigError as error:
        todo = 'Correct [llm], or set model = "embedded".'
        return CheckResult(name, ok=False, detail=error.detail, todo=todo)
    asks = "not asked: that costs, and is `butler doctor --model`"
    return CheckResult(name, ok=True, detail=f"{llm.model} is set up ({asks})")


async def diagnose(path: Path, *, as_json: bool) -> None:
    """Print every check; raise `Reconfigure` if one is not ok."""
    results = [result async for result in examine(path)]
    if as_json:
        print(json.dumps([asdict(result) for result in results], indent=2, ensure_ascii=False))
    else:
        show(results)
    wrong = [result for result in results if not result.ok]
    if wrong:
        raise Reconfigure(f"{len(wrong)} of {len(results)} checks are not ok")
