"""Webhook requests as rows, written with their work before the sender is answered."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from butler.contract.hooks import StoredHook
from butler.contract.reasons import Reason
from butler.store.queries import work
from butler.store.queries.insert_or_ignore import insert_once
from butler.store.tables import hooks

HOOK = "hook"
"""The work kind that acts on a stored request; its subject is the request's id, for a replay with a colon and its
number.
"""
LONGEST_KEY = 200
SIGNED_WITHIN = timedelta(hours=1)
"""How long a signed content is remembered, if the key is not signed."""


class HookState(StrEnum):
    """The state of a stored request."""

    NEW = "new"
    DONE = "done"
    REFUSED = "refused"
    """It can never be handled."""
    DEAD_LETTER = "dead_letter"
    """Handling it failed repeatedly."""


@dataclass(frozen=True, slots=True)
class HookRow:
    """A stored request, and its state."""

    hook: StoredHook
    key: str
    remote: str
    state: HookState
    detail: tuple[Reason, ...]
    handled_at: datetime | None
    replays: int


_KEYS = sa.select(hooks.c.received_at).where(
    sa.or_(hooks.c.dedup_key == sa.bindparam("key"), hooks.c.signed_key == sa.bindparam("key"))
)
_BY_ID = sa.select(hooks).where(hooks.c.hook_id == sa.bindparam("id"))


def add(
    connection: sa.Connection,
    hook: StoredHook,
    key: str,
    remote: str,
    now: datetime,
    *,
    within: timedelta | None = None,
    signed: str = "",
) -> bool:
    """Store a request and have it handled in the order of its receiver; return False if its key is known.

    `within` is how long a key is remembered after a delivery; `signed` is a second key, remembered for `SIGNED_WITHIN`.
    Wake the engine after commit.
    """
    dedup_key, signed_key = key_of(hook.receiver, key), None
    if within is not None:
        dedup_key, before = _in_window(dedup_key, hook.received_at, within)
        if _came_since(connection, before, hook.received_at - within):
            return False
    if signed:
        signed_key, before = _in_window(key_of(hook.receiver, f"signed:{signed}"), hook.received_at, SIGNED_WITHIN)
        if _came_since(connection, before, hook.received_at - SIGNED_WITHIN):
            return False
    row = {
        "hook_id": hook.hook_id,
        "receiver": hook.receiver,
        "dedup_key": dedup_key,
        "received_at": hook.received_at,
        "remote": remote,
        "headers": dict(hook.headers),
        "body": hook.body,
        "state": HookState.NEW.value,
        "signed_key": signed_key,
    }
    if not insert_once(connection, hooks, row):
        return False
    work.add(connection, HOOK, hook.hook_id, now=now, lane=f"{HOOK}:{hook.receiver}")
    return True


def _in_window(key: str, at: datetime, within: timedelta) -> tuple[str, str]:
    """Return keys for a moment's time window, which exclude a second delivery, and for the window before."""
    number = int(at.timestamp() // within.total_seconds())
    return f"{key}:{number}", f"{key}:{number - 1}"


def _came_since(connection: sa.Connection, key: str, since: datetime) -> bool:
    came_at = connection.execute(_KEYS, {"key": key}).scalar()
    return came_at is not None and came_at > since


def new_id() -> str:
    """Make an id for a request."""
    return uuid.uuid4().hex


def key_of(receiver: str, key: str) -> str:
    """Return a receiver's key among all; the digest of a key that is too long."""
    short = key if len(key) <= LONGEST_KEY else f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"
    return f"{receiver}:{short}"


def get(connection: sa.Connection, hook_id: str) -> HookRow | None:
    """Return one request."""
    row = connection.execute(_BY_ID, {"id": hook_id}).mappings().first()
    return None if row is None else _row(row)


def beginning(connection: sa.Connection, start: str, limit: int = 2) -> Sequence[HookRow]:
    """Return requests whose id has this prefix."""
    query = sa.select(hooks).where(hooks.c.hook_id.startswith(start, autoescape=True)).limit(limit)
    return [_row(row) for row in connection.execute(query).mappings()]


def newest(
    connection: sa.Connection, limit: int, *, receiver: str = "", state: HookState | None = None
) -> Sequence[HookRow]:
    """Return the newest requests, the newest last."""
    query = sa.select(hooks).order_by(hooks.c.received_at.desc(), hooks.c.hook_id).limit(limit)
    if receiver:
        query = query.where(hooks.c.receiver == receiver)
    if state is not None:
        query = query.where(hooks.c.state == state.value)
    return [_row(row) for row in reversed(connection.execute(query).mappings().all())]


def settle(
    connection: sa.Connection, hook_id: str, state: HookState, now: datetime, detail: Sequence[Reason] = ()
) -> None:
    """Store the outcome of a request."""
    values = {"state": state.value, "detail": detail, "handled_at": now}
    connection.execute(hooks.update().where(hooks.c.hook_id == hook_id).values(**values))


def replay(connection: sa.Connection, hook_id: str, now: datetime) -> int | None:
    """Have a request handled once more; return the number of this replay, or None if there is no such request."""
    row = get(connection, hook_id)
    if row is None:
        return None
    number = row.replays + 1
    connection.execute(hooks.update().where(hooks.c.hook_id == hook_id).values(replays=number))
    work.add(connection, HOOK, f"{hook_id}:{number}", now=now, lane=f"{HOOK}:{row.hook.receiver}")
    return number


def _row(row: sa.RowMapping) -> HookRow:
    hook = StoredHook(row["hook_id"], row["receiver"], row["headers"], bytes(row["body"]), row["received_at"])
    return HookRow(
        hook,
        key=row["dedup_key"].removeprefix(f"{hook.receiver}:"),
        remote=row["remote"],
        state=HookState(row["state"]),
        detail=row["detail"],
        handled_at=row["handled_at"],
        replays=row["replays"],
    )
