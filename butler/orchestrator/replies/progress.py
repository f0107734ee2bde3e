"""A plan's progress as one message that is edited: shown only if the plan is slow, with a button that cancels it.

It is a row like every message, so a crash leaves none that says "working" for ever: it is redrawn when the plan
continues, and the plan's end closes it, or turns it into the answer.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.visible import visible
from butler.contract.agents import PlanStep
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, rich_text
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say
from butler.orchestrator.results.nothing_found import looked_in_vain
from butler.store.queries import conversations, outbox, plans, progress, work
from butler.store.queries.plans import PlanRow, PlanState
from butler.store.store import Store

PROGRESS = "plan_progress"
"""The work kind that checks whether a plan is slow enough to be shown."""
CANCEL = "cancel_plan"
"""The key of a button's stored steps that cancels a plan."""
SLOW, MANY_STEPS_SLOW = timedelta(seconds=2), timedelta(seconds=1)
MANY_STEPS = 3
BECOMES_WITHIN = timedelta(seconds=30)
"""After this time, the answer is a new message, which notifies the owner."""
ONE_MESSAGE = 3_500
LINE = 120
LEFT_OUT = frozenset({"NOT_NEEDED", "SKIPPED"})
CANCELLED_AFTER = phrase("Cancelled: {done} of {count} done")
ENDED_AFTER = phrase("Ended: {done} of {count} done")


class Progress:
    """Draws the progress, within the transactions that change a plan."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def show(self, plan_id: str) -> None:
        """Show a plan that still runs, unless it only waits for a card. The work handler of `plan_progress`."""
        now = self._clock.now()

        def look(connection: sa.Connection) -> None:
            plan = plans.get(connection, plan_id)
            if plan is None or plan.state is not PlanState.RUNNING or not _works(plan):
                return
            if progress.message_of(connection, plan_id) is None:
                button = cancel_button(connection, plan, now)
                message = OwnerMessage(text=drawn(plan), buttons=((button,),))
                outbox.add(connection, plan.session_id, message, now=now, dedup_key=progress.key_of(plan_id))

        await self._store.write(look, "progress")
        self._wake()

    def redraw(self, connection: sa.Connection, plan_id: str, now: datetime) -> None:
        """Update the progress message, if there is one."""
        message_id = progress.message_of(connection, plan_id)
        row = outbox.get(connection, message_id) if message_id else None
        plan = plans.get(connection, plan_id) if row else None
        if row is not None and plan is not None and plan.state is PlanState.RUNNING:
            outbox.redraw(connection, row.message_id, OwnerMessage(text=drawn(plan), buttons=row.message.buttons), now)

    def replace_with_answer(
        self, connection: sa.Connection, plan: PlanRow, message: OwnerMessage, now: datetime
    ) -> str | None:
        """Queue a plan's answer: in place of its progress if that is the last message, else as a new message.

        An edited message takes no files, so these follow in a message of their own.

        Return the message's id; None if it was queued before.
        """
        work.cancel(connection, PROGRESS, plan.plan_id)
        message_id = progress.message_of(connection, plan.plan_id)
        row = outbox.get(connection, message_id) if message_id else None
        short = len(rich_text(message.text)) <= ONE_MESSAGE
        fresh = plan.created_at is not None and now - plan.created_at <= BECOMES_WITHIN
        if (
            row is not None
            and row.state != "refused"
            and short
            and fresh
            and progress.is_last(connection, plan.session_id, row.message_id)
        ):
            outbox.redraw(connection, row.message_id, message.model_copy(update={"attachments": ()}), now)
            if message.attachments:
                beneath = OwnerMessage(text=(), attachments=message.attachments)
                outbox.add(connection, plan.session_id, beneath, now=now, dedup_key=f"{plan.plan_id}:beneath")
            return row.message_id
        self.close(connection, plan, now)
        return outbox.add(connection, plan.session_id, message, now=now, dedup_key=plan.plan_id)

    def close(self, connection: sa.Connection, plan: PlanRow, now: datetime) -> None:
        """Show how the plan ended, and remove the buttons."""
        work.cancel(connection, PROGRESS, plan.plan_id)
        message_id = progress.message_of(connection, plan.plan_id)
        if message_id is not None and (row := outbox.get(connection, message_id)) is not None:
            outbox.redraw(connection, row.message_id, OwnerMessage(text=closed(plan)), now)


def soon(connection: sa.Connection, plan_id: str, steps: int, now: datetime) -> None:
    """Schedule the check whether a plan is slow enough to be shown, once it is stored or continues after a yes."""
    after = MANY_STEPS_SLOW if steps >= MANY_STEPS else SLOW
    work.add(connection, PROGRESS, plan_id, now=now, wait=after)


def cancel_button(connection: sa.Connection, plan: PlanRow, now: datetime) -> Button:
    """Return a button that cancels a plan."""
    stored = {CANCEL: plan.plan_id}
    label = say("Cancel")
    data = conversations.offer_steps(connection, plan.session_id, stored, words=label, about="", now=now)
    return Button(label=label, data=data)


def _works(plan: PlanRow) -> bool:
    return any(step.status == "pending" for step in plan.steps) or all(
        step.status in {"completed", "failed"} for step in plan.steps
    )


def drawn(plan: PlanRow) -> Rich:
    """Return what is done, what runs and what waits."""
    steps = [step for step in plan.steps if (step.outcome or {}).get("code") not in LEFT_OUT]
    done = sum(map(_is_done, steps))
    head = say("⏳ Working on it")
    if len(steps) > 1:
        head = say("⏳ Working on it: {done} of {count} done", done=done, count=len(steps))
    return (Span(text=head, style=Style.BOLD), *_lines(steps, running=True))


def closed(plan: PlanRow) -> Rich:
    """Return how the plan ended, step by step."""
    steps = [step for step in plan.steps if (step.outcome or {}).get("code") not in LEFT_OUT]
    done, cancelled = sum(map(_is_done, steps)), plan.state is PlanState.CANCELLED
    if len(steps) > 1:
        text = CANCELLED_AFTER if cancelled else ENDED_AFTER
        head = say(text, done=done, count=len(steps))
    else:
        head = say("Cancelled.") if cancelled else say("Done.") if done else say("Not done.")
    return (Span(text=head, style=Style.BOLD), *_lines(steps, running=False))


def _lines(steps: list[PlanStep], *, running: bool) -> Rich:
    now = next((step for step in steps if step.status == "pending"), None) if running else None
    return tuple(Span(text=f"\n{_mark(step, now)} {what_of(step)}{_waits(step)}") for step in steps)


def _mark(step: PlanStep, now: PlanStep | None) -> str:
    marks = {"completed": "✓", "failed": "✗", "in_progress": "⏸", "pending": "·"}
    return "▸" if step is now else marks["completed" if _is_done(step) else step.status]


def _is_done(step: PlanStep) -> bool:
    """Return whether a step was done; to look and find nothing is an answer, too."""
    return step.status == "completed" or (step.status == "failed" and looked_in_vain(step.outcome or {}))


def _waits(step: PlanStep) -> str:
    if step.status != "in_progress":
        return ""
    locked = (step.waiting_on or "").startswith("password:")
    text = say("waits for a password") if locked else say("waits for your yes")
    return f" ({text})"


def what_of(step: PlanStep) -> str:
    """Return what a step does, in a line."""
    return visible(" ".join((step.description.rstrip(".") or step.tool_call).split())[:LINE])
