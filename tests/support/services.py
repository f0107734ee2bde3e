"""The services record for tests: what a test does not name is there, and does nothing."""

from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.contract.ports import Clock
from butler.services import Services
from butler.store.store import Store
from config.settings import Settings


async def told_nobody(_key: str, _sentence: str) -> None:
    """Nobody hears of it."""


def make_services(store: Store, clock: Clock, **named: Any) -> Services:
    """A record of these. `settings` may be given as a mapping."""
    nobody = cast("Any", None)
    if isinstance(given := named.get("settings"), dict):
        named["settings"] = Settings.model_validate(given)
    values: dict[str, Any] = {
        "zone": ZoneInfo("UTC"),
        "wake": lambda: None,
        "owner": nobody,
        "channel": nobody,
        "tools": nobody,
        "settings": Settings(),
        "tell": told_nobody,
    }
    return Services(store, clock, **(values | named))
