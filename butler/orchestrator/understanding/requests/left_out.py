"""Handles exceptions of orders: `don't delete Bob's mail`, `archive all of them except the newest`.

The words are in `left_out.toml`. The reader marks whatever is named, and so marks just what is to be left alone. Items
of a shown list are left out of the plan; every other exception is answered with the whole list.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, TypeGuard, cast

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.act_words import without
from butler.orchestrator.understanding.requests.left_out_words import options, outside, phrases, words_of
from butler.orchestrator.understanding.requests.request_words import group
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.named import telling
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

LEFT_OUT = phrase(
    "So that I leave the right ones alone, I show you all of them first. Then say which ones shall be dealt with."
)
TOUCHING = (
    "mail.", "calendar.", "card.", "reminder.", "automation.", "memory.forget", "message.delete", "message.edit",
)  # fmt: skip
MAKING = (
    ".create", ".send", ".reply", ".draft", ".forward", ".invite", ".travel", ".new_list", ".comment", ".search",
    ".read", ".list", ".count", ".free", ".threads", ".senders", ".boards", ".calendars", ".show", ".restore",
    ".unspam", ".mark_unread",
)  # fmt: skip
"""Intents that change nothing that exists, or in which a text of the owner's may say anything."""
VALUES = (".change", ".move", ".due", ".rename", ".remind", ".colour")
"""Intents with a new value, in which a `not` names the old one: `at St Mary's, not the school hall`."""
SAID_BY_A_NO = frozenset({"reminder.skip", "reminder.snooze"})
"""Intents that are asked for with a `not`: `not this week`, `not now`."""
NOT_CLEAR = phrase("I am not sure which ones to leave alone, so I do nothing. Say only which ones shall be dealt with.")
LOOKS = {"mail": "mail.search", "reminder": "reminder.list", "event": "calendar.list", "card": "card.list"}
NAME = re.compile(r"\s+([^\W\d_a-zà-ÿ][\w.&-]*(?:\s+[^\W\d_a-zà-ÿ][\w.&-]*){0,2})[\s.!]*$")
SENDERS = re.compile(
    rf"\s+(?:{group('kept_ones')}\s+){{0,2}}{group('from')}\s+"
    rf"((?!{group('no_name')}\b)[^\W\d_][\w.&-]*(?:\s+[^\W\d_][\w.&-]*)?)[\s.!]*$",
    re.IGNORECASE,
)
"""A sender who is named behind an exception: `but keep those from Amazon`."""
CLAUSE = re.compile(rf"[,;:.!?]+\s*|\s+{group('clause_of_reason')}\s+", re.IGNORECASE)
"""The end of a clause; reasons and purposes are clauses of their own."""
Build = Callable[[Request], PlannerOutput]
Handles = Callable[[Request, re.Match[str]], bool]


def touches(intent: str) -> bool:
    """Return whether an intent changes or removes something that exists."""
    return intent.startswith(TOUCHING) and not intent.endswith(MAKING)


def exception(one: Request) -> re.Match[str] | None:
    """Return the words that begin an exception, such as `all but the newest`; None if the request has none."""
    said = outside(one)
    found = phrases("except").search(said) or _but_not().search(said)
    if found is not None and one.intent.endswith(VALUES) and not phrases("except").search(said):
        found = found if phrases("only").search(found[0]) else None
    if found is None or phrases("rest").match(said[found.end() :].lstrip()) is not None:
        return None
    begins = not any(map(str.isalnum, without("interjections", said[: found.start()])))
    return None if begins and only_narrows(one, found) else found


def says_only(match: re.Match[str]) -> bool:
    """Return whether an exception begins with an `only`, which may say what is meant or what stays."""
    return phrases("only").search(match[0]) is not None and words_of("not", "").search(match[0]) is None


def only_narrows(one: Request, match: re.Match[str]) -> bool:
    """Return whether an `only` without a word for keeping tells which things are meant: `only the unread ones`."""
    if not says_only(match):
        return False
    looks_so = phrases("only_looks_so").sub(lambda found: "·" * len(found[0]), outside(one))
    clause = CLAUSE.split(looks_so[match.end() :])[0]
    return not any(kept.search(clause) for kept in (phrases("keeps"), phrases("stays"), words_of("not", "")))


def kept_apart(said: Said, slots: frozenset[str]) -> tuple[Said, tuple[SlotWords, ...]]:
    """Return the request without an exception's slots, and those that name something, if all are of the given kinds."""
    match = exception(said.request)
    behind = tuple(one for one in said.request.slots if match is not None and one.start >= match.end())
    named = tuple(one for one in behind if telling(one.text))
    if not named or any(one.slot not in slots for one in behind):
        return said, ()
    before = tuple(one for one in said.request.slots if one not in behind)
    return said.with_slots(before), named


