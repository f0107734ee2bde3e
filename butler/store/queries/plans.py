"""Plans and their steps as rows: no plan waits in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.store.tables import plan_steps, plans


class PlanState(StrEnum):
    """The state of a plan."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A plan with its steps."""

    plan_id: str
    session_id: str
    inbound_id: str
    state: PlanState
    steps: tuple[PlanStep, ...]
    labels: tuple[Mapping[str, Any], ...] = ()
    """The labels that every argument inherits, as JSON."""
    round: int = 1
    more: bool = False
    """Whether the planner wants to continue once these steps have ended."""
    spent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What planning it has used, as JSON."""
    created_at: datetime | None = None


PLAN_STEP = "plan_step"
SPENT, MORE = "spent", "more"
"""The keys of `plans.spent`."""


def add(
    connection: sa.Connection,
    plan_id: str,
    *,
    session_id: str,
    inbound_id: str,
    steps: Sequence[PlanStep],
    labels: Sequence[Mapping[str, Any]] = (),
    more: bool = False,
    spent: Mapping[str, Any] | None = None,
    now: datetime,
) -> None:
    """Store a plan; `spent` is what planning it has used so far."""
    connection.execute(
        plans.insert().values(
            plan_id=plan_id,
            session_id=session_id,
            inbound_id=inbound_id,
            round=1,
            state=PlanState.RUNNING.value,
            labels=list(labels),
            created_at=now,
            updated_at=now,
            spent={SPENT: dict(spent or {}), MORE: more},
        )
    )
    _add_steps(connection, plan_id, steps)


def next_round(
    connection: sa.Connection,
    plan_id: str,
    *,
    after: int,
    steps: Sequence[PlanStep],
    labels: Sequence[Mapping[str, Any]],
    more: bool,
    spent: Mapping[str, Any],
    now: datetime,
) -> bool:
    """Add the steps of the round after round `after`; return False if the plan has ended, or has them already.

    `labels` are the whole plan's from now on.
    """
    values = {"round": after + 1, "labels": list(labels), "updated_at": now}
    where = (plans.c.plan_id == plan_id, plans.c.round == after, plans.c.state == PlanState.RUNNING.value)
    update = plans.update().where(*where).values(**values, spent={SPENT: dict(spent), MORE: more})
    if not connection.execute(update).rowcount:
        return False
    _add_steps(connection, plan_id, steps)
    return True


def pay(connection: sa.Connection, plan: PlanRow, spent: Mapping[str, Any]) -> None:
    """Store what a plan has used so far."""
    update = plans.update().where(plans.c.plan_id == plan.plan_id, plans.c.round == plan.round)
    connection.execute(update.values(spent={SPENT: dict(spent), MORE: plan.more}))


def _add_steps(connection: sa.Connection, plan_id: str, steps: Sequence[PlanStep]) -> None:
    for step in steps:
        connection.execute(
            plan_steps.insert().values(
                plan_id=plan_id,
                step_id=step.step_id,
                tool_call=step.tool_call,
                description=step.description,
                status=step.status,
                args=step.args,
                labels={},
                depends_on=step.depends_on,
                when=step.when.model_dump(mode="json") if step.when else None,
                not_before=step.not_before,
                ask=step.ask,
            )
        )


def repeat(connection: sa.Connection, plan_id: str, steps: Sequence[PlanStep]) -> None:
    """Put several steps in place of the first one, which is not begun; what waits for it waits for all of them."""
    first, *others = steps
    _set(connection, plan_id, first.step_id, {"args": first.args})
    _add_steps(connection, plan_id, others)
    for waiting in _steps(connection, plan_id):
        if first.step_id in waiting.depends_on:
            needs = sorted({*waiting.depends_on, *(one.step_id for one in others)})
            _set(connection, plan_id, waiting.step_id, {"depends_on": needs})


def add_steps(connection: sa.Connection, plan_id: str, steps: Sequence[PlanStep], waiting: Sequence[PlanStep]) -> None:
    """Add steps to a plan; each of the `waiting` ones, which are not begun, waits for all of them."""
    _add_steps(connection, plan_id, steps)
    for one in waiting:
        needs = sorted({*one.depends_on, *(step.step_id for step in steps)})
        _set(connection, plan_id, one.step_id, {"depends_on": needs})


def get(connection: sa.Connection, plan_id: str) -> PlanRow | None:
    """Return a plan with its steps in order."""
    row = connection.execute(sa.select(plans).where(plans.c.plan_id == plan_id)).mappings().first()
    if row is None:
        return None
    spent: Mapping[str, Any] = row["spent"] or {}
    return PlanRow(
        row["plan_id"],
        row["session_id"],
        row["inbound_id"],
        PlanState(row["state"]),
        tuple(_steps(connection, plan_id)),
        tuple(row["labels"]),
        row["round"],
        bool(spent.get(MORE)),
        spent.get(SPENT) or {},
        row["created_at"],
    )


def _steps(connection: sa.Connection, plan_id: str) -> list[PlanStep]:
    ordered = sa.select(plan_steps).where(plan_steps.c.plan_id == plan_id).order_by(plan_steps.c.step_id)
    return [_step(row) for row in connection.execute(ordered).mappings()]


def last_steps(connection: sa.Connection, session_id: str, most: int) -> list[PlanStep]:
    """Return the steps of the last plans of a conversation, the newest plan first."""
    newest = sa.select(plans.c.plan_id).where(plans.c.session_id == session_id)
    newest = newest.order_by(plans.c.created_at.desc(), plans.c.plan_id).limit(most)
    found = [get(connection, plan_id) for plan_id in connection.execute(newest).scalars()]
    return [step for plan in found if plan is not None for step in plan.steps]


def begun_after(connection: sa.Connection, session_id: str, at: datetime, apart_from: str = "") -> bool:
    """Return whether a chat has another plan from after a moment."""
    query = sa.select(plans.c.plan_id).where(plans.c.session_id == session_id, plans.c.created_at > at)
    query = query.where(plans.c.plan_id != apart_from)
    return connection.execute(query.limit(1)).first() is not None


def of_inbound(connection: sa.Connection, inbound_id: str) -> list[str]:
    """Return the plans that a message asked for."""
    return list(connection.execute(sa.select(plans.c.plan_id).where(plans.c.inbound_id == inbound_id)).scalars())


def of_turn(connection: sa.Connection, session_id: str, inbound_id: str) -> list[PlanStep] | None:
    """Return the steps of the newest plan of a conversation's message; None if none runs or has ended."""
    newest = sa.select(plans.c.plan_id, plans.c.state).where(plans.c.inbound_id == inbound_id)
    newest = newest.where(plans.c.session_id == session_id).order_by(plans.c.created_at.desc()).limit(1)
    row = connection.execute(newest).first()
    if row is None or row.state == PlanState.CANCELLED:
        return None
    return _steps(connection, row.plan_id)


