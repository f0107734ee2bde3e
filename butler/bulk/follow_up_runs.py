"""Runs that follow another one: undoing what it did, or retrying what failed."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from butler.bulk.contexts import context_of, stored
from butler.bulk.registry import BulkAdapters
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState, NewRun, RunRow, RunState

UNDO_FOR = timedelta(days=7)
"""How long after its end a run can be undone."""


def put_back(connection: sa.Connection, adapters: BulkAdapters, run: RunRow, now: datetime) -> int | None:
    """Begin to undo a run; return the number of items, or None if it can no longer be undone.

    Items that were sent and never answered are included: undoing an item that was not done changes nothing.
    """
    adapter = adapters.find(run.adapter)
    inverse = adapter.inverse(context_of(run)) if adapter is not None else None
    if inverse is None or run.ended_at is None or now - run.ended_at > UNDO_FOR:
        return None
    if backs := _backs(bulk.of_run(connection, run.run_id)):
        # An undo that was stopped knows best which items it left, and where those are now.
        last = backs[-1]
        left = replace(_like(last), undo_of=run.run_id)
        return _begun(connection, last, left, (ItemState.TODO, ItemState.INFLIGHT), now)
    new = replace(_like(run), context=stored(inverse), undo_of=run.run_id)
    return _begun(connection, run, new, (ItemState.DONE, ItemState.INFLIGHT), now)


def is_put_back(later: Sequence[RunRow]) -> bool:
    """Return whether a run is undone, or being undone, judged by the last of the undo runs in `later`."""
    backs = _backs(later)
    return bool(backs) and backs[-1].state is not RunState.STOPPED


def _backs(later: Sequence[RunRow]) -> list[RunRow]:
    return [one for one in later if one.undo_of and not one.retry_of]


def try_again(connection: sa.Connection, run: RunRow, now: datetime) -> int:
    """Begin to retry what failed in a run; return the number of items."""
    new = replace(_like(run), retry_of=run.run_id, undo_of=run.undo_of)
    return _begun(connection, run, new, (ItemState.FAILED,), now)


def _like(run: RunRow) -> NewRun:
    return NewRun(uuid.uuid4().hex, run.adapter, run.account, run.params, run.context, tool=run.tool)


def _begun(connection: sa.Connection, run: RunRow, new: NewRun, states: tuple[ItemState, ...], now: datetime) -> int:
    """Begin a new run over the items of another one that are in these states; return their number."""
    bulk.add(connection, new, now)
    total = bulk.copy_items(connection, run.run_id, new.run_id, states)
    bulk.listed(connection, new.run_id, digest=run.digest, total=total, context=new.context)
    bulk.begin(connection, new.run_id, call_id=None, chat=run.chat, now=now)
    bulk.schedule(connection, new.run_id, now)
    return total
