"""Whom a message is for, where somebody is named who shall not get it: `not to Bob`, `Anna, no wait, Bob`."""

import re
from dataclasses import replace
from itertools import pairwise

from butler.understanding.reader import Request

ADDRESSED = frozenset({"message.send", "mail.send", "message.reply", "mail.reply", "mail.forward", "mail.draft"})
EXCEPT = re.compile(
    r"(?:except|but not|(?:every(?:one|body)|all)\s+but|apart from|außer|ausser|aber nicht|nur nicht|sauf|mais pas|"
    r"excepto|menos|salvo|pero no)\s+(?:for\s+|to\s+|an\s+|à\s+|a\s+)?$",
    re.IGNORECASE,
)
"""Before somebody who is left out."""
EVERYBODY = re.compile(
    r"(?:every(?:one|body)|all(?:en|e)?|tout le monde|tous|todos|todas)"
    r"(?:\s+(?:except|but|außer|ausser|sauf|menos))?\W*",
    re.IGNORECASE,
)
CORRECTED = re.compile(
    r"(?:\s*[,–-]\s*(?:no|nein|non|mejor|plutôt|lieber)\b|"
    r"\W*\b(?:no wait|wait|i mean|sorry|quatsch|ich meine|pardon|je veux dire|perdón|digo)\b)"
    r"(?:[\s,]+(?:no|wait|i mean|sorry|quatsch|nein|non|pardon|perdón|digo))*\W*(?:to\s+|an\s+|à\s+|a\s+)?",
    re.IGNORECASE,
)
"""Between somebody who was named by mistake and who is meant."""


def leaves_somebody_out(text: str) -> bool:
    """Whether a message says who shall not get it."""
    return any(EXCEPT.search(text[: match.start()]) for match in re.finditer(r"\b[^\W\d_]", text))


def with_right_people(request: Request) -> Request:
    """The request without whoever it leaves out or corrects; with nobody where all but somebody are meant."""
    people = [one for one in request.slots if one.slot == "to"]
    if request.intent not in ADDRESSED or not people:
        return request
    out = {one for one in people if EXCEPT.search(request.text[: one.start])}
    for one, later in pairwise(people):
        if CORRECTED.fullmatch(request.text[one.end : later.start]):
            out |= {one, *(slot for slot in request.slots if one.end <= slot.start and slot.end <= later.start)}
    if out & {one for one in people if EXCEPT.search(request.text[: one.start])}:
        out |= {one for one in people if EVERYBODY.fullmatch(one.text)}
    return replace(request, slots=tuple(one for one in request.slots if one not in out)) if out else request
