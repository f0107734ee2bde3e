"""Loads a language's words for times from its `.toml` file beside this one."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es")
TOKEN = re.compile(r"\d{4}-\d{2}-\d{2}|\d+(?:[.:/]\d+)*(?:\.(?=\s|$|,))?|[^\W\d_]+(?:[.'’-][^\W\d_]+)*\.?|[^\W\d_]+|\S")
LONGEST = 6
"""Words of one phrase."""
LEAST = 5
"""The fewest letters of a word in which typing slips are corrected."""
PUT_RIGHT = frozenset(
    {"weekday", "month", "day", "part", "unit", "number", "next", "last", "this", "oclock", "quarter"}
)
"""Kinds of words in which slips are corrected."""
JOINTS = {"en": "{ten} {one}", "de": "{one}und{ten}", "fr": "{ten} {one}", "es": "{ten} y {one}"}
"""How a language says the numbers between the tens."""
TENS = {"en": (20, 30, 40, 50), "de": (20, 30, 40, 50), "fr": (20, 30, 40, 50), "es": (30, 40, 50)}
TEN = 10


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The folded phrases of one language, with their meaning for each kind."""

    language: str
    phrases: dict[tuple[str, ...], dict[str, str]]
    names: tuple[str, ...]
    """Words to which slips are corrected."""
    words_known: frozenset[tuple[str, ...]]
    """Single words that mean something."""
    aliases: Mapping[str, tuple[str, ...]]
    """Words that stand for others, such as `anoche` for `ayer noche`."""

    def phrases_at(self, tokens: Sequence[str], at: int) -> dict[str, tuple[str, int]]:
        """Return, for each kind, the meaning of the longest phrase at a place, and the place after it."""
        found: dict[str, tuple[str, int]] = {}
        for length in range(min(LONGEST, len(tokens) - at), 0, -1):
            for kind, meaning in self.phrases.get(tuple(tokens[at : at + length]), {}).items():
                found.setdefault(kind, (meaning, at + length))
        return found

    def longest(self, tokens: Sequence[str], at: int, kind: str) -> tuple[str, int] | None:
        """Return the meaning of the longest phrase of a kind at a place, and the place after it."""
        for length in range(min(LONGEST, len(tokens) - at), 0, -1):
            meanings = self.phrases.get(tuple(tokens[at : at + length]))
            if meanings is not None and kind in meanings:
                return meanings[kind], at + length
        return None


def folded(text: str) -> str:
    """Return a text in lower case, without accents."""
    plain = unicodedata.normalize("NFD", text.casefold().replace("’", "'"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


DAYS = "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
JOINED = re.compile(
    rf"\b({DAYS})s?-?(fruh|frueh|morgen|vormittag|mittag|nachmittag|spatnachmittag|abend|nacht)s?\b|"
    r"\b(halb|dreiviertel)(eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf)\b"
)
HYPHEN = re.compile(r"(?<=\d)-(?=[^\W\d_])")
"""As in `16-Uhr`."""
POSSESSIVE = re.compile(r"(?<=\w)(?:'s\b|-ci\b)")


def tokens_of(text: str) -> list[str]:
    """Return the words, numbers and marks of a time; `Freitagabend` is two words."""
    return TOKEN.findall(HYPHEN.sub(" ", JOINED.sub(_apart, POSSESSIVE.sub("", folded(text)))))


def _apart(found: re.Match[str]) -> str:
    day, part = found[1] or found[3], found[2] or found[4]
    return f"{day} {'fruh' if part == 'morgen' else part}"


def corrected(words: Lexicon, tokens: Sequence[str]) -> list[str]:
    """Return the words with slips corrected, and joined ones such as `seven-ish` and `l'année` split."""
    return [part for token in tokens for part in _pieces(words, token)]


def _pieces(words: Lexicon, token: str) -> Iterator[str]:
    if token in words.aliases:
        yield from words.aliases[token]
    elif (token,) in words.words_known or not token[:1].isalpha():
        yield token
    elif "'" in token and words.language == "fr":
        head, _, rest = token.partition("'")
        yield from (f"{head}'", *_pieces(words, rest))
    elif "-" in token and not token.endswith("-la"):
        for part in token.split("-"):
            yield from _pieces(words, part)
    elif token.endswith("ish") and (token[:-3],) in words.words_known:
        yield token[:-3]
    elif token.endswith(".") and (token[:-1],) in words.words_known:
        yield token[:-1]
    else:
        yield _corrected(words, token)


def _corrected(words: Lexicon, token: str) -> str:
    if len(token) < LEAST or not token.isalpha():
        return token
    return next((name for name in words.names if _one_slip(token, name)), token)


def _one_slip(typed: str, meant: str) -> bool:
    """Return whether two words differ by one slip: a letter missing, added or replaced, or two swapped."""
    if typed[:1] != meant[:1] or abs(len(typed) - len(meant)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), min(len(typed), len(meant)))
    a, b = typed[at:], meant[at:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


@cache
def lexicon(language: str) -> Lexicon:
    """Return the words of one of `LANGUAGES`."""
    stored = tomllib.loads(Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8"))
    phrases: dict[tuple[str, ...], dict[str, str]] = {}
    aliases = {
        folded(word): tuple(TOKEN.findall(folded(meant)))
        for meant, words in stored.pop("alias", {}).items()
        for word in words
    }
    for kind, value, phrase in (*_listed(stored), *_between_tens(language, stored["number"])):
        for spelled in {folded(phrase), folded(without_umlauts(phrase))}:
            phrases.setdefault(tuple(TOKEN.findall(spelled)), {}).setdefault(kind, value)
    named = tuple(
        phrase[0] for phrase, kinds in phrases.items()
        if len(phrase) == 1 and len(phrase[0]) >= LEAST and PUT_RIGHT & set(kinds)
    )  # fmt: skip
    known = frozenset((word,) for phrase in phrases for word in phrase)
    return Lexicon(language, phrases, named, known, aliases)


def _listed(stored: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the meaning and the words of each phrase."""
    for table, meanings in stored.items():
        for meaning, said in meanings.items():
            kind, value = (meaning, meaning) if table == "word" else (table, meaning)
            yield from ((kind, value, phrase) for phrase in said)


def _between_tens(language: str, numbers: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield the numbers between the tens, such as `twenty five`."""
    for ten in TENS[language]:
        for one in range(1, TEN):
            for word in numbers[str(one)]:
                if word.isalpha() and len(word) > 1:
                    yield "number", str(ten + one), JOINTS[language].format(ten=numbers[str(ten)][0], one=word)


def without_umlauts(phrase: str) -> str:
    """Return a phrase as typed on a keyboard without umlauts."""
    for umlaut, two in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        phrase = phrase.replace(umlaut, two)
    return phrase
