"""Chooses the few tools that a model is told of, by the trained reader of requests and by meaning.

The reader knows from examples in all languages what a request asks for, and each intent names its tools. Tools without
an intent, such as those of a module of the owner's own, are ranked by the likeness of their description to the words.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Protocol

from butler.contract.agent_ports import Embed
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.understanding.context import context_of
from butler.understanding.reader import Request
from butler.understanding.tables import intents

MOST_TOOLS = 15
BASICS = ("bot_memory_search", "user_email_search_inbox", "user_calendar_list_events", "bot_butler_show_help")
"""Tools that are always there, where they are set up."""
BY_READER = 8
"""How many the trained reader finds; a model asks for what is missing. `bench/prompt_tokens.py` measures both."""
FOR_A_PART = 3
"""How many more for each further request in the same words."""
BY_MEANING, LIKE = 2, 0.2
"""How many of the others are chosen by their description, and the least likeness of these."""
BEFORE = 0.6
"""The weight of the owner's last words before, which the request may go on from."""
MOST_RANKS = 6
"""How many readings of each part of a request are looked at."""
SURE = 0.5
"""The probability from which a part of a request is about its likeliest reading."""
AT_RANK = 0.6
"""The least weight of a reading at the first rank, divided by its rank: the reader may be too sure of one."""
LATER = 0.9
"""The weight of an intent's tool against the one before it in the table, which is the more usual."""
LONGEST = 1_000
"""Characters of the words that are compared by meaning."""


class Reading(Protocol):
    """What is needed of the trained reader."""

    def read(self, text: str, context: Sequence[str] = ()) -> tuple[Request, ...]: ...


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
        names = await self._ranked(request.words.value, offered, context_of(request), _before(request))
        if wanted:
            names += await self._ranked(wanted, offered, (), "")
        chosen = set(islice(dict.fromkeys((*_used(request), *names)), self._most * (2 if wanted else 1)))
        return tuple(spec for spec in offered if spec.tool_name in chosen)

    async def is_within(self, request: PlannerInput, tools: Collection[str]) -> bool:
        """Return whether each part of a request, as far as the reader is sure of it, can be done with these tools."""
        if self._reader is None:
            return True
        parts = await asyncio.to_thread(self._reader.read, request.words.value, context_of(request))
        needed = (frozenset(_tools_of(one.intent)) for one in parts if one.confidence >= SURE)
        return all(not part or part & frozenset(tools) for part in needed)

    async def _ranked(self, words: str, offered: Sequence[ToolSpec], context: Sequence[str], before: str) -> list[str]:
        """Return names: the best of those that the reader finds, the basics, and the nearest in meaning."""
        known = {spec.tool_name for spec in offered}
        weights, parts = dict[str, float](), 1
        if self._reader is not None:
            weights, parts = await asyncio.to_thread(_read, self._reader, words, tuple(context), before)
        found = [name for name in sorted(weights, key=lambda name: -weights[name]) if name in known]
        basics = [name for name in BASICS if name in known]
        by_reader = min(BY_READER + FOR_A_PART * (parts - 1), self._most - len(basics))
        near = await self._nearest(words, [spec for spec in offered if spec.tool_name not in _with_intent()])
        return [*found[:by_reader], *near, *basics]

    async def _nearest(self, words: str, others: Sequence[ToolSpec]) -> list[str]:
        """Return the names of the nearest of the tools that the reader does not know."""
        if self._embed is None or not others:
            return []
        if missing := [text for spec in others if (text := _description(spec)) not in self._vectors]:
            self._vectors |= dict(zip(missing, await self._embed(missing, query=False), strict=True))
        (asked,) = await self._embed([words[:LONGEST]], query=True)
        near = {spec.tool_name: _cosine(asked, self._vectors[_description(spec)]) for spec in others}
        alike = [name for name, likeness in near.items() if likeness >= LIKE]
        return sorted(alike, key=lambda name: (-near[name], name))[:BY_MEANING]


def _read(reader: Reading, words: str, context: tuple[str, ...], before: str) -> tuple[dict[str, float], int]:
    """Return the weight of each tool that some reading of the words would use, and how many requests they hold."""
    weights: dict[str, float] = {}
    said = [(one, 1.0) for one in reader.read(words, context)]
    parts = len(said)
    said += [(one, BEFORE) for one in (reader.read(before) if before else ())]
    for request, share in said:
        for rank, (intent, likely) in enumerate(request.readings[:MOST_RANKS], 1):
            for place, tool in enumerate(_tools_of(intent)):
                weight = share * max(likely, AT_RANK / rank) * LATER**place
                weights[tool] = max(weights.get(tool, 0.0), weight)
    return weights, max(1, parts)


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
    return f"{spec.tool_name.replace('_', ' ')}: {spec.told} {spec.guide}"


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
