"""Finds rows beyond their retention and deletes them in small portions; rows in use are never found.

A row is in use if work waits for it, if it is new or quarantined, or if a running plan, an open approval or a running
bulk run names it. Approvals themselves and the audit log are never deleted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from butler.store.tables import (
    approvals,
    automation_firings,
    bulk_runs,
    choices,
    conversations,
    events,
    firings,
    hooks,
    inbox,
    outbox,
    plan_steps,
    plans,
    polled,
    run_records,
    waits,
    work,
)

OPEN: Final = ("pending", "approved", "executing", "unknown")
"""The states of open approvals."""
_HEX: Final = "0123456789abcdef"


Key = tuple[Any, ...]
"""A row's primary key."""
Place = tuple[Any, ...]
"""A row's time, and its key."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A look at some rows: their number, the first and the last, and the keys of the deletable ones."""

    rows: int
    first: Place | None
    last: Place | None
    found: Sequence[Key]


@dataclass(frozen=True, slots=True)
class ExpiredRows:
    """The rows of one table under one setting."""

    setting: str
    table: sa.Table
    where: Callable[[datetime], Sequence[sa.ColumnElement[bool]]]
    at: sa.Column[Any]
    """The column that tells a row's age."""
    blank: Callable[[sa.Connection, Sequence[Key]], None] | None = None
    """Blanks some columns instead of deleting the rows, if given."""

    def count(self, connection: sa.Connection, before: datetime) -> int:
        """Count the rows."""
        query = sa.select(sa.func.count()).select_from(self.table).where(*self._all(before))
        return int(connection.execute(query).scalar_one())

    def look(self, connection: sa.Connection, before: datetime, after: Place | None, limit: int) -> Survey:
        """Check the next `limit` rows in the order of their time; find the deletable ones.

        Reads no more than these, by the index over their time, however few are deletable.
        """
        keys = tuple(self.table.primary_key)
        order = sa.tuple_(self.at, *keys)
        page = sa.select(self.at, *keys).where(self.at < before).order_by(self.at, *keys).limit(limit)
        if after is not None:
            # The index serves the first condition only.
            page = page.where(self.at >= after[0], order > sa.tuple_(*self._bound(after)))
        rows = connection.execute(page).all()
        if not rows:
            return Survey(0, after, after, ())
        first, last = tuple(rows[0]), tuple(rows[-1])
        return Survey(len(rows), first, last, self._among(connection, before, first, last))

    def purge(self, connection: sa.Connection, before: datetime, looked: Survey) -> int:
        """Delete the checked rows that are still deletable; return their number."""
        if looked.first is None or looked.last is None:
            return 0
        still = self._among(connection, before, looked.first, looked.last)
        if not still:
            return 0
        if self.blank is not None:
            self.blank(connection, still)
            return len(still)
        if self.table is plans:
            connection.execute(plan_steps.delete().where(plan_steps.c.plan_id.in_([row[0] for row in still])))
        # One by one: SQLite cannot look up a list of composite keys, and would scan the whole table.
        keys = tuple(self.table.primary_key)
        this = [key == sa.bindparam(f"key_{at}", type_=key.type) for at, key in enumerate(keys)]
        values = [{f"key_{at}": value for at, value in enumerate(row)} for row in still]
        connection.execute(self.table.delete().where(*this), values)
        return len(still)

    def _among(self, connection: sa.Connection, before: datetime, first: Place, last: Place) -> list[Key]:
        """Return the keys of the deletable rows in a range, in the order of their time."""
        keys = tuple(self.table.primary_key)
        order = sa.tuple_(self.at, *keys)
        # The index serves these bounds of the time alone.
        within = (self.at >= first[0], self.at <= last[0])
        ends = (order >= sa.tuple_(*self._bound(first)), order <= sa.tuple_(*self._bound(last)))
        query = sa.select(*keys).where(*within, *ends, *self.where(before)).order_by(self.at, *keys)
        return [tuple(row) for row in connection.execute(query)]

    def _bound(self, values: Sequence[Any]) -> list[sa.BindParameter[Any]]:
        columns = (self.at, *self.table.primary_key)
        return [sa.literal(value, column.type) for value, column in zip(values, columns, strict=True)]

    def _all(self, before: datetime) -> list[sa.ColumnElement[bool]]:
        return [self.at < before, *self.where(before)]


def _without(change: Callable[[dict[str, Any]], dict[str, Any]], **columns: str) -> Callable[..., None]:
    def blank(connection: sa.Connection, found: Sequence[Key]) -> None:
        query = sa.select(inbox.c.seq, inbox.c["item"]).where(inbox.c.seq.in_([row[0] for row in found]))
        for seq, item in connection.execute(query).all():
            values = {"item": change(item), **columns}
            connection.execute(inbox.update().where(inbox.c.seq == seq).values(values))

    return blank


