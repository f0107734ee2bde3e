"""The usage of language models, a row for each day in the owner's zone."""

from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from butler.store.tables import model_use


@dataclass(frozen=True, slots=True)
class Used:
    """Requests, tokens, and the cost in US dollars."""

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0


def add(connection: sa.Connection, day: date, used: Used) -> None:
    """Add to a day's usage."""
    more = {
        "requests": model_use.c.requests + used.requests,
        "tokens": model_use.c.tokens + used.tokens,
        "cost": model_use.c.cost + used.cost,
    }
    if not connection.execute(model_use.update().where(model_use.c.day == day.isoformat()).values(more)).rowcount:
        values = {"day": day.isoformat(), "requests": used.requests, "tokens": used.tokens, "cost": used.cost}
        connection.execute(model_use.insert().values(values))


def of_day(connection: sa.Connection, day: date) -> Used:
    """Return the usage of a day."""
    return _sum(connection, model_use.c.day == day.isoformat())


def of_month(connection: sa.Connection, day: date) -> Used:
    """Return the usage in the calendar month of a day."""
    return _sum(connection, model_use.c.day.startswith(f"{day:%Y-%m}-"))


def _sum(connection: sa.Connection, where: sa.ColumnElement[bool]) -> Used:
    columns = (model_use.c.requests, model_use.c.tokens, model_use.c.cost)
    sums = [sa.func.coalesce(sa.func.sum(column), 0) for column in columns]
    requests, tokens, cost = tuple(connection.execute(sa.select(*sums).where(where)).one())
    return Used(int(requests), int(tokens), float(cost))
