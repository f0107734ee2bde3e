"""Reads the words of languages from the TOML files beside the code, and makes patterns of them.

A file has a table for each kind of words, with a list for each language and, under `any`, one for all of them. A new
language is a new list in each table.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from butler.contract.tables import table
from butler.understanding.patterns import any_of
from butler.understanding.times.lexicon import folded


@cache
def stored(package: str, name: str, kind: str, language: str = "") -> tuple[str, ...]:
    """Return what a kind lists in `name`.toml of a package: for a language and for any, or for all if it is unknown."""
    held: Mapping[str, Sequence[str]] = table(package, name)[kind]
    lists = (held[language], held.get("any", ())) if language in held else held.values()
    return tuple(one for listed in lists for one in listed)


@cache
def words_in(package: str, name: str, kind: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern for the whole words or phrases of a kind, with or without accents and in any case."""
    said = {form for one in stored(package, name, kind, language) for form in (one, folded(one))}
    return re.compile(rf"(?<![\w'’-])(?:{any_of(said)})(?![\w-])", re.IGNORECASE)


@cache
def group_in(package: str, name: str, kind: str, language: str = "") -> str:
    """Return a group of the regular expressions of a kind, in their order, for a larger pattern."""
    return f"(?:{'|'.join(f'(?:{one})' for one in stored(package, name, kind, language))})"


@cache
def patterns_in(package: str, name: str, kind: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern for any of the regular expressions of a kind, in their order and in any case."""
    return re.compile(group_in(package, name, kind, language), re.IGNORECASE)


@cache
def whole_in(package: str, name: str, kind: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern for any of the regular expressions of a kind between the ends of words, in any case."""
    return re.compile(rf"\b{group_in(package, name, kind, language)}\b", re.IGNORECASE)
