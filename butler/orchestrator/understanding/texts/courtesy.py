"""Words thanks, congratulations and wishes: `thank Anna for the cake` becomes `Thank you for the cake`.

The rest of the text stays as the owner said it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butler.contract.chat_words import folded
from butler.contract.tables import table
from butler.orchestrator.embedded.say import capital

FIRST = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Courtesy:
    """A polite text: its beginning, and the rest as the owner said it."""

    lead: str
    thing: str

    def written(self, thing: str) -> str:
        """Return the text with the rest in these words."""
        return f"{self.lead}{thing}" if self.lead else capital(thing)


def courtesy(before: str, words: str, language: str, *, several: bool) -> Courtesy | None:
    """Return how somebody is thanked or congratulated; None if the request tells them something else.

    Args:
        before: The request before the words.
        words: What they are thanked for or wished.
        language: The request's language.
        several: Whether several people read it, so that `her` or `his` cannot mean the reader.
    """
    asked = folded(before).replace("’", "'")
    from_me = _table()["from_me"].get(language, "")
    words = re.sub(rf",?\s+{from_me}\s*$", "", words, flags=re.IGNORECASE) if from_me else words
    for one in _table().get(language, ()):
        verbs: Sequence[str] = one["verbs"]
        if not any(re.search(rf"(?<![\w'-]){re.escape(verb)}(?!\w)", asked) for verb in verbs):
            continue
        if "says" not in one:
            return Courtesy("", _without_first(words, one["drops"]))
        if found := _linked(one, before, words):
            link, thing = found
            lead = f"{one['says']} {link}" if link.endswith("'") else f"{one['says']} {link} "
            return Courtesy(lead, thing if several else _yours(thing, language))
    return None


def _linked(one: Mapping[str, Any], before: str, words: str) -> tuple[str, str] | None:
    """Return the preposition, after the verb or at the beginning of the words, and the words after it."""
    links: Sequence[str] = one["links"]
    last = re.search(r"([^\W\d_]+['’]?)\s*$", before)
    if last is not None and folded(last[1]).rstrip("'’") in links:
        return last[1].replace("’", "'").lower(), words
    first = re.match(r"([^\W\d_]+(?:['’]|\s+))", words)
    if first is not None and folded(first[1]).strip().rstrip("'’") in links:
        return first[1].strip().replace("’", "'").lower(), words[first.end() :]
    return None


def _without_first(words: str, drops: Sequence[str]) -> str:
    first = re.match(r"([^\W\d_]+)(?:['’]|\s+)", words)
    return words[first.end() :] if first is not None and folded(first[1]) in drops else words


def _yours(thing: str, language: str) -> str:
    yours: Mapping[str, str] = _table()["yours"].get(language, {})
    first = FIRST.match(thing)
    word = yours.get(first[0].casefold()) if first is not None else None
    return thing if first is None or word is None else word + thing[first.end() :]


def _table() -> Mapping[str, Any]:
    return table("butler.orchestrator.understanding.texts", "courtesy")
