"""Finds what forbids or takes back an act: `don't cancel the dentist`, `I quit. No, forget it`, `dry run: …`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from butler.contract.speech import phrase, say
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.planning.spoken import ONLY_CARDS
from butler.orchestrator.understanding.act_words import without
from butler.orchestrator.understanding.requests.left_out import (
    CLAUSE,
    SAID_BY_A_NO,
    VALUES,
    Build,
    all_first,
    exception,
    touches,
)
from butler.orchestrator.understanding.requests.left_out_words import options, outside, phrases, words_of
from butler.orchestrator.understanding.requests.request_words import group
from butler.understanding.context import APPROVAL
from butler.understanding.reader import Request

LEFT_ALONE = phrase("I do nothing. If it shall be done, say it without “{words}”.")
NEW = frozenset({"time", "duration", "value", "place", "list", "text", "with", "title", "lead"})
"""Slots with a new value."""
DECLINE = "calendar.decline"
DONE = "reminder.done"
DENY, LIKELY = "approve.deny", 0.1
SENDERS = frozenset({"from", "with"})
BY = re.compile(rf"\s*{group('by')}?\s*", re.IGNORECASE)
SURE = 0.5
TAKES_BACK = frozenset(
    {"approve.deny", "answer.no", "undo", "memory.forget", "digest.skip", "reminder.remove", "reminder.skip"}
    | {"calendar.delete", "calendar.decline", "automation.remove", "automation.pause"}
)
"""Intents in which `forget it` is the request itself."""
ENDS = (".", "!", "?", "…")
NEGATED = re.compile(rf"{group('negated')}\W*$", re.IGNORECASE)
JOINTS = re.compile(rf"\b(?:{group('clause_joints')}|{group('please')})\b", re.IGNORECASE)
Read = Callable[[str, Sequence[str]], tuple[Request, ...]]


def ordered(
    found: Sequence[Request], read: Read, context: Sequence[str], build: Build
) -> tuple[Request, ...] | Unclear:
    """Return a message's requests without those that say what not to do: `cancel the dentist, don't lose the note`.

    Return an answer instead if all is taken back, forbidden or a dry run, or if some things are to be kept.

    Args:
        found: The requests as they are planned.
        read: Reads words anew.
        context: The flags of what was shown or asked before the message.
        build: Makes the plan or question of a request.
    """
    if (back := _taken_back(found)) is not None:
        return Unclear(say(LEFT_ALONE, words=back))
    kept = next((one for one in found if touches(one.intent) and _keeps_some(one, build, alone=len(found) == 1)), None)
    if kept is not None:
        return all_first(replace(kept, slots=()), build)
    if any(touches(one.intent) and phrases("dry_run").search(outside(one)) for one in found):
        return Unclear(say(ONLY_CARDS))
    touching = [_touching(one, context) for one in found]
    denied = [_denied(one, read, context) if one is not None else "" for one in touching]
    left = tuple(one for one, words in zip(found, denied, strict=True) if not words)
    return left or Unclear(say(LEFT_ALONE, words=next(filter(None, denied))))


def _touching(one: Request, context: Sequence[str]) -> Request | None:
    """Return the likely reading that changes something; None without one, or if a no may be for a waiting card."""
    if touches(one.intent):
        return one
    likely = (name for name, share in one.readings if touches(name) and share >= LIKELY)
    name = next(likely, None) if one.intent == DENY and APPROVAL not in context else None
    return one.as_(name) if name is not None else None


def _taken_back(found: Sequence[Request]) -> str | None:
    """Return the words that take back what a message asked for (`tell Bob I quit. No, forget it`); None without any."""
    last = found[-1]
    text = last.text.rstrip(" .!")
    nothing_else = len(found) > 1 and _taken().fullmatch(text) is not None
    if last.intent in TAKES_BACK and not nothing_else:
        return None
    match = _taken().search(outside(last)[: len(text)]) or _taken().search(text)
    if match is None or (len(found) == 1 and not any(map(str.isalnum, text[: match.start()]))):
        return None
    inside = "·" in outside(last)[match.start() : match.end()] and match[0].lstrip()[:1] not in ENDS
    return None if inside or NEGATED.search(text[: match.start()]) else match[0].strip(" ,.;!?")


def _keeps_some(one: Request, build: Build, *, alone: bool) -> bool:
    """Return whether some things are kept and all others go: `keep the rent one and delete the others`."""
    said = _dotted("stays_otherwise", outside(one))
    if one.intent in SAID_BY_A_NO:
        stays = phrases("stays").search(said)
        return stays is not None and len(CLAUSE.split(said[: stays.start()])) == 1 and _is_of_some(said, stays)
    found = phrases("keeps").search(said) or _staying(said)
    if (
        found is None
        or (exception(one) is not None and isinstance(build(one), Planned))
        or not _is_of_some(said, found)
    ):
        return False
    if phrases("rest").search(said) or phrases("stays").fullmatch(found[0]):
        return True
    begins = not any(map(str.isalnum, JOINTS.sub("", said[: found.start()])))
    return begins and not alone


def _is_of_some(said: str, found: re.Match[str]) -> bool:
    """Return whether a word for keeping is said of some things, and not of all others."""
    rest, before = phrases("rest"), _clauses(said[: found.start()])[-1]
    return rest.search(before) is None and rest.match(said[found.end() :].lstrip()) is None


def _staying(said: str) -> re.Match[str] | None:
    """Return the word by which something stays in a clause of its own; the owner's own staying is a reason."""
    found = phrases("stays").search(_dotted("rest", said))
    if found is None:
        return None
    before = said[: found.start()]
    *others, own = _clauses(before)
    apart = any(map(str.isalnum, "".join(others))) or phrases("only").search(before) is not None
    return found if apart and phrases("speaks").match(own.lstrip()) is None else None


def _clauses(words: str) -> list[str]:
    """Return the clauses of words; an `and` or an `only` begins one, too."""
    parts = (
        part for clause in CLAUSE.split(words) for part in JOINTS.split(without("interjections", clause) or clause)
    )
    return [clause for part in parts for clause in phrases("only").split(part)]


def _dotted(kind: str, said: str) -> str:
    """Return the words with dots in place of those of a kind."""
    return phrases(kind).sub(lambda match: "·" * len(match[0]), said)


def _denied(one: Request, read: Read, context: Sequence[str]) -> str:
    """Return the `not` of a clause that would ask for the same without it; empty if there is none."""
    if one.intent in SAID_BY_A_NO:
        return ""
    left_out = exception(one)
    last = left_out.start() if left_out is not None else len(one.text)
    bounds = [0, *(match.end() for match in CLAUSE.finditer(one.text, 0, last)), last]
    for start, end in pairwise(bounds):
        clause = _dotted("only_looks_so", outside(one)[start:end])
        found = words_of("not", one.language).search(clause)
        if found is None or _is_stated(one, clause, found) or _of_sender(one, found, start):
            continue
        plain = " ".join(words_of("not", one.language).sub(" ", one.text[start:end]).split()).strip(" ,;:.!?")
        again = read(plain, context) if plain else ()
        if len(again) == 1 and _is_same(again[0], one):
            return found[0]
    return ""


def _is_stated(one: Request, clause: str, found: re.Match[str]) -> bool:
    """Return whether a clause with a `not` states a fact or a wish and forbids nothing."""
    before = clause[: found.start()].lstrip(" ·").casefold()
    if phrases("no_wish").search(clause) or (one.intent == DECLINE and not phrases("cancels").search(clause)):
        return True
    if one.intent != DONE and (
        phrases("speaks").match(before) or words_of("states", one.language, r"\s*(?:\w+\s+)?$").search(before)
    ):
        return True
    values = one.intent.endswith(VALUES) and any(slot.slot in NEW for slot in one.slots)
    return values and (bool(before.strip()) or words_of("forbids", one.language).match(found[0]) is None)


def _is_same(again: Request, one: Request) -> bool:
    family = one.intent.split(".", maxsplit=1)[0]
    alike = again.intent == one.intent or (family == "calendar" and again.intent.startswith("calendar."))
    return alike and touches(again.intent) and again.confidence >= SURE


def _of_sender(one: Request, match: re.Match[str], start: int) -> bool:
    """Return whether a `not` excludes a sender: `everything that's not from Bob`."""
    behind = next((slot for slot in one.slots if slot.start >= start + match.end() and slot.slot in SENDERS), None)
    return behind is not None and BY.fullmatch(one.text[start + match.end() : behind.start]) is not None


@cache
def _taken() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[,.;!?…–-]\s*|\s)(?:{options('taken_back')})$", re.IGNORECASE)
