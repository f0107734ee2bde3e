"""Asks about acts with a condition that no step can check: `if it rains, cancel the picnic`.

The condition must not be dropped. The question offers the act without it, or offers to wait if that is possible, such
as for an answer.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import choice
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.requests.conditions import ENDS, SENDS, is_courtesy, words_for
from butler.orchestrator.understanding.requests.left_out import touches
from butler.orchestrator.understanding.requests.left_out_words import masked
from butler.orchestrator.understanding.requests.parting import Read
from butler.orchestrator.understanding.requests.request_words import group, patterns
from butler.understanding.reader import Request

ONLY_IF = phrase(
    "Is that to be done only if something happens? I cannot tell by myself whether it does. Say it without “{words}”, "
    "or like “whenever a mail from Anna comes, …”."
)
WITHOUT = phrase("Do it in any case")
ONLY_TOLD = phrase(
    "I can tell you that no answer has come by then; I do nothing else by myself then. Shall I tell you?"
)
MAKES = frozenset({"calendar.create", "card.create", "card.comment", "mail.forward", "mail.invite"})
WATCH = "watch.answer"
OF_THINGS = frozenset({"age", "filter", "query", "text", "reported", "asked", "title"})
"""Slots that describe things or hold what is said, so that an `if` in them is no condition."""
NO_CONDITION = re.compile(
    rf"(?:\b{group('no_condition')}|\b{group('knows')}(?:\W+\w+){{0,2}}|\b{group('reason')}\b[^,;.]*|[?])\s*$",
    re.IGNORECASE,
)
"""Words before an `if` that is no condition or belongs to a reason."""
ONLY_FIRST = patterns("condition_only_first")
"""Words that begin a condition only where a sentence begins."""
ROMANCE = frozenset({"fr", "es"})
"""Languages in which `si` without a comma after its clause may mean yes."""
SURE, FEWEST = 0.5, 2
DOUBTFUL = 0.7
"""The probability below which the act of a request is read again without its condition."""
FEW = 3
"""The number of words that a question quotes of a condition without a clear end."""


def conditional(
    found: Sequence[Request], build: Callable[[Request], PlannerOutput], read: Read, context: Sequence[str]
) -> Unclear | None:
    """Return the question before an act that depends on a condition; None if no act does.

    Args:
        found: The requests of a message.
        build: Makes the plan or question of a request.
        read: Reads words anew.
        context: The flags of what was shown or asked before the message.
    """
    if found[0].intent == WATCH:
        return _only_told(found, build, read, context)
    for one in found:
        words = _condition(one) if acts_at_once(one.intent) else ""
        if words:
            output = build(one)
            return Unclear(say(ONLY_IF, words=words), _offer(say(WITHOUT), one.text, output))
    return None


def without_doubt(found: Sequence[Request], read: Read, context: Sequence[str]) -> list[Request]:
    """Return the requests; a doubtful one with an `if` is taken for what its act alone is read as.

    Args:
        found: The requests of a message.
        read: Reads words anew.
        context: The flags of what was shown or asked before the message.
    """
    return [_act_alone(one, read, context) or one if one.confidence < DOUBTFUL else one for one in found]


def _act_alone(one: Request, read: Read, context: Sequence[str]) -> Request | None:
    """Return the request with the reading of its act alone: `sag das Picknick ab, wenn es regnet`."""
    joined = _join(one, 0)
    if joined is None:
        return None
    start, end = 0, joined.start()
    if not any(map(str.isalnum, one.text[:end])):
        comma = ENDS.search(one.text, joined.end())
        start, end = (comma.end() if comma is not None else len(one.text)), len(one.text)
    words = one.text[start:end].rstrip(" ,;:.!?")
    alone = read(words, context) if len(words.split()) >= FEWEST else ()
    if len(alone) != 1 or not acts_at_once(alone[0].intent) or alone[0].confidence < SURE:
        return None
    slots = tuple(replace(slot, start=slot.start + start, end=slot.end + start) for slot in alone[0].slots)
    return replace(one, readings=alone[0].readings, slots=slots)


def acts_at_once(intent: str) -> bool:
    """Return whether an intent changes or makes something right away, so that its condition has to be asked about."""
    return touches(intent) or intent in MAKES


def _only_told(
    found: Sequence[Request], build: Callable[[Request], PlannerOutput], read: Read, context: Sequence[str]
) -> Unclear | None:
    """Return the question for an act that depends on an answer: Butler can only wait for the answer and report it."""
    watched = found[0]
    joined = _join(watched, 0)
    if joined is None:
        return None
    comma = ENDS.search(watched.text, joined.end())
    last = comma.end() if comma is not None else max((one.end for one in watched.slots), default=joined.end())
    parts = [watched.text[: joined.start()], watched.text[last:]]
    acts = [one for part in parts if len(part.split()) >= FEWEST for one in read(part.strip(" ,;:"), context)]
    if not any(_is_act(one) for one in (*acts, *found[1:])):
        return None
    output = build(watched)
    label = output.steps[-1].description if isinstance(output, Planned) else ""
    return Unclear(say(ONLY_TOLD), _offer(label, watched.text, output)) if label else None


def _is_act(one: Request) -> bool:
    reminds = one.intent == "reminder.create" and bool(one.words("text"))
    return one.confidence >= SURE and (acts_at_once(one.intent) or one.intent in SENDS or reminds)


def _offer(label: str, words: str, output: PlannerOutput) -> tuple[Choice, ...]:
    if not isinstance(output, Planned):
        return ()
    return (replace(choice(label, words), steps=output.steps, labels=output.labels),)


def _condition(one: Request) -> str:
    """Return the words of a condition; empty if there is none."""
    start = 0
    while (joined := _join(one, start)) is not None:
        start = joined.end()
        rest = one.text[joined.end() :]
        end = ENDS.search(rest)
        leads = not any(map(str.isalnum, one.text[: joined.start()]))
        words = rest[: end.start()] if end is not None else rest
        inside = (slot for slot in one.slots if joined.end() <= slot.start < joined.end() + len(words))
        if (
            not re.search(r"\w", words)
            or (leads and end is None and one.language in ROMANCE)
            or (not leads and ONLY_FIRST.fullmatch(joined[0]) is not None)
            or is_courtesy(words)
            or NO_CONDITION.search(one.text[: joined.start()])
            or any(slot.slot in OF_THINGS for slot in inside)
        ):
            continue
        named = words.rstrip(" .!?") if end is not None or not leads else f"{' '.join(words.split()[:FEW])} …"
        return one.text[joined.start() : joined.end()] + (named if named[:1].isspace() else f" {named}")
    return ""


def _join(one: Request, start: int) -> re.Match[str] | None:
    """Return the next `if` outside of all marked words."""
    return words_for("joins", one.language).search(masked(one.text, one.slots), start)
