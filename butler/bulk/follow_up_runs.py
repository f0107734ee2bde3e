"""Runs over what another run has done, or could not do: what puts it back, and what tries it again."""

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
"""For so long after its end a run can be put back."""


def put_back(connection: sa.Connection, adapters: BulkAdapters, run: RunRow, now: datetime) -> int | None:
    """Begin to put back what a run has done; of how many things, or None where it cannot be any more.

    What was sent and never answered may be as it was: putting it back changes nothing then.
    """
    adapter = adapters.find(run.adapter)
    inverse = adapter.inverse(context_of(run)) if adapter is not None else None
    if inverse is None or run.ended_at is None or now - run.ended_at > UNDO_FOR:
        return None
    if backs := _backs(bulk.of_run(connection, run.run_id)):
        # What was stopped knows best what it has left, and where that lies now.
        last = backs[-1]
        left = replace(_like(last), undo_of=run.run_id)
        return _begun(connection, last, left, (ItemState.TODO, ItemState.INFLIGHT), now)
    new = replace(_like(run), context=stored(inverse), undo_of=run.run_id)
    return _begun(connection, run, new, (ItemState.DONE, ItemState.INFLIGHT), now)


def is_put_back(later: Sequence[RunRow]) -> bool:
    """Whether a run is put back, or will be, by the last of those that came of it."""
    backs = _backs(later)
    return bool(backs) and backs[-1].state is not RunState.STOPPED


def _backs(later: Sequence[RunRow]) -> list[RunRow]:
    return [one for one in later if one.undo_of and not one.retry_of]


def try_again(connection: sa.Connection, run: RunRow, now: datetime) -> int:
    """Begin to do what a run could not; of how many things."""
    new = replace(_like(run), retry_of=run.run_id, undo_of=run.undo_of)
    return _begun(connection, run, new, (ItemState.FAILED,), now)


def _like(run: RunRow) -> NewRun:
    return NewRun(uuid.uuid4().hex, run.adapter, run.account, run.params, run.context, tool=run.tool)


def _begun(connection: sa.Connection, run: RunRow, new: NewRun, states: tuple[ItemState, ...], now: datetime) -> int:
    """A run of its own over what has come to these states in another one."""
    bulk.add(connection, new, now)
    total = bulk.copy_items(connection, run.run_id, new.run_id, states)
    bulk.listed(connection, new.run_id, digest=run.digest, total=total, context=new.context)
    bulk.begin(connection, new.run_id, call_id=None, chat=run.chat, now=now)
    bulk.go_on(connection, new.run_id, now)
    return total
