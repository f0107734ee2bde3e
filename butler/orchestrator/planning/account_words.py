"""Recognizes how the owner names an account in English, German, French and Spanish.

Such as `from my work account`, `mit meinem Arbeitskonto`, `depuis mon compte professionnel` and `desde mi cuenta de
trabajo`. An account goes by its name in the settings or by a synonym: `work` is also `Arbeit` or `travail`. Its kind
may stand beside it: `mail`, or a name that a module gives its channel (`ChannelInfo.brands`).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_NAME = r"(?P<name>[\w-]+?)"
_KINDS = ("e-?mail", "mail", "correo", "drive")
"""The kinds of accounts, besides the modules' brands."""
_FROM = "(?:from|with|through|via|using|in|on|out of)"
_VON = "(?:von|vom|aus|mit|über|in|auf|per)"
_KONTO = "(?:konto|account|postfach|adresse|laufwerk)"
_DE = "(?:de|depuis|avec|par|via|dans|sur|à partir de)"
_COMPTE = "(?:compte|boîte|boite|messagerie|adresse)"
_DESDE = "(?:de|desde|con|por|en|vía|via|a través de)"
_CUENTA = "(?:cuenta|buzón|buzon|correo|dirección)"
_QUOTED = re.compile(r'“[^”]*”|„[^“”]*[“”]|«[^»]*»|"[^"]*"')
_COLON = re.compile(r"(?<!\d):|:(?!\d)")
"""The colon before a text to send; not the colon of a time of day."""
_WORK = """
work office business job company corporate professional arbeit dienst dienstlich beruf beruflich buro geschaft
geschaftlich firma firm trabajo laboral oficina empresa profesional negocio travail bureau pro professionnel
professionnelle boulot entreprise societe
"""
_PRIVATE = """
private personal home privat personlich particular privado privada casa perso personnel personnelle prive privee maison
"""
_MAIN = "main default primary haupt hauptsachlich principal principale predeterminada primaire"
_MEANINGS = tuple(frozenset(words.split()) for words in (_WORK, _PRIVATE, _MAIN))
_ENDINGS = ("en", "em", "er", "es", "e", "s", "n")
"""The endings of a German word, alone or within a compound: `privaten`, `Arbeitskonto`."""


@lru_cache(maxsize=8)
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns for a named account; `kind` matches the kind of account."""
    ways = (
        rf"{_FROM} (?:my|the) {_NAME} (?:{kind} )?(?:account|mailbox|inbox|address)",
        rf"(?:my|the) {_NAME} (?P<drive>drive)",
        rf"{_FROM} (?:my|the) (?:{kind} )?(?:account|mailbox) (?:called|named) {_NAME}",
        rf"{_VON} (?:(?:meinem|meiner|dem|der) )?{_NAME}[- ]?(?:{kind}[- ]?)?{_KONTO}",
        rf"{_DE} (?:mon|ma|le|la) {_COMPTE} (?:{kind} )?(?P<of>de |du |d['’])?{_NAME}",
        rf"{_DESDE} (?:mi|la|el) {_CUENTA} (?:de {kind} )?(?P<of>de |del )?{_NAME}",
    )
    return tuple(re.compile(rf"(?<![\w-]){way}(?![\w-])", re.IGNORECASE) for way in ways)


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
    kind = f"(?:{'|'.join((*_KINDS, *sorted(map(re.escape, set(brands)))))})"
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
    forms = {folded, *(folded.removesuffix(ending) for ending in _ENDINGS)}
    if shorter := tuple(one for one in accounts if _folded(one) in forms):
        return shorter
    meaning = next((one for one in _MEANINGS if one & forms), frozenset[str]())
    return tuple(one for one in accounts if _folded(one) in meaning)


def _folded(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))
