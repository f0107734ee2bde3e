"""Decides whether a paragraph of a mail is only a greeting, in the supported languages."""

import re
import unicodedata
from typing import Final

from modules.email.parsing.forms import letters_of
from modules.email.parsing.lines import folded, plain
from modules.email.parsing.phrases import phrases

_SALUTATIONS: Final = frozenset(folded(letters_of(greeting)) for greeting in phrases("salutations"))
_WORDS_OF_A_SALUTATION = 3
_MOST_NAMES = 3
_LONGEST = 60
_ENDS: Final = ",!:，！：،、."
_COMMAS: Final = frozenset(",，、")
_BETWEEN_WORDS: Final = re.compile(r"[\s,，、]")
_WORD: Final = re.compile(r"[^\W\d_][\w'’.-]*")


def is_greeting(line: str, *, by_name: bool = True) -> bool:
    """Return whether a line only greets: "Hi Jeeves,", "Guten Morgen!", and with `by_name` "Jeeves,"."""
    text = "".join(filter(_is_of_words, letters_of(plain(line)))).strip()
    bare = text.rstrip(_ENDS + " ")
    if not bare or len(bare) > _LONGEST or any(letter.isdigit() for letter in bare):
        return False
    words = _WORD.findall(bare)
    if _BETWEEN_WORDS.sub("", bare) != "".join(words):  # signs of more than a greeting
        return False
    names = _behind_salutation(words)
    if names is None:
        # The name alone, as a line above what is asked.
        return by_name and text.endswith((",", "，")) and 0 < len(words) < _MOST_NAMES and all(map(_is_name, words))
    is_closed = text != bare and not _COMMAS & set(bare)
    return len(names) <= _MOST_NAMES and (is_closed or all(map(_is_name, names)))


def _behind_salutation(words: list[str]) -> list[str] | None:
    """Return the words after a line's salutation; None if it begins with none."""
    for count in range(_WORDS_OF_A_SALUTATION, 0, -1):
        if folded(" ".join(words[:count])) in _SALUTATIONS:
            return words[count:]
    return None


def _is_of_words(letter: str) -> bool:
    """Return whether a sign counts: not an emoji, nor an inverted exclamation mark."""
    return letter not in "¡¿" and unicodedata.category(letter)[0] != "S"


def _is_name(word: str) -> bool:
    return not word[0].islower()
