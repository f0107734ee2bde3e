"""`butler mail inspect`: what the butler makes of a mail and why, as a person or a program reads it."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.cli.mail.items import MemoryBlobs, mail_items
from butler.cli.timezones import now_named
from butler.contract.errors import ConfigError, Refuse
from butler.contract.inbound import Inbound
from butler.contract.mail import MailFacts
from config.load import Loaded, load
from modules.email.config import BotMailboxSettings, EmailSettings

NOBODY = "nobody@invalid"
_JUST_NOW = timedelta(minutes=5)
"""A mail that lies in a file has arrived; DNS that does not answer is not waited for."""


@dataclass(frozen=True, slots=True)
class Scene:
    """For whom, by whom and when a mail is looked at."""

    now: datetime
    owner: frozenset[str]
    """Lower case; empty where no address of the owner's is known."""
    butler: str
    settings: BotMailboxSettings
    zone: ZoneInfo
    txt: Mapping[str, str] | None = None
    """TXT records in place of DNS."""

    @classmethod
    def of(cls, config: Path, *, dns: Path | None, now: str, owner: str, butler: str) -> "Scene":
        """What the options say, or else the file of DNS records, or else the settings; raises `ButlerError`."""
        told = _records(dns) if dns else {}
        loaded = load(config) if config.exists() else None
        bot = (bot_settings(loaded, config) if loaded else None) or BotMailboxSettings.model_validate(NO_SERVER)
        if sealers := told.get("trusted_arc_sealers"):
            bot = bot.model_copy(update={"arc_sealers": tuple(sealers)})
        owners = [owner or told.get("owner", "")]
        if not owners[0] and loaded:
            owners = list(loaded.settings.owner.emails)
        return cls(
            now=now_named(now or told.get("frozen_now", ""), UTC),
            owner=frozenset(address.lower() for address in owners if address),
            butler=(butler or told.get("butler", "") or _own(loaded, bot)).lower(),
            settings=bot,
            zone=ZoneInfo(loaded.settings.butler.timezone if loaded else "UTC"),
            txt=told.get("txt") if dns else None,
        )

    def lookup(self, name: str) -> bytes | None:
        """The record of a name, from the file."""
        found = (self.txt or {}).get(name.rstrip("."))
        return found.encode() if found is not None else None


NO_SERVER = {"imap": "imaps://mail.invalid", "smtp": "smtps://mail.invalid"}


def inspect_mails(files: Sequence[Path], scene: Scene, *, as_json: bool) -> None:
    """Print what is made of each; raises `Refuse` for a file that cannot be read."""
    asyncio.run(_inspect(files, scene, as_json=as_json))


async def _inspect(files: Sequence[Path], scene: Scene, *, as_json: bool) -> None:
    from modules.email.inbound import Place  # noqa: PLC0415 - heavy

    lookup = scene.lookup if scene.txt is not None else None
    async with mail_items(scene.settings, scene.owner, scene.now, MemoryBlobs(), lookup) as items:
        for number, file in enumerate(files, 1):
            try:
                raw = await asyncio.to_thread(file.read_bytes)
            except OSError as error:
                raise Refuse(f"{file} cannot be read: {error.strerror}") from None
            place = Place(scene.butler or NOBODY, 1, number, scene.now - _JUST_NOW)
            item = await items.make(place, raw)
            if as_json:
                # A line of JSON has to be text on any terminal: half of a surrogate pair stays an escape.
                line = json.dumps({"file": str(file), **as_data(item, scene)}, ensure_ascii=False)
                print(line.encode(errors="backslashreplace").decode(), flush=True)
            else:
                _show(file, item, scene)


def _show(file: Path, item: Inbound, scene: Scene) -> None:
    from butler.cli.mail.view import show  # noqa: PLC0415 - rich, only for people

    show(file, item, command_authority(item, scene), scene)


def as_data(item: Inbound, scene: Scene) -> dict[str, Any]:
    """For programs."""
    facts = item.mail or MailFacts()
    command, reason = command_authority(item, scene)
    forwarded = facts.forwarded
    return {
        "from": item.payload["from"],
        "from_name": item.sender_name,
        "subject": item.payload["subject"],
        "date": item.payload["date"],
        "text": item.text,
        "words": facts.words,
        "command": facts.command,
        "quotes": facts.quotes,
        "forwarded": None
        if forwarded is None
        else {
            "from": forwarded.sender.address if forwarded.sender else "",
            "from_name": forwarded.sender.name if forwarded.sender else "",
            "subject": forwarded.subject,
            "date": forwarded.sent_at.isoformat() if forwarded.sent_at else forwarded.date,
            "text": forwarded.text,
        },
        "attachments": [
            {"name": file.name, "size": file.size, "sha256": file.sha256, "type": file.media_type}
            for file in item.attachments
        ],
        "category": facts.kind.value,
        "topics": [topic.value for topic in facts.topics],
        "answerable": facts.answerable,
        "why_not_answerable": facts.why_not,
        "command_authority": command,
        "reason": reason,
        "problems": [*item.payload["problems"], *filter(None, [item.payload["quarantine"]])],
    }


def command_authority(item: Inbound, scene: Scene) -> tuple[bool, str]:
    """Whether the butler would take orders from this mail, and why or why not."""
    if not scene.owner:
        return False, "no address of yours is known: say --owner, or give your settings by --config"
    if not scene.butler:
        return False, "the butler's address is not known: say --butler, or give your settings by --config"
    if item.payload["quarantine"]:
        return False, item.payload["quarantine"]
    authority = cast("Mapping[str, Any]", item.payload.get("authority") or {})
    if not authority:
        return False, "it is not from an address of yours"
    return authority["command"] is True, str(authority["reason"])


def _records(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refuse(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        found = None
    records = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if not isinstance(records.get("txt"), dict):
        raise Refuse(f'{path} is no JSON object whose "txt" holds TXT records by name')
    return records


def bot_settings(loaded: Loaded, config: Path) -> BotMailboxSettings | None:
    """The checked `[modules.email.bot]`, None where there is none; raises `ConfigError`."""
    from butler.discovery import check_section, discover  # noqa: PLC0415

    section = loaded.settings.modules.get("email", {})
    try:
        checked = check_section(discover()["email"], section)
    except ConfigError as error:
        raise ConfigError(f"{config}: {error.detail}") from None
    return checked.bot if isinstance(checked, EmailSettings) else None


def _own(loaded: Loaded | None, bot: BotMailboxSettings) -> str:
    return loaded.secrets.get(bot.address_env, "").strip() if loaded else ""
