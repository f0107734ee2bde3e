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

PRONOUNS = {
    "en": "he she him her his hers himself herself",
    "de": "er ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner sie",
    "fr": "il elle lui ils elles leur leurs eux",
    "es": "ella él su sus ellos ellas",
}
"""Pronouns of each language; words of other languages that look alike are not checked."""
TO_BE = re.compile(
    r"\bsein(?=\s*(?:$|[,.!?])|\s+(?:werde|wird|werden|würde|kann|könnte|muss|müsste|will|wollte|soll|sollte|darf)\b)",
    re.IGNORECASE,
)
"""The German verb `sein`, not the pronoun."""
ELIDED = re.compile(r"\b(qu|s|lorsqu|puisqu|jusqu)['’](?=(?:ils?|elles?)\b)", re.IGNORECASE)
BIDDEN = re.compile(
    r"(?P<before>^|,\s*|\bund\s+)(?P<who>er|sie)\s+soll(?P<should>te)?\b(?P<himself>\s+sich\b)?", re.IGNORECASE
)
"""The German `er soll`, which tells the reader to do something."""
OBJECT = {
    "fr": re.compile(r"\b(je|on|nous)\s+((?:ne|n['’])\s+)?(?:(?:la|le|lui)\s+|l['’])(?=\w)", re.IGNORECASE),
    "es": re.compile(r"(^|\b(?:que|ya|no|también)\s+)(?:la|lo|le)\s+(?=\w+(?:o|é|mos|oy|ría)\b)", re.IGNORECASE),
}
"""Objects of what the writer does."""
THEIRS = re.compile(r"\b(?:ihr(?:e[nmr]?)?|seine[nmr]?|ihm)\b")
"""German pronouns of the third person; capitalized, they already address the reader."""
TO_HER = re.compile(r"\b((?:ich|wir)\s+\w+\s+)sie\b")
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
    named = found.pronoun if language == "es" or found.pronoun in PRONOUNS[language].split() else ""
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
    own = set(PRONOUNS[language].split())
    others = {word for one in PRONOUNS.values() for word in one.split()} - own
    plain = TO_BE.sub("ok", words) if language == "de" else IMPERSONAL.sub("ça", words)
    plain = ELIDED.sub(r"\1' ", plain) if language == "fr" else plain
    return re.sub(rf"\b(?:{'|'.join(sorted(others))})\b", "ok", plain, flags=re.IGNORECASE)


def _bidding(bidden: re.Match[str]) -> str:
    himself = " dich" if bidden["himself"] else ""
    return f"{bidden['before']}du {'solltest' if bidden['should'] else 'sollst'}{himself}"


def _to_you(found: re.Match[str]) -> str:
    you = "t'" if found.string[found.end() : found.end() + 1].casefold() in VOWELS else "te "
    return f"{found[1]} {found[2] or ''}{you}"
