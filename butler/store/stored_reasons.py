"""Stores reasons in a text column, as the JSON of their codes and values."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from butler.contract.reasons import Reason, reasons_of_text, reasons_to_text


class StoredReasons(sa.TypeDecorator[tuple[Reason, ...]]):
    """Reasons with their values; a text from before the codes is read unchanged."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Iterable[Reason] | None, dialect: sa.Dialect) -> Any:  # noqa: ARG002 - the base's signature
        return None if value is None else reasons_to_text(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> tuple[Reason, ...]:  # noqa: ARG002 - the base's signature
        return reasons_of_text(value or "")
