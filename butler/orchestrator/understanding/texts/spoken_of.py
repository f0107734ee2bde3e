"""Finds third persons in a text, such as `he`, `elle` or `la`; only in the text's own language.

If a pronoun may mean the reader, the text is also returned in direct speech.
"""

import re
from collections.abc import Callable, Mapping

from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.reported import Reported, reported
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.understanding.texts.questions import GERMAN_YOURS
from butler.orchestrator.understanding.texts.questions_romance import IMPERSONAL
from butler.orchestrator.understanding.texts.text_words import group, patterns, plain
from butler.understanding.tables import LANGUAGES

PRONOUNS = {language: plain("pronouns", language) for language in LANGUAGES}
"""Pronouns of each language; words of other languages that look alike are not checked."""
TO_BE = patterns("to_be")
"""The German verb `sein`, not the pronoun."""
ELIDED = patterns("elided")
BIDDEN = patterns("bidden")
"""The German `er soll`, which tells the reader to do something."""
OBJECT = {language: patterns("object", language) for language in ("fr", "es")}
"""Objects of what the writer does."""
THEIRS = re.compile(group("theirs"))
"""German pronouns of the third person; capitalized, they already address the reader."""
TO_HER = re.compile(group("to_her"))
"""The German object `sie` of what the writer does."""
VOWELS = "aeiouhâàéèêîôû"


def spoken_of(words: str, names: tuple[str, ...], scene: Scene, language: str, *, several: bool) -> Reported | None:
    """Return the third person in a clause, with the text in direct speech if that is likely; None without one.

    Args:
        words: One clause of the text.
        names: The names of the readers.
        scene: The request with the known people.
        language: The text's language.
        several: Whether several people read it.
    """
    bidden = BIDDEN.search(words) if language == "de" and not several else None
    if bidden is not None:
        return Reported(bidden["who"].casefold(), BIDDEN.sub(_bidding, words))
    found = reported(lex(_checked(words, language)), names, scene, several=several)
    if found is None or several or found.direct or language not in DIRECT:
        return found
    direct = DIRECT[language](words)
    left = reported(lex(_checked(direct, language)), names, scene, several=several) if direct != words else found
    # A pronoun for an object is found by the words before it.
    named = found.pronoun if language == "es" or found.pronoun in PRONOUNS[language] else ""
    return Reported(named, direct if left is None else "")


def _german(words: str) -> str:
    return THEIRS.sub(_to_dir, TO_HER.sub(r"\1dich", words))


def _french(words: str) -> str:
    return OBJECT["fr"].sub(_to_you, words)


def _spanish(words: str) -> str:
    return OBJECT["es"].sub(r"\1te ", words)


DIRECT: Mapping[str, Callable[[str], str]] = {"de": _german, "fr": _french, "es": _spanish}
"""Turns words about the reader into direct speech, by language."""


def _to_dir(found: re.Match[str]) -> str:
    word, follows = found[0], found.string[found.end() :].lstrip()[:1]
    return GERMAN_YOURS[word] if word not in {"ihr", "ihm"} or (word == "ihr" and follows.isupper()) else "dir"


def _checked(words: str, language: str) -> str:
    """Return the words without other languages' pronouns and without verbs that look like pronouns."""
    others = {word for one in PRONOUNS.values() for word in one} - {*PRONOUNS[language]}
    plain = TO_BE.sub("ok", words) if language == "de" else IMPERSONAL.sub("ça", words)
    plain = ELIDED.sub(r"\1' ", plain) if language == "fr" else plain
    return re.sub(rf"\b(?:{'|'.join(sorted(others))})\b", "ok", plain, flags=re.IGNORECASE)


def _bidding(bidden: re.Match[str]) -> str:
    himself = " dich" if bidden["himself"] else ""
    return f"{bidden['before']}du {'solltest' if bidden['should'] else 'sollst'}{himself}"


def _to_you(found: re.Match[str]) -> str:
    you = "t'" if found.string[found.end() : found.end() + 1].casefold() in VOWELS else "te "
    return f"{found[1]} {found[2] or ''}{you}"
