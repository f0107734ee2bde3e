"""Chooses the few tools that a model is told of, by the trained reader of requests and by meaning.

The reader knows from examples in all languages what a request asks for, and each intent names its tools. What was shown
last and who is named bring the tools that usually follow (`next_tools.py`). Tools without an intent, such as those of a
module of the owner's own, are ranked by the likeness of their description to the words.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol

from butler.agents.tailor import terms as content
from butler.contract.agent_ports import Embed
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.next_tools import next_tools, people_tools
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.understanding.context import context_of, was_asked
from butler.understanding.reader import Request
from butler.understanding.tables import intents

MOST_TOOLS = 15
BASICS = (
    "bot_memory_search",
    "user_email_search_inbox",
    "user_calendar_list_events",
    "bot_butler_show_help",
    "bot_butler_show_done",
)
"""Tools that are always there, where they are set up."""
BY_READER = 8
"""How many the trained reader finds; a model asks for what is missing. `bench/prompt_tokens.py` measures both."""
FOR_A_PART = 3
"""How many more for each further request in the same words."""
BEFORE_NEXT = 4
"""How many of those that the reader finds go before the tools that usually come next; the rest come after them."""
BY_MEANING, LIKE = 2, 0.2
"""How many of the others are chosen by their description, and the least likeness of these."""
WANTED = 6
"""How many are chosen by their words where a model asks for tools."""
BEFORE = 0.6
"""The weight of the owner's last words before, which the request may go on from."""
MOST_RANKS = 6
"""How many readings of each part of a request are looked at."""
SURE = 0.5
"""The probability from which a part of a request is about its likeliest reading."""
ANSWER = "answer."
"""How the names of intents begin that are only the answer to a question."""
AT_RANK = 0.6
"""The least weight of a reading at the first rank, divided by its rank: the reader may be too sure of one."""
LATER = 0.9
"""The weight of an intent's tool against the one before it in the table, which is the more usual."""
LONGEST = 1_000
"""Characters of the words that are compared by meaning."""


class Reading(Protocol):
    """What is needed of the trained reader."""

    def read(self, text: str, context: Sequence[str] = ()) -> tuple[Request, ...]: ...

    def possible(self, text: str, context: Sequence[str] = ()) -> tuple[Request, ...]: ...


class ToolChoice:
    """Ranks tools; remembers the vectors of their descriptions."""

    def __init__(self, reader: Reading | None, embed: Embed | None = None, most: int = MOST_TOOLS) -> None:
        """Without a `reader` or `embed`, what each would find is missing, and the model asks for it."""
        self._reader, self._embed, self._most = reader, embed, most
        self._vectors: dict[str, Sequence[float]] = {}

    async def tools(self, request: PlannerInput, offered: Sequence[ToolSpec], wanted: str = "") -> tuple[ToolSpec, ...]:
        """Return the tools for a request, by name; more of them if the model `wanted` others in these words."""
        if len(offered) <= self._most:
            return tuple(offered)
        known = {spec.tool_name for spec in offered}
        basics = [name for name in BASICS if name in known]
        found = await self._found(request, offered, self._most - len(basics))
        chosen = set(_first((*_used(request), *found), self._most, basics))
        if wanted:
            chosen |= set(_first(await self._wanted(wanted, offered), self._most, ()))
        return tuple(spec for spec in offered if spec.tool_name in chosen)

    async def is_within(self, request: PlannerInput, tools: Collection[str]) -> bool:
        """Return whether each part of a request, as far as the reader is sure of it, can be done with these tools.

        What answers a question of the butler goes on with the request before it: that has to be within, too.
        """
        if self._reader is None:
            return True
        parts = _sure(await asyncio.to_thread(_parts, self._reader, request.words.value, context_of(request)))
        if was_asked(request):
            earlier = _sure(await asyncio.to_thread(_parts, self._reader, _before(request), ()))
            if not earlier and any(one.intent.startswith(ANSWER) for one in parts):
                return False
            parts += earlier
        known = {spec.tool_name for spec in request.tools}
        usual = (next((tool for tool in _tools_of(one.intent) if tool in known), None) for one in parts)
        return all(tool is None or tool in tools for tool in usual)

    async def _found(self, request: PlannerInput, offered: Sequence[ToolSpec], room: int) -> list[str]:
        """Return names, the likeliest first: what the reader finds, what usually comes next, the nearest in meaning."""
        words = request.words.value
        found, parts = await self._by_reader(words, offered, context_of(request), _before(request))
        usual, further = next_tools(request, offered)
        unknown = [spec for spec in offered if spec.tool_name not in _with_intent()]
        likeness = await self._likeness(words, [*further, *unknown])
        by_meaning = [*_nearest(likeness, further), *_nearest(likeness, unknown)]
        if len(further) <= BY_MEANING:
            by_meaning = [*(spec.tool_name for spec in further), *by_meaning]
        by_reader = found[: min(BY_READER + FOR_A_PART * (parts - 1), room)]
        first = BEFORE_NEXT * parts
        usual += people_tools(request, offered)
        return [*by_reader[:first], *usual, *by_meaning, *by_reader[first:]]

    async def _wanted(self, wanted: str, offered: Sequence[ToolSpec]) -> list[str]:
        """Return the names of the tools that a model asks for in these words."""
        found, _ = await self._by_reader(wanted, offered, (), "")
        unknown = [spec for spec in offered if spec.tool_name not in _with_intent()]
        near = _nearest(await self._likeness(wanted, unknown), unknown)
        return [*found[:BY_READER], *_by_words(wanted, offered), *near]

    async def _by_reader(
        self, words: str, offered: Sequence[ToolSpec], context: Sequence[str], before: str
    ) -> tuple[list[str], int]:
        """Return the names of what the reader finds, the likeliest first, and how many requests the words hold."""
        if self._reader is None:
            return [], 1
        weights, parts = await asyncio.to_thread(_read, self._reader, words, tuple(context), before)
        known = {spec.tool_name for spec in offered}
        return [name for name in sorted(weights, key=lambda name: -weights[name]) if name in known], parts

    async def _likeness(self, words: str, specs: Sequence[ToolSpec]) -> dict[str, float]:
        """Return how near in meaning the words are to the tools' descriptions, by name; empty without an embedder."""
        if self._embed is None or not specs:
            return {}
        if missing := [text for spec in specs if (text := _description(spec)) not in self._vectors]:
            self._vectors |= dict(zip(missing, await self._embed(missing, query=False), strict=True))
        (asked,) = await self._embed([words[:LONGEST]], query=True)
        return {spec.tool_name: _cosine(asked, self._vectors[_description(spec)]) for spec in specs}


