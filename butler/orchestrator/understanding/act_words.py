"""Words by which people speak of what was shown, made or said last, in any of the languages; see `act_words.toml`."""

import re
from functools import cache

from butler.contract.tables import table
from butler.understanding.times.lexicon import folded


@cache
def words(kind: str) -> re.Pattern[str]:
    """Whole words or phrases of a kind, the longer ones first; with their accents or without."""
    stored: dict[str, list[str]] = table("butler.orchestrator.understanding", "act_words")[kind]
    said = {form for listed in stored.values() for one in listed for form in (one, folded(one))}
    options = "|".join(re.escape(one).replace("'", "['’]") for one in sorted(said, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![\w'’-])(?:{options})(?![\w-])", re.IGNORECASE)


def says(kind: str, text: str) -> bool:
    """Whether a text has any words of a kind."""
    return words(kind).search(text) is not None


def only(kind: str, text: str) -> bool:
    """Whether a text is words of a kind and nothing else."""
    return words(kind).fullmatch(text.strip(" ,.;:!?")) is not None


def without(kind: str, text: str) -> str:
    """The text without the words of a kind."""
    return " ".join(words(kind).sub(" ", text).split())