def _no_raw(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"payload": item["payload"] | {"raw": ""}}


def _no_files(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"attachments": [file | {"sha256": ""} for file in item["attachments"]]}


def _no_words(item: dict[str, Any]) -> dict[str, Any]:
    """Return values that keep the arrival and the key; nothing of what was said or by whom."""
    payload = {key: item["payload"].get(key) for key in ("uidvalidity", "uid", "message_id", "quarantine")}
    blank: dict[str, Any] = {
        "text": "",
        "segments": [],
        "attachments": [],
        "mail": None,
        "sender": "",
        "sender_name": "",
    }
    return item | blank | {"payload": payload | {"raw": ""}}


def _no_work(subject: sa.Column[Any]) -> sa.ColumnElement[bool]:
    return ~sa.exists().where(work.c.subject == subject)


def _settled(_before: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    """Select inbox items that nothing waits for."""
    asked = approvals.c.requested_by == inbox.c.inbound_id
    return (
        inbox.c.state.in_(("done", "ignored")),
        _no_work(inbox.c.inbound_id),
        ~sa.exists().where(plans.c.inbound_id == inbox.c.inbound_id, plans.c.state == "running"),
        ~sa.exists().where(asked, approvals.c.state.in_(OPEN)),
        ~sa.exists().where(outbox.c.chat == inbox.c.inbound_id, outbox.c.state == "by_mail"),
    )


def _always(_before: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return ()


_STORED: Final = sa.cast(inbox.c["item"], sa.Text)
_IS_MAIL: Final = inbox.c.kind == "mail"
_NAMES_FILES: Final = sa.or_(*(_STORED.like(f'%"sha256":"{digit}%') for digit in _HEX))
_NAMES_RAW: Final = sa.or_(*(_STORED.like(f'%"raw":"{digit}%') for digit in _HEX))

OLD: Final = (
    ExpiredRows(
        "raw_mail",
        inbox,
        lambda before: (*_settled(before), _IS_MAIL, _NAMES_RAW),
        inbox.c.received_at,
        _without(_no_raw),
    ),
    ExpiredRows(
        "files", inbox, lambda before: (*_settled(before), _NAMES_FILES), inbox.c.received_at, _without(_no_files)
    ),
    ExpiredRows("inbox", inbox, lambda before: (*_settled(before), ~_IS_MAIL), inbox.c.received_at),
    # Without a row, a mailbox that renumbers its mails would bring every old request once more.
    ExpiredRows(
        "inbox",
        inbox,
        lambda before: (*_settled(before), _IS_MAIL, inbox.c.sender != ""),
        inbox.c.received_at,
        _without(_no_words, sender=""),
    ),
    ExpiredRows(
        "conversations",
        conversations,
        lambda _: (~sa.exists().where(plans.c.session_id == conversations.c.session_id, plans.c.state == "running"),),
        conversations.c.updated_at,
    ),
    ExpiredRows("conversations", choices, _always, choices.c.created_at),
    ExpiredRows(
        "plans",
        plans,
        lambda _: (
            plans.c.state.in_(("done", "cancelled")),
            _no_work(plans.c.plan_id),
            ~sa.exists().where(approvals.c.plan_id == plans.c.plan_id, approvals.c.state.in_(OPEN)),
        ),
        plans.c.updated_at,
    ),
    ExpiredRows(
        "outbox",
        outbox,
        lambda _: (
            # Nearly all are in these states: their index would read all rows instead of the old ones.
            outbox.c.state.concat("").in_(("sent", "refused", "merged")),
            _no_work(outbox.c.message_id),
            ~sa.exists().where(bulk_runs.c.message_id == outbox.c.message_id, bulk_runs.c.ended_at.is_(None)),
        ),
        outbox.c.created_at,
    ),
    ExpiredRows("firings", firings, _always, firings.c.fired_at),
    ExpiredRows(
        "firings", automation_firings, lambda _: (_no_work(automation_firings.c.event_id),), automation_firings.c.at
    ),
    ExpiredRows("firings", waits, lambda _: (waits.c.settled_at.is_not(None),), waits.c.settled_at),
    ExpiredRows("events", events, lambda _: (_no_work(events.c.event_id),), events.c.at),
    ExpiredRows(
        "hooks",
        hooks,
        lambda _: (
            hooks.c.state.in_(("done", "refused", "dead_letter")),
            _no_work(hooks.c.hook_id),
            # A pending replay has its number after the id.
            ~sa.exists().where(work.c.kind == "hook", work.c.subject.startswith(hooks.c.hook_id + ":")),
        ),
        hooks.c.received_at,
    ),
    ExpiredRows("run_records", run_records, _always, run_records.c.at),
    ExpiredRows("polled", polled, lambda _: (polled.c.removed_at.is_not(None),), polled.c.removed_at),
)
"""In the order of their deletion."""
