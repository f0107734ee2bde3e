"""The state machine, as the design draws it."""

from itertools import product

import pytest
import sqlalchemy as sa

from approvals.states import FINAL, TRANSITIONS, VERBS, State
from approvals.transition import transition
from butler.contract.errors import ContractViolationError
from butler.store.queries import approval_batches, approvals, audit
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.queries.plans import PLAN_STEP
from tests.approvals.house import House

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


async def put(house: House, state: str) -> str:
    """An approval in a state, by force."""
    approval_id = (await house.request(plan_id="plan-1", step_id=1)).approval_id
    assert approval_id
    await house.write(lambda c: approvals.move(c, approval_id, 1, "pending", state))
    return approval_id


@pytest.mark.parametrize(("old", "new"), sorted(WAYS))
async def test_a_legal_way_moves_the_row_and_leaves_an_audit_row_and_work(house: House, old: str, new: str) -> None:
    approval_id = await put(house, old)
    row = await house.row(approval_id)
    assert await house.write(lambda c: transition(c, row, State(new), actor="me", now=house.clock.now()))
    after = await house.row(approval_id)
    newest = (await house.store.read(lambda c: audit.rows(c, approval_id)))[0]
    assert after.state == new
    assert (newest.kind, newest.actor, newest.data["from"], newest.data["to"]) == (f"approval.{new}", "me", old, new)
    ended = new not in {"approved", "executing"}
    assert (after.finished_at is not None) is ended
    kinds = [kind for kind, _, _ in await house.works()]
    assert kinds.count(approvals.SHOW_CARD) == 1
    assert (PLAN_STEP in kinds) is ended
    assert (approvals.EXPIRE in kinds) is (old != "pending")


@pytest.mark.parametrize(("old", "new"), NO_WAYS)
async def test_any_other_way_is_refused(house: House, old: str, new: str) -> None:
    approval_id = await put(house, old)
    row = await house.row(approval_id)
    with pytest.raises(ContractViolationError):
        await house.write(lambda c: transition(c, row, State(new), actor="me", now=house.clock.now()))
    assert await house.state(approval_id) == old


@pytest.mark.parametrize(("old", "new"), sorted(WAYS))
async def test_a_row_that_has_moved_meanwhile_stays_where_it_is(house: House, old: str, new: str) -> None:
    approval_id = await put(house, old)
    row = await house.row(approval_id)
    elsewhere = next(state for state in ("denied", "done") if state != new)
    await house.write(lambda c: approvals.move(c, approval_id, 1, old, elsewhere))
    before = await house.store.read(audit.head)
    assert not await house.write(lambda c: transition(c, row, State(new), actor="me", now=house.clock.now()))
    assert await house.state(approval_id) == elsewhere
    assert await house.store.read(audit.head) == before


async def test_a_row_of_another_revision_stays_where_it_is(house: House) -> None:
    approval_id = await put(house, "pending")
    assert not await house.write(lambda c: approvals.move(c, approval_id, 2, "pending", "approved"))
    assert await house.state(approval_id) == "pending"


def test_final_states_lead_nowhere_and_every_button_takes_a_legal_way() -> None:
    assert {"done", "failed", "denied", "expired", "superseded", "cancelled"} == FINAL
    assert all(new in TRANSITIONS[old] for old, new in VERBS.values())


async def test_a_step_is_drawn_where_the_approval_is_shown_by_now(house: House) -> None:
    approval_id = await put(house, "executing")
    behind = await house.row(approval_id)
    batch = ApprovalBatchRow("flood-1", behind.chat, behind.tool, behind.risk, house.clock.now())

    def join(connection: sa.Connection) -> None:
        approval_batches.insert(connection, batch)
        approval_batches.set_batch(connection, approval_id, batch.batch_id)

    await house.write(join)
    moved = await house.write(lambda c: transition(c, behind, State.DONE, actor="me", now=house.clock.now()))
    assert moved is not None
    assert moved == await house.row(approval_id)
    assert moved.batch_id == batch.batch_id
    assert (approval_batches.SHOW_BATCH, batch.batch_id) in {
        (kind, subject) for kind, subject, _ in await house.works()
    }
