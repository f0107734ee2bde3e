"""Provides the words of the tables beside these modules, as sets and as phrases."""

from functools import cache

from butler.orchestrator.embedded.lexer import Phrases, phrases
from butler.understanding.stored_words import stored

_PACKAGE = "butler.orchestrator.embedded"


@cache
def word_set(name: str, kind: str) -> frozenset[str]:
    """Return the words of a kind in `name`.toml, of all languages."""
    return frozenset(stored(_PACKAGE, name, kind))


@cache
def phrases_of(name: str, kind: str) -> Phrases:
    """Return the phrases of a kind in `name`.toml, of all languages, which are written as for `phrases`."""
    return phrases(*stored(_PACKAGE, name, kind))
