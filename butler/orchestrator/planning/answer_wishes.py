"""Whether the owner's words plainly wish for answers in a language, or for shorter or longer ones."""

from collections.abc import Iterator

from butler.orchestrator.planning.own_wishes import Part, first_parts, own_text
from butler.understanding.times.lexicon import LANGUAGES

NAMES = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
"""The kind of words for the name of each language."""
OF_LANGUAGE = ("around", "can", "lasting", "rather", "to_me", "speaks", "in_language", *NAMES.values())
OF_LENGTH = (
    "around", "can", "particles", "be", "lasting", "rather", "to_me", "speaks", "negates", "short", "long", "shorter",
    "longer", "rambles", "less",
)  # fmt: skip
BRIEF, FULL = "brief", "full"


def wishes_language(value: str, words: str) -> bool:
    """Return whether the words wish for answers in this language, and not for a text in it.

    `answer in German` is such a wish if nothing else is asked for; `answer me in German` also if there is.
    """
    return any(_names(value, part) for part in _parts(words))


def wishes_length(value: str, words: str) -> bool:
    """Return whether the words wish for brief or full answers from now on, and not for one of them only."""
    return any(_length(part) == value for part in _parts(words))


def _parts(words: str) -> Iterator[Part]:
    own = own_text(words)
    for language in LANGUAGES:
        yield from first_parts(own, language)


def _names(value: str, part: Part) -> bool:
    found = part.kinds(OF_LANGUAGE)
    if found is None or [one for one in NAMES if found[NAMES[one]]] != [value]:
        return False
    if not (found["speaks"] or found["rather"] or found["lasting"] or found["to_me"]):
        return False
    if found["to_me"]:
        return True
    if found["lasting"]:
        return part.for_nobody_else
    # `Can you speak German?` may be a mere question.
    return part.alone and not found["can"]


def _length(part: Part) -> str:
    """Return the length that a part wishes for; empty if it wishes for none."""
    found = part.kinds(OF_LENGTH)
    if found is None or not (part.alone or (found["lasting"] and part.for_nobody_else)):
        return ""
    if found["negates"] + bool(found["less"]) > 1:
        return ""
    turned = bool(found["negates"] or found["less"])
    said = any(found[one] for one in ("be", "speaks", "lasting", "rather")) or turned
    short = found["shorter"] or (found["short"] and said)
    long = found["longer"] or (found["long"] and said)
    if found["rambles"]:
        return BRIEF if turned and not short else ""
    if short and long:
        return ""
    if short or long:
        return BRIEF if bool(short) is not turned else FULL
    return BRIEF if found["less"] and found["speaks"] else ""
