"""Runs a stored plan step by step, until it waits for the owner or has ended.

Every call goes to the approvals, in the transaction that suspends the plan if it has to wait. Each step ends in a
stored outcome, so a plan that is looked at twice, or after a crash, continues where its rows say.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import sqlalchemy as sa
import structlog
from pydantic import SecretStr

from approvals.policy import Decision
from approvals.request import Proposal
from approvals.service import Approvals
from butler.agents.fallbacks import EMBEDDED
from butler.agents.reader.port import Reader
from butler.contract.agents import PlanStep
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode, Refuse
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationError
from butler.contract.names import Direction, Identity
from butler.contract.reasons import Reason, ReasonCode, in_own_words
from butler.contract.speech import say
from butler.contract.tools import ArgRole, ToolCall, ToolSpec
from butler.orchestrator.execution.binding import Bound, Sources, bind
from butler.orchestrator.execution.completion import completed
from butler.orchestrator.execution.event_facts import happened
from butler.orchestrator.execution.extraction import ExtractionSources, Extractor
from butler.orchestrator.execution.file_arguments import files_of
from butler.orchestrator.execution.finishing import Finisher, OrchestratorOutput
from butler.orchestrator.execution.loops import LoopError, is_loop, repeated
from butler.orchestrator.execution.passwords import WAITS, Passwords, PasswordState, ask, asked_in, stand_of
from butler.orchestrator.execution.rounds import Rounds, TurnLimits
from butler.orchestrator.planning.own_words import is_by_itself, is_vouched_for
from butler.orchestrator.planning.plan_types import Planner
from butler.orchestrator.planning.requests import RequestContext, behind, bound_words, others_reply
from butler.orchestrator.replies.answers import QuestionAnswering
from butler.orchestrator.replies.failures import PASSWORD, outcome_of, outcome_of_agent, tried_again, wants_password
from butler.orchestrator.replies.passages import gathered, passages_of
from butler.orchestrator.replies.progress import Progress, soon
from butler.orchestrator.replies.quarantine import QuarantinedSourceError
from butler.orchestrator.replies.typing import typing
from butler.orchestrator.results.facts import condition, labels_of, lies_in
from butler.orchestrator.results.mail_readings import readings, takes_from
from butler.orchestrator.results.nothing_found import HUNG_ON_NOTHING, found_nothing
from butler.orchestrator.results.outcomes import because_of, why_refused
from butler.orchestrator.results.told_acts import told_arguments
from butler.provenance import Labels, dump, join, load
from butler.services import Services
from butler.store.queries import approvals as approval_rows
from butler.store.queries import contacts, conversations, inbox, plans, preferences
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.plans import PlanRow, PlanState
from butler.tool_invoker import account_of

log = structlog.get_logger(__name__)

FINAL = frozenset({"done", "failed", "denied", "expired", "superseded", "cancelled"})
LEFT_LOCKED: dict[str, Any] = {
    "code": IntegrationErrorCode.REJECTED.value,
    "agent_code": AgentErrorCode.PARSER_ENCRYPTED.value,
    "by_agent": True,
}
"""The outcome of a step whose file stayed locked."""


@dataclass(frozen=True, slots=True)
class PlanAgents:
    """The agents of a running plan."""

    answering: QuestionAnswering
    """Words answers from what was found."""
    planner: Planner | None = None
    """Makes further rounds."""
    reader: Reader | None = None
    """Extracts typed values from texts."""
    model: Callable[[], str] = lambda: EMBEDDED
    """Returns the model that plans at present."""


class Runner:
    """The work handler of `plan_step` rows."""

    def __init__(
        self,
        services: Services,
        approvals: Approvals,
        agents: PlanAgents,
        passwords: Passwords,
        limits: TurnLimits | None = None,
    ) -> None:
        """`passwords` is the object that `PasswordRedactor` fills before anything is stored."""
        store, clock, limits = services.store, services.clock, limits or TurnLimits()
        self._store, self._clock, self._tools, self._approvals = store, clock, services.tools, approvals
        self._wake, self._channel = services.wake, services.channel
        self._passwords, self._limits = passwords, limits
        self.progress = Progress(store, clock, services.wake)
        self._rounds = Rounds(store, clock, RequestContext.of(services), agents.planner, limits)
        self._taking = Extractor(agents.answering, agents.reader, services.zone)
        self._quarantine = agents.answering.quarantine
        self._finisher = Finisher(services, agents.answering, self.progress, limits, agents.model)

    async def advance(self, plan_id: str) -> OrchestratorOutput | None:
        """Do all that can be done of a plan now; return the output of an ended plan that has something to say."""
        plan = await self._store.read(lambda c: plans.get(c, plan_id))
        async with typing(self._channel, plan.session_id if plan else ""):
            while plan is not None and plan.state is PlanState.RUNNING:
                if (given := await self._goes_on(plan)) is not True:
                    return given
                plan = await self._store.read(lambda c: plans.get(c, plan_id))
        return None

    async def _goes_on(self, plan: PlanRow) -> Literal[True] | OrchestratorOutput | None:
        """Do a plan's next piece of work; None if it waits or has nothing to say, and its output at the end."""
        step = next((s for s in plan.steps if s.status == "pending" and _ready(s, plan)), None)
        if step is not None:
            if await self._reads_first(plan, step):
                return True
            repeats = is_loop(step) and not _left_out(step, plan)
            await (self._repeat(plan, step) if repeats else self._start(plan, step))
            return True
        if waiting := [s for s in plan.steps if s.status == "in_progress"]:
            return any([await self._collect(plan, s) for s in waiting]) or None
        if (last := await self._rounds.next_round(plan)) is None:
            return True
        output = await self._finisher.finish(plan, last)
        self._wake()
        return output

    async def _repeat(self, plan: PlanRow, step: PlanStep) -> None:
        """Put a step for each thing that was found in place of one that is to be repeated."""
        try:
            steps = repeated(step, plan.steps)
        except LoopError as error:
            await self._end(plan, step, ok=False, outcome={"code": "NOT_NEEDED"} | because_of([why_refused(error)]))
            return
        await self._store.write(lambda c: plans.repeat(c, plan.plan_id, steps), "repeat")

    async def _start(self, plan: PlanRow, step: PlanStep, secret: SecretStr | None = None) -> None:
        if failed := _failed_before(step, plan):
            nothing = all(found_nothing(one.outcome or {}) for one in failed)
            why = HUNG_ON_NOTHING if nothing else Reason(ReasonCode.EARLIER_STEP_FAILED)
            await self._end(plan, step, ok=False, outcome={"code": "SKIPPED"} | because_of([why]))
            return
        try:
            spec = self._tools.spec(step.tool_call)
            item, sources = await self._store.read(lambda c: self._sources(c, plan, step, spec))
            bound = await self._bound(plan, step, spec, sources)
            if isinstance(bound, Reason):
                await self._end(plan, step, ok=False, outcome={"code": "NOT_NEEDED"} | because_of([bound]))
                return
            call = _call(plan, step, spec, bound)
        except Refuse as refusal:
            outcome: dict[str, Any] = {"code": "REFUSED"} | because_of([why_refused(refusal)])
            outcome |= outcome_of_agent(refusal.failure) if isinstance(refusal, QuarantinedSourceError) else {}
            await self._end(plan, step, ok=False, outcome=outcome)
            return
        ready = await self._completed(step, spec, bound, call)
        if isinstance(ready, IntegrationError):
            await self._end(plan, step, ok=False, outcome={"code": ready.code.value, "message": ready.message})
        elif await self._propose(plan, step, ready, item, call.account):
            args = ready.args if secret is None else ready.args | {PASSWORD: secret.get_secret_value()}
            call = replace(call, args=spec.args.model_validate(args), origins=self._stands_behind(spec, step, ready))
            told = told_arguments(step, ready.args, ready.labels, sources.contacts.values())
            await self._invoke(plan, step, spec, call, told if spec.direction is Direction.OUTPUT else {})

    def _stands_behind(self, spec: ToolSpec, step: PlanStep, bound: Bound) -> Labels:
        """Return a call's origins; for what the butler keeps for the owner, those of its texts, not of its times."""
        roles = self._tools.metadata(spec.tool_name).args
        texts = [name for name in step.args if name in roles and roles[name] is ArgRole.CONTENT]
        kept = texts if spec.to_owner and texts else bound.labels
        return join(bound.labels[name] for name in kept)

    async def _bound(self, plan: PlanRow, step: PlanStep, spec: ToolSpec, sources: Sources) -> Bound | Reason:
        """Return a step's arguments, or why it is not needed. A crash before the proposal makes it read texts again."""
        wanted = await self._store.read(lambda c: dict(preferences.every(c)))
        texts = ExtractionSources(plan.steps, sources.contacts, wanted)
        with self._limits.budget(plan.spent) as budget:
            before = budget.spent
            try:
                read, found = await self._taking.condition(step, texts)
                holds, labels = condition(step.when, sources.outcomes, read)
                if not holds:
                    return found
                taken = await self._taking.arguments(step, texts)
            finally:
                if budget.spent != before:
                    # What reading used counts for the request, however many of its steps read.
                    spent = budget.spent.model_dump(mode="json")
                    await self._store.write(lambda c: plans.pay(c, plan, spent), "spent")
        # A step's condition had a hand in it, so its labels are the step's too.
        return bind(step, spec, replace(sources, plan_labels=sources.plan_labels | labels, taken=taken))

    async def _completed(
        self, step: PlanStep, spec: ToolSpec, bound: Bound, call: ToolCall
    ) -> Bound | IntegrationError:
        """Return the complete call to propose. It is completed again until it is proposed, and never afterwards."""
        if spec.complete is None:
            return bound
        if spec.identity is Identity.USER and (paused := await self._approvals.paused()):
            # Completing a call reads private data.
            return IntegrationError(code=IntegrationErrorCode.FORBIDDEN, message=paused)
        metadata = self._tools.metadata(spec.tool_name)
        asked = replace(call, origins=join(bound.labels.values()))
        return await completed(spec, metadata, bound, frozenset(step.args), asked)

    def _sources(
        self, connection: sa.Connection, plan: PlanRow, step: PlanStep, spec: ToolSpec
    ) -> tuple[Inbound, Sources]:
        found = inbox.get(connection, plan.inbound_id)
        if found is None:
            raise Refuse("the request is gone")
        state = conversations.load(connection, plan.session_id)
        referents = {referent.handle: referent for referent in state.referents}
        return found[0], Sources(
            words=bound_words(connection, found[0]),
            contacts={contact.contact_id: contact for contact in contacts.all_confirmed(connection)},
            referents=referents,
            outcomes={one.step_id: one.outcome for one in plan.steps if one.outcome},
            plan_labels=load(plan.labels),
            files=files_of(connection, step, spec, referents),
            replied=others_reply(connection, found[0]),
            happened=happened(found[0]),
        )

    async def _invoke(
        self, plan: PlanRow, step: PlanStep, spec: ToolSpec, call: ToolCall, told: Mapping[str, Any]
    ) -> None:
        result = await self._tools.invoke(call)
        if tried_again(spec, result.error):
            result = await self._tools.invoke(call)
        if result.error is not None:
            outcome: dict[str, Any] = outcome_of(result.error)
        else:
            data = result.data or {}
            outcome = {"data": data, "origins": dump(labels_of(spec, data))}
            outcome |= await self._quarantine.verdicts(spec, data) if spec.direction is Direction.INPUT else {}
        outcome |= {**lies_in(spec, call.account), **told}
        wrong = bool(getattr(call.args, PASSWORD, ""))
        if not (wants_password(spec, outcome) and await self._asks(plan, step, outcome, wrong=wrong)):
            await self._end(plan, step, ok=result.ok, outcome=outcome)

    async def _asks(self, plan: PlanRow, step: PlanStep, outcome: Mapping[str, Any], *, wrong: bool) -> bool:
        """Ask for the password of what a step reads; return False if the owner is not asked any more."""
        why, now = str(outcome["message"]), self._clock.now()

        def work(connection: sa.Connection) -> bool:
            if not plans.is_running(connection, plan.plan_id):
                return False
            asks = ask(connection, plan, step.step_id, why, now, wrong=wrong)
            self.progress.redraw(connection, plan.plan_id, now)
            return asks

        asked = await self._store.write(work, "password_asked")
        self._wake()
        return asked

    async def _propose(self, plan: PlanRow, step: PlanStep, bound: Bound, item: Inbound, account: str) -> bool:
        """Propose a call; return True if it may be made without approval: a read, or for the owner's eyes only."""
        proposal = Proposal(
            tool=step.tool_call,
            args=bound.args,
            origins=bound.labels,
            choice=bound.choice,
            account=account,
            # A standing rule is for what the owner asks for in its chat: not for what an automation does, whatever
            # triggered it, nor for what only a forwarder's word proves.
            chat="" if is_by_itself(item) or is_vouched_for(item) else plan.session_id,
            requested_by=item.inbound_id,
            plan_id=plan.plan_id,
            step_id=step.step_id,
            call_id=f"{plan.plan_id}:{step.step_id}",
            not_before=step.not_before,
        )

        def work(connection: sa.Connection) -> bool:
            if not plans.is_running(connection, plan.plan_id):
                return False
            # Nor for what came by mail: a rule is for what is asked for in its chat.
            result = replace(proposal, chat="") if behind(connection, item) else proposal
            verdict = self._approvals.request(connection, result, self._clock.now())
            if verdict.decision is Decision.ALLOW and verdict.approval_id is None:
                return True
            if verdict.decision is Decision.DENY or verdict.approval_id is None:
                outcome = {"ok": False, "code": "DENIED"} | because_of(verdict.reasons)
                plans.step_ended(connection, plan.plan_id, step.step_id, ok=False, outcome=outcome)
            else:
                plans.step_waits(connection, plan.plan_id, step.step_id, verdict.approval_id)
            self.progress.redraw(connection, plan.plan_id, self._clock.now())
            return False

        ours = await self._store.write(work, "propose")
        self._wake()
        return ours

    async def _collect(self, plan: PlanRow, step: PlanStep) -> bool:
        """Store the result of the approval that a step waits for; return False while it is open."""
        if (step.waiting_on or "").startswith(WAITS):
            return await self._unlocked(plan, step, (step.waiting_on or "").removeprefix(WAITS))
        row, changed, told = await self._store.read(lambda c: self._approval(c, step))
        if row is not None and row.state not in FINAL:
            return False
        state = row.state if row else "cancelled"
        data = dict((row.result or {}).get("data") or {}) if row else {}
        outcome: dict[str, Any] = {"approval": state, "data": data, **told, **because_of(row.detail if row else ())}
        if changed:
            outcome["changed_to"] = changed
        if state == "done" and self._known(step):
            spec = self._tools.spec(step.tool_call)
            outcome |= {"origins": dump(labels_of(spec, data)), **lies_in(spec, row.account if row else "")}
            outcome |= await self._quarantine.verdicts(spec, data) if spec.direction is Direction.INPUT else {}
        await self._end(plan, step, ok=state == "done", outcome=outcome)
        return True

    async def _unlocked(self, plan: PlanRow, step: PlanStep, challenge_id: str) -> bool:
        """Continue with the password that was given; return False while it is awaited."""
        asked, now = await self._store.read(lambda c: asked_in(c, plan.session_id)), self._clock.now()
        match stand_of(asked, challenge_id, now):
            case PasswordState.WAITS:
                return False
            case PasswordState.ITS_TURN:
                await self._start(plan, step)
            case PasswordState.GIVEN:
                if (secret := self._passwords.take(challenge_id)) is None:
                    lost = say("I was started anew before I could use it")
                    await self._asks(plan, step, {"message": lost}, wrong=False)
                    return False
                await self._start(plan, step, secret)
            case why:
                await self._end(plan, step, ok=False, outcome=LEFT_LOCKED | because_of([in_own_words(why.value)]))
        return True

    def _approval(self, connection: sa.Connection, step: PlanStep) -> tuple[ApprovalRow | None, str, dict[str, Any]]:
        """Return the approval of a step, what it does now if the owner changed its card, and what planners are told."""
        row = approval_rows.get(connection, step.waiting_on or "")
        if row is None:
            return None, "", {}
        labels = {name: load(origins) for name, origins in row.labels.items()}
        told = told_arguments(step, json.loads(row.args), labels, contacts.all_confirmed(connection))
        return row, self._approvals.changed_to(connection, row), told

    async def _end(self, plan: PlanRow, step: PlanStep, *, ok: bool, outcome: Mapping[str, Any]) -> None:
        stored, now = {"ok": ok, **outcome}, self._clock.now()

        def work(connection: sa.Connection) -> None:
            plans.step_ended(connection, plan.plan_id, step.step_id, ok=ok, outcome=stored)
            if ok:
                self._read_mails(connection, plan.plan_id, step.step_id)
            if found := passages_of(step.model_copy(update={"outcome": stored})):
                gathered(connection, plan, found, now)
            self.progress.redraw(connection, plan.plan_id, now)
            if "approval" in outcome and len(plan.steps) > 1:
                soon(connection, plan.plan_id, len(plan.steps), now)

        await self._store.write(work, "step_ended")

    async def _reads_first(self, plan: PlanRow, step: PlanStep) -> bool:
        """Add the steps that read the mails of a search of an earlier round, which a step takes something out of."""
        sources = [s.step_id for s in plan.steps if s.status == "completed" and takes_from(step, s.step_id)]
        if not sources:
            return False

        def work(connection: sa.Connection) -> bool:
            added = [self._read_mails(connection, plan.plan_id, source) for source in sources]
            return any(added)

        return await self._store.write(work, "mails_read_first")

    def _read_mails(self, connection: sa.Connection, plan_id: str, step_id: int) -> bool:
        """Add the steps that read what a search of mails found, if their texts are wanted; return whether any are."""
        plan = plans.get(connection, plan_id)
        if plan is None:
            return False
        step = next(one for one in plan.steps if one.step_id == step_id)
        if added := readings(step, plan.steps, {spec.tool_name: spec for spec in self._tools.specs()}):
            waiting = [one for one in plan.steps if one.status == "pending" and takes_from(one, step_id)]
            plans.add_steps(connection, plan_id, added, waiting)
        return bool(added)

    def _known(self, step: PlanStep) -> bool:
        """Return False for a step whose tool is no longer registered; its refusal was stored, and nothing is shown."""
        return any(spec.tool_name == step.tool_call for spec in self._tools.specs())


