"""`The one about the invoice`: which of the things that were shown last is meant, by the words that they hold.

No planner sees those words. It names the reference by what the owner said, and here it is compared with the stored
texts: one clear hit is meant, several become buttons, none is said. Whoever wrote the texts had a hand in which of them
fits, so what is chosen carries that label.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import sqlalchemy as sa

from approvals.visible import visible_line
from butler.agents.tailor.terms import found, terms
from butler.contract.agents import PlanStep
from butler.contract.conversation import Referent
from butler.contract.found_items import Item, items
from butler.contract.speech import say
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.results.handles import kind_and_key
from butler.store.queries import plans

FITS = 0.5
"""The part of the words that a text has to hold at least."""
CLEARLY = 0.25
"""By how much one has to fit better than any other."""
MOST_CHOICES = 6
LABEL = 40
PLANS = 8
"""Plans back in a conversation whose findings are looked through."""
LONGEST = 20_000
_NO_MATTER = frozenset(
    terms("one ones about with mail email message letter thing file document page note that mentions from mails")
)
"""Words that only say that something of a list is meant."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Something that was shown, with what it says."""

    referent: Referent
    title: str
    text: str


def selected(connection: sa.Connection, chat: str, output: PlannerOutput, request: PlannerInput) -> PlannerOutput:
    """The plan with handles in place of words for things that were shown; a question where those are not clear."""
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
    """None fits, or several do, of which a tap chooses one."""
    if not fitting:
        return Unclear(
            say("Nothing that I showed you last fits “{words}”. Say its number, or look for it.", words=words)
        )
    if len(every) > 1:
        # A tap stands for one thing, and then there would be the other one to ask about.
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
    """The one that fits clearly best, or all that fit about as well, the best first."""
    wanted = [term for term in terms(words) if term not in _NO_MATTER]
    if not wanted:
        return []
    scored = sorted(((_score(wanted, one), one) for one in shown), key=lambda pair: -pair[0])
    best = scored[0][0] if scored else 0.0
    return [one for score, one in scored if score >= FITS and score > best - CLEARLY]


def _score(wanted: Sequence[str], one: _Shown) -> float:
    """The part of the words that it holds; one in its title counts a little more."""
    title, text = frozenset(terms(one.title)), frozenset(terms(one.text[:LONGEST]))
    in_text = sum(found(term, title | text) for term in wanted) / len(wanted)
    in_title = sum(found(term, title) for term in wanted) / len(wanted)
    return in_text + CLEARLY * in_title


def _shown_last(connection: sa.Connection, chat: str, request: PlannerInput) -> list[_Shown]:
    """What the message shows that the owner replied to, or else the newest list, with what is stored of each."""
    texts = _texts(connection, chat, {spec.tool_name: spec for spec in request.tools})
    last = request.replied_to or _last_list(request.referents)
    known = [(referent, texts.get((referent.kind.value, referent.key))) for referent in last]
    return [_Shown(referent, *_told(item)) for referent, item in known if item is not None]


def _last_list(referents: Sequence[Referent]) -> Sequence[Referent]:
    """The newest list, with those of its things that were shown again since; without any, what was shown last."""
    listed = [one for one in referents if one.ordinal]
    for newest in reversed(listed):
        together = [number for number, one in enumerate(listed) if one.shown_in == newest.shown_in]
        if len(together) > 1:
            return listed[together[0] :]
    return [one for one in referents if one.shown_in == referents[-1].shown_in]


def _texts(connection: sa.Connection, chat: str, tools: Mapping[str, ToolSpec]) -> dict[tuple[str, str], Item]:
    """What the steps of the last plans have found, by kind and id."""
    known: dict[tuple[str, str], Item] = {}
    for step in plans.last_steps(connection, chat, PLANS):
        spec, outcome = tools.get(step.tool_call), step.outcome or {}
        if spec is None or not outcome.get("ok"):
            continue
        for item in items(outcome.get("data") or {}):
            kind, key = kind_and_key(spec, item)
            before = known.get((kind.value, key))
            # A thing that was read since it was listed says more now.
            if before is None or len(_told(item)[1]) > len(_told(before)[1]):
                known[kind.value, key] = item
    return known


def _told(item: Item) -> tuple[str, str]:
    """What it is called, and all that can be compared with words."""
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
    """A value with the handle of what is meant; the words stay with it, for they are why it is this one."""
    match value:
        case {"select": str(words), **rest} if not rest and words in chosen:
            return {"handle": chosen[words], "select": words}
        case dict():
            return {name: _chosen(one, chosen) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_chosen(one, chosen) for one in cast("list[Any]", value)]
        case _:
            return value
