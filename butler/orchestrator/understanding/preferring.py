"""Builds preferences for future answers: their language, length and tone, and the owner's name."""

import re
from collections.abc import Iterable, Mapping, Sequence

from butler.contract.speech import phrase, say
from butler.contract.tables import table
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.planning.preference_requests import asks_for
from butler.orchestrator.planning.preferences import LONGEST_NAME, Preference, PreferenceName
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.understanding.times.lexicon import folded

NOT_THAT = phrase(
    "That I cannot set. I can answer in English, German, French or Spanish, shorter or in full, more or less "
    "technical, with or without my sources, and call you by a name."
)
ONLY_THESE = phrase("I speak English, German, French and Spanish.")
BRIEF, FULL = "brief", "full"


def prefer(said: Said) -> PlannerOutput:
    """`answer in [German](language) from now on`, `be [brief](value)`, `call me [Max](value)`."""
    text = said.request.text
    of_words = (_of_stems(PreferenceName.SOURCES, text), _of_stems(PreferenceName.PERSONA, text))
    found = _language(said) or _name(said) or next(filter(None, of_words), None) or _length(said, text)
    # A wish in another part of the message counts if this part has none that can be set.
    found = found or (_length(said, said.whole) if said.whole != said.request.text else None)
    if found is not None:
        return found
    raise Asking(say(ONLY_THESE if said.has("language") else NOT_THAT))


def _language(said: Said) -> Preference | None:
    words = said.words("language") or said.words("value")
    code = next((code for code, stems in _table("language").items() if _begins(stems, words)), "")
    return Preference(PreferenceName.LANGUAGE, code) if code else None


def _name(said: Said) -> Preference | None:
    """Return the name after words for being called: `I'm not Robert, call me Bob`."""
    text = said.request.text
    marked = [one for one in said.request.slots if one.slot in {"value", "to"}]
    left = _without(_table("name")["stopped"], text)
    if not marked or not _begins(_table("name")["called"], left):
        return None
    name = bare(marked[-1].text)
    return Preference(PreferenceName.NAME, name) if name and len(name) <= LONGEST_NAME else None


def _length(said: Said, text: str) -> Preference | None:
    """Return a preference for shorter or longer answers; `not so short` is longer."""
    words = _table("length")
    if _begins(words["other"], text):
        return None
    if _begins(_joined(words["not_so"], words["short"]), text) and asks_for("length", FULL, text):
        return Preference(PreferenceName.LENGTH, FULL)
    if _begins(_joined(words["not_so"], words["long"]), text) and asks_for("length", BRIEF, text):
        return Preference(PreferenceName.LENGTH, BRIEF)
    if asks_for("length", BRIEF, text):
        return Preference(PreferenceName.LENGTH, BRIEF)
    longer = _begins(words["longer"], text) or _begins(words["long"], said.words("value"))
    return Preference(PreferenceName.LENGTH, FULL) if longer and asks_for("length", FULL, text) else None


def _of_stems(name: PreferenceName, text: str) -> Preference | None:
    """Return a preference whose values have words of their own."""
    said = (value for value, stems in _table(name.value).items() if _begins(stems, text))
    value = next((one for one in said if asks_for(name.value, one, text)), "")
    return Preference(name, value) if value else None


def _joined(first: Iterable[str], second: Sequence[str]) -> list[str]:
    return [f"{one} {other}" for one in first for other in second]


def _without(stems: Iterable[str], text: str) -> str:
    return re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, stems))})", " ", folded(text))


def _begins(stems: Iterable[str], text: str) -> bool:
    """Return whether a word of a text begins with one of the stems."""
    return re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, stems))})", folded(text)) is not None


def _table(name: str) -> Mapping[str, Sequence[str]]:
    return table("butler.orchestrator.understanding", "preferring")[name]


BUILDERS: dict[str, Builder] = {"preference.set": prefer}
