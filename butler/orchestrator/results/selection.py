"""Resolves `the one about the invoice` to an item that was shown last, by the words in its text.

No planner sees those texts. It writes the reference in the owner's words, which are compared here with the stored
texts: one clear match is chosen, several become buttons, none is reported. In a list, `{"select": words, "all": true}`
stands for all that fit. The texts' authors had a hand in which of
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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The words for one shown item, or for `every` one that fits them."""

    words: str
    every: bool = False


Chosen = dict[_Wanted, tuple[str, ...]]


def selected(connection: sa.Connection, chat: str, output: PlannerOutput, request: PlannerInput) -> PlannerOutput:
    """Return the plan with handles in place of words for shown items; a question if the words are ambiguous."""
    if not isinstance(output, Planned):
        return output
    wanted = list(dict.fromkeys(one for step in output.steps for one in _wanted_in(step.args)))
    if not wanted:
        return output
    shown = _shown_last(connection, chat, request)
    chosen: Chosen = {}
    for one in wanted:
        fitting = _fitting(one.words, shown)
        if not fitting or (len(fitting) > 1 and not one.every):
            return _asked(one, fitting, output, wanted)
        chosen[one] = tuple(match.referent.handle for match in fitting)
    return replace(output, steps=_with(output.steps, chosen))


def _asked(wanted: _Wanted, fitting: Sequence[_Shown], output: Planned, others: Sequence[_Wanted]) -> Unclear:
    """Ask when nothing fits, or several items do, one of which a tap chooses."""
    words = wanted.words
    if not fitting:
        return Unclear(
            say("Nothing that I showed you last fits “{words}”. Say its number, or look for it.", words=words)
        )
    if len(others) > 1:
        # A tap chooses one item, but the other would remain to be asked about.
        return Unclear(say("Several things that I showed you fit “{words}”. Say which one by its number.", words=words))
    choices = tuple(
        Choice(_label(one), "", steps=_with(output.steps, {wanted: (one.referent.handle,)}), labels=output.labels)
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


def _wanted(value: Any, *, in_list: bool = False) -> _Wanted | None:
    match value:
        case {"select": str(words), **rest} if not rest:
            return _Wanted(words)
        case {"select": str(words), "all": bool(every), **rest} if not rest:
            return _Wanted(words, every=every and in_list)
        case _:
            return None


def _wanted_in(value: Any, *, in_list: bool = False) -> Iterator[_Wanted]:
    if (wanted := _wanted(value, in_list=in_list)) is not None:
        yield wanted
    elif isinstance(value, dict):
        for inner in cast("dict[str, Any]", value).values():
            yield from _wanted_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _wanted_in(inner, in_list=True)


def _with(steps: Sequence[PlanStep], chosen: Chosen) -> tuple[PlanStep, ...]:
    return tuple(step.model_copy(update={"args": _chosen(step.args, chosen)}) for step in steps)


def _chosen(value: Any, chosen: Chosen) -> Any:
    """Return a value with the handles of the chosen items; the words stay with them as the reason for the choice."""
    if (wanted := _wanted(value)) in chosen:
        return _references(wanted, chosen)[0]
    if isinstance(value, dict):
        return {name: _chosen(one, chosen) for name, one in cast("dict[str, Any]", value).items()}
    if not isinstance(value, list):
        return value
    found: list[Any] = []
    for one in cast("list[Any]", value):
        wanted = _wanted(one, in_list=True)
        found += _references(wanted, chosen) if wanted in chosen else [_chosen(one, chosen)]
    return found


def _references(wanted: _Wanted, chosen: Chosen) -> list[dict[str, str]]:
    return [{"handle": handle, "select": wanted.words} for handle in chosen[wanted]]
