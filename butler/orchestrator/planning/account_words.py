"""Recognizes how the owner names an account, in any of the languages; see `account_words.toml`.

Such as `from my work account`, `mit meinem Arbeitskonto`, `depuis mon compte professionnel` and `desde mi cuenta de
trabajo`. An account goes by its name in the settings or by a synonym: `work` is also `Arbeit` or `travail`. Its kind
may stand beside it: `mail`, or a name that a module gives its channel (`ChannelInfo.brands`).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from butler.understanding.stored_words import stored

_NAME = r"(?P<name>[\w-]+?)"
_QUOTED = re.compile(r'“[^”]*”|„[^“”]*[“”]|«[^»]*»|"[^"]*"')
_COLON = re.compile(r"(?<!\d):|:(?!\d)")
"""The colon before a text to send; not the colon of a time of day."""
_MEANINGS = ("work", "private", "main")
"""The kinds of words that mean the same."""


@lru_cache(maxsize=8)
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns for a named account; `kind` matches the kind of account."""
    ways = (way.replace("{name}", _NAME).replace("{kind}", kind) for way in _stored("ways"))
    return tuple(re.compile(rf"(?<![\w-]){way}(?![\w-])", re.IGNORECASE) for way in ways)


@cache
def _meanings() -> tuple[frozenset[str], ...]:
    """Return the folded words of each meaning."""
    return tuple(frozenset(map(_folded, _stored(kind))) for kind in _MEANINGS)


def _stored(kind: str) -> tuple[str, ...]:
    return stored("butler.orchestrator.planning", "account_words", kind)


@dataclass(frozen=True, slots=True)
class Named:
    """An account that the words name: its place in the text, its word and the accounts that it may mean."""

    start: int
    end: int
    word: str
    meant: tuple[str, ...]
    """One if it is clear, several if the word fits several, none if it fits none."""
    place: str = ""
    """The words that remain in the text, if the account's words also say where to look."""

    def without(self, text: str) -> str:
        """Return the text without the account's words."""
        return self.instead(text, self.place)

    def instead(self, text: str, words: str) -> str:
        """Return the text with other words in place of the account's."""
        joined = " ".join(filter(None, (text[: self.start].strip(" ,"), words, text[self.end :].strip())))
        return re.sub(r"\s+([:,.?!])", r"\1", joined)


def named_account(text: str, accounts: Iterable[str], brands: Iterable[str]) -> Named | None:
    """Return the first account that a request names outside quotes and before any colon.

    `brands` are the names of the channels, which are not names of accounts.
    """
    kind = f"(?:{'|'.join((*_stored('kinds'), *sorted(map(re.escape, set(brands)))))})"
    known = tuple(dict.fromkeys(accounts))
    said = _COLON.split(_QUOTED.sub(_blank, text), maxsplit=1)[0]
    places = (found for pattern in _patterns(kind) for found in pattern.finditer(said))
    for found in sorted(places, key=lambda one: one.start()):
        word, is_plain = found["name"], "of" in found.groupdict() and not found["of"]
        if re.fullmatch(kind, word, re.IGNORECASE) and word not in known:
            continue
        meant = _meant(word, known)
        # Behind the noun, a word is a name only if it is a known account or `de` ties it to the noun.
        if meant or not is_plain:
            place = "my drive" if found.groupdict().get("drive") else ""
            return Named(found.start(), found.end(), word, meant, place)
    return None


def _blank(quoted: re.Match[str]) -> str:
    return " " * len(quoted[0])


def _meant(word: str, accounts: Sequence[str]) -> tuple[str, ...]:
    folded = _folded(word)
    if exact := tuple(one for one in accounts if _folded(one) == folded):
        return exact
    forms = {folded, *(folded.removesuffix(ending) for ending in _stored("endings"))}
    if shorter := tuple(one for one in accounts if _folded(one) in forms):
        return shorter
    meaning = next((one for one in _meanings() if one & forms), frozenset[str]())
    return tuple(one for one in accounts if _folded(one) in meaning)


def _folded(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))
