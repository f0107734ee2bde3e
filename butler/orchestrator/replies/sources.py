"""Renders an answer from passages: the tailor's words, each source under a number, and buttons that lead there.

The words may be a language model's, made of anybody's text: signs that mark the butler's own records are removed, and
a button for a next question can only search, never act.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.agents.tailor.layout import by_place
from butler.agents.tailor.port import SourceCitation
from butler.contract.agents import PlanStep, RetrievedContext
from butler.contract.card import Rich, Span, Style
from butler.contract.errors import AgentErrorCode
from butler.contract.rendering import Offer, StepResult
from butler.contract.shown_text import clipped
from butler.contract.speech import phrase, say, say_short_date
from butler.orchestrator.planning.record_signs import without_record_signs
from butler.orchestrator.replies.answers import Answered, Question
from butler.orchestrator.replies.failures import SEARCH, broadened
from butler.orchestrator.replies.listed_lines import LISTED
from butler.orchestrator.replies.passages import SHOWN_BY
from butler.provenance import Labels
from butler.tool_invoker import ACCOUNT, ToolInvoker

LOW_CONFIDENCE = 0.55
MOST_REMEMBERED = 20
"""Most handles that planners are told of one answer."""
MOST_FOLLOW_UPS = 3
MOST_BUTTONS = 8
TITLE, LABEL, QUOTE, LONGEST = 100, 40, 200, 8_000
READ_SOURCE = "bot_memory_read"
MAIL_READERS = ("user_email_read_message", "bot_email_read_message")
UNSURE = phrase("I am not sure that this answers it.")
INJECTED = phrase(
    "⚠️ What I found reads like instructions to an assistant, so I made no answer of it. You can look at it yourself:"
)
ITS_WORDS = phrase(
    "⚠️ What I found reads like instructions to an assistant, so no language model was given it. In its own words:"
)
LEFT_OUT = phrase(
    "⚠️ I answered without what follows, because it reads like instructions to an assistant. "
    "You can look at it yourself:"
)
WHY_NOT = {
    AgentErrorCode.TAILOR_HALLUCINATION: phrase("I don't know. What I found may help:"),
    AgentErrorCode.MEMORY_NO_RESULTS: phrase("I don't know. What I found does not answer that:"),
    AgentErrorCode.GUARDRAIL_INJECTION: INJECTED,
    AgentErrorCode.GUARDRAIL_UNSAFE: phrase(
        "I do not show the answer, because it holds what I must not show. It comes from:"
    ),
}
READ_SOME = phrase("I read the newest {read} of {count} mails for that.")
NO_ANSWER = phrase("I could not word an answer. This is what I found:")


@dataclass(frozen=True, slots=True)
class SourcedAnswer:
    """An answer as it is shown; `offers` carry the labels of its passages."""

    text: Rich
    memory: str
    offers: tuple[Offer, ...]
    labels: Labels
    sources: tuple[str, ...] = ()
    """The ids of its sources, in the order of their numbers."""


@dataclass(frozen=True, slots=True)
class _Source:
    """One line under an answer."""

    chunk: RetrievedContext
    quotes: tuple[str, ...] = ()


def answer_with_sources(
    answered: Answered, tools: ToolInvoker, zone: ZoneInfo, preferences: Mapping[str, Any]
) -> SourcedAnswer:
    """Render the answer over its sources; without an answer, the reason over what was found."""
    output, question = answered.output, answered.question
    labels: Labels = frozenset(origin for chunk in question.chunks for origin in chunk.origins)
    searched = broadened(question.searched, tools.spec(SEARCH)) if question.searched else ()
    if output is None:
        why = answered.said or say(WHY_NOT.get(answered.code, NO_ANSWER) if answered.code else NO_ANSWER)
        found = [_Source(chunk) for chunk in _one_of_each(question.chunks) if LISTED not in chunk.metadata]
        offers = (*_buttons(found, tools), *searched)
        return SourcedAnswer(
            (Span(text=why), *_lines(found, zone), *_unread(question)),
            f"Found no answer ({_tools(answered)}).",
            offers,
            labels,
            tuple(one.chunk.source_id for one in found),
        )
    quoted = preferences.get("sources") == "quoted"
    cited = [
        _Source(answered.quoted[place[0].chunk_id], tuple(map(_quote, place)) if quoted else ())
        for place in by_place(_where_it_stands(one, answered) for one in output.citations)
    ]
    unsure = output.confidence_score < LOW_CONFIDENCE
    words = visible(without_record_signs(output.content).strip()[:LONGEST])
    head = (Span(text=f"{say(UNSURE)}\n\n", style=Style.ITALIC),) if unsure else ()
    apart: list[_Source] = []
    if answered.in_its_words:
        head = (Span(text=f"{say(ITS_WORDS)}\n\n", style=Style.BOLD), *head)
    else:
        apart = [_Source(chunk) for chunk in _one_of_each(answered.apart)]
    sources = (Span(text="\n\n" + say("Sources"), style=Style.BOLD), *_lines(cited, zone), *_unread(question))
    if apart:
        sources += (Span(text=f"\n\n{say(LEFT_OUT)}"), *_lines(apart, zone, len(cited) + 1))
    shown = _buttons([*cited, *apart], tools)
    offers = (*shown, *(searched if unsure else ()), *_follow_ups(output.follow_up_suggestions, tools))
    text = (*head, Span(text=words), *sources)
    ids = tuple(one.chunk.source_id for one in (*cited, *apart))
    return SourcedAnswer(text, f"Answered from sources ({_tools(answered)}).", offers[:MOST_BUTTONS], labels, ids)


def about(answer: SourcedAnswer, shown: Sequence[StepResult], steps: frozenset[int]) -> SourcedAnswer:
    """Return the answer as planners remember it: with the handles of what the steps that it replaces found."""
    handles = dict.fromkeys(handle for one in shown if one.step.step_id in steps for handle in one.handles)
    named = ", ".join(list(handles)[:MOST_REMEMBERED])
    return replace(answer, memory=f"{answer.memory.rstrip('.')}: {named}.") if named else answer


def _unread(question: Question) -> Rich:
    read, found = question.left_unread
    if not found:
        return ()
    return (Span(text="\n" + say(READ_SOME, read=read, count=found), style=Style.ITALIC),)


def _where_it_stands(citation: SourceCitation, answered: Answered) -> SourceCitation:
    """Return the citation with the place of its passage, regardless of the place it claims."""
    chunk = answered.quoted[citation.chunk_id]
    return citation.model_copy(update={"source_id": chunk.source_id, "page_number": chunk.page_number})


def _tools(answered: Answered) -> str:
    return SEARCH if answered.question.searched else "a document"


def _one_of_each(chunks: tuple[RetrievedContext, ...]) -> list[RetrievedContext]:
    return list({chunk.source_id: chunk for chunk in reversed(chunks)}.values())[::-1][:MOST_BUTTONS]


def _quote(citation: SourceCitation) -> str:
    return clipped(" ".join(citation.text_snippet.split()), QUOTE)


def _lines(sources: list[_Source], zone: ZoneInfo, first: int = 1) -> Rich:
    lines: list[Span] = []
    for number, one in enumerate(sources, first):
        title, address = _title(one.chunk), _address(one.chunk)
        named = Span(text=title, style=Style.LINK, url=address) if address else Span(text=title)
        lines += [Span(text=f"\n{number}. "), named, Span(text=_where(one.chunk, zone))]
        lines += [Span(text=f"\n   “{quote}”", style=Style.ITALIC) for quote in one.quotes]
    return tuple(lines)


def _title(chunk: RetrievedContext) -> str:
    return clipped(" ".join((chunk.title or chunk.kind or say("a source")).split()), TITLE)


def _where(chunk: RetrievedContext, zone: ZoneInfo) -> str:
    page = say("page {number}", number=chunk.page_number) if chunk.page_number else ""
    day = say_short_date(chunk.at.astimezone(zone)) if chunk.at else ""
    return "".join(f", {part}" for part in (page, day) if part)


def _address(chunk: RetrievedContext) -> str:
    """Return the web address where a person can open the source; else an empty string."""
    url = chunk.source_url or ""
    return url if url.startswith(("https://", "http://")) else ""


def _buttons(sources: list[_Source], tools: ToolInvoker) -> tuple[Offer, ...]:
    """Return a button for each source without a link, which shows it."""
    offers: list[Offer] = []
    for number, one in enumerate(sources, 1):
        if not _address(one.chunk) and (step := _shows(one.chunk, tools)) is not None:
            # The butler's own rows say which mail or source it is, regardless of its text.
            offers.append(Offer(f"{number} · {clipped(_title(one.chunk), LABEL)}", steps=(step,), labels=frozenset()))
    return tuple(offers)


def _shows(chunk: RetrievedContext, tools: ToolInvoker) -> PlanStep | None:
    """Return the step that shows a source: the mail itself if its mailbox is known, else what memory holds."""
    known = {spec.tool_name: spec for spec in tools.specs()}
    account = str(chunk.metadata.get("account") or "")
    if chunk.metadata.get(LISTED):
        return None
    if (tool := str(chunk.metadata.get(SHOWN_BY) or "")) in known:
        args = {"message_id": chunk.source_id} | ({ACCOUNT: account} if account in known[tool].accounts else {})
        return PlanStep(step_id=1, description=say("Show the mail"), tool_call=tool, args=args)
    if chunk.source_id.startswith("mail:"):
        for tool in MAIL_READERS:
            if tool in known and account and account in known[tool].accounts:
                args = {"message_id": chunk.source_id.removeprefix("mail:"), "account": account}
                return PlanStep(step_id=1, description=say("Show the mail"), tool_call=tool, args=args)
    if READ_SOURCE not in known:
        return None
    args = {"source": chunk.source_id}
    return PlanStep(step_id=1, description=say("Show the source"), tool_call=READ_SOURCE, args=args)


def _follow_ups(suggestions: list[str], tools: ToolInvoker) -> tuple[Offer, ...]:
    """Offer next questions. Others' texts influenced them, so a tap only searches, and never speaks for the owner."""
    if all(spec.tool_name != SEARCH for spec in tools.specs()):
        return ()
    asked = [" ".join(one.split()) for one in suggestions if one.strip()][:MOST_FOLLOW_UPS]
    what = say("Look for an answer")
    return tuple(
        Offer(
            clipped(one, LABEL),
            steps=(PlanStep(step_id=1, description=what, tool_call=SEARCH, args={"question": one[:QUOTE]}),),
        )
        for one in asked
    )
