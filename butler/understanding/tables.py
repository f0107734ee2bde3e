"""The intents, as their modules declare them: `modules/*/intents/intents.toml`, and the core's own beside this file.

Each table is one thing that can be asked for: the tools that its plan may end with, its slots with their types, the
question for each slot without which nothing can be done, and the intents that it must not be mistaken for. Example
requests lie beside it, one file for each language. A new language or module adds data only.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CORE = Path(__file__).with_name("intents")
LANGUAGES = ("en", "de", "fr", "es")
TYPES = frozenset(
    "person text reported asked words moment span recurrence length number state shown channel account answer".split()  # noqa: SIM905 - names
)


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing that can be asked for."""

    name: str
    about: str
    tools: frozenset[str] = frozenset()
    """Those that a plan of it may act with; none where the core answers."""
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    """The type of each slot."""
    ask: Mapping[str, str] = field(default_factory=dict[str, str])
    """The question for each slot without which nothing can be done."""
    never: frozenset[str] = frozenset()
    """Intents for which it must not be mistaken: where one of them is likely, too, the person is asked."""


def folders() -> list[Path]:
    """The folders with tables: the core's, and those of the modules that are there."""
    return [CORE, *sorted((ROOT / "modules").glob("*/intents"))]


@cache
def intents() -> Mapping[str, Intent]:
    """All intents by name. Raises `ValueError` for a table that is wrong."""
    found: dict[str, Intent] = {}
    for folder in folders():
        for one in _of(folder):
            if one.name in found:
                raise ValueError(f"two tables are called {one.name}")
            found[one.name] = one
    return found


def slots_of(name: str) -> Mapping[str, str]:
    """The slots of an intent with their types; none for an intent that no module declares."""
    intent = intents().get(name)
    return intent.slots if intent is not None else {}


def _of(folder: Path) -> Iterator[Intent]:
    tables: dict[str, dict[str, Any]] = tomllib.loads((folder / "intents.toml").read_text(encoding="utf-8"))
    for name, table in tables.items():
        if unknown := set(table.get("slots", {}).values()) - TYPES:
            raise ValueError(f"{name}: no slot can be of type {', '.join(sorted(unknown))}")
        if missing := set(table.get("ask", {})) - set(table.get("slots", {})):
            raise ValueError(f"{name}: {', '.join(sorted(missing))} is asked for, and no slot")
        yield Intent(
            name, table["about"], frozenset(table.get("tools", ())), table.get("slots", {}), table.get("ask", {}),
            frozenset(table.get("never", ())),
        )  # fmt: skip


def examples(language: str) -> str:
    """The example requests of all tables in one language, as `scripts/train_understanding/examples.py` reads them."""
    files = [folder / f"{language}.txt" for folder in folders()]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
