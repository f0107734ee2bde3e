"""Reads the tables of words and patterns from the TOML files beside the code."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

MODULES = Path(__file__).parents[2] / "modules"
"""The folder of all modules, whose tables are read without importing them."""


@cache
def table(package: str, name: str) -> dict[str, Any]:
    """Return the contents of `name`.toml in a package; callers must not change them."""
    return tomllib.loads((files(package) / f"{name}.toml").read_text(encoding="utf-8"))
