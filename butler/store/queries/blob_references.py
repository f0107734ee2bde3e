"""The blobs that rows refer to, in any column: a digest is recognized by its form."""

import re
from collections.abc import Set as AbstractSet
from typing import Final

import sqlalchemy as sa

from butler.store.tables import metadata

_DIGEST: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_SHORTEST: Final = 64
_AT_ONCE: Final = 500


def named(connection: sa.Connection, digests: AbstractSet[str]) -> set[str]:
    """Return those of `digests` that occur in any row, at one moment. Scans every text of the database."""
    found, left = set[str](), set(digests)
    for table in metadata.sorted_tables:
        columns = [
            sa.cast(column, sa.Text)
            for column in table.columns
            if isinstance(column.type, sa.Text | sa.JSON | sa.types.TypeDecorator) and not _is_number(column)
        ]
        if not columns or not left:
            continue
        stored = connection.execution_options(yield_per=_AT_ONCE).execute(sa.select(*columns))
        for row in stored:
            for text in row:
                if text and len(text) >= _SHORTEST and (here := left.intersection(_DIGEST.findall(text))):
                    found |= here
                    left -= here
    return found


def _is_number(column: sa.Column[object]) -> bool:
    return isinstance(column.type, sa.types.TypeDecorator) and isinstance(column.type.impl_instance, sa.BigInteger)
