"""Offers, as buttons, what could be done about a mail that comes without words; nothing is done without a tap.

An offer is made only if its tool is registered. Its arguments are extracted from the mail and count as its sender's.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep, When
from butler.contract.inbound import Inbound
from butler.contract.mail import InviteFacts, InvoiceFacts, MailFacts, MailKind, Topic
from butler.contract.rendering import Offer
from butler.contract.speech import phrase, say, say_date, say_short_day
from butler.orchestrator.replies.mail_parts import named, one_line, short
from butler.orchestrator.replies.offers import nothing

REMIND, KEEP = "bot_reminders_create", "bot_notes_remember"
INVITE = "user_email_answer_invite"
BOT_UNSUBSCRIBE, USER_UNSUBSCRIBE, USER_SEARCH = (
    "bot_email_unsubscribe",
    "user_email_unsubscribe",
    "user_email_search_inbox",
)
RESPONSES = (
    (phrase("Accept"), phrase("Accept: {event}"), "accept"),
    (phrase("Maybe"), phrase("Maybe: {event}"), "tentative"),
    (phrase("Decline"), phrase("Decline: {event}"), "decline"),
)
"""The button's label, the step's description, and the argument that it stands for."""
MORNING = time(9)
PART = 80
"""Most characters of a name or a number in a reminder or a note."""
NO_UNSUBSCRIBE = phrase("It offers no unsubscribing that I may use; its own link, at its foot, is the way.")


@dataclass(frozen=True, slots=True)
class Case:
    """A mail to make offers for, and what that needs."""

    item: Inbound
    facts: MailFacts
    handle: str
    tools: AbstractSet[str]
    """The names of the registered tools."""
    owner_emails: AbstractSet[str]
    now: datetime
    zone: ZoneInfo


def offers(case: Case) -> tuple[Offer, ...]:
    """Return what to offer for the mail, with a button that declines; nothing if the mail calls for nothing."""
    topics = case.facts.topics
    found: list[Offer] = []
    if Topic.INVITE in topics and case.facts.invite is not None:
        found += _invite(case, case.facts.invite)
    if Topic.INVOICE in topics:
        found += _invoice(case, case.facts.invoice or InvoiceFacts())
    if Topic.QUESTION in topics:
        found.append(Offer(say("Answer it"), words=f"reply to {case.handle}"))
    if Topic.NEWSLETTER in topics or case.facts.kind is MailKind.NEWSLETTER:
        found += _newsletter(case)
    return (*found, nothing()) if found else ()


def _invite(case: Case, invite: InviteFacts) -> Sequence[Offer]:
    if INVITE not in case.tools or invite.organizer is None or not invite.can_be_answered:
        return ()
    data = {"uid": invite.uid, "sequence": invite.sequence, "recurrence_id": invite.recurrence_id}
    data |= {"summary": one_line(invite.summary), "starts": invite.starts, "ends": invite.ends}
    data |= {"organizer": [{"address": f"mail:{invite.organizer.address}"}]}
    invited = (person.address for person in invite.attendees if person.address in case.owner_emails)
    args = {name: value for name, value in (data | {"attendee": next(invited, "")}).items() if value}
    event = short(invite.summary, PART) or say("an event")
    return [
        Offer(say(label), steps=(_step(1, INVITE, say(does, event=event), response=response, **args),))
        for label, does, response in RESPONSES
    ]


def _invoice(case: Case, invoice: InvoiceFacts) -> Sequence[Offer]:
    what = _described(case, invoice)
    found: list[Offer] = []
    if REMIND in case.tools:
        at, label = _when(invoice, case.now.astimezone(case.zone))
        text = say("Pay invoice {invoice}", invoice=what)
        step = _step(1, REMIND, say("Set a reminder"), text=text, at=at.isoformat(timespec="seconds"))
        found.append(Offer(label, steps=(step,)))
    if KEEP in case.tools:
        names = ", ".join(short(file.name, PART) for file in case.item.attachments)
        day = say_date(case.item.received_at.astimezone(case.zone))
        text = say("Invoice {invoice}, came on {day}", invoice=what, day=day)
        text = say("{text}; files: {names}", text=text, names=names) if names else text
        found.append(Offer(say("Keep a note of it"), steps=(_step(1, KEEP, say("Keep a note"), text=text),)))
    return found


def _described(case: Case, invoice: InvoiceFacts) -> str:
    """Describe the invoice, such as `2291 of Northwind Energy: £84.20, due 5 March 2026`."""
    forwarded = case.facts.forwarded
    sender = forwarded.sender if forwarded is not None else None
    by = (sender.name or sender.address) if sender is not None else case.item.sender.removeprefix("mail:")
    by, number = short(by, PART), short(invoice.number, PART)
    due = _date(invoice.due)
    details = [short(invoice.amount, PART), say("due {day}", day=say_date(due)) if due else ""]
    whose = say("{number} of {sender}", number=number, sender=by) if number else say("of {sender}", sender=by)
    text = ", ".join(filter(None, details))
    return f"{whose}: {text}" if text else whose


def _when(invoice: InvoiceFacts, now: datetime) -> tuple[datetime, str]:
    """Return a reminder's wall time, and its button: the due day's morning if that is to come, else tomorrow's."""
    due = _date(invoice.due)
    at = datetime.combine(due, MORNING) if due is not None else None
    if at is None or at <= now.replace(tzinfo=None):
        return datetime.combine(now.date() + timedelta(days=1), MORNING), say("Remind me tomorrow")
    return at, say("Remind me on {day}", day=say_short_day(at))


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _newsletter(case: Case) -> Sequence[Offer]:
    forwarded = case.facts.forwarded
    found: list[Offer] = []
    if BOT_UNSUBSCRIBE in case.tools and case.facts.can_unsubscribe:
        step = _step(1, BOT_UNSUBSCRIBE, say("Unsubscribe"), message_id=case.item.inbound_id)
        found.append(Offer(say("Unsubscribe"), steps=(step,)))
    elif forwarded is not None and forwarded.sender is not None and {USER_UNSUBSCRIBE, USER_SEARCH} <= case.tools:
        # A mail forwarded as text has lost its signature; the mail itself is in the owner's mailbox.
        look = _step(1, USER_SEARCH, say("Look for it in your mailbox"), sender=forwarded.sender.address, limit=1)
        newest = {"step": 1, "fact": "messages.0.message_id"}
        whose = short(named(forwarded.sender), PART)
        leave = _step(2, USER_UNSUBSCRIBE, say("Unsubscribe from {name}", name=whose), message_id=newest)
        when = When(step_id=1, fact="messages.0.message_id")
        found.append(Offer(say("Unsubscribe"), steps=(look, leave.model_copy(update={"when": when}))))
    return found


def cannot_unsubscribe(case: Case, made: Sequence[Offer]) -> bool:
    """Return whether the mail is a newsletter that no offer would end."""
    is_newsletter = Topic.NEWSLETTER in case.facts.topics or case.facts.kind is MailKind.NEWSLETTER
    tools = {step.tool_call for offer in made for step in offer.steps}
    return is_newsletter and not tools & {BOT_UNSUBSCRIBE, USER_UNSUBSCRIBE}


def _step(number: int, tool: str, description: str, **args: Any) -> PlanStep:
    return PlanStep(step_id=number, description=description, tool_call=tool, args=args)
