"""`butler digest --preview`: what a digest would say now, from the current rows. Sends and stores nothing."""

from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

from butler.cli.database import reading
from butler.cli.timezones import now_named
from butler.contract.card import rich_text
from butler.contract.speech import speak
from butler.digests.contents import preview
from butler.home_zone import stay
from butler.orchestrator.chat.preference_commands import language_of
from butler.owner import PAIRED
from butler.store.queries import cursors
from config.load import load


@dataclass(frozen=True, slots=True)
class _Owner:
    telegram_user_id: int | None
    emails: frozenset[str]


def previewed(path: Path, *, now: str = "") -> str:
    """Return a digest as of now, or of a time by the owner's clock; raise `Refuse` without a database."""
    settings = load(path).settings
    with reading(path) as connection:
        speak(language_of(connection, settings.butler.language))
        paired = settings.owner.telegram_user_id or cursors.fact(connection, PAIRED)
        owner = _Owner(paired, frozenset(address.lower() for address in settings.owner.emails))
        where = stay(connection)
        here = where is not None and where.home == settings.butler.timezone
        zone = ZoneInfo(where.zone if where is not None and here else settings.butler.timezone)
        at = now_named(now, zone).astimezone(UTC)
        return rich_text(preview(connection, at, zone, owner, calendar="calendar" in settings.modules))
