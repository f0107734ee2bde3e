"""What the stand-in keeps: indexes of documents, really searched and ranked; words have to be spelt right."""

import re
from dataclasses import dataclass
from typing import Any

from tests.adapters.servers.meilisearch.filters import passes

Json = dict[str, Any]
_WORD = re.compile(r"\w+")


class SortError(Exception):
    """What is wrong with an order, in Meilisearch's words."""


@dataclass(frozen=True, slots=True)
class Index:
    """Documents in the order in which they came, and what their fields may be used for."""

    documents: list[Json]
    searchable: tuple[str, ...] = ("title", "text")
    """The more important first."""
    filterable: tuple[str, ...] = ()
    sortable: tuple[str, ...] = ()

    def found(self, query: str, filters: list[str], sort: list[str]) -> list[tuple[Json, float]]:
        """Documents and their scores, what fits best first."""
        passed = [document for document in self.documents if passes(document, filters, self.filterable)]
        if not self.documents:
            passes({}, filters, self.filterable)
        words = [word.lower() for word in _WORD.findall(query)]
        scored = [(document, self._score(document, words)) for document in passed]
        kept = sorted((one for one in scored if one[1] > 0 or not words), key=lambda one: -one[1])
        for order in reversed(sort):
            kept = self._sorted(kept, order)
        return kept

    def _score(self, document: Json, words: list[str]) -> float:
        """From 0 to 1: how many of the first words there are, and how important the field is that has them."""
        if not words:
            return 1.0
        fields = [_WORD.findall(str(document.get(name, "")).lower()) for name in self.searchable]
        best: list[int] = []
        for at, word in enumerate(words):
            last = at == len(words) - 1
            places = [place for place, held in enumerate(fields) if any(_is(one, word, prefix=last) for one in held)]
            if not places:
                break
            best.append(places[0])
        if not best:
            return 0.0
        return len(best) / len(words) * (1 - sum(best) / len(best) / (10 * len(self.searchable)))

    def _sorted(self, found: list[tuple[Json, float]], order: str) -> list[tuple[Json, float]]:
        field, _, way = order.partition(":")
        if field not in self.sortable:
            known = ", ".join(f"`{name}`" for name in self.sortable)
            raise SortError(f"Attribute `{field}` is not sortable. Available sortable attributes are: {known}.")
        having = [one for one in found if field in one[0]]
        lacking = [one for one in found if field not in one[0]]
        return sorted(having, key=lambda one: one[0][field], reverse=way == "desc") + lacking


def cropped(text: str, query: str, length: int) -> str:
    """So many words around the first one that was looked for."""
    words = list(re.finditer(r"\w+", text))
    if len(words) <= length:
        return text
    wanted = {word.lower() for word in _WORD.findall(query)}
    first = next((at for at, word in enumerate(words) if word[0].lower() in wanted), 0)
    begin = max(0, min(first - length // 2, len(words) - length))
    end = begin + length - 1
    part = text[words[begin].start() : words[end].end()]
    return f"{'…' if begin else ''}{part}{'…' if end < len(words) - 1 else text[words[end].end() :]}"


def _is(held: str, word: str, *, prefix: bool) -> bool:
    return held.startswith(word) if prefix else held == word
