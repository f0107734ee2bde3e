"""Tells whether a model's words could be read as a report, or a promise, of something that was done.

What stands between quotation marks is no claim: a draft, a translation, or what somebody could say. See `claims.toml`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from butler.agents.languages import language_of
from butler.contract.speech import say, speaking, spoken
from butler.contract.tables import table
from butler.understanding.stored_words import group_in, patterns_in
from config.language import OwnerLanguage

PACKAGE: Final = "butler.orchestrator.planning"
SENTENCE: Final = re.compile(r"(?<=[.!?;…])\s+|\n+")
START: Final = r"(?:^|[,:–—] )\W*"
"""Where a sentence, or a part of one, begins."""
QUOTED: Final = re.compile(
    r"“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|(?<![\w’])‘[^‘\n]*?’(?!\w)"
    r"|(?<![\w\"])\"[^\"]*\"(?!\w)|(?<![\w'])'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)"
)
MEANT: Final = " X "
"""Stands for what is quoted: a claim around it is one."""
LISTS: Final = ("act", "change", "thing", "made", "between", "thought")
"""The lists that a pattern may name in braces."""
FEW_LATIN: Final = 0.5
"""The share of Latin letters below which nothing is known of what a text says."""


def may_claim_an_act(text: str) -> bool:
    """Return whether a text could be read as a report of something done now, or as a promise to do it.

    A text in letters that no pattern knows could say anything.
    """
    own = QUOTED.sub(MEANT, text)
    return _is_strange(own) or any(map(_claims, SENTENCE.split(own)))


def note_below(text: str, note: str) -> str:
    """Return a note for below a text, in the language of the text or else the owner's; empty if it claims no act."""
    if not may_claim_an_act(text):
        return ""
    with speaking(OwnerLanguage(language_of(text) or spoken())):
        return say(note)


def _claims(sentence: str) -> bool:
    if _pattern("said").search(sentence):
        return True
    happened = _pattern("happened").search(sentence)
    if happened is not None and not _words("supposed").search(sentence[: happened.end()]):
        return True
    if _pattern("changed").search(sentence) and not _words("wording").search(sentence):
        return True
    return _pattern("promised").search(sentence) is not None and not _pattern("offered").search(sentence)


def _words(kind: str) -> re.Pattern[str]:
    return patterns_in(PACKAGE, "claims", kind)


def _is_strange(text: str) -> bool:
    letters = [one for one in text if one.isalpha()]
    return sum(one < "\u0250" for one in letters) < FEW_LATIN * len(letters)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return a pattern for a kind in all languages, with each language's own lists in it."""
    held: Mapping[str, Sequence[str]] = table(PACKAGE, "claims")[kind]
    return re.compile(
        "|".join(f"(?:{_filled(one, language)})" for language, listed in held.items() for one in listed),
        re.IGNORECASE,
    )


def _filled(pattern: str, language: str) -> str:
    pattern = pattern.replace("{start}", START)
    for name in LISTS:
        if f"{{{name}}}" in pattern:
            pattern = pattern.replace(f"{{{name}}}", group_in(PACKAGE, "claims", name, language))
    return pattern