def _by_words(wanted: str, offered: Iterable[ToolSpec]) -> list[str]:
    """Return the names of the tools whose texts share the most telling words with what a model asks for.

    A model has read English texts of tools, and asks in such words. To compare all tools by meaning would first embed
    each of them, which takes ten seconds of a core.
    """
    texts = {spec.tool_name: frozenset(content.terms(f"{_description(spec)} {spec.guide}")) for spec in offered}
    question = content.terms(wanted)
    weight = content.weights(question, texts.values())
    shared = {name: sum(weight[term] * content.found(term, text) for term in question) for name, text in texts.items()}
    return [name for name in sorted(shared, key=lambda name: (-shared[name], name)) if shared[name]][:WANTED]


def _nearest(likeness: Mapping[str, float], among: Iterable[ToolSpec], most: int = BY_MEANING) -> list[str]:
    """Return the names of the nearest of these tools that are alike enough."""
    alike = [spec.tool_name for spec in among if likeness.get(spec.tool_name, 0.0) >= LIKE]
    return sorted(alike, key=lambda name: (-likeness[name], name))[:most]


def _read(reader: Reading, words: str, context: tuple[str, ...], before: str) -> tuple[dict[str, float], int]:
    """Return the weight of each tool that some reading of the words would use, and how many requests they hold."""
    weights: dict[str, float] = {}
    said = [(one, 1.0) for one in _parts(reader, words, context)]
    parts = len(said)
    said += [(one, BEFORE) for one in (reader.read(before) if before else ())]
    for request, share in said:
        for rank, (intent, likely) in enumerate(request.readings[:MOST_RANKS], 1):
            for place, tool in enumerate(_tools_of(intent)):
                weight = share * max(likely, AT_RANK / rank) * LATER**place
                weights[tool] = max(weights.get(tool, 0.0), weight)
    return weights, max(1, parts)


def _parts(reader: Reading, words: str, context: Sequence[str]) -> tuple[Request, ...]:
    """Return the requests in the words; where in doubt, the more of them."""
    certain, possible = reader.read(words, context), reader.possible(words, context)
    return possible if len(possible) > len(certain) else certain


def _sure(parts: Iterable[Request]) -> list[Request]:
    return [one for one in parts if one.confidence >= SURE]


def _first(names: Iterable[str], most: int, basics: Collection[str]) -> list[str]:
    """Return that many of the names, among them all the basics."""
    chosen = list(dict.fromkeys(names))
    while chosen and len({*chosen, *basics}) > most:
        chosen = chosen[:-1]
    return [*chosen, *(name for name in basics if name not in chosen)]


def _tools_of(intent: str) -> Iterable[str]:
    known = intents().get(intent)
    return known.for_models if known is not None else ()


@cache
def _with_intent() -> frozenset[str]:
    return frozenset(tool for intent in intents().values() for tool in intent.for_models)


def _before(request: PlannerInput) -> str:
    """Return what the owner said last before this request; for a further round, nothing."""
    return next((one.content for one in reversed(request.history) if one.role == "user"), "")


def _used(request: PlannerInput) -> Iterator[str]:
    """Yield the tools of earlier rounds of this request, which it goes on from."""
    yield from (fact.tool for fact in request.facts)


def _description(spec: ToolSpec) -> str:
    return f"{spec.tool_name.replace('_', ' ')}: {spec.told}"


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
