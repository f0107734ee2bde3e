"""The circumstances in which `butler mail` reads a mail: the time, the recipient, the DNS records."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.cli.timezones import now_named
from butler.contract.errors import ConfigError, Refuse
from config.load import Loaded, load
from modules.email.config import BotMailboxSettings, EmailSettings


@dataclass(frozen=True, slots=True)
class Scene:
    """The owner, the butler and the time for which a mail is analysed."""

    now: datetime
    owner: frozenset[str]
    """Lower case; empty if no address of the owner's is known."""
    butler: str
    settings: BotMailboxSettings
    zone: ZoneInfo
    txt: Mapping[str, str] | None = None
    """TXT records in place of DNS."""

    @classmethod
    def of(cls, config: Path, *, dns: Path | None, now: str, owner: str, butler: str) -> "Scene":
        """Build a scene from the options, else from the file of DNS records, else the settings; raise `ButlerError`."""
        data = _records(dns) if dns else {}
        loaded = load(config) if config.exists() else None
        bot = (bot_settings(loaded, config) if loaded else None) or BotMailboxSettings.model_validate(NO_SERVER)
        if sealers := data.get("trusted_arc_sealers"):
            bot = bot.model_copy(update={"arc_sealers": tuple(sealers)})
        owners = [owner or data.get("owner", "")]
        if not owners[0] and loaded:
            owners = list(loaded.settings.owner.emails)
        return cls(
            now=now_named(now or data.get("frozen_now", ""), UTC),
            owner=frozenset(address.lower() for address in owners if address),
            butler=(butler or data.get("butler", "") or _own(loaded, bot)).lower(),
            settings=bot,
            zone=ZoneInfo(loaded.settings.butler.timezone if loaded else "UTC"),
            txt=data.get("txt") if dns else None,
        )

    def lookup(self, name: str) -> bytes | None:
        """Return the record of a name, from the file."""
        found = (self.txt or {}).get(name.rstrip("."))
        return found.encode() if found is not None else None


NO_SERVER = {"imap": "imaps://mail.invalid", "smtp": "smtps://mail.invalid"}


def bot_settings(loaded: Loaded, config: Path) -> BotMailboxSettings | None:
    """Return the checked `[modules.email.bot]`, None if there is none; raise `ConfigError`."""
    from butler.discovery import check_section, discover  # noqa: PLC0415

    section = loaded.settings.modules.get("email", {})
    try:
        checked = check_section(discover()["email"], section)
    except ConfigError as error:
        raise ConfigError(f"{config}: {error.detail}") from None
    return checked.bot if isinstance(checked, EmailSettings) else None


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


def _own(loaded: Loaded | None, bot: BotMailboxSettings) -> str:
    return loaded.secrets.get(bot.address_env, "").strip() if loaded else ""
