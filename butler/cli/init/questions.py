"""The questions of `butler init`, one function for each topic. Every answer is tested before it is accepted."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from butler.cli.dialogue import Dialogue
from butler.cli.module_checks import check_channel
from butler.cli.timezones import local_zone, zone_named
from butler.contract.errors import ConfigError, Refuse
from butler.contract.module import CheckResult
from config.settings import LlmSettings

TOKEN, ADDRESS, PASSWORD, KEY = (
    "BUTLER_TELEGRAM_TOKEN",
    "BUTLER_EMAIL_ADDRESS",
    "BUTLER_EMAIL_PASSWORD",
    "BUTLER_LLM_KEY",
)
_ADDRESS = re.compile(r"[^@\s,]+@[^@\s,]+")
Section = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A section of butler.toml with the secrets that it names, and the check's result. Empty: left out."""

    section: Section = field(default_factory=dict[str, Any])
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    found: str = ""


def ask_zone(dialogue: Dialogue, given: str | None) -> str:
    """Ask for the owner's time zone."""
    while True:
        text = dialogue.text("Your time zone", given, local_zone())
        if zone := dialogue.works(lambda text=text: zone_named(text)):
            return zone
        given = None


def ask_emails(dialogue: Dialogue, given: str | None) -> list[str]:
    """Ask for the owner's own mail addresses; there may be none."""
    while True:
        text = dialogue.text("Your own mail addresses, with commas between (empty: none)", given)
        found = dialogue.works(lambda text=text: _addresses(text))
        if found is not None:
            return found
        given = None


def _addresses(text: str) -> list[str]:
    addresses = [part.strip() for part in text.split(",") if part.strip()]
    for address in addresses:
        _check_address(address)
    return addresses


def _check_address(address: str) -> None:
    if not _ADDRESS.fullmatch(address):
        raise Refuse(f"{address!r} is no mail address; write it like me@home.example")


def ask_bot(dialogue: Dialogue, known: Mapping[str, str], api_base_url: str | None) -> Answer:
    """Ask for the bot's token, and test it with getMe."""
    section: Section = {"token_env": TOKEN} | ({"api_base_url": api_base_url} if api_base_url else {})
    token = known.get(TOKEN, "")
    if not token and dialogue.asks:
        dialogue.say("\nOn Telegram, ask @BotFather for a bot (/newbot) and copy the token that it shows.")
    while token := token or dialogue.secret("The bot's token (hidden as you paste; empty: skip)"):
        secrets = {TOKEN: token}
        if found := dialogue.works(lambda secrets=secrets: _bot(section, secrets)):
            dialogue.say(f"  Telegram knows it as {found[0].detail}.")
            for other in found[1:]:
                if not other.ok:
                    dialogue.say(f"  Mind: {other.detail}. {other.todo}")
            return Answer(section, secrets, found[0].detail)
        dialogue.say("  Paste it again, or leave it empty to skip.")
        token = ""
    return Answer(section)


def ask_mailbox(dialogue: Dialogue, known: Mapping[str, str], given: Mapping[str, str | None]) -> Answer:
    """Ask for the butler's own mailbox, and test its login over IMAP and over SMTP."""
    address = dialogue.text("\nThe butler's own mail address (empty: no mailbox)", given.get("address"))
    password = known.get(PASSWORD, "")
    servers = {name: url for name in ("imap", "smtp") if (url := given.get(name))}
    while address:
        domain = address.rpartition("@")[2]
        servers = {
            "imap": dialogue.text("IMAP server", servers.get("imap"), f"imaps://imap.{domain}:993"),
            "smtp": dialogue.text("SMTP server", servers.get("smtp"), f"smtp+starttls://smtp.{domain}:587"),
        }
        password = password or dialogue.secret("Its password (hidden)")
        section: Section = {"address_env": ADDRESS, "password_env": PASSWORD, **servers}
        section |= {"tls_ca": ca} if (ca := given.get("tls_ca")) else {}
        secrets = {ADDRESS: address, PASSWORD: password}
        if found := dialogue.works(lambda section=section, secrets=secrets: _mailbox(section, secrets)):
            dialogue.say(f"  {found[0].detail}.")
            return Answer(section, secrets, found[0].detail)
        if not dialogue.agrees("  Correct the answers? (no: go on without a mailbox)", default=True):
            break
        address = dialogue.text("The butler's own mail address", None, address)
        servers, password = _corrected(dialogue, servers), ""
    return Answer()


def _corrected(dialogue: Dialogue, servers: Mapping[str, str]) -> dict[str, str]:
    return {name: dialogue.text(f"{name.upper()} server", None, url) for name, url in servers.items()}


def ask_model(dialogue: Dialogue, known: Mapping[str, str], given: Mapping[str, str | None]) -> Answer:
    """Ask for the language model, and test it with one short question; the embedded planner needs none."""
    model = dialogue.text("\nLanguage model (embedded needs no account)", given.get("model"), "embedded")
    base_url = given.get("base_url") or ""
    key = known.get(KEY, "")
    while model and model != "embedded":
        key = key or dialogue.secret("Its key (hidden; empty: it needs none)")
        settings = LlmSettings(model=model, base_url=base_url)
        if dialogue.works(lambda settings=settings, key=key: _answers(settings, key)):
            dialogue.say(f"  {model} answers.")
            section: Section = {"model": model} | ({"base_url": base_url} if base_url else {})
            return Answer(section | ({"api_key_env": KEY} if key else {}), {KEY: key} if key else {}, model)
        model, key = dialogue.text("Language model", None, "embedded"), ""
    return Answer()


class _Ready(BaseModel):
    """What the model is asked to fill in."""

    ready: bool


def _answers(settings: LlmSettings, key: str) -> bool:
    from butler.agents.model import ModelLlm  # noqa: PLC0415 - a model's client is heavy, and only some have one

    model = ModelLlm(settings, key)
    asyncio.run(model.fill(_Ready, instructions="Fill in the form.", prompt="Say that you are ready."))
    return True


def _bot(section: Section, secrets: Mapping[str, str]) -> list[CheckResult]:
    """Run the bot's checks. A working token suffices: other faults are reported, and can be corrected later."""
    return _checks("telegram", section, secrets, decisive=1)


def _mailbox(section: Section, secrets: Mapping[str, str]) -> list[CheckResult]:
    _check_address(secrets[ADDRESS])
    return _checks("email", section, secrets)


def _checks(
    channel: str, section: Section, secrets: Mapping[str, str], decisive: int | None = None
) -> list[CheckResult]:
    """Run the channel's own checks; raise `ConfigError` with the first decisive one that fails."""
    results = list(asyncio.run(check_channel(channel, {"bot": section}, secrets)))
    for result in results[:decisive]:
        if not result.ok:
            raise ConfigError(result.detail)
    return results
