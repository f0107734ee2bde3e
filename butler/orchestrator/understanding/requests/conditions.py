"""Handles conditional requests: `if Anna's mail says yes, tell Bob I come`. The words are in `conditions.toml`.

If a mail's yes or no decides, a step reads the mail and a reader extracts the answer; no planner sees the mail. The
owner is asked about every other condition of a message, since it must not be dropped.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from butler.contract.agents import ReadKind, When
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.requests.request_words import group
from butler.orchestrator.understanding.things.refs import HANDLE
from butler.understanding.marked import SlotWords
from butler.understanding.patterns import any_of
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored

ONLY_IF = phrase(
    "Is that to be sent only if something happens? Then say it like “whenever a mail from Anna comes, …”; else say it "
    "without “{words}”."
)
NOT_SENT = phrase("I send nothing. If it shall go, say it without “{words}”.")
TEXTS = frozenset({"text", "reported", "asked", "subject"})
SENDS = frozenset({"message.send", "mail.send", "message.reply", "mail.reply"})
ENDS = re.compile(rf"[,;:]\s*|\s{group('condition_ends')}\s", re.IGNORECASE)
CLAUSE = re.compile(rf"[,;:.!?]\s+|\s+{group('next_clause')}\s+", re.IGNORECASE)
"""Boundaries between the clause that says what to send and other clauses."""
THAT = re.compile(rf"[\s,]+{group('that')}$", re.IGNORECASE)
OF_MAIL = re.compile(rf"(?:['’]s)?\s*(?:{group('last')} )?\b(?:e-?)?{group('mail')}\b.*|['’]s$", re.IGNORECASE)
BEFORE_NAME = re.compile(rf"^{group('the')}\s*|.*\b{group('of_writer')}\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a message: its words, and whether a mail's yes or no decides; None for anything else."""

    words: str
    end: int
    yes: bool | None = None
    whose: str = ""


def hanging(found: Sequence[Request], build: Callable[[Request], PlannerOutput]) -> PlannerOutput | None:
    """Return the plan of a conditional message, or a question; None if nothing to be sent is conditional."""
    condition = _condition(found[0]) if any(one.intent in SENDS for one in found) else None
    if condition is None:
        return None
    rest = _rest(found, condition)
    if condition.yes is None or not rest:
        return Unclear(say(ONLY_IF, words=condition.words))
    outputs = [build(one) for one in rest]
    asked = next((one for one in outputs if isinstance(one, Unclear)), None)
    if asked is not None:
        before = found[0].text[: condition.end]
        return replace(asked, choices=tuple(_under(before, one) for one in asked.choices))
    return _decided(build(_mail(condition)), outputs, yes=condition.yes)


def refused(found: Sequence[Request]) -> Unclear | None:
    """Return the answer to a request not to send something (`don't tell mum I'm ill`); None without such a request."""
    for one in (one for one in found if one.intent in SENDS):
        first = min((slot.start for slot in one.slots if slot.slot in TEXTS), default=len(one.text))
        said = THAT.sub("", one.text[:first].rstrip(' ,;:.“„«"'))
        before = words_for("nevertheless").sub(" ", CLAUSE.split(said)[-1])
        if (match := words_for("never", one.language).search(before)) is not None:
            return Unclear(say(NOT_SENT, words=match[0]))
    return None


def _decided(reading: PlannerOutput, outputs: Sequence[PlannerOutput], *, yes: bool) -> PlannerOutput | None:
    """Return one plan that reads the mail and takes the other plans' steps if its answer is `yes`."""
    plans = [one for one in outputs if isinstance(one, Planned)]
    if not isinstance(reading, Planned) or len(plans) < len(outputs):
        return None if isinstance(reading, Planned) else reading
    plan, read = reading, len(reading.steps)
    for one in plans:
        plan = calls.plan(*plan.steps, *calls.moved(one, len(plan.steps)))
    when = When(step_id=read, read=ReadKind.YES_NO, ask="Does it say yes or no?", is_="equal", value=yes)
    return calls.plan(
        *(
            step if at < read or step.when is not None else step.model_copy(update={"when": when})
            for at, step in enumerate(plan.steps)
        )
    )


def _condition(request: Request) -> Condition | None:
    joined = words_for("joins").match(request.text.lstrip(" ¿¡"))
    if joined is None:
        return None
    end = ENDS.search(request.text)
    words = request.text[: end.start()] if end is not None else request.text
    if is_courtesy(words_for("joins").sub("", words, count=1)):
        return None
    stop = end.end() if end is not None else len(request.text)
    for kind, yes in (("no", False), ("yes", True)):
        match = words_for(kind).search(words)
        if match is not None:
            whose = words[joined.end() : match.start()].strip()
            negated = words_for("not").search(words[: match.start()]) is not None
            return Condition(words, stop, yes != negated, whose)
    return Condition(words, stop)


def _rest(found: Sequence[Request], condition: Condition) -> list[Request]:
    """Return the requests after the condition."""
    first = found[0]
    if first.intent not in SENDS or not first.text[condition.end :].strip():
        return list(found[1:])
    by = condition.end
    slots = tuple(
        replace(one, start=one.start - by, end=one.end - by) for one in first.slots if one.start >= condition.end
    )
    return [replace(first, text=first.text[by:], slots=slots), *found[1:]]


def _mail(condition: Condition) -> Request:
    """Return the request to read the mail whose answer decides."""
    handle = HANDLE.search(condition.whose)
    slot = "ref" if handle is not None or not condition.whose else "from"
    name = handle[0] if handle is not None else OF_MAIL.sub("", BEFORE_NAME.sub("", condition.whose)).strip()
    words = SlotWords(slot, name or condition.whose or "it", 0, len(condition.whose))
    return Request(condition.whose, 0, (("mail.read", 1.0),), (words,))


def _under(before: str, one: Choice) -> Choice:
    """Return an answer to a question, with the same condition before it."""
    return replace(one, words=f"{before}{one.words}") if one.words else one


def is_courtesy(clause: str) -> bool:
    """Return whether the clause after an `if` is only polite: `you can`, `that's ok`."""
    alone = words_for("courtesy_alone").fullmatch(clause.strip(" ,.!?¿¡")) is not None
    return alone or words_for("courtesy").search(clause) is not None


@cache
def words_for(kind: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern for a kind of words in `conditions.toml`, in a language; in all languages if it is unknown.

    Their accents count: `ich hätte` is no `ich hatte`.
    """
    words = any_of(stored("butler.orchestrator.understanding.requests", "conditions", kind, language))
    return re.compile(rf"(?<![\w'’-])(?:{words})(?![\w-])", re.IGNORECASE)
