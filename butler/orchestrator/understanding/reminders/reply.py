"""Builds reminders from a reply: about the replied message, or a bare time in reply to a reminder.

The words of the owner's own message become the text. No planner reads anybody else's message, the butler's included: a
reference in the plan replaces its text and keeps its origins.
"""

import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.reminding import OF_WHAT
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.references import REPLIED_TEXT
from butler.orchestrator.understanding.context import was_asked
from butler.orchestrator.understanding.reminders.reminder_words import group, plain
from butler.orchestrator.understanding.said import Said
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.times.lexicon import folded
from butler.understanding.times.parse import length_of, parse

CREATE, SNOOZE, CHANGE = "reminder.create", "reminder.snooze", "reminder.change"
TIMES = frozenset({"time", "duration", "every"})
NAMES = frozenset({"topic", "text", "reported", "title", "time_of"})
LONGEST = 1_000
"""The most characters of a message in a reminder."""
BEFORE_ZONE = re.compile(rf"\b{group('zone_before')}(?:\s+{group('of')})?\s*$", re.IGNORECASE)
BEHIND_ZONE = re.compile(rf"{group('zone_behind')}\b", re.IGNORECASE)
"""Words that make the name after or before them a zone's: `hora de`, `-Zeit`."""
LENGTH = re.compile(rf"^{group('length_begins')}\s", re.IGNORECASE)
"""Words that begin a duration, after which no zone is named: `en media hora de sacar la tarta`."""
LIKELY = 0.05
"""The least probability of a new reminder for `rappelle-moi ça`."""
MESSAGES = frozenset(map(folded, plain("messages")))
"""Words for the replied message."""


def text_of_reply(said: Said) -> str | dict[str, str]:
    """Return the replied message's text, or a reference to it; empty if this is no reply to a text.

    Words of an earlier message are no reply: `tomorrow at 9`, and then an answer to the butler's question.
    """
    request = said.scene.request
    if said.request.text not in request.words.value:
        return ""
    own = request.own_reply.strip()
    if len(own) > LONGEST:
        raise Asking(say(OF_WHAT))
    if own or not request.others_reply or any(one.kind is ReferentKind.MAIL for one in request.replied_to):
        return capital(own)
    return dict(REPLIED_TEXT)


def of_no_other_clock(said: Said) -> None:
    """Raise `Asking` if a time is followed by an unknown zone: `a las 9 hora` `de Hogwarts`."""
    whole, slots = said.request.text, sorted(said.request.slots, key=lambda each: each.start)
    for time, text in pairwise(slots):
        between = whole[time.end : text.start]
        if time.slot != "time" or text.slot not in {"text", "place"} or len(between.split()) > 1 or "," in between:
            continue
        if parse(time.text, said.language, said.scene.now()) is not None and LENGTH.search(time.text):
            continue
        behind = BEHIND_ZONE.match(whole, text.end)
        if behind or BEFORE_ZONE.search(whole[time.start : text.start]):
            words = whole[time.start : behind.end() if behind else text.end]
            raise Asking(say("Which time is “{words}”? Say it like “tomorrow at 9”.", words=words))


def of_something_new(shares: dict[str, float], one: Request, asked: PlannerInput) -> dict[str, float]:
    """Return the readings; without a reminder to snooze, a new one is meant: `rappelle-moi ça`.

    Args:
        shares: The probabilities by intent.
        one: The request, which may name an existing reminder.
        asked: The planner's input, with what was replied to and shown.
    """
    among = asked.replied_to if asked.own_reply or asked.others_reply else asked.referents
    reminder = any(each.kind is ReferentKind.REMINDER for each in among)
    if reminder or shares.get(CREATE, 0.0) < LIKELY or any(each.slot in NAMES for each in one.slots):
        return shares
    return shares | {CREATE: shares[CREATE] + shares.get(SNOOZE, 0.0), SNOOZE: 0.0}


def bare_time(one: Request, asked: PlannerInput, language: str) -> Request | None:
    """Return a bare time after a reminder as a request about it; None for any other message.

    A duration snoozes the reminder; any other time becomes its new one.
    """
    if not _is_about_reminder(asked):
        return None
    slots = one.slots or _whole(one, asked, language)
    if not slots or not {each.slot for each in slots} <= TIMES or _says_more(one.text, slots):
        return None
    long = all(each.slot == "duration" or _is_length(each, asked, language) for each in slots)
    return replace(one, readings=((SNOOZE if long else CHANGE, 1.0),), slots=slots)


def _is_about_reminder(asked: PlannerInput) -> bool:
    """Return whether a reminder was replied to, or was shown last and alone without a later question."""
    if asked.replied_to:
        return [each.kind for each in asked.replied_to] == [ReferentKind.REMINDER]
    shown = asked.last_shown
    return shown is not None and (shown.kind, shown.count) == (ReferentKind.REMINDER, 1) and not was_asked(asked)


def _whole(one: Request, asked: PlannerInput, language: str) -> tuple[SlotWords, ...]:
    """Return the whole message as a time, if it is one and has no marks."""
    words = one.text.strip(" .!")
    begins = one.text.find(words)
    read = parse(words, language, _now(asked)) is not None
    return (SlotWords("time", words, begins, begins + len(words)),) if words and read else ()


def _says_more(text: str, slots: tuple[SlotWords, ...]) -> bool:
    for each in sorted(slots, key=lambda each: -each.start):
        text = text[: each.start] + text[each.end :]
    return any(map(str.isalnum, text))


def _is_length(each: SlotWords, asked: PlannerInput, language: str) -> bool:
    return each.slot == "time" and length_of(each.text, language, _now(asked)) is not None


def _now(asked: PlannerInput) -> datetime:
    return asked.now.astimezone(asked.zone)
