"""Removes recipients that the request excludes or corrects: `not to Bob`, `Anna, no wait, Bob`."""

import re
from collections.abc import Callable
from dataclasses import replace

from butler.orchestrator.understanding.people.corrected import with_corrected
from butler.orchestrator.understanding.people.people_words import group
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.times.lexicon import folded, lexicon
from butler.understanding.times.loose import tells

ADDRESSED = frozenset({"message.send", "mail.send", "message.reply", "mail.reply", "mail.forward", "mail.draft"})
EXCEPT = re.compile(rf"{group('except')}\s+(?:{group('for')}\s+)?$", re.IGNORECASE)
"""Words before an excluded person."""
EVERYBODY = re.compile(rf"{group('everybody')}(?:\s+{group('but')})?\W*", re.IGNORECASE)
MEANT = re.compile(
    rf"(?:\s*[,.;–-]+\s*|\s+(?={group('interjections')}\b))(?:{group('interjections')}[\s,]+)*{group('i_mean')}"
    rf"\s+(?:{group('to')}\s+)?(?!{group('no_name')}\b)(?P<name>[^\W\d_]+)[\s.!]*$",
    re.IGNORECASE,
)
"""Words after a text that correct the recipient."""


def leaves_somebody_out(text: str) -> bool:
    """Return whether a message excludes somebody."""
    return any(EXCEPT.search(text[: match.start()]) for match in re.finditer(r"\b[^\W\d_]", text))


def nobody(_name: str) -> bool:
    """Return that a name belongs to nobody known, where no contacts are at hand."""
    return False


def with_right_people(request: Request, knows: Callable[[str], bool] = nobody) -> Request:
    """Return the request without excluded and corrected recipients; without any if it means all but some.

    Args:
        request: The request.
        knows: Whether a name belongs to somebody; only such a name may be in lower case behind `I mean`.
    """
    if request.intent not in ADDRESSED:
        return request
    request = with_corrected(_with_who_is_meant(request, knows), knows)
    people = [one for one in request.slots if one.slot == "to"]
    if not people:
        return request
    # "Everybody except Bob" may be marked as one name, and would be read as Bob's.
    out = {one for one in people if EXCEPT.search(request.text[: one.start]) or leaves_somebody_out(one.text)}
    if out & {one for one in people if EXCEPT.search(request.text[: one.start])}:
        out |= {one for one in people if EVERYBODY.fullmatch(one.text)}
    return replace(request, slots=tuple(one for one in request.slots if one not in out)) if out else request


def _with_who_is_meant(request: Request, knows: Callable[[str], bool]) -> Request:
    """Return the request with the recipient that its end corrects: `tell Carol hi, I mean Anna`."""
    meant = MEANT.search(request.text)
    if meant is not None and not meant["name"][0].isupper() and not knows(meant["name"]):
        return request
    named = [one for one in request.slots if one.slot == "to" and meant is not None and one.end <= meant.start()]
    if meant is None or len(named) != 1 or tells(folded(meant["name"]), lexicon(request.language or "en")):
        return request
    kept = (one for one in request.slots if one.start < meant.start() and one not in named)
    cut = (replace(one, text=request.text[one.start : min(one.end, meant.start())], end=min(one.end, meant.start()))
           for one in kept)  # fmt: skip
    to = SlotWords("to", meant["name"], meant.start("name"), meant.end("name"))
    left = [one for one in cut if one.text.strip()]
    start = named[0].end
    words = request.text[start : meant.start()].strip(" ,:;")
    if words and not any(one.start >= start for one in left):
        at = request.text.index(words, start)
        left.append(SlotWords("text", words, at, at + len(words)))
    return replace(request, slots=(*left, to))
