"""Resolves `the one about the invoice` to an item that was shown last, by the words in its text.

No planner sees those texts. It writes the reference in the owner's words, which are compared here with the stored
texts: one clear match is chosen, several become buttons, none is reported. The texts' authors had a hand in which of
them fits, so the choice carries that label.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import sqlalchemy as sa

from approvals.visible import visible_line
from butler.agents.tailor.terms import found, terms
from butler.contract.agents import PlanStep
from butler.contract.found_items import Item, items
from butler.contract.speech import say
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.results.handles import kind_and_key
from butler.store.conversation import Referent, newest_list
from butler.store.queries import plans

FITS = 0.5
"""The least share of the words that a text must hold."""
CLEARLY = 0.25
"""The least lead of the best match over any other."""
MOST_CHOICES = 6
LABEL = 40
PLANS = 8
"""Plans back in a conversation whose results are searched."""
LONGEST = 20_000
_NO_MATTER = frozenset(
    terms("one ones about with mail email message letter thing file document page note that mentions from mails")
)
"""Words that only say that an item of a list is meant."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A shown item, with its text."""

    referent: Referent
    title: str
    text: str


def selected(connection: sa.Connection, chat: str, output: PlannerOutput, request: PlannerInput) -> PlannerOutput:
    """Return the plan with handles in place of words for shown items; a question if the words are ambiguous."""
    if not isinstance(output, Planned):
        return output
    words = list(dict.fromkeys(one for step in output.steps for one in _words_in(step.args)))
    if not words:
        return output
    shown = _shown_last(connection, chat, request)
    chosen: dict[str, str] = {}
    for one in words:
        fitting = _fitting(one, shown)
        if len(fitting) != 1:
            return _asked(one, fitting, output, words)
        chosen[one] = fitting[0].referent.handle
    return replace(output, steps=_with(output.steps, chosen))


def _asked(words: str, fitting: Sequence[_Shown], output: Planned, every: Sequence[str]) -> Unclear:
    """Ask when nothing fits, or several items do, one of which a tap chooses."""
    if not fitting:
        return Unclear(
            say("Nothing that I showed you last fits “{words}”. Say its number, or look for it.", words=words)
        )
    if len(every) > 1:
        # A tap chooses one item, but the other would remain to be asked about.
        return Unclear(say("Several things that I showed you fit “{words}”. Say which one by its number.", words=words))
    choices = tuple(
        Choice(_label(one), "", steps=_with(output.steps, {words: one.referent.handle}), labels=output.labels)
        for one in fitting[:MOST_CHOICES]
    )
    return Unclear(say("Several things that I showed you fit “{words}”. Which one do you mean?", words=words), choices)


def _label(one: _Shown) -> str:
    title = visible_line(" ".join(one.title.split())) or one.referent.handle
    short = title if len(title) <= LABEL else f"{title[: LABEL - 1]}…"
    return f"{one.referent.ordinal}. {short}" if one.referent.ordinal else short


def _fitting(words: str, shown: Sequence[_Shown]) -> list[_Shown]:
    """Return the clearly best match alone, or all about equally good ones, the best first."""
    wanted = [term for term in terms(words) if term not in _NO_MATTER]
    if not wanted:
        return []
    scored = sorted(((_score(wanted, one), one) for one in shown), key=lambda pair: -pair[0])
    best = scored[0][0] if scored else 0.0
    return [one for score, one in scored if score >= FITS and score > best - CLEARLY]


def _score(wanted: Sequence[str], one: _Shown) -> float:
    """Return the share of the words in the item's text; words in its title count a little more."""
    title, text = frozenset(terms(one.title)), frozenset(terms(one.text[:LONGEST]))
    in_text = sum(found(term, title | text) for term in wanted) / len(wanted)
    in_title = sum(found(term, title) for term in wanted) / len(wanted)
    return in_text + CLEARLY * in_title


def _shown_last(connection: sa.Connection, chat: str, request: PlannerInput) -> list[_Shown]:
    """Return the items shown in the message that the owner replied to, or else the newest list, with their texts."""
    texts = _texts(connection, chat, {spec.tool_name: spec for spec in request.tools})
    last = request.replied_to or _last_list(request.referents)
    known = [(referent, texts.get((referent.kind.value, referent.key))) for referent in last]
    return [_Shown(referent, *_told(item)) for referent, item in known if item is not None]


def _last_list(referents: Sequence[Referent]) -> Sequence[Referent]:
    """Return the newest list, with its items shown again since; without any list, what was shown last."""
    return newest_list(referents) or [one for one in referents if one.shown_in == referents[-1].shown_in]


def _texts(connection: sa.Connection, chat: str, tools: Mapping[str, ToolSpec]) -> dict[tuple[str, str], Item]:
    """Return what the steps of the last plans found, by kind and key."""
    known: dict[tuple[str, str], Item] = {}
    for step in plans.last_steps(connection, chat, PLANS):
        spec, outcome = tools.get(step.tool_call), step.outcome or {}
        if spec is None or not outcome.get("ok"):
            continue
        for item in items(outcome.get("data") or {}):
            kind, key = kind_and_key(spec, item)
            before = known.get((kind.value, key))
            # An item that was read since it was listed says more now.
            if before is None or len(_told(item)[1]) > len(_told(before)[1]):
                known[kind.value, key] = item
    return known


def _told(item: Item) -> tuple[str, str]:
    """Return an item's title, and all its text to compare with words."""
    data = item.data
    title = str(data.get("subject") or data.get("title") or data.get("name") or data.get("path") or "")
    parts = (title, *(str(data.get(name) or "") for name in ("from_name", "sender_name", "from", "text", "content")))
    files = (str(one.get("name") or "") for one in cast("list[Mapping[str, Any]]", data.get("attachments") or []))
    return title or str(data.get("text") or ""), "\n".join((*parts, *files))


def _words_in(value: Any) -> Iterator[str]:
    match value:
        case {"select": str(words), **rest} if not rest:
            yield words
        case dict():
            for inner in cast("dict[str, Any]", value).values():
                yield from _words_in(inner)
        case list():
            for inner in cast("list[Any]", value):
                yield from _words_in(inner)
        case _:
            return


def _with(steps: Sequence[PlanStep], chosen: Mapping[str, str]) -> tuple[PlanStep, ...]:
    return tuple(step.model_copy(update={"args": _chosen(step.args, chosen)}) for step in steps)


def _chosen(value: Any, chosen: Mapping[str, str]) -> Any:
    """Return a value with the handle of the chosen item; the words stay with it as the reason for the choice."""
    match value:
        case {"select": str(words), **rest} if not rest and words in chosen:
            return {"handle": chosen[words], "select": words}
        case dict():
            return {name: _chosen(one, chosen) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_chosen(one, chosen) for one in cast("list[Any]", value)]
        case _:
            return value
