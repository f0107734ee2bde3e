"""Turns a plan about a mail that the owner forwarded to the butler into what the owner means.

The butler holds the owner's own mail, with the forwarded one in it. An answer goes to the writer of that one, in its
thread if it is in the owner's mailbox, and never back to the owner; a reminder names it. Only its sender says whom the
forwarded part names, so every argument of such a plan carries that label, and its card says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from typing import Any

import sqlalchemy as sa

from butler.contract.agents import PlanStep, When
from butler.contract.inbound import Inbound
from butler.contract.mail import ForwardedMail
from butler.contract.ports import OwnerFacts
from butler.contract.speech import phrase, say
from butler.orchestrator.planning.own_words import is_proved
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.replies.mail_parts import labels_of, named, one_line, short
from butler.store.conversation import Referent
from butler.store.queries import inbox

REPLY, REPLY_AS_YOU = "bot_email_reply_to_thread", "user_email_reply_to_thread"
SEARCH = "user_email_search_inbox"
SENDS = ("user_email_send_message", "bot_email_send_message")
REMIND = "bot_reminders_create"
FOUND = "messages.0.message_id"
SUBJECT = 120
NOBODY = phrase("I cannot tell who wrote the mail that you passed on. Say whom I shall write to, with the address.")
_NEAR = timedelta(days=1)
_POINTS = re.compile(r"\b(?:this|that|it|them|these|him|her)\b", re.IGNORECASE)
_ANSWERS = re.compile(r"re\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _PassedOn:
    """A mail from the owner, and the mail forwarded in it."""

    item: Inbound
    inner: ForwardedMail


def resolve_forwarded(
    connection: sa.Connection, output: PlannerOutput, request: PlannerInput, owner: OwnerFacts
) -> PlannerOutput:
    """Return the plan as meant if it is about a mail that the owner forwarded; else the plan unchanged."""
    if not isinstance(output, Planned):
        return output
    tools = {spec.tool_name for spec in request.tools}
    about = request.replied_to
    for step in output.steps:
        if step.tool_call == REPLY and (found := _passed_on(connection, _handled(step, request), owner)):
            if found.inner.sender is None or not found.inner.sender.address:
                return Unclear(say(NOBODY))
            return _to_writer(output, step, found, tools)
    if len(about) == 1 and (found := _passed_on(connection, about[0], owner)):
        return _named(output, found)
    return output


def _handled(step: PlanStep, request: PlannerInput) -> Referent | None:
    value: Mapping[str, Any] | str = step.args.get("message_id", "")
    handle = value.get("handle") if isinstance(value, dict) else None
    return next((one for one in request.referents if one.handle == handle), None)


def _passed_on(connection: sa.Connection, referent: Referent | None, owner: OwnerFacts) -> _PassedOn | None:
    if referent is None or not referent.tool.startswith("bot_email_"):
        return None
    theirs = [one for one in inbox.mails_of(connection, referent.key) if _address(one) in owner.emails]
    # Anybody can send a mail with the owner's address and the id of a mail that is proved to be theirs.
    first = next(filter(is_proved, theirs), theirs[0] if theirs else None)
    inner = first.mail.forwarded if first is not None and first.mail else None
    return _PassedOn(first, inner) if first is not None and inner is not None else None


def _address(item: Inbound) -> str:
    return item.sender.removeprefix("mail:")


def _to_writer(plan: Planned, step: PlanStep, found: _PassedOn, tools: set[str]) -> PlannerOutput:
    """Send the answer to the writer: in the thread in the owner's mailbox, or as a new mail."""
    writer, inner = found.inner.sender, found.inner
    assert writer is not None
    send = next((tool for tool in SENDS if tool in tools), None)
    if send is None:
        return Unclear(say("I have no mailbox from which I could write to them."))
    subject = inner.subject if _ANSWERS.match(inner.subject) else f"Re: {inner.subject}".strip()
    body: Any = step.args.get("body", "")
    args = {"to": [{"address": f"mail:{writer.address}"}], "subject": one_line(subject), "body": body}
    whom = say("Answer {name}", name=short(named(writer), SUBJECT))
    mail = PlanStep(step_id=step.step_id, description=whom, tool_call=send, args=args)
    steps = [mail]
    if {SEARCH, REPLY_AS_YOU} <= tools:
        free = max(one.step_id for one in plan.steps) + 1
        look = PlanStep(
            step_id=free,
            description=say("Look for it in your mailbox"),
            tool_call=SEARCH,
            args={"sender": writer.address, "subject": _words(inner.subject), "limit": 1} | _days(inner),
        )
        reply = PlanStep(
            step_id=free + 1,
            description=whom,
            tool_call=REPLY_AS_YOU,
            args={"message_id": {"step": free, "fact": FOUND}, "body": body},
            when=When(step_id=free, fact=FOUND),
        )
        steps = [look, reply, mail.model_copy(update={"when": When(step_id=free, fact=FOUND, is_="empty")})]
    others = tuple(one for one in plan.steps if one.step_id != step.step_id)
    return Planned((*others, *steps), plan.labels | labels_of(found.item))


def _days(inner: ForwardedMail) -> dict[str, str]:
    """Return the range of days when it came, in any time zone: another mail may share words of its subject."""
    if inner.sent_at is None:
        return {}
    day = inner.sent_at.astimezone(UTC).date()
    return {"since": str(day - _NEAR), "before": str(day + 2 * _NEAR)}


def _named(plan: Planned, found: _PassedOn) -> Planned:
    """Name the mail in a reminder of `this`."""
    reminds = [one for one in plan.steps if one.tool_call == REMIND and _POINTS.search(str(one.args.get("text", "")))]
    if not reminds:
        return plan
    subject, by = short(found.inner.subject or say("no subject"), SUBJECT), short(named(found.inner.sender), SUBJECT)
    what = say("(“{subject}”, by {name})", subject=subject, name=by)
    steps = tuple(
        one.model_copy(update={"args": {**one.args, "text": f"{one.args['text']} {what}"}}) if one in reminds else one
        for one in plan.steps
    )
    return replace(plan, steps=steps, labels=plan.labels | labels_of(found.item))


def _words(subject: str) -> str:
    """Return the subject for a search: without prefixes such as `Re:`, and at most a few words."""
    bare = re.sub(r"^(?:\s*(?:re|aw|fwd?|wg|tr)\s*:)+", "", subject, flags=re.IGNORECASE)
    return one_line(" ".join(bare.split()[:8]))
