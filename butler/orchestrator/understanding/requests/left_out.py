"""What an order is not to touch: `don't delete Bob's mail`, `archive all of them except the newest`.

The words are in `left_out.toml`. The reader marks what is spoken of, and so marks just what is to be left alone. What
is left out of a list that was shown is left out of the plan; every other exception is answered with the whole list.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import cast

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.contract.tables import table
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.dry_words import ONLY_CARDS
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput, Unclear
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

LEFT_OUT = phrase(
    "So that I leave the right ones alone, I show you all of them first. Then say which ones shall be dealt with."
)
LEFT_ALONE = phrase("I do nothing. If it shall be done, say it without “{words}”.")
TOUCHING = (
    "mail.", "calendar.", "card.", "reminder.", "automation.", "memory.forget", "message.delete", "message.edit",
)  # fmt: skip
MAKING = (
    ".create", ".send", ".reply", ".draft", ".forward", ".invite", ".travel", ".new_list", ".comment", ".search",
    ".read", ".list", ".count", ".free", ".threads", ".senders", ".boards", ".calendars", ".show", ".restore",
    ".unspam", ".mark_unread",
)  # fmt: skip
"""Intents after which nothing that there was is changed, or in which a text of the owner's may say anything."""
VALUES = (".change", ".move", ".due", ".rename", ".remind", ".colour")
"""Intents with a new value, of which a `not` says what it is no longer: `at St Mary's, not the school hall`."""
DONE = "reminder.done"
NEW = frozenset({"time", "duration", "value", "place", "list", "text", "with", "title", "lead"})
"""Slots of what shall be instead."""
DECLINE = "calendar.decline"
SAID_BY_A_NO = frozenset({"reminder.skip", "reminder.snooze"})
"""What is asked for by a `not`: `not this week`, `not now`."""
LOOKS = {"mail": "mail.search", "reminder": "reminder.list", "event": "calendar.list", "card": "card.list"}
HELD = frozenset({"text", "reported", "asked", "title", "subject", "time", "every", "value", "query"})
"""Slots whose words say nothing of what is left out."""
SENDERS = frozenset({"from", "with"})
NAME = re.compile(r"\s+([^\W\d_a-zà-ÿ][\w.&-]*(?:\s+[^\W\d_a-zà-ÿ][\w.&-]*){0,2})[\s.!]*$")
BY = re.compile(r"\s*(?:from|by|von|vom|de|du|d['’]|del)?\s*", re.IGNORECASE)
CLAUSE = re.compile(
    r"[,;:.!?]+\s*|\s+(?:because|so that|in order to|weil|denn|damit|um|car|parce que|pour|porque|para)\s+",
    re.IGNORECASE,
)
"""Where a clause ends; reasons and purposes are clauses of their own."""
ONLY = re.compile(r"\b(?:only|just|nur|seulement|solo|sólo)\b", re.IGNORECASE)
TAKES_BACK = frozenset(
    {"approve.deny", "answer.no", "undo", "memory.forget", "digest.skip", "reminder.remove", "reminder.skip"}
    | {"calendar.delete", "calendar.decline", "automation.remove", "automation.pause"}
)
"""Intents in which `forget it` is the request itself."""
ENDS = (".", "!", "?", "…")
NEGATED = re.compile(r"(?:n['’]?t|\bnot|\bnever|\bto|\bnicht|\bpas)\W*$", re.IGNORECASE)
JOINTS = re.compile(r"\b(?:and|but|und|aber|et|mais|y|pero|please|bitte)\b", re.IGNORECASE)
SURE = 0.5
Build = Callable[[Request], PlannerOutput]
Handles = Callable[[Request, re.Match[str]], bool]
Read = Callable[[str, Sequence[str]], tuple[Request, ...]]


def touches(intent: str) -> bool:
    """Whether something that there is, is changed or taken away by it."""
    return intent.startswith(TOUCHING) and not intent.endswith(MAKING)


def exception(one: Request) -> re.Match[str] | None:
    """Where a request begins to say what is left out: `all but the newest`; None where it leaves nothing out."""
    outside = _outside(one)
    found = _phrases("except").search(outside) or _but_not().search(outside)
    if found is not None and one.intent.endswith(VALUES) and not _phrases("except").search(outside):
        found = found if ONLY.search(found[0]) else None
    kept = found is not None and _phrases("rest").match(outside[found.end() :].lstrip()) is not None
    return None if kept else found


def with_kept_sender(request: Request) -> Request:
    """The request with a name behind an exception as a sender's, where nothing of it was marked: `but keep Amazon`.

    In German every noun is written like a name, so there it is not told.
    """
    match = exception(request) if request.intent.startswith("mail.") and request.language != "de" else None
    if match is None or any(slot.start >= match.end() for slot in request.slots):
        return request
    name = NAME.match(request.text, match.end())
    if name is None:
        return request
    return replace(request, slots=(*request.slots, SlotWords("from", name[1], name.start(1), name.end(1))))


