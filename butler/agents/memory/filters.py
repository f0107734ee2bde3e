"""The filters of a memory query as a condition of the index, applied within the search so that no result is lost."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, cast

from butler.contract.agent_ports import MemoryKind
from butler.contract.errors import Refuse
from butler.store.instants import EPOCH

PERSON: Final = "person"
VALUES: Final = ("kind", "source_id", PERSON, "account")
SOURCE_TYPE: Final = "source_type"
"""The prefix of a source's id: `gdrive`, `web`, `local`, `file`, `mail`, `chat`, `note`."""
TIMES: Final = {"after": ">=", "before": "<"}


class FilterError(Refuse):
    """Memory cannot be filtered by this."""


def condition(filters: Mapping[str, Any] | None) -> str:
    """Return SQL over the index's columns; empty without filters. Raise `FilterError`."""
    parts: list[str] = []
    for name, value in (filters or {}).items():
        if name in VALUES:
            parts.append(one_of(name, _several(name, value)))
        elif name == SOURCE_TYPE:
            begins = (f"starts_with(source_id, '{one}:')" for one in _source_types(value))
            parts.append(f"({' OR '.join(begins)})")
        elif name in TIMES:
            parts.append(f"at {TIMES[name]} {micros(_time(name, value))}")
        else:
            raise FilterError(f"there is no {name!r}; there are {', '.join((*VALUES, SOURCE_TYPE, *TIMES))}")
    return " AND ".join(parts)


def one_of(column: str, values: list[str]) -> str:
    """Return SQL for a column that equals one of these texts."""
    quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    return f"{column} IN ({quoted})" if quoted else "false"


def micros(at: datetime) -> int:
    """Return a time as the index stores it."""
    return (at - EPOCH) // timedelta(microseconds=1)


def _source_types(value: Any) -> list[str]:
    found = texts(value)
    if not found or not all(one.isascii() and one.isalpha() for one in found):
        raise FilterError(f"{SOURCE_TYPE!r} takes a word such as gdrive, web or local")
    return found


def texts(value: Any) -> list[str]:
    """Return the values of a filter, which may be a single value or several."""
    several = cast("Iterable[Any]", value) if isinstance(value, list | tuple | set | frozenset) else [value]
    return [str(one) for one in several]


def _several(name: str, value: Any) -> list[str]:
    found = texts(value)
    if name == "kind" and (unknown := [one for one in found if one not in set(MemoryKind)]):
        raise FilterError(f"there is no kind {unknown[0]!r}; there are {', '.join(MemoryKind)}")
    return [one.lower() for one in found] if name == PERSON else found


def _time(name: str, value: Any) -> datetime:
    try:
        at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError as error:
        raise FilterError(f"{name!r} takes a time such as 2026-05-01T00:00:00+00:00") from error
    if at.tzinfo is None:
        raise FilterError(f"{name!r} takes a time with its offset from UTC")
    return at
