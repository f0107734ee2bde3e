"""`/why`: the cause of a message, from the rows alone: its request or trigger, plan, tool, approval, log.

A reply to a message asks about that one; otherwise it is about the last. Others' words are not repeated here: of their
items only the id and the sender are given.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.reason_words import in_words
from approvals.visible import visible_line
from butler.contract.card import OwnerMessage, Rich, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.provenance import Trust
from butler.contract.speech import phrase, say, say_short_moment
from butler.store.queries import outbox, trace
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.trace import Firing, Trail

ShownAt = Callable[[sa.Connection, str, str], tuple[str, int] | None]
"""Returns the approval that a message of a chat shows."""
NOT_KNOWN = phrase("I do not know that message any more. Reply with /why to a newer one of mine.")
BY_ITSELF = phrase("I said this by myself; nobody had asked for it.")
STATES = {
    "pending": phrase("waits for your answer"),
    "approved": phrase("approved"),
    "executing": phrase("under way"),
    "done": phrase("done"),
    "failed": phrase("failed"),
    "unknown": phrase("not known whether it was done"),
    "denied": phrase("denied"),
    "expired": phrase("expired"),
    "superseded": phrase("withdrawn"),
    "cancelled": phrase("taken back"),
}
SET_GOING = {
    "reminder": phrase("A reminder was due on {when}."),
    "digest": phrase("A digest was due on {when}."),
    "meeting": phrase("An event of your calendar begins; it was due on {when}."),
    "wait": phrase("An answer that you wait for was due on {when}."),
    "automation": phrase("An automation was set going on {when}."),
}
LONGEST = 300
"""Characters of the owner's own words that are repeated."""
MOST_ENTRIES = 12


class TraceService:
    """Answers `/why`."""

    def __init__(self, shown_at: ShownAt, zone: ZoneInfo) -> None:
        self._shown_at, self._zone = shown_at, zone

    def tell(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        """Queue the answer for the chat of the question."""
        trail = self.trail(connection, item)
        text = (Span(text=say(NOT_KNOWN), live=True),) if trail is None else self.text(trail)
        message = OwnerMessage(text=text, reply_to=item.reply_to)
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")

    def trail(self, connection: sa.Connection, item: Inbound) -> Trail | None:
        """Return what led to the message in question."""
        if not item.reply_to:
            return trace.of_last(connection, item.chat)
        if (shown := self._shown_at(connection, item.chat, item.reply_to)) is not None:
            return trace.of_approval(connection, shown[0])
        found = outbox.by_ref(connection, item.chat, item.reply_to)
        return trace.of_message(connection, found) if found else None

    def text(self, trail: Trail) -> Rich:
        """Return a trail as lines; ids are code, to be copied."""
        lines = list(self._lines(trail))
        return tuple(span for line in lines for span in (*line, Span(text="\n")))[:-1]

    def _lines(self, trail: Trail) -> Iterator[tuple[Span, ...]]:
        yield from self._begun(trail)
        for plan in trail.plans:
            yield _line(say("Plan:"), plan.plan_id)
            for step in plan.steps:
                what = say("Step {number}: {tool}", number=step.step_id, tool=step.tool_call)
                yield _line(f"{what} – {visible_line(step.description)}" if step.description else what)
                yield _line(say("In the log:"), f"{plan.plan_id}:{step.step_id}")
        for row in trail.approvals:
            yield from self._approval(row)
        for attempt in trail.attempts:
            yield _line(say("Tried on {when}; in the log:", when=self._when(attempt.started_at)), attempt.attempt_id)
        for entry in trail.entries[-MOST_ENTRIES:]:
            yield _line(f"{self._when(entry.at)} {entry.kind} ({entry.actor})")
        if trail.message_id:
            yield _line(say("This message:"), trail.message_id)

    def _begun(self, trail: Trail) -> Iterator[tuple[Span, ...]]:
        """Yield the first cause."""
        if trail.item is not None:
            yield self._asked(trail.item)
        for firing in trail.firings:
            yield self._fired(firing)
        if (event := trail.event) is not None:
            when = self._when(event.at)
            yield _line(say("It came in on {when} by a webhook.", when=when), event.event_id, event.origin.source)
        elif not (trail.item or trail.firings or trail.plans or trail.approvals):
            yield _line(say(BY_ITSELF), trail.key)

    def _asked(self, item: Inbound) -> tuple[Span, ...]:
        when = self._when(item.received_at)
        if item.origin.trust is Trust.OWNER and item.text.strip():
            words = visible_line(item.text)
            words = words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
            return _line(say("You asked for it on {when}: “{words}”", when=when, words=words), item.inbound_id)
        if item.origin.trust is Trust.OWNER:
            return _line(say("You asked for it by a button on {when}.", when=when), item.inbound_id)
        who = visible_line(item.sender)
        return _line(say("It came in on {when} from {who}.", when=when, who=who), item.inbound_id)

    def _fired(self, firing: Firing) -> tuple[Span, ...]:
        text = SET_GOING.get(firing.kind, phrase("It was due on {when}."))
        return _line(say(text, when=self._when(firing.at)), firing.subject, firing.event_id)

    def _approval(self, row: ApprovalRow) -> Iterator[tuple[Span, ...]]:
        state = say(STATES[row.state])
        yield _line(say("Card: {tool}, {state}.", tool=row.tool, state=state), row.approval_id)
        if row.reasons:
            reasons = "; ".join(visible_line(in_words(one)) for one in row.reasons)
            yield _line(say("I asked because: {reasons}.", reasons=reasons))

    def _when(self, at: datetime) -> str:
        return say_short_moment(at.astimezone(self._zone))


def _line(text: str, *ids: str) -> tuple[Span, ...]:
    known = [one for one in ids if one]
    return (Span(text=text), *(span for one in known for span in (Span(text=" "), Span(text=one, style=Style.CODE))))
