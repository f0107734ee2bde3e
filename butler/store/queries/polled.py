"""Polled records, upserted by the provider's own ids."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.contract.polled import AllOf, Polled, PolledChange, PolledQuery
from butler.store.tables import polled

_KEY = ("channel", "account", "kind", "ref")
_BY_KEY = sa.select(polled).where(*(polled.c[name] == sa.bindparam(name) for name in _KEY))
_ADD = polled.insert()


def keep(connection: sa.Connection, records: Iterable[Polled], now: datetime) -> list[PolledChange]:
    """Upsert records; return those that changed. A removed record that was never stored changes nothing."""
    return [change for record in records if (change := _keep(connection, record, now)) is not None]


def others(connection: sa.Connection, all_of: AllOf, refs: Collection[str]) -> list[Polled]:
    """Return the existing records of a part that are not among these."""
    query = sa.select(polled).where(
        polled.c.channel == all_of.channel,
        polled.c.account == all_of.account,
        polled.c.kind == all_of.kind.value,
        polled.c.removed_at.is_(None),
    )
    found = map(_record, connection.execute(query).mappings())
    return [record for record in found if record.ref not in refs and all_of.part(record)]


def find(connection: sa.Connection, query: PolledQuery) -> list[Polled]:
    """Return records that are not removed, in the order of their times."""
    rows = connection.execute(
        sa.select(polled).where(*_wanted(query)).order_by(polled.c.at, polled.c.ref).limit(query.limit)
    )
    return [_record(row) for row in rows.mappings()]


def _wanted(query: PolledQuery) -> Iterator[sa.ColumnElement[bool]]:
    yield polled.c.kind == query.kind.value
    yield polled.c.removed_at.is_(None)
    if query.channel:
        yield polled.c.channel == query.channel
    if query.account:
        yield polled.c.account == query.account
    if query.since is not None:
        yield sa.func.coalesce(polled.c.ends_at, polled.c.at) > _micros(query.since)
    if query.until is not None:
        yield polled.c.at < query.until


def _micros(at: datetime) -> sa.BindParameter[datetime]:
    return sa.bindparam(None, at, type_=polled.c.at.type)


def _keep(connection: sa.Connection, record: Polled, now: datetime) -> PolledChange | None:
    key = {"channel": record.channel, "account": record.account, "kind": record.kind.value, "ref": record.ref}
    row = connection.execute(_BY_KEY, key).mappings().first()
    before = None if row is None else _record(row)
    if before == record or (record.removed and (before is None or before.removed)):
        return None
    values: dict[str, Any] = {**record.model_dump(mode="json"), **key, "at": record.at, "ends_at": record.ends_at}
    values |= {"changed_at": now, "removed_at": now if values.pop("removed") else None}
    if record.removed and before is not None:
        # Its former content is still reported; the provider only says that it is gone.
        values |= {"item": before.item, "at": before.at, "ends_at": before.ends_at}
    if before is None:
        connection.execute(_ADD, values)
    else:
        this = (polled.c[name] == key[name] for name in _KEY)
        connection.execute(polled.update().where(*this).values(values))
    return PolledChange(before, record)


def _record(row: sa.RowMapping) -> Polled:
    values = {name: row[name] for name in Polled.model_fields if name != "removed"}
    return Polled.model_validate(values | {"removed": row["removed_at"] is not None})
