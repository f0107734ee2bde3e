"""The approval's state machine, as designed."""

from itertools import product

import pytest
import sqlalchemy as sa

from approvals.states import FINAL, TRANSITIONS, VERBS, State
from approvals.transition import transition
from butler.contract.errors import Bug
from butler.store.queries import approval_batches, approvals, audit
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.queries.plans import PLAN_STEP
from tests.approvals.harness import Harness

pytestmark = pytest.mark.every_case


WAYS = {
    ("pending", "approved"),
    ("pending", "denied"),
    ("pending", "expired"),
    ("pending", "superseded"),
    ("pending", "cancelled"),
    ("approved", "executing"),
    ("approved", "cancelled"),
    ("approved", "superseded"),
    ("approved", "expired"),
    ("executing", "done"),
    ("executing", "failed"),
    ("executing", "unknown"),
    ("unknown", "done"),
    ("unknown", "failed"),
}
NO_WAYS = sorted({(old.value, new.value) for old, new in product(State, State)} - WAYS)


async def put(harness: Harness, state: str) -> str:
    """Put an approval into a state directly."""
    approval_id = (await harness.request(plan_id="plan-1", step_id=1)).approval_id
    assert approval_id
    await harness.write(lambda c: approvals.move(c, approval_id, 1, "pending", state))
    return approval_id


@pytest.mark.parametrize(("old", "new"), sorted(WAYS))
async def test_a_legal_way_moves_the_row_and_leaves_an_audit_row_and_work(harness: Harness, old: str, new: str) -> None:
    approval_id = await put(harness, old)
    row = await harness.row(approval_id)
    assert await harness.write(lambda c: transition(c, row, State(new), actor="me", now=harness.clock.now()))
    after = await harness.row(approval_id)
    newest = (await harness.store.read(lambda c: audit.rows(c, approval_id)))[0]
    assert after.state == new
    assert (newest.kind, newest.actor, newest.data["from"], newest.data["to"]) == (f"approval.{new}", "me", old, new)
    ended = new not in {"approved", "executing"}
    assert (after.finished_at is not None) is ended
    kinds = [kind for kind, _, _ in await harness.works()]
    assert kinds.count(approvals.SHOW_CARD) == 1
    assert (PLAN_STEP in kinds) is ended
    assert (approvals.EXPIRE in kinds) is (old != "pending")


@pytest.mark.parametrize(("old", "new"), NO_WAYS)
async def test_any_other_way_is_refused(harness: Harness, old: str, new: str) -> None:
    approval_id = await put(harness, old)
    row = await harness.row(approval_id)
    with pytest.raises(Bug):
        await harness.write(lambda c: transition(c, row, State(new), actor="me", now=harness.clock.now()))
    assert await harness.state(approval_id) == old


@pytest.mark.parametrize(("old", "new"), sorted(WAYS))
async def test_a_row_that_has_moved_meanwhile_stays_where_it_is(harness: Harness, old: str, new: str) -> None:
    approval_id = await put(harness, old)
    row = await harness.row(approval_id)
    elsewhere = next(state for state in ("denied", "done") if state != new)
    await harness.write(lambda c: approvals.move(c, approval_id, 1, old, elsewhere))
    before = await harness.store.read(audit.head)
    assert not await harness.write(lambda c: transition(c, row, State(new), actor="me", now=harness.clock.now()))
    assert await harness.state(approval_id) == elsewhere
    assert await harness.store.read(audit.head) == before


async def test_a_row_of_another_revision_stays_where_it_is(harness: Harness) -> None:
    approval_id = await put(harness, "pending")
    assert not await harness.write(lambda c: approvals.move(c, approval_id, 2, "pending", "approved"))
    assert await harness.state(approval_id) == "pending"


def test_final_states_lead_nowhere_and_every_button_takes_a_legal_way() -> None:
    assert {"done", "failed", "denied", "expired", "superseded", "cancelled"} == FINAL
    assert all(new in TRANSITIONS[old] for old, new in VERBS.values())


async def test_a_step_is_drawn_where_the_approval_is_shown_by_now(harness: Harness) -> None:
    approval_id = await put(harness, "executing")
    behind = await harness.row(approval_id)
    batch = ApprovalBatchRow("flood-1", behind.chat, behind.tool, behind.risk, harness.clock.now())

    def join(connection: sa.Connection) -> None:
        approval_batches.insert(connection, batch)
        approval_batches.set_batch(connection, approval_id, batch.batch_id)

    await harness.write(join)
    moved = await harness.write(lambda c: transition(c, behind, State.DONE, actor="me", now=harness.clock.now()))
    assert moved is not None
    assert moved == await harness.row(approval_id)
    assert moved.batch_id == batch.batch_id
    assert (approval_batches.SHOW_BATCH, batch.batch_id) in {
        (kind, subject) for kind, subject, _ in await harness.works()
    }
