"""Builds requests about reminders: new ones, lists, and changes of existing ones."""

import re
from itertools import pairwise
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.reminding import OF_WHAT
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.act_words import without
from butler.orchestrator.understanding.reminders import changes
from butler.orchestrator.understanding.reminders.again import (
    at_the_same_time,
    before_event,
    by_the_last,
    last_reminder,
    same_text,
    text_of_last,
    text_of_shown,
)
from butler.orchestrator.understanding.reminders.before_date import before_day_in_mail
from butler.orchestrator.understanding.reminders.on_answer import on_answer
from butler.orchestrator.understanding.reminders.reminder_words import group, whole
from butler.orchestrator.understanding.reminders.reply import MESSAGES, of_no_other_clock, text_of_reply
from butler.orchestrator.understanding.reminders.rules import rule_said
from butler.orchestrator.understanding.reminders.times import WAKE, said_moment, soon, wakes, when_for
from butler.orchestrator.understanding.reminders.travel import travel
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.named import POINTING, pointing, reminder_words, telling
from butler.orchestrator.understanding.things.refs import outside, tappable
from butler.orchestrator.understanding.times.meant import of_meant_times

CREATE = "bot_reminders_create"
TO = re.compile(rf"^(?:{group('to')}\s+|{group('to_elided')})(?=\w)", re.IGNORECASE)
"""Words before a text that are no part of it."""
TIMER, ALARM = whole("timer"), whole("alarm_rings")
BEFORE = re.compile(
    rf"(?P<text>\w[^,;:]*?)(?:\s*[,;:])+\s*(?:{group('please')}\s+)?{group('remind_me')}[\s.!]*$", re.IGNORECASE
)
"""An unmarked text that is said before the request: `drops every day at 10, remind me`."""
NOT = re.compile(rf"\b{group('not_to')}\s+$", re.IGNORECASE)
NOT_TO = phrase("Do not {text}")
WAKE_UP, TIME_IS_UP, ALARM_TEXT = phrase("Wake up"), phrase("Your timer is up"), phrase("Your alarm")


def create(said: Said) -> PlannerOutput:
    """Create a reminder: once, recurring, before an event, or like the last one."""
    said.need(CREATE)
    of_no_other_clock(said)
    topic = said.words("topic")
    lead_alone = said.has("lead") and not said.has("every") and (topic or not said.has("time"))
    if lead_alone and last_reminder(said) is None:
        return before_day_in_mail(said) or before_event(said)
    text = _text(said)
    if said.has("every"):
        return calls.plan(calls.remind(text or _of_what(said), **_rule(said)))
    if (other := on_answer(said, text) or by_the_last(said, text)) is not None:
        return other
    if not text and text_of_last(said):
        return same_text(said, **said_moment(said, ""))
    what = text or _of_what(said)
    if not isinstance(what, str):
        return _of_theirs(said, what)
    text = what
    if not said.has("time", "duration"):
        raise Asking(when_for(text), [*at_the_same_time(said, text), *soon(said, "time")])
    return calls.plan(calls.remind(text, **said_moment(said, text)))


def _of_theirs(said: Said, reply: dict[str, str]) -> PlannerOutput:
    """Return a reminder of somebody else's message that the owner replied to; a reference replaces its text."""
    if not said.has("time", "duration"):
        raise Asking(when_for(""))
    return calls.plan(calls.remind(reply, **said_moment(said, "")))


def _text(said: Said) -> str:
    """Return the text; the default one for an alarm or a timer; empty if it comes from something shown."""
    for slot in ("text", "reported", "topic", "title", "asked", "value"):
        words = [one for each in said.request.words(slot) if (one := bare(each)) and telling(one, POINTING, MESSAGES)]
        if words:
            text = TO.sub("", _joined(slot, said) or ", ".join(words))
            return say(NOT_TO, text=text) if _is_not_to_be_done(slot, said) else capital(text)
    whole = said.request.text
    for pattern, text in ((TIMER, TIME_IS_UP), (WAKE, WAKE_UP), (ALARM, ALARM_TEXT)):
        if pattern.search(whole):
            return say(text)
    if text_of_last(said) or text_of_reply(said):
        return ""
    before = BEFORE.match(outside(said).strip())
    if before is not None and any(map(str.isalnum, without("interjections", before["text"]))):
        return capital(before["text"])
    return text_of_shown(said)


def _is_not_to_be_done(slot: str, said: Said) -> bool:
    """Return whether the reminder is not to do something: `remind me not to call`."""
    first = min(one.start for one in said.request.slots if one.slot == slot)
    return NOT.search(said.request.text[:first]) is not None


def _joined(slot: str, said: Said) -> str:
    """Return a text in several adjacent pieces: `d'[l]'[appeler]`; empty if other words are between them."""
    marked = [one for one in said.request.slots if one.slot == slot]
    gaps = [said.request.text[one.end : later.start] for one, later in pairwise(marked)]
    if not gaps or any(re.search(r"\w", gap) for gap in gaps):
        return ""
    return bare(said.request.text[marked[0].start : marked[-1].end])


def _of_what(said: Said) -> str | dict[str, str]:
    """Return a text from the replied message or the shown mail. Raise `Asking` without one."""
    if found := text_of_reply(said) or text_of_shown(said):
        return found
    raise Asking(say(OF_WHAT))


def _rule(said: Said) -> dict[str, Any]:
    """Return the arguments of a rule, marked as assumed if its hour is a guess."""
    rule, hour_said = rule_said(said, morning=wakes(said))
    return rule | ({} if hour_said else {"assumed": True})


def list_all(said: Said) -> PlannerOutput:
    """List the coming reminders, or those whose text has certain words."""
    said.need("bot_reminders_list")
    about = said.words("topic") or said.words("text")
    words = reminder_words(about) if about and not pointing(about) else ""
    if not words:
        return calls.plan(calls.list_reminders())
    return calls.plan(calls.reminder("list", say("List your reminders"), words=words))


BUILDERS: dict[str, Builder] = {
    "reminder.create": of_meant_times(tappable(create)),
    "reminder.list": list_all,
    "reminder.change": of_meant_times(tappable(changes.change)),
    "reminder.remove": tappable(changes.remove),
    "reminder.done": tappable(changes.done),
    "reminder.snooze": of_meant_times(tappable(changes.snooze)),
    "reminder.skip": tappable(changes.skip),
    "reminder.travel": travel,
}
"""The builders by intent."""
