"""Automations in the owner's settings: adds new ones, updates changed ones, removes the rest."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from butler.contract.automations import BY_FILE, Automation, AutomationState
from butler.store.queries import audit, automation_times, automations, events


def keep_written(
    connection: sa.Connection,
    written: Sequence[tuple[str, Automation]],
    now: datetime,
    away: tuple[str, str] | None = None,
) -> None:
    """Store each automation as written, by the name of its file and its own; keep the owner's pauses.

    `away` is the settings' zone and the owner's current one, which new automations use in its place.
    """
    wanted = {f"{BY_FILE}{place}:{one.name}": one for place, one in written}
    known = {one.source: one for one in automations.every(connection) if one.by_file}
    for source, automation in wanted.items():
        automation_id = events.id_of(source)
        before = automations.get(connection, automation_id)
        if before is None:
            automations.add(connection, automation_id, automation, source=source, now=now)
        elif before.digest != automation.digest or before.standing is AutomationState.REMOVED:
            automations.change(connection, automation_id, automation, now)
        else:
            continue
        kept = automations.get(connection, automation_id)
        if away is not None and kept is not None and automation.clock is not None and automation.clock.zone == away[0]:
            automation_times.move(connection, kept, away[1], now)
        data = {"name": automation.name, "digest": automation.digest}
        audit.append(connection, "automation.written", automation_id, "settings", data, now)
    for source, kept in known.items():
        if source not in wanted:
            every = (AutomationState.ACTIVE, AutomationState.PAUSED, AutomationState.STOPPED)
            automations.set_state(connection, kept.automation_id, every, AutomationState.REMOVED, now)
