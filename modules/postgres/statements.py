"""Builds SQL for queries of tables, functions and searches: names are quoted, values are always bound."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg import sql

from modules.postgres.config import Distance, VectorSettings
from modules.postgres.records import Condition, QueryArgs, VectorSearchArgs

_OPERATORS = {
    "eq": sql.SQL("="),
    "neq": sql.SQL("<>"),
    "gt": sql.SQL(">"),
    "gte": sql.SQL(">="),
    "lt": sql.SQL("<"),
    "lte": sql.SQL("<="),
    "like": sql.SQL("LIKE"),
    "ilike": sql.SQL("ILIKE"),
}
_IS = {None: sql.SQL("IS NULL"), True: sql.SQL("IS TRUE"), False: sql.SQL("IS FALSE")}
_DISTANCES = {Distance.COSINE: sql.SQL("<=>"), Distance.L2: sql.SQL("<->"), Distance.IP: sql.SQL("<#>")}
_SCORES = {
    Distance.COSINE: sql.SQL("1 - ({})"),
    Distance.L2: sql.SQL("- ({})"),
    # pgvector's operator gives the negative inner product.
    Distance.IP: sql.SQL("- ({})"),
}


@dataclass(slots=True)
class Statement:
    """A query with $1, $2, ... and their values."""

    query: sql.Composed | sql.SQL = field(default_factory=lambda: sql.SQL(""))
    values: list[Any] = field(default_factory=list[Any])

    def bind(self, value: Any) -> sql.SQL:
        """Add a value, and return its placeholder."""
        self.values.append(value)
        return sql.SQL(f"${len(self.values)}")  # pyright: ignore[reportArgumentType] - a number of ours


def select(args: QueryArgs, limit: int) -> Statement:
    """Return a query of the rows of a table, or of a function's result."""
    made = Statement()
    columns = sql.SQL(", ").join(map(sql.Identifier, args.select)) if args.select else sql.SQL("*")
    made.query = sql.SQL("SELECT {} FROM {}{}{} LIMIT {}").format(
        columns, _source(args, made), _where(args.where, made), _order(args), made.bind(limit)
    )
    return made


def nearest(search: VectorSettings, vector: Sequence[float], args: VectorSearchArgs) -> Statement:
    """Return a query of the nearest rows' id, text, score and further columns."""
    made = Statement()
    column = sql.Identifier(search.column)
    given = made.bind(f"[{','.join(map(repr, vector))}]")
    distance = sql.SQL("{} {} {}").format(column, _DISTANCES[search.distance], given)
    text = sql.Identifier(search.text_column) if search.text_column else sql.SQL("''")
    parts = [sql.Identifier(search.id_column), text, _SCORES[search.distance].format(distance)]
    # A row without a vector has no distance.
    there = sql.SQL("{} IS NOT NULL").format(column)
    made.query = sql.SQL("SELECT {} FROM {}{} ORDER BY {} LIMIT {}").format(
        sql.SQL(", ").join([*parts, *map(sql.Identifier, search.columns)]),
        named(search.table),
        _where(args.where, made, there),
        distance,
        made.bind(args.limit),
    )
    return made


def named(relation: str) -> sql.Identifier:
    """Return `schema.table` as SQL."""
    return sql.Identifier(*relation.split("."))


def _source(args: QueryArgs, made: Statement) -> sql.Composable:
    if args.table is not None:
        return named(args.table)
    assert args.function is not None, "the arguments name a table or a function"
    given = [
        sql.SQL("{} => {}").format(sql.Identifier(name), made.bind(value)) for name, value in args.arguments.items()
    ]
    return sql.SQL("{}({})").format(named(args.function), sql.SQL(", ").join(given))


def _where(conditions: Sequence[Condition], made: Statement, *more: sql.Composable) -> sql.Composable:
    every = [*more, *(_condition(one, made) for one in conditions)]
    return sql.SQL(" WHERE {}").format(sql.SQL(" AND ").join(every)) if every else sql.SQL("")


def _condition(condition: Condition, made: Statement) -> sql.Composable:
    column = sql.Identifier(condition.column)
    match condition.op, condition.value:
        case "is", None | bool() as value:
            return sql.SQL("{} {}").format(column, _IS[value])
        case "in", list() as values:
            places = [made.bind(value) for value in values] or [sql.SQL("NULL")]
            return sql.SQL("{} IN ({})").format(column, sql.SQL(", ").join(places))
        case op, value:
            return sql.SQL("{} {} {}").format(column, _OPERATORS[op], made.bind(value))


def _order(args: QueryArgs) -> sql.Composable:
    if not args.order:
        return sql.SQL("")
    terms = [
        sql.SQL("{} DESC" if one.descending else "{} ASC").format(sql.Identifier(one.column)) for one in args.order
    ]
    return sql.SQL(" ORDER BY {}").format(sql.SQL(", ").join(terms))
