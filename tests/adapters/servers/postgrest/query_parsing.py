"""A query string of PostgREST's as what is asked for; what cannot be parsed is PGRST100."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_$]*$")
OPERATORS = {
    "eq": "=",
    "neq": "<>",
    "gt": ">",
    "gte": ">=",
    "lt": "<",
    "lte": "<=",
    "like": "LIKE",
    "ilike": "ILIKE",
    "in": "IN",
    "is": "IS",
}
IS = frozenset({"null", "not_null", "true", "false", "unknown"})
_NO_COLUMNS = frozenset({"select", "order", "limit", "offset", "and", "or", "columns", "on_conflict"})
_TERM = re.compile(r"^([A-Za-z_][A-Za-z0-9_$]*)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$")
_ITEM = re.compile(r'"((?:[^"\\]|\\.)*)"|([^",()]+)')


class RefusedError(Exception):
    """An answer of PostgREST's own, with its code."""

    def __init__(
        self, status: int, code: str, message: str, *, hint: str | None = None, details: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.hint, self.details = hint, details


def unparsed(what: str, details: str | None = None) -> RefusedError:
    """PGRST100."""
    return RefusedError(400, "PGRST100", f'"failed to parse {what}" (line 1, column 1)', details=details)


@dataclass(frozen=True, slots=True)
class Filter:
    """`column=op.value`; of `in`, the values one by one."""

    column: str
    op: str
    values: Sequence[str]


@dataclass(slots=True)
class Asked:
    """All of a query string; `arguments` are a function's."""

    select: list[str] = field(default_factory=list[str])
    filters: list[Filter] = field(default_factory=list[Filter])
    order: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Columns, and in which direction with where the nulls go, as SQL has it."""
    limit: int | None = None
    offset: int = 0
    arguments: dict[str, str] = field(default_factory=dict[str, str])


def asked(query: Iterable[tuple[str, str]], argument_names: Sequence[str] | None = None) -> Asked:
    """Parse it; of a function's query, what has its arguments' names, or is no filter, is an argument.

    Raises `RefusedError`.
    """
    found = Asked()
    for name, value in query:
        match name:
            case _ if argument_names is not None and (name in argument_names or not _is_filter(name, value)):
                found.arguments[name] = value
            case "select":
                found.select = [_name(part, "select parameter") for part in value.split(",")]
            case "order":
                found.order = [_term(part) for part in value.split(",")]
            case "limit":
                found.limit = _count(value)
            case "offset":
                found.offset = _count(value)
            case "and" | "or" | "columns" | "on_conflict":
                raise unparsed(f"{name}: this server does not know it")
            case _:
                found.filters.append(_filter(name, value))
    return found


def _is_filter(name: str, value: str) -> bool:
    return name in _NO_COLUMNS or value.partition(".")[0] in OPERATORS


def _filter(name: str, value: str) -> Filter:
    op, dot, said = value.partition(".")
    if not dot or op not in OPERATORS:
        expected = f'unexpected "{value[:1]}" expecting "not" or operator (eq, gt, ...)'
        raise unparsed(f"filter ({value})", expected)
    if op == "is" and said.lower() not in IS:
        raise unparsed(f"filter ({value})")
    if op in {"like", "ilike"}:
        said = said.replace("*", "%")
    return Filter(_name(name, "column"), op, _items(said) if op == "in" else [said])


def _items(said: str) -> list[str]:
    """`(1,"two, too")`."""
    if not (said.startswith("(") and said.endswith(")")):
        raise unparsed(f"in.{said}")
    inner, at, items = said[1:-1], 0, list[str]()
    if not inner.strip():
        return items
    while at < len(inner):
        match = _ITEM.match(inner, at)
        if match is None:
            raise unparsed(f"in.{said}")
        items.append(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL) if match[2] is None else match[2])
        at = match.end()
        if at < len(inner):
            if inner[at] != "," or at + 1 == len(inner):
                raise unparsed(f"in.{said}")
            at += 1
    return items


def _term(text: str) -> tuple[str, str]:
    match = _TERM.match(text)
    if match is None:
        raise unparsed(f"order ({text})")
    nulls = {"nullsfirst": " NULLS FIRST", "nullslast": " NULLS LAST"}.get(match[3] or "", "")
    return match[1], (match[2] or "asc").upper() + nulls


def _name(text: str, what: str) -> str:
    if not NAME.match(text):
        raise unparsed(f"{what} ({text})")
    return text


def _count(text: str) -> int:
    if not text.isdigit():
        raise unparsed(f"limit ({text})")
    return int(text)