def asked_by(connection: sa.Connection, plan_id: str) -> str:
    """Return the inbound that a plan is for; empty if there is no such plan."""
    return connection.execute(sa.select(plans.c.inbound_id).where(plans.c.plan_id == plan_id)).scalar() or ""


def step_waits(connection: sa.Connection, plan_id: str, step_id: int, approval_id: str) -> None:
    """Mark a step as waiting for an approval."""
    _set(connection, plan_id, step_id, {"status": "in_progress", "waiting_on": approval_id})


def step_ended(connection: sa.Connection, plan_id: str, step_id: int, *, ok: bool, outcome: Mapping[str, Any]) -> None:
    """Store the outcome of a step."""
    _set(connection, plan_id, step_id, {"status": "completed" if ok else "failed", "outcome": dict(outcome)})


def ended(connection: sa.Connection, plan_id: str, state: PlanState, now: datetime) -> bool:
    """Mark a plan as ended; return False if it already was."""
    return bool(
        connection.execute(
            plans.update()
            .where(plans.c.plan_id == plan_id, plans.c.state == PlanState.RUNNING.value)
            .values(state=state.value, updated_at=now)
        ).rowcount
    )


def last_state(connection: sa.Connection, inbound_ids: Sequence[str]) -> PlanState | None:
    """Return the state of the newest plan that these messages asked for; None if there is none."""
    states = sa.select(plans.c.state).where(plans.c.inbound_id.in_(inbound_ids)).order_by(plans.c.created_at.desc())
    state = connection.execute(states.limit(1)).scalar()
    return None if state is None else PlanState(state)


def is_running(connection: sa.Connection, plan_id: str) -> bool:
    """Return whether a plan is running."""
    return connection.execute(sa.select(plans.c.state).where(plans.c.plan_id == plan_id)).scalar() == PlanState.RUNNING


def any_running(connection: sa.Connection, session_id: str) -> bool:
    """Return whether a plan of a chat is running."""
    running = (plans.c.session_id == session_id) & (plans.c.state == PlanState.RUNNING)
    return connection.execute(sa.select(sa.exists().where(running))).scalar_one()


def _set(connection: sa.Connection, plan_id: str, step_id: int, values: dict[str, Any]) -> None:
    connection.execute(
        plan_steps.update().where(plan_steps.c.plan_id == plan_id, plan_steps.c.step_id == step_id).values(**values)
    )


def _step(row: sa.RowMapping) -> PlanStep:
    return PlanStep.model_validate(
        {
            "step_id": row["step_id"],
            "description": row["description"],
            "tool_call": row["tool_call"],
            "status": row["status"],
            "args": row["args"],
            "depends_on": row["depends_on"],
            "when": row["when"],
            "not_before": row["not_before"],
            "ask": row["ask"],
            "waiting_on": row["waiting_on"],
            "outcome": row["outcome"],
        }
    )
