"""Bulk runs, their items, and the outcome of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from butler.contract.reasons import Reason
from butler.store.queries import work
from butler.store.tables import bulk_items, bulk_runs

BATCH = "bulk_batch"
"""The work kind that continues a run."""
REDRAW = "bulk_redraw"
"""The work kind that redraws a run's progress."""
PAGE = 1_000


class RunState(StrEnum):
    """The state of a run."""

    LISTING = "listing"
    READY = "ready"
    """Listed and shown; waits for the owner's approval."""
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    DONE = "done"


class ItemState(StrEnum):
    """The state of an item."""

    TODO = "todo"
    INFLIGHT = "inflight"
    """Sent to the provider; no answer is stored."""
    DONE = "done"
    FAILED = "failed"


OPEN = (RunState.RUNNING, RunState.PAUSED)


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run."""

    run_id: str
    adapter: str
    account: str
    params: str
    context: Mapping[str, Any]
    state: RunState
    digest: str
    total: int
    shown: Mapping[str, Any] | None
    call_id: str | None
    chat: str
    undo_of: str | None
    retry_of: str | None
    message_id: str | None
    detail: tuple[Reason, ...]
    created_at: datetime
    begun_at: datetime | None
    ended_at: datetime | None
    arrived: int
    tool: str
    rule_id: str | None
    remark: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item of a run."""

    seq: int
    item_id: str
    name: str
    state: ItemState
    detail: tuple[Reason, ...] = ()
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be stored. An undo or a retry refers to another run's items."""

    run_id: str
    adapter: str
    account: str
    params: str
    context: Mapping[str, Any]
    chat: str = ""
    undo_of: str | None = None
    retry_of: str | None = None
    tool: str = ""


@dataclass(frozen=True, slots=True)
class NewItem:
    """One item of a listing; `data` is what its adapter needs later."""

    item_id: str
    name: str
    data: Mapping[str, Any] | None = None


_RUN = tuple(column.name for column in bulk_runs.columns)
_ITEMS = bulk_items.insert()
_ADVANCE = (
    bulk_items.update()
    .where(bulk_items.c.run_id == sa.bindparam("run"), bulk_items.c.seq == sa.bindparam("at"))
    .values(state=sa.bindparam("to"), detail=sa.bindparam("why"))
)
_LEARN = (
    bulk_items.update()
    .where(bulk_items.c.run_id == sa.bindparam("run"), bulk_items.c.seq == sa.bindparam("at"))
    .values(data=sa.bindparam("known"))
)
_ITEM = tuple(bulk_items.c[name] for name in ("seq", "item_id", "name", "state", "detail", "data"))


def add(connection: sa.Connection, run: NewRun, now: datetime) -> None:
    """Store a run before its listing."""
    values = {name: getattr(run, name) for name in NewRun.__dataclass_fields__}
    connection.execute(bulk_runs.insert().values(**values, state=RunState.LISTING.value, created_at=now))


def add_items(connection: sa.Connection, run_id: str, first: int, items: Sequence[NewItem]) -> None:
    """Store a page of a listing, numbered from `first` on."""
    rows = [
        {"run_id": run_id, "seq": first + at, "state": ItemState.TODO.value}
        | {"item_id": item.item_id, "name": item.name, "data": item.data}
        for at, item in enumerate(items)
    ]
    connection.execute(_ITEMS, rows)


def known(connection: sa.Connection, run_id: str, item_ids: Sequence[str]) -> set[str]:
    """Return which of these a run already has: a list that changes while it is read may show an item twice."""
    found = (bulk_items.c.run_id == run_id, bulk_items.c.item_id.in_(item_ids))
    return set(connection.execute(sa.select(bulk_items.c.item_id).where(*found)).scalars())


def listed(connection: sa.Connection, run_id: str, *, digest: str, total: int, context: Mapping[str, Any]) -> None:
    """Mark the listing as complete."""
    values = {"state": RunState.READY.value, "digest": digest, "total": total, "context": context}
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(**values))


def show(connection: sa.Connection, run_id: str, shown: Mapping[str, Any]) -> None:
    """Store what the card says about it."""
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(shown=shown))


def schedule(connection: sa.Connection, run_id: str, now: datetime) -> None:
    """Schedule work on a run; a pending work row is reused."""
    work.cancel(connection, BATCH, run_id)
    work.add(connection, BATCH, run_id, now=now)


def learn(connection: sa.Connection, run_id: str, context: Mapping[str, Any]) -> None:
    """Store what its adapter has found out meanwhile."""
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(context=context))


