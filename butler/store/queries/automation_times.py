"""How the clock affects automations: due times pass, the owner changes the time zone, a wrong clock is set right."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from butler.contract.automations import AutomationState, SavedAutomation
from butler.store.queries import automations, firings
from butler.store.queries.firings import FiringKind
from butler.store.queries.reminder_times import next_in_new_zone, over
from butler.store.tables import automations as table


def fire(connection: sa.Connection, automation_id: str, now: datetime) -> tuple[SavedAutomation, datetime] | None:
    """Mark the due time and all other missed ones as fired, and wait for the next.

    Returns None if that time was already taken, has not come yet, or is no longer wanted.
    """
    kept = automations.get(connection, automation_id)
    if kept is None or kept.standing is not AutomationState.ACTIVE or kept.due_at is None:
        return None
    due_at, rule = kept.due_at, kept.automation.clock
    assert rule is not None
    if now < due_at:
        # The clock went back, or an earlier run of this row advanced it.
        automations.wait(connection, automation_id, due_at, now)
        return None
    passed, next_at = over(rule, due_at, now, kept.times_past)
    if not _moved(connection, kept, next_at, kept.times_past + passed):
        return None
    automations.wait(connection, automation_id, next_at, now)
    if not firings.fire(connection, FiringKind.AUTOMATION, automation_id, due_at, now):
        return None
    return kept, due_at


def travel(connection: sa.Connection, left: Collection[str], zone: str, now: datetime) -> None:
    """Move all automations that follow the owner's old time zone to another one, paused or not.

    An automation with a third zone stays there: it never followed the owner's.
    """
    for kept in automations.every(connection):
        if kept.automation.clock is not None and kept.automation.clock.zone in left:
            move(connection, kept, zone, now)


def move(connection: sa.Connection, kept: SavedAutomation, zone: str, now: datetime) -> None:
    """Move one automation. Its digest stays: it covers what the owner has seen or written."""
    rule = kept.automation.clock
    if rule is None or (moved := rule.moved(zone, now)) == rule:
        return
    spec = kept.automation.model_copy(update={"clock": moved}).model_dump(mode="json")
    connection.execute(table.update().where(table.c.automation_id == kept.automation_id).values(spec=spec))
    if kept.standing is AutomationState.ACTIVE:
        due_at = next_in_new_zone(rule, moved, kept.due_at, now, kept.times_past)
        if _moved(connection, kept, due_at, kept.times_past):
            automations.wait(connection, kept.automation_id, due_at, now)


def heal(connection: sa.Connection, now: datetime) -> None:
    """Recompute, after the clock was set back, the times that a fast clock had put far ahead.

    No time fires again.
    """
    for automation_id in firings.ahead(connection, FiringKind.AUTOMATION, now):
        kept = automations.get(connection, automation_id)
        if kept is None or kept.standing is not AutomationState.ACTIVE or kept.due_at is None:
            continue
        rule = kept.automation.clock
        assert rule is not None
        last = firings.last(connection, FiringKind.AUTOMATION, automation_id)
        due_at = rule.next_fire(max(now, last or now), kept.times_past)
        if due_at is not None and due_at < kept.due_at and _moved(connection, kept, due_at, kept.times_past):
            automations.wait(connection, automation_id, due_at, now)


def _moved(connection: sa.Connection, kept: SavedAutomation, due_at: datetime | None, times_past: int) -> bool:
    """Move an automation's due time; return False if that has changed since it was read."""
    ours = (table.c.automation_id == kept.automation_id, table.c.due_at == kept.due_at)
    return bool(connection.execute(table.update().where(*ours).values(due_at=due_at, times_past=times_past)).rowcount)