def _call(plan: PlanRow, step: PlanStep, spec: ToolSpec, bound: Bound) -> ToolCall:
    """Build a step's call, through the account that it names; raise `UnknownAccountError`."""
    call_id, args = f"{plan.plan_id}:{step.step_id}", spec.args.model_validate(bound.args)
    return ToolCall(tool=spec.tool_name, args=args, call_id=call_id, trace_id=call_id, account=account_of(spec, args))


def _ready(step: PlanStep, plan: PlanRow) -> bool:
    by_id = {s.step_id: s for s in plan.steps}
    return all(n not in by_id or by_id[n].status in {"completed", "failed"} for n in _needs(step))


def _needs(step: PlanStep) -> set[int]:
    return {*step.depends_on, *([step.when.step_id] if step.when else [])}


def _failed_before(step: PlanStep, plan: PlanRow) -> list[PlanStep]:
    """Return the failed steps that a step needs."""
    return [s for s in plan.steps if s.step_id in step.depends_on and s.status == "failed"]


def _left_out(step: PlanStep, plan: PlanRow) -> bool:
    """Return whether a step is not taken for what is known already; what a text says is read only for its call."""
    known = {one.step_id: one.outcome for one in plan.steps if one.outcome}
    only_facts = step.when is not None and step.when.read is None
    return bool(_failed_before(step, plan)) or (only_facts and not condition(step.when, known)[0])