def without_left_out(one: Request, build: Build, handles: Handles) -> PlannerOutput:
    """The output of a request, without what it leaves out; where that is not clear, all is shown first.

    Args:
        one: The request.
        build: Makes the plan or question of one.
        handles: Tells where what is made of a request has no more of what it leaves out.
    """
    output = build(one)
    if not touches(one.intent) or one.intent in SAID_BY_A_NO or not isinstance(output, Planned) or _keeps(output):
        return output
    match = exception(one)
    unless = match is not None and _phrases("unless").match(match[0]) is not None
    if match is None or (handles(one, match) and not unless):
        return output
    ends = CLAUSE.search(one.text, match.end())
    head, tail = _part(one, 0, match.start()), _part(one, match.end(), ends.start() if ends else len(one.text))
    some = _plan(_pointing(tail), build) if tail.text.strip() else None
    ways = (head, _only_pointing(head)) if head.words("ref") else (head,)
    every = (_plan(way, build) for way in ways)
    rest = None if unless else next(filter(None, (_less(plan, some) for plan in every)), None)
    return rest or Unclear(say(LEFT_OUT), _look(head, one, build))


def ordered(found: Sequence[Request], read: Read, context: Sequence[str]) -> tuple[Request, ...]:
    """The requests of a message without those that say what not to do: `cancel the dentist, don't lose the note`.

    Raises:
        Asking: Where nothing else is said, such as `don't cancel the dentist`, or it shall only be tried.
    """
    if (back := _taken_back(found)) is not None:
        raise Asking(say(LEFT_ALONE, words=back))
    if any(touches(one.intent) and _keeps_some(one, alone=len(found) == 1) for one in found):
        raise Asking(say(LEFT_OUT))
    if any(touches(one.intent) and _phrases("dry_run").search(_outside(one)) for one in found):
        raise Asking(say(ONLY_CARDS))
    denied = [_denied(one, read, context) if touches(one.intent) else "" for one in found]
    kept = tuple(one for one, words in zip(found, denied, strict=True) if not words)
    if not kept:
        raise Asking(say(LEFT_ALONE, words=next(filter(None, denied))))
    return kept


def _taken_back(found: Sequence[Request]) -> str | None:
    """The words by which a message takes back what it asked for: `tell Bob I quit. No, forget it`."""
    last = found[-1]
    if last.intent in TAKES_BACK:
        return None
    text = last.text.rstrip(" .!")
    match = _taken().search(_outside(last)[: len(text)]) or _taken().search(text)
    if match is None or (len(found) == 1 and not any(map(str.isalnum, text[: match.start()]))):
        return None
    inside = "·" in _outside(last)[match.start() : match.end()] and match[0].lstrip()[:1] not in ENDS
    return None if inside or NEGATED.search(text[: match.start()]) else match[0].strip(" ,.;!?")


def _keeps_some(one: Request, *, alone: bool) -> bool:
    """Whether things are kept while all others go: `keep the rent one and delete the others`."""
    outside = _outside(one)
    keeps = _phrases("keeps").search(outside)
    if keeps is None or one.intent in SAID_BY_A_NO or exception(one) is not None:
        return False
    before = CLAUSE.split(outside[: keeps.start()])[-1]
    if _phrases("rest").search(before) or _phrases("rest").match(outside[keeps.end() :].lstrip()):
        return False
    if _phrases("rest").search(outside) or _phrases("stays").search(outside):
        return True
    begins = not any(map(str.isalnum, JOINTS.sub("", outside[: keeps.start()])))
    return begins and not alone


def _denied(one: Request, read: Read, context: Sequence[str]) -> str:
    """The `not` of a clause that would ask for the same without it; empty where there is none."""
    if one.intent in SAID_BY_A_NO:
        return ""
    left_out = exception(one)
    last = left_out.start() if left_out is not None else len(one.text)
    bounds = [0, *(match.end() for match in CLAUSE.finditer(one.text, 0, last)), last]
    for start, end in pairwise(bounds):
        clause = _phrases("only_looks_so").sub(lambda match: "·" * len(match[0]), _outside(one)[start:end])
        found = _table("not", one.language).search(clause)
        if found is None or _is_stated(one, clause, found) or _of_sender(one, found, start):
            continue
        plain = " ".join(_table("not", one.language).sub(" ", one.text[start:end]).split()).strip(" ,;:.!?")
        again = read(plain, context) if plain else ()
        if len(again) == 1 and _is_same(again[0], one):
            return found[0]
    return ""


def _is_stated(one: Request, clause: str, found: re.Match[str]) -> bool:
    """Whether a clause with a `not` says how something is, or is wanted, and forbids nothing."""
    before = clause[: found.start()].lstrip(" ·").casefold()
    if _phrases("no_wish").search(clause) or (one.intent == DECLINE and not _phrases("cancels").search(clause)):
        return True
    if one.intent != DONE and (
        _phrases("speaks").match(before) or _table("states", one.language, r"\s*(?:\w+\s+)?$").search(before)
    ):
        return True
    values = one.intent.endswith(VALUES) and any(slot.slot in NEW for slot in one.slots)
    return values and (bool(before.strip()) or _table("forbids", one.language).match(found[0]) is None)


