"""Takes a stored plan on, step by step, until it waits for the owner or has ended.

Every call goes to the approvals desk, in the transaction that suspends the plan where it has to wait. Whatever ends
a step is a stored outcome, so a plan that is looked at twice, or after a crash, goes on where its rows say.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog

from approvals.desk import Approvals
from approvals.policy import Decision
from approvals.request import Proposal
from butler.contract.agents import PlanStep
from butler.contract.card import OwnerMessage
from butler.contract.conversation import ConversationState, ReferentKind
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import IntegrationError
from butler.contract.names import Direction, Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Labelled, Origin
from butler.contract.tools import ToolCall, ToolInvoker, ToolSpec, account_of
from butler.orchestrator import mail_answers
from butler.orchestrator.binding import Bound, Sources, bind
from butler.orchestrator.completion import completed
from butler.orchestrator.facts import condition, items, labels_of, lies_in
from butler.orchestrator.found import Shown, as_read
from butler.orchestrator.replies import ended, reply
from butler.orchestrator.words import is_vouched_for, owner_words
from butler.provenance import dump, load
from butler.store.queries import approvals as approval_rows
from butler.store.queries import contacts, conversations, inbox, outbox, plans
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.plans import PlanRow, PlanState
from butler.store.store import Store

log = structlog.get_logger(__name__)

KINDS = {"email": ReferentKind.MAIL, "telegram": ReferentKind.MESSAGE, "notes": ReferentKind.NOTE}
FINAL = frozenset({"done", "failed", "denied", "expired", "superseded", "cancelled"})


class Runner:
    """The work handler of `plan_step` rows."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        tools: ToolInvoker,
        approvals: Approvals,
        *,
        zone: ZoneInfo,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._tools, self._approvals = store, clock, tools, approvals
        self._zone, self._wake = zone, wake

    async def advance(self, plan_id: str) -> None:
        """Do all that can be done of a plan now."""
        while True:
            plan = await self._store.read(lambda c: plans.get(c, plan_id))
            if plan is None or plan.state is not PlanState.RUNNING:
                return
            step = next((s for s in plan.steps if s.status == "pending" and _ready(s, plan)), None)
            if step is not None:
                await self._start(plan, step)
            elif waiting := [s for s in plan.steps if s.status == "in_progress"]:
                if not [s for s in waiting if await self._collect(plan, s)]:
                    return
            else:
                await self._finish(plan)
                return

    async def _start(self, plan: PlanRow, step: PlanStep) -> None:
        if _skipped(step, plan):
            await self._end(
                plan, step, ok=False, outcome={"code": "SKIPPED", "message": "an earlier step did not work"}
            )
            return
        try:
            spec = self._tools.spec(step.tool_call)
            item, sources = await self._store.read(lambda c: self._sources(c, plan))
            holds, labels = condition(step.when, sources.outcomes)
            if not holds:
                outcome = {"code": "NOT_NEEDED", "message": "its condition does not hold"}
                await self._end(plan, step, ok=False, outcome=outcome)
                return
            # What a step hangs on had a hand in it, so its labels are the step's too.
            bound = bind(step, spec, replace(sources, plan_labels=sources.plan_labels | labels))
            call = _call(plan, step, spec, bound)
        except Refuse as refusal:
            await self._end(
                plan, step, ok=False, outcome={"code": "REFUSED", "message": refusal.detail or str(refusal)}
            )
            return
        ready = await self._completed(step, spec, bound, call)
        if isinstance(ready, IntegrationError):
            await self._end(plan, step, ok=False, outcome={"code": ready.code.value, "message": ready.message})
        elif await self._propose(plan, step, ready, item, call.account):
            await self._invoke(plan, step, spec, replace(call, args=spec.args.model_validate(ready.args)))

    async def _completed(
        self, step: PlanStep, spec: ToolSpec, bound: Bound, call: ToolCall
    ) -> Bound | IntegrationError:
        """What is to be proposed, complete. Until it is proposed this is done again, and afterwards never."""
        if spec.complete is None:
            return bound
        if spec.identity is Identity.USER and (paused := await self._approvals.paused()):
            # Who completes it reads what is private.
            return IntegrationError(code=IntegrationErrorCode.FORBIDDEN, message=paused)
        metadata = self._tools.metadata(spec.tool_name)
        return await completed(spec, metadata, bound, frozenset(step.args), call)

    def _sources(self, connection: sa.Connection, plan: PlanRow) -> tuple[Inbound, Sources]:
        found = inbox.get(connection, plan.inbound_id)
        if found is None:
            raise Refuse("the request is gone")
        state = conversations.load(connection, plan.session_id)
        return found[0], Sources(
            words=spoken(connection, found[0]),
            contacts={contact.contact_id: contact for contact in contacts.all_confirmed(connection)},
            referents={referent.handle: referent for referent in state.referents},
            outcomes={step.step_id: step.outcome for step in plan.steps if step.outcome},
            plan_labels=load(plan.labels),
        )

    async def _invoke(self, plan: PlanRow, step: PlanStep, spec: ToolSpec, call: ToolCall) -> None:
        result = await self._tools.invoke(call)
        if result.error is not None:
            outcome: dict[str, Any] = {"code": result.error.code.value, "message": result.error.message}
        else:
            data = result.data or {}
            outcome = {"data": data, "origins": dump(labels_of(spec, data))}
        outcome |= lies_in(spec, call.account)
        await self._end(plan, step, ok=result.ok, outcome=outcome)

    async def _propose(self, plan: PlanRow, step: PlanStep, bound: Bound, item: Inbound, account: str) -> bool:
        """Bring a call to the approvals desk; True when it is ours to make: a read, or for the owner's eyes only."""
        proposal = Proposal(
            tool=step.tool_call,
            args=bound.args,
            origins=bound.labels,
            account=account,
            # No standing rule was given to what a forwarder's word is all that proves.
            chat="" if is_vouched_for(item) else plan.session_id,
            requested_by=item.inbound_id,
            plan_id=plan.plan_id,
            step_id=step.step_id,
            call_id=f"{plan.plan_id}:{step.step_id}",
        )

        def work(connection: sa.Connection) -> bool:
            if not plans.is_running(connection, plan.plan_id):
                return False
            verdict = self._approvals.request(connection, proposal, self._clock.now())
            if verdict.decision is Decision.ALLOW and verdict.approval_id is None:
                return True
            if verdict.decision is Decision.DENY or verdict.approval_id is None:
                outcome = {"ok": False, "code": "DENIED", "message": "; ".join(verdict.reasons)}
                plans.step_ended(connection, plan.plan_id, step.step_id, ok=False, outcome=outcome)
            else:
                plans.step_waits(connection, plan.plan_id, step.step_id, verdict.approval_id)
            return False

        ours = await self._store.write(work, "propose")
        self._wake()
        return ours

    async def _collect(self, plan: PlanRow, step: PlanStep) -> bool:
        """Take over what became of the approval that a step waits for; False while it is open."""
        row, changed = await self._store.read(lambda c: self._approval(c, step.waiting_on or ""))
        if row is not None and row.state not in FINAL:
            return False
        state = row.state if row else "cancelled"
        data = dict((row.result or {}).get("data") or {}) if row else {}
        outcome: dict[str, Any] = {"approval": state, "data": data, "message": row.detail if row else ""}
        if changed:
            outcome["changed_to"] = changed
        if state == "done" and self._known(step):
            spec = self._tools.spec(step.tool_call)
            outcome |= {"origins": dump(labels_of(spec, data)), **lies_in(spec, row.account if row else "")}
        await self._end(plan, step, ok=state == "done", outcome=outcome)
        return True

    def _approval(self, connection: sa.Connection, approval_id: str) -> tuple[ApprovalRow | None, str]:
        """An approval, and what it does by now where the owner changed its card."""
        row = approval_rows.get(connection, approval_id)
        return row, self._approvals.changed_to(connection, row) if row else ""

    async def _end(self, plan: PlanRow, step: PlanStep, *, ok: bool, outcome: Mapping[str, Any]) -> None:
        stored = {"ok": ok, **outcome}
        await self._store.write(
            lambda c: plans.step_ended(c, plan.plan_id, step.step_id, ok=ok, outcome=stored), "step_ended"
        )

    async def _finish(self, plan: PlanRow) -> None:
        now = self._clock.now()

        def work(connection: sa.Connection) -> None:
            if not plans.ended(connection, plan.plan_id, PlanState.DONE, now):
                return

            def change(state: ConversationState) -> None:
                shown: tuple[Shown, ...] = ()
                for step in filter(self._known, plan.steps):
                    numbered = sum(len(one.handles) for one in shown if len(one.handles) > 1)
                    shown = (*shown, self._shown(connection, step, state, numbered + 1))
                state.current_plan = list(plan.steps)
                if (said := reply(shown, self._zone)) is not None:
                    message_id = outbox.add(
                        connection, plan.session_id, OwnerMessage(text=said.text), now=now, dedup_key=plan.plan_id
                    )
                    state.add_message("assistant", said.memory, timestamp=now)
                    _shown_in(state, {h for one in shown for h in one.handles}, message_id or "")
                told = said or ended(shown)
                if told is not None and (found := inbox.get(connection, plan.inbound_id)) is not None:
                    answer = OwnerMessage(text=told.text)
                    mail_answers.answer(connection, found[0], answer, plan.plan_id, now)

            conversations.update(connection, plan.session_id, change, now)

        await self._store.write(work, "plan_done")
        self._wake()

    def _known(self, step: PlanStep) -> bool:
        """False for a step whose tool is no longer registered; its refusal was stored, and there is nothing to show."""
        return any(spec.tool_name == step.tool_call for spec in self._tools.specs())

    def _shown(self, connection: sa.Connection, step: PlanStep, state: ConversationState, first: int) -> Shown:
        spec = self._tools.spec(step.tool_call)
        data: dict[str, Any] = (step.outcome or {}).get("data") or {}
        found = as_read(items(data), spec.tool_name, data) if spec.direction is Direction.INPUT else []
        names = {contact.contact_id: contact.name for contact in contacts.all_confirmed(connection)}
        people: dict[str, str] = {}
        handles: list[str] = []
        for number, item in enumerate(found, first):
            who = item.sender or item.key
            contact_id = contacts.confirmed(connection, who)
            if contact_id in names:
                people[who] = names[contact_id]
            handles.append(
                state.add_referent(
                    KINDS.get(spec.channel, ReferentKind.REMINDER),
                    item.key,
                    tool=spec.tool_name,
                    account=str((step.outcome or {}).get("account", "")),
                    contact_id=contact_id,
                    ordinal=number if len(found) > 1 else 0,
                    at=item.at,
                ).handle
            )
        return Shown(step, spec, tuple(handles), people, first)


