"""Automations as rows, with their firings. The key of a firing ensures that it happens only once."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from butler.contract.automations import Automation, AutomationFiring, AutomationState, FiringState, SavedAutomation
from butler.contract.events import EventName
from butler.contract.schedules import RecurrenceRule
from butler.store.errors import StoreBusyError
from butler.store.queries import events, work
from butler.store.queries.insert_or_ignore import insert_once
from butler.store.tables import automation_firings, automations

DUE = "automation_due"
"""The work kind of a scheduled automation's due time; its subject is the automation's id."""
END = "automation_end"
"""The work kind of an automation's end; its subject is the automation's id."""
GONE = frozenset({AutomationState.REMOVED.value, AutomationState.ENDED.value})
"""The states of automations that no list shows."""
TRIES = 5
"""Attempts to find a number that nobody else takes meanwhile."""
REPLAY = "automation_replay"
"""The work kind that replays an event; its subject is the automation's id, the event's, and the time of the request."""


_ROW = automations.c
_FIRED = automation_firings.c
_BY_ID = sa.select(automations).where(_ROW.automation_id == sa.bindparam("id"))
_LISTENING = (
    sa.select(automations)
    .where(_ROW.state == AutomationState.ACTIVE.value, _ROW.event == sa.bindparam("event"))
    .order_by(_ROW.number)
)


def add(
    connection: sa.Connection, automation_id: str, automation: Automation, *, source: str, now: datetime
) -> SavedAutomation:
    """Store an automation, once for an id. Raise `StoreBusyError` if every number tried was taken meanwhile."""
    if (known := get(connection, automation_id)) is not None:
        return known
    due_at = automation.clock.next_fire(now) if automation.clock else None
    values = {
        "automation_id": automation_id,
        "state": AutomationState.ACTIVE.value,
        "source": source,
        "due_at": due_at,
        "created_at": now,
        "updated_at": now,
        **_spec(automation),
    }
    for _ in range(TRIES):
        number = (connection.execute(sa.select(sa.func.max(_ROW.number))).scalar() or 0) + 1
        if insert_once(connection, automations, values | {"number": number}):
            wait(connection, automation_id, due_at, now)
            wait_for_end(connection, automation_id, automation, now)
        # Another daemon may have stored this one, or another one under this number.
        if (found := get(connection, automation_id)) is not None:
            return found
    raise StoreBusyError("others took each number that an automation was to have")


def change(connection: sa.Connection, automation_id: str, automation: Automation, now: datetime) -> None:
    """Replace an automation's content and keep its state, except that a removed or ended one is restored.

    The count of past times continues if its schedule is the same, in any time zone.
    """
    before = get(connection, automation_id)
    same = before is not None and _clock(before.automation) == _clock(automation)
    times_past = before.times_past if before is not None and same else 0
    due_at = automation.clock.next_fire(now, times_past) if automation.clock else None
    state = sa.case((_ROW.state.in_(GONE), AutomationState.ACTIVE.value), else_=_ROW.state)
    values = {**_spec(automation), "state": state, "due_at": due_at, "times_past": times_past, "updated_at": now}
    connection.execute(automations.update().where(_ROW.automation_id == automation_id).values(**values))
    wait(connection, automation_id, due_at, now)
    wait_for_end(connection, automation_id, automation, now)


def _clock(automation: Automation) -> RecurrenceRule | None:
    return automation.clock and automation.clock.model_copy(update={"zone": "", "later": False})


def _spec(automation: Automation) -> dict[str, object]:
    spec = automation.model_dump(mode="json")
    return {"name": automation.name, "event": automation.event.value, "spec": spec, "digest": automation.digest}


def wait(connection: sa.Connection, automation_id: str, due_at: datetime | None, now: datetime) -> None:
    """Schedule an automation's next time in place of any other; None for no time."""
    work.cancel(connection, DUE, automation_id)
    if due_at is not None:
        work.add(connection, DUE, automation_id, now=now, run_at=due_at)


def wait_for_end(connection: sa.Connection, automation_id: str, automation: Automation, now: datetime) -> None:
    """Schedule the end of an automation in place of any other, if it has one."""
    work.cancel(connection, END, automation_id)
    if automation.until is not None:
        work.add(connection, END, automation_id, now=now, run_at=automation.until.ends)


def get(connection: sa.Connection, automation_id: str) -> SavedAutomation | None:
    """Return one automation, removed or not."""
    row = connection.execute(_BY_ID, {"id": automation_id}).mappings().first()
    return None if row is None else _kept(row)


def by_number(connection: sa.Connection, number: int) -> SavedAutomation | None:
    """Return the automation with this number, unless it was removed."""
    query = sa.select(automations).where(_ROW.number == number, _ROW.state != AutomationState.REMOVED.value)
    row = connection.execute(query).mappings().first()
    return None if row is None else _kept(row)


