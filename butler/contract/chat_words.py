"""Compares what the owner calls a chat with the titles of chats, in any of the four languages.

Case, accents, articles and nouns such as `group` or `Gruppe` make no difference, nor does the form of a word.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import takewhile


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"\w+")
SHORTEST_BEGINNING = 3
"""The fewest letters that may stand for a longer word: `fam` for `family`."""
_SHORTEST_STEM = 5
"""The fewest letters that two forms of a word share."""
NOUNS = _words(
    """
    chat chats group groups channel channels conversation conversations thread threads groupchat
    gruppe gruppen gruppenchat kanal kanale unterhaltung chatgruppe runde
    groupe groupes canal canaux discussion discussions conv convs conversation fil
    grupo grupos canales conversacion conversaciones
    """
)
"""Nouns for a chat, without accents."""
TAILS = ("gruppenchat", "chatgruppe", "gruppen", "gruppe", "kanal", "runde", "chat")
"""The same nouns at the end of a German compound, such as `Familiengruppe`; the longest first."""
_SAYS_NOTHING = NOUNS | _words(
    """
    a an the my our your this that of for in on at to with and telegram messages
    der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren unserem
    unserer im ins am vom von zum zur mit bei aus und fur nachrichten
    le la les l un une des du de d mon ma mes notre nos dans sur chez avec et pour
    el los las lo un una unos unas mi mis nuestro nuestra nuestros nuestras del al en con y para mensajes
    """
)
_ENDINGS = _words("s es e n en er ern ers ing in innen nen y ies ied ed a o as os ia ie ien eur eurs") | {""}
"""The endings that two forms of one word may differ by, such as `climbing` and `climbers`."""


def telling(text: str) -> list[str]:
    """Return the folded words of a text that identify a chat; all of its words if none of them does."""
    words = _WORD.findall(folded(text))
    return [_without_noun(word) for word in words if word not in _SAYS_NOTHING] or words


def same_words(some: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two lists of identifying words are the same, in any order and form."""
    return len(some) == len(others) and holds(some, others) and holds(others, some)


def holds(title: Sequence[str], words: Sequence[str], shortest: int = SHORTEST_BEGINNING) -> bool:
    """Return whether a title has all of these words, in any form, or words that begin with them.

    `shortest` is the fewest letters of such a beginning.
    """
    return all(any(alike(part, word, shortest) for part in title) for word in words)


def alike(part: str, word: str, shortest: int = SHORTEST_BEGINNING) -> bool:
    """Return whether a word of a title is this one, begins with it, or is another form of it."""
    if part == word or (len(word) >= shortest and part.startswith(word)):
        return True
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(part, word, strict=False))))
    return shared >= _SHORTEST_STEM and {part[shared:], word[shared:]} <= _ENDINGS


def folded(text: str) -> str:
    """Return a text in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def _without_noun(word: str) -> str:
    """Return the part of a compound before its noun: `familien` of `familiengruppe`."""
    tail = next((one for one in TAILS if word.endswith(one)), "")
    return word.removesuffix(tail) if len(word) - len(tail) >= SHORTEST_BEGINNING else word