def get(connection: sa.Connection, run_id: str) -> RunRow | None:
    """Return one run."""
    row = connection.execute(sa.select(bulk_runs).where(bulk_runs.c.run_id == run_id)).first()
    return None if row is None else _run(row)


def by_call(connection: sa.Connection, call_id: str) -> RunRow | None:
    """Return the run that an approved call began."""
    row = connection.execute(sa.select(bulk_runs).where(bulk_runs.c.call_id == call_id)).first()
    return None if row is None else _run(row)


def of_run(connection: sa.Connection, run_id: str) -> list[RunRow]:
    """Return the runs that undo a run or retry its failures; the oldest first."""
    about = sa.or_(bulk_runs.c.undo_of == run_id, bulk_runs.c.retry_of == run_id)
    rows = connection.execute(sa.select(bulk_runs).where(about).order_by(bulk_runs.c.created_at))
    return [_run(row) for row in rows]


def done_since(connection: sa.Connection, start: datetime) -> list[tuple[str, int]]:
    """Return the tool of each run begun since, with the number of items done or in progress; without undoing runs."""
    query = sa.select(bulk_runs).where(bulk_runs.c.begun_at >= start, bulk_runs.c.undo_of.is_(None))
    return [(run.tool, _done(connection, run)) for run in map(_run, connection.execute(query))]


def _done(connection: sa.Connection, run: RunRow) -> int:
    if run.state in OPEN:
        return run.total
    found = counts(connection, run.run_id)
    return found[ItemState.DONE] + found[ItemState.INFLIGHT]


def by_rule(connection: sa.Connection, run_id: str, rule_id: str, remark: Sequence[Reason]) -> None:
    """Note that a recurring rule listed the run, and what its message says about that."""
    values = {"rule_id": rule_id, "remark": remark}
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(**values))


def is_open_by(connection: sa.Connection, rule_id: str) -> bool:
    """Return whether an earlier run of a recurring rule is not over yet."""
    open_ones = bulk_runs.c.state.in_([state.value for state in OPEN])
    query = sa.select(bulk_runs.c.run_id).where(bulk_runs.c.rule_id == rule_id, open_ones)
    return connection.execute(query.limit(1)).first() is not None


def was_begun_by(connection: sa.Connection, rule_id: str) -> bool:
    """Return whether this rule has ever done anything."""
    query = sa.select(bulk_runs.c.run_id).where(bulk_runs.c.rule_id == rule_id, bulk_runs.c.begun_at.is_not(None))
    return connection.execute(query.limit(1)).first() is not None


def open_runs(connection: sa.Connection, adapter: str, account: str) -> list[RunRow]:
    """Return the running and paused runs of an account, the first begun first."""
    query = sa.select(bulk_runs).where(
        bulk_runs.c.state.in_([state.value for state in OPEN]),
        bulk_runs.c.adapter == adapter,
        bulk_runs.c.account == account,
    )
    return [_run(row) for row in connection.execute(query.order_by(bulk_runs.c.begun_at, bulk_runs.c.run_id))]


def newest(connection: sa.Connection, states: Sequence[RunState], limit: int | None) -> list[RunRow]:
    """Return the newest runs in these states, at most `limit`, the newest last."""
    found = bulk_runs.c.state.in_([state.value for state in states])
    query = sa.select(bulk_runs).where(found).order_by(bulk_runs.c.created_at.desc(), bulk_runs.c.run_id)
    return [_run(row) for row in connection.execute(query.limit(limit))][::-1]


def beginning_with(connection: sa.Connection, beginning: str) -> list[RunRow]:
    """Return at most two begun runs whose id has this prefix."""
    found = (bulk_runs.c.run_id.startswith(beginning, autoescape=True), bulk_runs.c.begun_at.is_not(None))
    return [_run(row) for row in connection.execute(sa.select(bulk_runs).where(*found).limit(2))]


def all_open(connection: sa.Connection) -> list[RunRow]:
    """Return all running and paused runs, the first begun first."""
    query = sa.select(bulk_runs).where(bulk_runs.c.state.in_([state.value for state in OPEN]))
    return [_run(row) for row in connection.execute(query.order_by(bulk_runs.c.begun_at, bulk_runs.c.run_id))]


def begin(connection: sa.Connection, run_id: str, *, call_id: str | None, chat: str, now: datetime) -> bool:
    """Mark a run as approved; return False if it had begun, or no longer exists."""
    values = {"state": RunState.RUNNING.value, "call_id": call_id, "chat": chat, "begun_at": now}
    ready = (bulk_runs.c.run_id == run_id, bulk_runs.c.state == RunState.READY.value)
    return bool(connection.execute(bulk_runs.update().where(*ready).values(**values)).rowcount)


