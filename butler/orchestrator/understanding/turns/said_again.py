"""Checks whether a plan that acts stays the same if its words are said in another way.

A network is sure of most of its mistakes, so no threshold finds them. But it usually reads a request that it has
understood the same with a `please` before it, in small letters and without commas; one that it has not understood, it
often reads differently then.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import choice
from butler.orchestrator.planning.plan_types import AboutCards, Choice, Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.turns.offers import IS_IT, WHICH

PLEASE = {"en": "please", "de": "bitte", "fr": "s'il te plaît", "es": "por favor"}
MARKS = re.compile(r"[,;]")
ALIKE = (
    ("bot_reminders_snooze", "bot_reminders_change"),
    ("user_calendar_move_event", "user_calendar_change_event"),
    ("user_calendar_decline_event", "user_calendar_delete_event", "user_email_answer_invite"),
    ("user_telegram_send_message", "user_telegram_reply_to_message", "user_email_send_message",
     "user_email_reply_to_thread"),
    ("bot_digests_watch_answer", "bot_automations_create"),
)  # fmt: skip
"""Tools between which a single word decides."""
MOST_STEPS = 3
"""The most steps that a button names."""


def said_again(words: str, language: str) -> str:
    """Return the words as somebody else would have typed them."""
    return f"{PLEASE.get(language, PLEASE['en'])} {MARKS.sub('', words).lower()}"


def one_of_two(output: Planned, again: PlannerOutput, words: str, acting: Collection[str]) -> Unclear | None:
    """Return the question which of two plans is meant; None if both act alike, or the other does not act.

    Args:
        output: The plan for the words.
        again: The output for the words said in another way.
        words: The owner's words.
        acting: The tools that act.
    """
    if isinstance(again, AboutCards):
        return Unclear(say(IS_IT), (_button(output, words),))
    others = _acts(again, acting) if isinstance(again, Planned) else set[str]()
    if not isinstance(again, Planned) or not others or others == _acts(output, acting):
        return None
    return Unclear(say(WHICH), (_button(output, words), _button(again, words)))


def _acts(plan: Planned, acting: Collection[str]) -> set[str]:
    """Return the acting tools of a plan, with similar tools as one."""
    tools = {step.tool_call for step in plan.steps if step.tool_call in acting}
    return {next((group[0] for group in ALIKE if tool in group), tool) for tool in tools}


def _button(plan: Planned, words: str) -> Choice:
    told = dict.fromkeys(step.description for step in plan.steps[-MOST_STEPS:])
    return replace(choice(" + ".join(told), words), steps=plan.steps, labels=plan.labels)
