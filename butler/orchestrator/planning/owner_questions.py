"""Decides whose words may answer a question about the owner.

Anybody can write to the owner, and what is written is remembered. So a mail that says "your passport number is ..." is
what its writer wants to be believed, not what is known. Three rules, by the author of a passage:

- A stranger's words never answer what identifies the owner, opens something of theirs or pays for them.
- Other questions about the owner's own matters are answered by the owner's notes alone if these hold the answer.
- Everything else is answered from anything that fits, with its source below.

A note is about one thing: "my boat number is ..." does not answer a question for the passport's, however similar.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from butler.agents.tailor.questions import asked, may_answer
from butler.agents.tailor.terms import terms
from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import RetrievedContext
from butler.contract.provenance import Labelled, Trust
from butler.contract.tables import table
from butler.understanding.stored_words import group_in, stored
from config.agents import MIN_RELEVANCE

FITS: Final = MIN_RELEVANCE
"""The least relevance of a passage from the right source."""
_SENT_BY_ANYBODY: Final = frozenset({MemoryKind.MAIL.value, MemoryKind.CHAT.value, MemoryKind.PAGE.value})

_PACKAGE: Final = "butler.orchestrator.planning"
_THING: Final = r"(?P<thing>[^.?!:=\n]{1,60}?)"
_SHORTEST_END: Final = len("code")
"""The letters of the shortest attribute in which a German compound is taken to end."""


def of_another_thing(question: str, text: str) -> bool:
    """Return whether everything that a text says about the owner is plainly about something else than the question.

    Both must name, in one language, the same attribute of many things, such as a number, and share no other word. In
    doubt, return False.
    """
    wanted = _asking().search(question)
    matchs = list(_saying().finditer(text))
    return wanted is not None and bool(matchs) and all(_differ(wanted, one) for one in matchs)


def _differ(wanted: re.Match[str], told: re.Match[str]) -> bool:
    if _language(wanted["mine"]) != _language(told["mine"]):
        return False
    (heads, rest), (others, other_rest) = _parts(wanted["thing"]), _parts(told["thing"])
    if not heads & others or not rest or not other_rest:
        return False
    return not any(a in b or b in a for a in rest for b in other_rest)


def _language(mine: str) -> str:
    """Return the language of a word for `my`."""
    said = table(_PACKAGE, "owner_questions")["mine"]
    return next(one for one in said if re.fullmatch(_said("mine", one), mine, re.IGNORECASE))


def _parts(thing: str) -> tuple[frozenset[str], frozenset[str]]:
    """Split a named thing into attributes that many things have, and the words (or first half of a compound) beside."""
    heads: set[str] = set()
    rest: set[str] = set()
    known = _attributes()
    ends = tuple(name for name in known if len(name) >= _SHORTEST_END)
    for word in re.findall(r"\w+", thing.casefold()):
        end = max((name for name in ends if word.endswith(name)), default="", key=len)
        before = word.removesuffix(end)
        if word in known or (end and before):
            heads.add(known[word if word in known else end])
        left = "" if word in known else before
        rest |= {left.rstrip("s")} if terms(left) else set()
    return frozenset(heads), frozenset(rest)


@cache
def _attributes() -> dict[str, str]:
    """Return the attributes that many things have, by the words for them."""
    kinds = table(_PACKAGE, "shared_attributes")
    return {word: kind for kind in kinds for word in stored(_PACKAGE, "shared_attributes", kind)}


def _said(kind: str, language: str = "") -> str:
    """Return a group of the expressions of a kind."""
    return group_in(_PACKAGE, "owner_questions", kind, language)


@cache
def _asking() -> re.Pattern[str]:
    """Return the pattern for a thing of the owner's, up to the end of the sentence."""
    return re.compile(rf"\b(?P<mine>{_said('mine')})\s+{_THING}\s*(?:[.?!\n]|$)", re.IGNORECASE)


@cache
def _saying() -> re.Pattern[str]:
    """Return the pattern for a thing of the owner's of which something is told."""
    return re.compile(rf"\b(?P<mine>{_said('mine')})\s+{_THING}\s*{_said('is')}", re.IGNORECASE)


@cache
def _own() -> re.Pattern[str]:
    """Return the pattern for words about oneself."""
    return re.compile(rf"\b(?:{_said('mine')}|{_said('oneself')})\b", re.IGNORECASE)


@cache
def _identifying() -> re.Pattern[str]:
    """Return the pattern for what identifies the owner."""
    theirs = rf"{_said('mine')} (?:{_said('kinds_of_it')} )?{_said('others_have_too')}"
    return re.compile(rf"\b(?:{_said('identifies')}|{theirs}|{_said('questions')})\b", re.IGNORECASE)


def is_of_the_owner(question: str) -> bool:
    """Return whether a question is about the owner's own matters ("my", "mein", "mon", "mi")."""
    return _own().search(question) is not None


def identifies_the_owner(question: str) -> bool:
    """Return whether a question asks for what identifies the owner, opens something of theirs or pays for them."""
    return is_of_the_owner(question) and _identifying().search(" ".join(question.split())) is not None


def believable(question: str, chunks: Sequence[RetrievedContext]) -> tuple[RetrievedContext, ...]:
    """Return the passages that may answer a question, in the order they came; maybe none.

    The owner may ask about anything they named without a search (relevance 1), whoever wrote it.
    """
    if not is_of_the_owner(question):
        return tuple(chunks)
    chunks = [one for one in chunks if not (_by_owner(one) and of_another_thing(question, one.content))]
    kind = asked(question)
    known = any(_by_owner(one) and one.relevance_score >= FITS and may_answer(kind, one.content) for one in chunks)
    if not known and not identifies_the_owner(question):
        return tuple(chunks)
    return tuple(one for one in chunks if not _by_a_stranger(one))


def others_speak(chunks: Sequence[RetrievedContext]) -> bool:
    """Return whether any of these passages is by a stranger."""
    return any(map(_by_a_stranger, chunks))


def _by_owner(chunk: RetrievedContext) -> bool:
    return bool(chunk.origins) and all(origin.trust is Trust.OWNER for origin in chunk.origins)


def _by_a_stranger(chunk: RetrievedContext) -> bool:
    tainted = Labelled(value=chunk, origins=frozenset(chunk.origins)).tainted
    return tainted and chunk.kind in _SENT_BY_ANYBODY and chunk.relevance_score < 1