def move(
    connection: sa.Connection,
    run_id: str,
    came_from: Sequence[RunState],
    to: RunState,
    now: datetime,
    detail: Sequence[Reason] = (),
) -> bool:
    """Move a run from one of these states to another; return False if it is in none of them."""
    values: dict[str, Any] = {"state": to.value, "detail": detail}
    if to in {RunState.DONE, RunState.STOPPED}:
        values["ended_at"] = now
    found = (bulk_runs.c.run_id == run_id, bulk_runs.c.state.in_([state.value for state in came_from]))
    return bool(connection.execute(bulk_runs.update().where(*found).values(**values)).rowcount)


def set_progress_message(connection: sa.Connection, run_id: str, message_id: str | None) -> None:
    """Store the message that shows its progress."""
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(message_id=message_id))


def set_chat(connection: sa.Connection, run_id: str, chat: str) -> None:
    """Store the chat for its further messages."""
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(chat=chat))


def in_state(connection: sa.Connection, run_id: str, state: ItemState, limit: int = PAGE) -> list[ItemRow]:
    """Return the first items in a state."""
    query = (
        sa.select(*_ITEM)
        .where(bulk_items.c.run_id == run_id, bulk_items.c.state == state.value)
        .order_by(bulk_items.c.seq)
        .limit(limit)
    )
    return [_item(row) for row in connection.execute(query)]


def take(connection: sa.Connection, run_id: str, items: Sequence[ItemRow]) -> None:
    """Mark items as about to be sent to the provider."""
    first, last = items[0].seq, items[-1].seq
    connection.execute(
        bulk_items.update()
        .where(
            bulk_items.c.run_id == run_id,
            bulk_items.c.seq.between(first, last),
            bulk_items.c.state.in_([ItemState.TODO.value, ItemState.INFLIGHT.value]),
        )
        .values(state=ItemState.INFLIGHT.value, sent=bulk_items.c.sent + 1)
    )


def put_back(connection: sa.Connection, run_id: str) -> None:
    """Mark the last sent items as surely without effect. Items sent before without an answer may have had one."""
    inflight = (bulk_items.c.run_id == run_id, bulk_items.c.state == ItemState.INFLIGHT.value)
    connection.execute(bulk_items.update().where(*inflight).values(sent=bulk_items.c.sent - 1))
    never = (*inflight, bulk_items.c.sent <= 0)
    connection.execute(bulk_items.update().where(*never).values(state=ItemState.TODO.value))


def settle(
    connection: sa.Connection,
    run_id: str,
    items: Sequence[ItemRow],
    failed: Mapping[int, Reason],
    known: Mapping[int, Mapping[str, Any]],
) -> None:
    """Mark the sent items as done, except for those of these numbers, which failed for these reasons.

    `known` is what to store about some of them, by number.
    """
    if known:
        connection.execute(_LEARN, [{"run": run_id, "at": seq, "known": data} for seq, data in known.items()])
    if failed:
        rows = [{"run": run_id, "at": seq, "to": ItemState.FAILED.value, "why": (why,)} for seq, why in failed.items()]
        connection.execute(_ADVANCE, rows)
    inflight = (
        bulk_items.c.run_id == run_id,
        bulk_items.c.state == ItemState.INFLIGHT.value,
        bulk_items.c.seq.between(items[0].seq, items[-1].seq),
    )
    connection.execute(bulk_items.update().where(*inflight).values(state=ItemState.DONE.value))


def most_sent(connection: sa.Connection, run_id: str) -> int:
    """Return how often the unanswered items were sent, at most."""
    inflight = (bulk_items.c.run_id == run_id, bulk_items.c.state == ItemState.INFLIGHT.value)
    return connection.execute(sa.select(sa.func.max(bulk_items.c.sent)).where(*inflight)).scalar() or 0


def counts(connection: sa.Connection, run_id: str) -> dict[ItemState, int]:
    """Count the items in each state."""
    query = (
        sa.select(bulk_items.c.state, sa.func.count()).where(bulk_items.c.run_id == run_id).group_by(bulk_items.c.state)
    )
    found = {ItemState(state): count for state, count in connection.execute(query)}
    return {state: found.get(state, 0) for state in ItemState}