def every(connection: sa.Connection) -> list[SavedAutomation]:
    """Return all automations that are neither removed nor ended, by number."""
    query = sa.select(automations).where(_ROW.state.not_in(GONE)).order_by(_ROW.number)
    return [_kept(row) for row in connection.execute(query).mappings()]


def listening(connection: sa.Connection, event: EventName) -> list[SavedAutomation]:
    """Return the active ones that listen to events of this name."""
    return [_kept(row) for row in connection.execute(_LISTENING, {"event": event.value}).mappings()]


def set_state(
    connection: sa.Connection,
    automation_id: str,
    came_from: Sequence[AutomationState],
    standing: AutomationState,
    now: datetime,
) -> bool:
    """Move an automation from one of these states to another; return False if it is in none of them.

    A scheduled one that becomes active again waits for its next time: missed times do not count.
    """
    ours = (_ROW.automation_id == automation_id, _ROW.state.in_([one.value for one in came_from]))
    values = {"state": standing.value, "updated_at": now}
    if not connection.execute(automations.update().where(*ours).values(**values)).rowcount:
        return False
    found, due_at = get(connection, automation_id), None
    if found is not None and standing is AutomationState.ACTIVE and (rule := found.automation.clock) is not None:
        due_at = rule.next_fire(now, found.times_past)
        connection.execute(automations.update().where(_ROW.automation_id == automation_id).values(due_at=due_at))
    wait(connection, automation_id, due_at, now)
    return True


def fire(
    connection: sa.Connection,
    automation_id: str,
    event_id: str,
    replay: int,
    now: datetime,
    state: FiringState = FiringState.FIRED,
    replay_key: str = "",
) -> bool:
    """Mark an event as handled, in the transaction that acts on it; return False if it already was.

    `replay_key` is that of the call which asked for a replay.
    """
    values = {"automation_id": automation_id, "event_id": event_id, "replay": replay}
    values |= {"at": now, "state": state.value, "replay_key": replay_key}
    return insert_once(connection, automation_firings, values)


def fired(connection: sa.Connection, automation_id: str, limit: int) -> list[AutomationFiring]:
    """Return the last firings, the newest first."""
    query = sa.select(automation_firings).where(_FIRED.automation_id == automation_id)
    rows = connection.execute(query.order_by(_FIRED.at.desc(), _FIRED.event_id, _FIRED.replay.desc()).limit(limit))
    return [
        AutomationFiring(one.event_id, one.replay, one.at, FiringState(one.state), events.get(connection, one.event_id))
        for one in rows.all()
    ]


def fired_at(connection: sa.Connection, automation_id: str, place: int) -> datetime | None:
    """Return when it last fired but for `place` newer times, without replays; None if it did not fire as often."""
    ours = (_FIRED.automation_id == automation_id, _FIRED.state == FiringState.FIRED.value, _FIRED.replay == 0)
    query = sa.select(_FIRED.at).where(*ours).order_by(_FIRED.at.desc()).offset(place).limit(1)
    return connection.execute(query).scalar()


def begun_at(connection: sa.Connection, automation_id: str) -> datetime:
    """Return when an automation entered its state."""
    return connection.execute(sa.select(_ROW.updated_at).where(_ROW.automation_id == automation_id)).scalar_one()


def ask_replay(connection: sa.Connection, automation_id: str, event_id: str, now: datetime) -> None:
    """Request a replay of an event."""
    work.add(connection, REPLAY, f"{automation_id}/{event_id}/{now.isoformat()}", now=now)


def replays(connection: sa.Connection, automation_id: str, event_id: str) -> int:
    """Return the number of an event's last replay, 0 for none."""
    query = sa.select(sa.func.max(_FIRED.replay)).where(
        _FIRED.automation_id == automation_id, _FIRED.event_id == event_id
    )
    return int(connection.execute(query).scalar() or 0)


def replayed_by(connection: sa.Connection, automation_id: str, key: str) -> bool:
    """Return whether a replay with this key was already requested."""
    asked = (_FIRED.automation_id == automation_id, _FIRED.replay > 0, _FIRED.replay_key == key)
    return connection.execute(sa.select(_FIRED.at).where(*asked).limit(1)).first() is not None


def _kept(row: sa.RowMapping) -> SavedAutomation:
    return SavedAutomation(
        automation_id=row["automation_id"],
        number=row["number"],
        automation=Automation.model_validate(row["spec"]),
        standing=AutomationState(row["state"]),
        source=row["source"],
        digest=row["digest"],
        due_at=row["due_at"],
        times_past=row["times_past"],
        created_at=row["created_at"],
    )