def _call(plan: PlanRow, step: PlanStep, spec: ToolSpec, bound: Bound) -> ToolCall:
    """A step's call, through the account that it names. Raises `UnknownAccountError`."""
    call_id, args = f"{plan.plan_id}:{step.step_id}", spec.args.model_validate(bound.args)
    return ToolCall(tool=spec.tool_name, args=args, call_id=call_id, trace_id=call_id, account=account_of(spec, args))


def spoken(connection: sa.Connection, item: Inbound) -> Labelled[str]:
    """The owner's words of a request: of the message, or those that the tapped button stood for.

    A button that stands for steps says none of the owner's.
    """
    if item.kind is not InboundKind.BUTTON:
        return owner_words(item).words
    choice = conversations.choice(connection, str(item.payload.get("data", "")), item.chat)
    said = choice.words if choice is not None and choice.steps is None else ""
    return Labelled(value=said, origins=frozenset({Origin.owner(item.chat)}))


def _ready(step: PlanStep, plan: PlanRow) -> bool:
    by_id = {s.step_id: s for s in plan.steps}
    return all(n not in by_id or by_id[n].status in {"completed", "failed"} for n in _needs(step))


def _needs(step: PlanStep) -> set[int]:
    return {*step.depends_on, *([step.when.step_id] if step.when else [])}


def _skipped(step: PlanStep, plan: PlanRow) -> bool:
    return any(s.status == "failed" for s in plan.steps if s.step_id in step.depends_on)


def _shown_in(state: ConversationState, handles: set[str], message_id: str) -> None:
    state.referents = [
        r.model_copy(update={"shown_in": message_id}) if r.handle in handles else r for r in state.referents
    ]
