"""Joins texts whose end the reader took for another request: `tell Anna I'm in the tube` `no signal here`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from butler.orchestrator.planning.plan_types import PlannerOutput, Unclear
from butler.orchestrator.understanding.requests.carrying import TEXTS
from butler.orchestrator.understanding.requests.reasons import WITH_TEXTS, goes_on_with
from butler.orchestrator.understanding.requests.request_words import group
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

SURE = 0.95
"""The probability from which on the words after a text are a request of their own, even an incomplete one."""
LIKELY = 0.8
"""The same threshold after a note, which is stored unseen."""
JOINTS = group("joints")
BEGINS = re.compile(rf"(?:(?<!\w){JOINTS}|[,;.:!?–-])\s*$", re.IGNORECASE)
"""The end of a text before another request."""
GOES_ON = re.compile(
    rf"{group('clause_joints')}\s+(?:{group('second_subject')}\s+(?!{group('second_request')})|{group('second_begins')}\b|"
    rf"{group('second_elided')})",
    re.IGNORECASE,
)
"""The beginning of a second clause of a message: `dass ich da bin` `und mich am Abend melde`."""
AND = re.compile(rf"{JOINTS}\b", re.IGNORECASE)


def with_whole_texts(
    found: Sequence[Request], whole: str, build: Callable[[Request], PlannerOutput]
) -> tuple[Request, ...]:
    """Return the requests of a message; one that only continues the text before it is joined to that text.

    Args:
        found: The requests as read, each with its place in the message.
        whole: The message.
        build: Makes the plan or question of a request.
    """
    parts: list[Request] = []
    for one in found:
        text = _last_text(parts[-1]) if parts else None
        if text is not None and _is_more_text(parts[-1], one, build):
            parts[-1] = _longer(parts[-1], text, one, whole)
        else:
            parts.append(one)
    return tuple(parts)


def _last_text(request: Request) -> SlotWords | None:
    """Return the text at the end of a request; None if it ends otherwise."""
    last = max(request.slots, key=lambda one: one.end, default=None)
    if request.intent not in WITH_TEXTS or last is None or last.slot not in TEXTS:
        return None
    rest = AND.sub("", request.text[last.end :])
    return None if any(map(str.isalnum, rest)) else last


def _is_more_text(before: Request, one: Request, build: Callable[[Request], PlannerOutput]) -> bool:
    if goes_on_with(one.text) or (before.words("reported") and GOES_ON.match(one.text) is not None):
        return True
    if one.confidence >= SURE or one.start <= before.start or one.words("to"):
        return False
    begins = BEGINS.search(before.text) or AND.match(one.text)
    if not begins:
        return True
    return (before.intent != "note.create" or one.confidence < LIKELY) and isinstance(build(one), Unclear)


def _longer(before: Request, text: SlotWords, one: Request, whole: str) -> Request:
    """Return the request with its text extended up to the end of the other request."""
    words = whole[before.start : one.start + len(one.text)].rstrip()
    slot = SlotWords(text.slot, words[text.start :].rstrip(" ."), text.start, len(words.rstrip(" .")))
    return replace(before, text=words, slots=tuple(slot if each is text else each for each in before.slots))
