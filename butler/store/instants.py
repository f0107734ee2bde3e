"""Stores moments as whole microseconds since 1970, which both databases sort and compare alike."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(sa.TypeDecorator[datetime]):
    """An aware time in UTC, stored as whole microseconds."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:  # noqa: ARG002 - the base's signature
        return None if value is None else (value - EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002 - the base's signature
        return None if value is None else EPOCH + timedelta(microseconds=value)
