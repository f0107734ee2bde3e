"""Loads the intents: `modules/*/intents/intents.toml` of each module, and the core's own beside this file.

Each table declares one intent: the tools that its plan may end with, its slots with their types, the question for each
required slot, and the intents for which it must not be mistaken. Example requests are in one file for each language
beside the table. A new language or module adds data only.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from butler.contract.tables import MODULES

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
    """The tools that its plan may act with; none if the core answers."""
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    """The type of each slot."""
    for_models: tuple[str, ...] = ()
    """The tools for a language model, the usual one first: those of `tools`, and further ones that only it uses."""
    ask: Mapping[str, str] = field(default_factory=dict[str, str])
    """The question for each required slot."""
    never: frozenset[str] = frozenset()
    """Intents for which it must not be mistaken: if one of them is likely too, Butler asks the owner."""


def folders() -> list[Path]:
    """Return the folders with tables: the core's, and those of the existing modules."""
    return [CORE, *sorted(MODULES.glob("*/intents"))]


@cache
def intents() -> Mapping[str, Intent]:
    """Return all intents by name. Raise `ValueError` for an invalid table."""
    found: dict[str, Intent] = {}
    for folder in folders():
        for one in _of(folder):
            if one.name in found:
                raise ValueError(f"two tables are called {one.name}")
            found[one.name] = one
    return found


def slots_of(name: str) -> Mapping[str, str]:
    """Return the slots of an intent with their types; none for an undeclared intent."""
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
            name, table["about"], frozenset(table.get("tools", ())), table.get("slots", {}),
            (*table.get("tools", ()), *table.get("for_models", ())), table.get("ask", {}),
            frozenset(table.get("never", ())),
        )  # fmt: skip


def examples(language: str) -> str:
    """Return the example requests of all tables in a language, for `scripts/train_understanding/examples.py`."""
    files = [folder / f"{language}.txt" for folder in folders()]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