def page_of(connection: sa.Connection, run_id: str, after: int) -> list[ItemRow]:
    """Return the next items after this number; empty at the end."""
    query = sa.select(*_ITEM).where(bulk_items.c.run_id == run_id, bulk_items.c.seq > after)
    return [_item(row) for row in connection.execute(query.order_by(bulk_items.c.seq).limit(PAGE))]


def fail_all(connection: sa.Connection, run_id: str, item_ids: Sequence[str], why: Reason) -> int:
    """Mark items that count as done as failed; return their number."""
    done = (bulk_items.c.run_id == run_id, bulk_items.c.state == ItemState.DONE.value)
    found = 0
    for at in range(0, len(item_ids), PAGE // 2):
        some = bulk_items.c.item_id.in_(item_ids[at : at + PAGE // 2])
        values = {"state": ItemState.FAILED.value, "detail": (why,)}
        found += connection.execute(bulk_items.update().where(*done, some).values(**values)).rowcount
    return found


def is_untouched(connection: sa.Connection, run_id: str) -> bool:
    """Return whether nothing of a run was ever sent."""
    touched = (bulk_items.c.run_id == run_id, bulk_items.c.state != ItemState.TODO.value)
    return connection.execute(sa.select(bulk_items.c.seq).where(*touched).limit(1)).first() is None


def note(connection: sa.Connection, run_id: str, known: Mapping[str, Mapping[str, Any]]) -> None:
    """Add data to some items, by their ids."""
    ids = list(known)
    for at in range(0, len(ids), PAGE // 2):
        some = (bulk_items.c.run_id == run_id, bulk_items.c.item_id.in_(ids[at : at + PAGE // 2]))
        rows = connection.execute(sa.select(*_ITEM).where(*some)).all()
        if rows:
            items = [_item(row) for row in rows]
            new = [
                {"run": run_id, "at": item.seq, "known": {**(item.data or {}), **known[item.item_id]}} for item in items
            ]
            connection.execute(_LEARN, new)


def nameless(connection: sa.Connection, run_id: str, most: int) -> list[ItemRow]:
    """Return those of the first failed items that are known only by their id."""
    return [row for row in in_state(connection, run_id, ItemState.FAILED, most) if row.name in {"", row.item_id}]


def name(connection: sa.Connection, run_id: str, names: Mapping[str, str]) -> None:
    """Store the names of some items, by their ids."""
    for item_id, called in names.items():
        one = (bulk_items.c.run_id == run_id, bulk_items.c.item_id == item_id)
        connection.execute(bulk_items.update().where(*one).values(name=called))


def arrived(connection: sa.Connection, run_id: str, count: int) -> None:
    """Store how many of its kind arrived after the listing, and are not part of it."""
    connection.execute(bulk_runs.update().where(bulk_runs.c.run_id == run_id).values(arrived=count))


def copy_items(connection: sa.Connection, source: str, target: str, states: Sequence[ItemState]) -> int:
    """Copy the items of another run in these states into this run; return their number."""
    number = sa.func.row_number().over(order_by=bulk_items.c.seq) - 1
    same = (bulk_items.c.item_id, bulk_items.c.name, bulk_items.c.data)
    query = sa.select(sa.literal(target), number, *same, sa.literal(ItemState.TODO.value)).where(
        bulk_items.c.run_id == source, bulk_items.c.state.in_([state.value for state in states])
    )
    columns = ["run_id", "seq", *(column.name for column in same), "state"]
    connection.execute(bulk_items.insert().from_select(columns, query))
    return sum(counts(connection, target).values())


def forget_unasked(connection: sa.Connection, before: datetime) -> None:
    """Delete listings that were never approved."""
    waiting = [RunState.LISTING.value, RunState.READY.value]
    old = sa.select(bulk_runs.c.run_id).where(bulk_runs.c.state.in_(waiting), bulk_runs.c.created_at < before)
    for run_id in list(connection.execute(old).scalars()):
        forget(connection, run_id)


def forget(connection: sa.Connection, run_id: str) -> None:
    """Delete a listing that was not needed."""
    connection.execute(bulk_items.delete().where(bulk_items.c.run_id == run_id))
    connection.execute(bulk_runs.delete().where(bulk_runs.c.run_id == run_id))


def _run(row: Any) -> RunRow:
    values: dict[str, Any] = dict(zip(_RUN, row, strict=True))
    values["state"] = RunState(values["state"])
    return RunRow(**values)


def _item(row: Any) -> ItemRow:
    seq, item_id, name, state, detail, data = row
    return ItemRow(seq, item_id, name, ItemState(state), detail, data)
