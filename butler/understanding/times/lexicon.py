"""The words by which a language says times, from its `.toml` file beside this one."""

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "de", "fr", "es")
TOKEN = re.compile(r"\d{4}-\d{2}-\d{2}|\d+(?:[.:/]\d+)*(?:\.(?=\s|$))?|[^\W\d_]+(?:[.'’-][^\W\d_]+)*\.?|[^\W\d_]+|\S")
LONGEST = 5
LEAST = 5
"""Letters of a word that a slip is looked for in."""
"""Words of one phrase."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases of one language, folded, and for each kind of atom what they mean."""

    language: str
    phrases: dict[tuple[str, ...], dict[str, str]]
    names: tuple[str, ...]
    """Days and months, in which slips are put right."""
    words_known: frozenset[tuple[str, ...]]
    """Single words that mean something."""

    def longest(self, tokens: Sequence[str], at: int, kind: str) -> tuple[str, int] | None:
        """The meaning of the longest phrase of a kind that stands at a place, and the place behind it."""
        for length in range(min(LONGEST, len(tokens) - at), 0, -1):
            meanings = self.phrases.get(tuple(tokens[at : at + length]))
            if meanings is not None and kind in meanings:
                return meanings[kind], at + length
        return None


def folded(text: str) -> str:
    """Lower case, without accents."""
    plain = unicodedata.normalize("NFD", text.casefold().replace("’", "'"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


JOINED = re.compile(
    r"\b(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?(fruh|morgen|vormittag|mittag|nachmittag|abend|nacht)s?\b"
)
POSSESSIVE = re.compile(r"(?<=\w)(?:'s\b|-ci\b|-la\b)")


def tokens_of(text: str) -> list[str]:
    """The words, numbers and marks of a time; `Freitagabend` is two words."""
    return TOKEN.findall(JOINED.sub(r"\1 \2", POSSESSIVE.sub("", folded(text))))


def corrected(words: "Lexicon", tokens: Sequence[str]) -> list[str]:
    """The words with a slip in the name of a day or month put right."""
    return [_corrected(words, token) for token in tokens]


def _corrected(words: "Lexicon", token: str) -> str:
    if len(token) < LEAST or not token.isalpha() or (token,) in words.words_known:
        return token
    return next((name for name in words.names if _one_slip(token, name)), token)


def _one_slip(typed: str, meant: str) -> bool:
    """Whether one letter is missing, too many, another, or two are exchanged."""
    if typed[:1] != meant[:1] or abs(len(typed) - len(meant)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), min(len(typed), len(meant)))
    a, b = typed[at:], meant[at:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


@cache
def lexicon(language: str) -> Lexicon:
    """The words of one of `LANGUAGES`."""
    stored = tomllib.loads(Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8"))
    phrases: dict[tuple[str, ...], dict[str, str]] = {}
    for table, meanings in stored.items():
        for meaning, said in meanings.items():
            kind, value = (meaning, meaning) if table == "word" else (table, meaning)
            for phrase in said:
                for spelled in {folded(phrase), folded(without_umlauts(phrase))}:
                    tokens = tuple(TOKEN.findall(spelled))
                    phrases.setdefault(tokens, {}).setdefault(kind, value)
    named = tuple(
        phrase[0] for phrase, kinds in phrases.items()
        if len(phrase) == 1 and len(phrase[0]) >= LEAST and {"weekday", "month", "day"} & set(kinds)
    )  # fmt: skip
    known = frozenset((word,) for phrase in phrases for word in phrase)
    return Lexicon(language, phrases, named, known)


def without_umlauts(phrase: str) -> str:
    """As typed on a keyboard without umlauts."""
    for umlaut, two in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        phrase = phrase.replace(umlaut, two)
    return phrase
