"""Runs `butler init`: asks, tests, writes the configuration and the secrets, opens pairing, says what comes next."""

import asyncio
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butler.cli.config_files import CONFIG_MODE, keep_secrets, write_whole
from butler.cli.dialogue import Dialogue
from butler.cli.init.questions import TOKEN, Answer, ask_bot, ask_emails, ask_mailbox, ask_model, ask_zone
from butler.cli.options import DEFAULT
from butler.contract.errors import Refuse
from config.load import read_secrets

SECRETS = "secrets.env"
GMAIL = ("@gmail.com", "@googlemail.com")
MAIL_GUIDE = "docs/how-to/connect-mail.md"
HEAD = """# Butler's configuration. `butler config show` tells what is in force, `butler config check` whether it works.
# Secrets do not belong here: they stand in secrets.env, which only you may read.
"""


@dataclass(frozen=True, slots=True)
class Given:
    """The answers given by options; None is asked for."""

    name: str | None
    timezone: str | None
    emails: str | None
    mailbox: Mapping[str, str | None]
    model: Mapping[str, str | None]
    api_base_url: str | None
    data_dir: str
    asks: bool
    force: bool


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers."""

    name: str
    zone: str
    emails: Sequence[str]
    bot: Answer
    mailbox: Answer
    model: Answer

    def secrets(self) -> dict[str, str]:
        """Return the values for the secrets file."""
        return {**self.bot.secrets, **self.mailbox.secrets, **self.model.secrets}


def set_up(config: Path, given: Given) -> None:
    """Run the whole dialogue; raise `ButlerError` on failure, with nothing written."""
    dialogue = Dialogue(given.asks)
    _may_write(dialogue, config, force=given.force)
    known = {**read_secrets(_secrets_file(config)), **os.environ}
    dialogue.say("Each answer is tried as you give it. Nothing is written before the last one.\n")
    answers = Answers(
        name=dialogue.text("What is your butler called?", given.name, "Jeeves"),
        zone=ask_zone(dialogue, given.timezone),
        emails=ask_emails(dialogue, given.emails),
        bot=ask_bot(dialogue, known, given.api_base_url),
        mailbox=ask_mailbox(dialogue, known, given.mailbox),
        model=ask_model(dialogue, known, given.model),
    )
    secrets, file = answers.secrets(), _secrets_file(config)
    touched = bool(secrets) or not file.exists()
    _write(config, _toml(answers, given.data_dir), secrets)
    dialogue.say(f"\nWrote {config}" + (f" and {file} (for you only)." if touched else "."))
    if not secrets:
        dialogue.say(f"Write secrets into {file} as NAME=value, a line each.")
    dialogue.say(_what_next(config, answers))


def _secrets_file(config: Path) -> Path:
    return config.parent / SECRETS


def _may_write(dialogue: Dialogue, config: Path, *, force: bool) -> None:
    if not config.exists() or force:
        return
    if not dialogue.asks:
        raise Refuse(f"{config} is there already; say --force to write it anew and keep a copy")
    question = f"{config} is there already. Write it anew? (The old one is kept as {_kept(config).name}.)"
    if not dialogue.agrees(question, default=False):
        raise Refuse(f"{config} is there already, and stays as it is")


def _kept(config: Path) -> Path:
    return config.with_name(f"{config.name}.old")


def _write(config: Path, text: str, secrets: Mapping[str, str]) -> None:
    """Write both files; the secrets first, so that a configuration never names a missing secret."""
    tomllib.loads(text)
    if secrets or not _secrets_file(config).exists():
        keep_secrets(_secrets_file(config), secrets)
    if config.exists():
        write_whole(_kept(config), config.read_text(encoding="utf-8"), mode=CONFIG_MODE)
    write_whole(config, text, mode=CONFIG_MODE)


def _toml(answers: Answers, data_dir: str) -> str:
    tables: dict[str, Mapping[str, Any]] = {
        "butler": {"name": answers.name, "timezone": answers.zone, "data_dir": data_dir, "secrets_file": SECRETS},
        "owner": {"emails": list(answers.emails)} if answers.emails else {},
        "llm": answers.model.section,
        "modules.telegram.bot": answers.bot.section,
        "modules.email.bot": answers.mailbox.section,
    }
    return HEAD + "".join(_table(title, values) for title, values in tables.items() if values)


def _table(title: str, values: Mapping[str, Any]) -> str:
    # JSON's strings and lists of strings are valid TOML.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items()]
    return "".join([f"\n[{title}]\n", *lines])


def _what_next(config: Path, answers: Answers) -> str:
    option = "" if config == DEFAULT else f" --config {config}"
    if not answers.bot.found:
        return (
            f"\nWithout a bot Butler cannot talk with you. Put the token into {_secrets_file(config)} as "
            f"{TOKEN}=..., look with `butler doctor{option}`, and pair with `butler pair{option}`."
        )
    steps = [f"Start Butler:  butler run{option}", _pairing(config, answers.bot.found)]
    steps.append("Let it act in your name, if you like:" + "".join(_logins(answers.emails, option)))
    steps.append(f"When something does not work:  butler doctor{option}")
    return "\nWhat comes next:\n" + "".join(f"\n{number}. {step}" for number, step in enumerate(steps, 1))


def _logins(emails: Sequence[str], option: str) -> Iterator[str]:
    """Yield a line for each account that the owner may have, judging by the named addresses."""
    yield f"\n   Telegram:  butler login telegram{option}"
    # Google may also host one's own domain.
    yield f"\n   Gmail:  butler login gmail{option}"
    if not emails or not all(address.lower().endswith(GMAIL) for address in emails):
        yield f"\n   A mailbox elsewhere:  butler login mail{option}  ({MAIL_GUIDE} first)"


def _pairing(config: Path, bot: str) -> str:
    from butler.cli.pair import open_pairing  # noqa: PLC0415 - the store is heavy

    try:
        text = asyncio.run(open_pairing(config))
    except Refuse as refusal:
        return f"{refusal.detail}."
    return f"{text.strip()}\n\n   Your bot is {bot}: https://t.me/{bot.removeprefix('@')}"