def with_kept_sender(request: Request) -> Request:
    """Mark an unmarked name in an exception as a sender: `but keep Amazon`.

    Not in German, where every noun is capitalized like a name.
    """
    match = exception(request) if request.intent.startswith("mail.") and request.language != "de" else None
    if match is None or any(slot.start >= match.end() for slot in request.slots):
        return request
    name = NAME.match(request.text, match.end()) or SENDERS.match(request.text, match.end())
    if name is None:
        return request
    return replace(request, slots=(*request.slots, SlotWords("from", name[1], name.start(1), name.end(1))))


def without_left_out(one: Request, build: Build, handles: Handles) -> PlannerOutput:
    """Return the output of a request without its exception; if the exception is unclear, offer to show all first.

    Args:
        one: The request.
        build: Makes the plan or question of a request.
        handles: Returns whether the plan for a request already respects its exception.
    """
    output = build(one)
    if not touches(one.intent) or one.intent in SAID_BY_A_NO or not isinstance(output, Planned):
        return output
    match = exception(one)
    if match is not None and only_narrows(one, match):
        return all_first(_part(one, 0, match.start()), build)
    if _keeps(output):
        return output
    unless = match is not None and phrases("unless").match(match[0]) is not None
    if match is None or (handles(one, match) and not unless):
        return output
    ends = CLAUSE.search(one.text, match.end())
    head, tail = _part(one, 0, match.start()), _part(one, match.end(), ends.start() if ends else len(one.text))
    some = _plan(_pointing(tail), build) if tail.text.strip() else None
    ways = (head, _only_pointing(head)) if head.words("ref") else (head,)
    every = (_plan(way, build) for way in ways)
    rest = None if unless else next(filter(None, (_less(plan, some) for plan in every)), None)
    return rest or all_first(head, build)


def all_first(one: Request, build: Build) -> Unclear:
    """Return the answer to an unclear exception, with a button that shows all things of the request."""
    look = next((LOOKS[flag] for flag in flags_of(one.intent) if flag in LOOKS), "")
    plan = _plan(replace(one, readings=((look, 1.0),)), build) if look else None
    if plan is None:
        return Unclear(say(NOT_CLEAR))
    show = replace(choice(say("Show them first"), one.text), steps=plan.steps, labels=plan.labels)
    return Unclear(say(LEFT_OUT), (show,))


def _keeps(plan: Planned) -> bool:
    """Return whether the plan already says whose things it leaves alone."""
    return any(step.args.get("keep") for step in plan.steps)


def _part(one: Request, start: int, end: int) -> Request:
    kept = tuple(
        replace(slot, start=slot.start - start, end=slot.end - start)
        for slot in one.slots
        if start <= slot.start and slot.end <= end
    )
    return replace(one, text=one.text[start:end], slots=kept)


def _pointing(tail: Request) -> Request:
    """Return an exception without marked words as a reference to something."""
    words = tail.text.strip(" .,;!?")
    at = tail.text.find(words)
    return tail if tail.slots else replace(tail, slots=(SlotWords("ref", words, at, at + len(words)),))


def _only_pointing(head: Request) -> Request:
    """Return the request without the slots that describe things, since they were shown in the meantime."""
    return replace(head, slots=tuple(slot for slot in head.slots if slot.slot == "ref"))


def _plan(one: Request, build: Build) -> Planned | None:
    try:
        output = build(one)
    except Asking:
        return None
    return output if isinstance(output, Planned) else None


def _less(every: Planned | None, some: Planned | None) -> Planned | None:
    """Return the plan for all things but some; None if those are not among them."""
    if every is None or some is None:
        return None
    left_out = {_key(step) for step in some.steps}
    kept = [step for step in every.steps if _key(step) not in left_out]
    if kept and len(kept) == len(every.steps) - len(left_out):
        return calls.plan(*kept)
    if len(every.steps) == len(some.steps) == 1 and every.steps[0].tool_call == some.steps[0].tool_call:
        return _fewer(every.steps[0], some.steps[0])
    return None


def _fewer(every: PlanStep, some: PlanStep) -> Planned | None:
    """Return a plan for the things that the first step names and the other does not; None without any."""
    for name, things in every.args.items():
        others = some.args.get(name)
        if _are_named(things) and _are_named(others):
            rest = [one for one in things if one not in others]
            return calls.plan(every.model_copy(update={"args": {**every.args, name: rest}})) if rest else None
    return None


def _are_named(things: Any) -> TypeGuard[list[dict[str, str]]]:
    """Return whether a value is a list of shown things, by their handles."""
    every = cast("list[Any]", things) if isinstance(things, list) else [None]
    return all(isinstance(one, dict) and "handle" in one for one in every)


def _key(step: PlanStep) -> str:
    return json.dumps([step.tool_call, step.args], sort_keys=True, default=str)


@cache
def _but_not() -> re.Pattern[str]:
    joins = options("joins")
    begins = rf"(?:^\s*|[,;:.]\s*|\b(?:{joins})\s+)"
    return re.compile(rf"{begins}(?:{joins})?\s*(?:{options('but_not')}|{group('not')}(?=\s+\d))", re.IGNORECASE)
