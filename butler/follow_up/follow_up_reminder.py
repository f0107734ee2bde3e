"""A follow-up to an unanswered question: a short text by template, behind a button, and a card before it is sent."""

import re
from datetime import datetime

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.contract.card import Button
from butler.contract.following import Wait, WaitKind
from butler.contract.provenance import Origin
from butler.contract.rendering import Offer
from butler.contract.speech import say, say_short_date
from butler.orchestrator.replies.offers import buttons
from butler.store.queries import waits
from butler.tool_invoker import ToolInvoker, UnknownToolError

_RE = re.compile(r"^(?:(?:re|aw|tr|rv) ?: ?)+", re.IGNORECASE)
CHAT, MAIL, REPLY = "user_telegram_send_message", "user_email_send_message", "user_email_reply_to_thread"


def follow_up(
    connection: sa.Connection, chat: str, wait: Wait, name: str, tools: ToolInvoker, now: datetime
) -> tuple[tuple[Button, ...], ...]:
    """Return the button that drafts one, if it can be sent; its call needs approval like any other."""
    step = _step(connection, wait, name)
    try:
        spec = tools.spec(step.tool_call)
    except UnknownToolError:
        return ()
    if wait.account in spec.accounts:
        step = step.model_copy(update={"args": {**step.args, "account": wait.account}})
    labels = frozenset({Origin.butler(f"wait:{wait.wait_id}"), *wait.origins})
    offer = Offer(say("Draft a follow-up"), steps=(step,), labels=labels)
    return buttons(connection, chat, (offer,), about="", labels=labels, now=now)


def _step(connection: sa.Connection, wait: Wait, name: str) -> PlanStep:
    day = say_short_date(wait.since)
    whom = name or wait.address.partition(":")[2]
    asked = say("I wrote to you on {day} and have not heard from you yet. Have you had time to look at it?", day=day)
    greeting = say("Hello {name},", name=name) if name else say("Hello,")
    text = f"{greeting}\n\n{asked}"
    what = say("Ask {name} again", name=whom)
    to = {"address": wait.address}
    if wait.kind is WaitKind.CHAT:
        return PlanStep(step_id=1, description=what, tool_call=CHAT, args={"to": to, "text": text})
    if wait.chat and (ref := waits.newest_of_others(connection, wait.account, wait.chat)):
        return PlanStep(step_id=1, description=what, tool_call=REPLY, args={"message_id": ref, "body": text})
    subject = f"Re: {_RE.sub('', wait.about)}" if wait.about else say("My mail to you")
    return PlanStep(step_id=1, description=what, tool_call=MAIL, args={"to": [to], "subject": subject, "body": text})