def _is_same(again: Request, one: Request) -> bool:
    family = one.intent.split(".", maxsplit=1)[0]
    alike = again.intent == one.intent or (family == "calendar" and again.intent.startswith("calendar."))
    return alike and touches(again.intent) and again.confidence >= SURE


def _keeps(plan: Planned) -> bool:
    """Whether whose things are left alone is part of the plan already."""
    return any(step.args.get("keep") for step in plan.steps)


def _of_sender(one: Request, match: re.Match[str], start: int) -> bool:
    """Whether a `not` says whose mails are not meant: `everything that's not from Bob`."""
    behind = next((slot for slot in one.slots if slot.start >= start + match.end() and slot.slot in SENDERS), None)
    return behind is not None and BY.fullmatch(one.text[start + match.end() : behind.start]) is not None


def _outside(one: Request) -> str:
    """The text with dots in the place of words that say nothing of it."""
    text = one.text
    for slot in one.slots:
        if slot.slot in HELD:
            text = text[: slot.start] + "·" * (slot.end - slot.start) + text[slot.end :]
    return text


def _part(one: Request, start: int, end: int) -> Request:
    kept = tuple(
        replace(slot, start=slot.start - start, end=slot.end - start)
        for slot in one.slots
        if start <= slot.start and slot.end <= end
    )
    return replace(one, text=one.text[start:end], slots=kept)


def _pointing(tail: Request) -> Request:
    """Words behind an exception in which nothing is marked, as what points at something."""
    words = tail.text.strip(" .,;!?")
    at = tail.text.find(words)
    return tail if tail.slots else replace(tail, slots=(SlotWords("ref", words, at, at + len(words)),))


def _only_pointing(head: Request) -> Request:
    """The same without what describes the things, which were shown since."""
    return replace(head, slots=tuple(slot for slot in head.slots if slot.slot == "ref"))


def _plan(one: Request, build: Build) -> Planned | None:
    try:
        output = build(one)
    except Asking:
        return None
    return output if isinstance(output, Planned) else None


def _less(every: Planned | None, some: Planned | None) -> Planned | None:
    """The plan for all things but some; None where they are not among them."""
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
    for name in every.args.keys() & some.args.keys():
        things: object = every.args[name]
        others: object = some.args[name]
        if isinstance(things, list) and isinstance(others, list):
            some_of_them = cast("list[object]", others)
            rest = [one for one in cast("list[object]", things) if one not in some_of_them]
            return calls.plan(every.model_copy(update={"args": {**every.args, name: rest}})) if rest else None
    return None


def _key(step: PlanStep) -> str:
    return json.dumps([step.tool_call, step.args], sort_keys=True, default=str)


def _look(head: Request, one: Request, build: Build) -> tuple[Choice, ...]:
    """A button that shows all of what is spoken of."""
    look = next((LOOKS[flag] for flag in flags_of(one.intent) if flag in LOOKS), "")
    plan = _plan(replace(head, readings=((look, 1.0),)), build) if look else None
    if plan is None:
        return ()
    return (replace(choice(say("Show them first"), one.text), steps=plan.steps, labels=plan.labels),)


@cache
def _table(kind: str, language: str, behind: str = "") -> re.Pattern[str]:
    """Words of a kind in a language, with what has to stand behind them; in all languages where that is not known."""
    stored: dict[str, list[str]] = table("butler.orchestrator.understanding.requests", "left_out")[kind]
    words = stored.get(language)
    every = [one for listed in stored.values() for one in listed]
    return re.compile(
        rf"(?<![\w'’-])(?:{_options(every if words is None else words) or '(?!)'}){behind}", re.IGNORECASE
    )


@cache
def _taken() -> re.Pattern[str]:
    stored: list[str] = table("butler.orchestrator.understanding.requests", "left_out")["taken_back"]
    return re.compile(rf"(?:^|[,.;!?…–-]\s*|\s)(?:{_options(stored)})$", re.IGNORECASE)


@cache
def _phrases(kind: str) -> re.Pattern[str]:
    stored: list[str] = table("butler.orchestrator.understanding.requests", "left_out")[kind]
    return re.compile(rf"(?<![\w'’-])(?:{_options(stored)})", re.IGNORECASE)


@cache
def _but_not() -> re.Pattern[str]:
    stored = table("butler.orchestrator.understanding.requests", "left_out")
    begins = rf"(?:^\s*|[,;:.]\s*|\b(?:{_options(stored['joins'])})\s+)"
    return re.compile(
        rf"{begins}(?:{_options(stored['joins'])})?\s*(?:{_options(stored['but_not'])}|(?:not|nicht|pas|no)(?=\s+\d))",
        re.IGNORECASE,
    )


def _options(stored: Sequence[str]) -> str:
    """The longest first; what ends with an apostrophe needs nothing behind it."""
    longest_first = sorted(stored, key=len, reverse=True)
    return "|".join(re.escape(one) + ("" if one.endswith(("'", "’")) else r"(?![\w'’-])") for one in longest_first)
