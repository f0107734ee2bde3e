"""The same queries through PostgREST, if only a key is set: of tables and functions, without free SQL.

It reads by GET, which PostgREST runs in a READ ONLY transaction.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, cast

from pydantic import ValidationError

from butler.contract.errors import IntegrationErrorCode as Code
from butler.contract.errors import IntegrationFault
from butler.contract.records import Record
from butler.contract.speech import phrase, say
from modules._remote.http import HttpAnswer, HttpPeer, unusable, with_reason
from modules.postgres.config import PostgresSettings, VectorSettings
from modules.postgres.meanings import meaning_of
from modules.postgres.plain import plain
from modules.postgres.records import ColumnInfo, Condition, Match, QueryAnswer, QueryArgs, VectorSearchArgs

_OWN: dict[str, tuple[Code, str]] = {
    "PGRST003": (Code.RATE_LIMITED, phrase("the database has no room for another connection; try again later")),
    "PGRST116": (Code.NOT_FOUND, phrase("there is no such row")),
    "PGRST106": (Code.NOT_FOUND, phrase("this schema is not offered")),
    "PGRST200": (Code.NOT_FOUND, phrase("there is no such relationship")),
    "PGRST202": (Code.NOT_FOUND, phrase("there is no such function with these arguments")),
    "PGRST203": (Code.INVALID_INPUT, phrase("several functions fit these arguments")),
    "PGRST204": (Code.NOT_FOUND, phrase("there is no such column")),
    "PGRST205": (Code.NOT_FOUND, phrase("there is no such table")),
    "PGRST300": (Code.UNAVAILABLE, phrase("the server has no secret to check keys with")),
    "PGRST301": (Code.AUTH_REQUIRED, phrase("the server does not take the key")),
    "PGRST302": (Code.AUTH_REQUIRED, phrase("the server asks for a key")),
    "PGRST303": (Code.AUTH_REQUIRED, phrase("the key has run out or is not for this")),
    "PGRST0": (Code.UNAVAILABLE, phrase("the database cannot be reached")),
    "PGRST1": (Code.INVALID_INPUT, phrase("the server could not use the request")),
    "PGRST2": (Code.INVALID_INPUT, phrase("the server could not use the request")),
    "PGRST3": (Code.AUTH_REQUIRED, phrase("the server does not take the key")),
    "PGRSTX": (Code.UNAVAILABLE, phrase("the server has trouble of its own")),
}
_SQLSTATE = re.compile(r"^[0-9A-Z]{5}$")
_RESERVED = frozenset({"select", "order", "limit", "offset", "and", "or", "not", "columns", "on_conflict"})
NO_SQL = phrase(
    "SQL needs the database's own address in {url_env}; through the REST API, name a `table` or `function` with `where`"
)


class _Refusal(Record):
    """PostgREST's errors, always of these keys."""

    code: str
    message: str = ""


class Rest:
    """A PostgREST server, such as that of a Supabase project."""

    def __init__(self, key: str, settings: PostgresSettings) -> None:
        assert settings.rest_url is not None, "made only where the settings name it"
        self._settings = settings
        headers = {"apikey": key, "User-Agent": "butler"}
        # Supabase's newer keys are no JWTs, and are sent as `apikey` only.
        if key.count(".") == 2:  # noqa: PLR2004 - a JWT has three parts
            headers["Authorization"] = f"Bearer {key}"
        self._secrets = (key,)
        self._peer = HttpPeer(
            settings.rest_url, headers=headers, secrets=self._secrets, tls_ca=settings.tls_ca, refused=self._refused
        )

    async def whoami(self) -> str:
        """Return the server's address if it accepts the key. Raise `IntegrationFault`."""
        try:
            await self._request("HEAD", "/", as_json=False)
        except IntegrationFault as fault:
            # A server without a description of itself still checks the key.
            if fault.code is not Code.NOT_FOUND:
                raise
        return str(self._settings.rest_url)

    async def query(self, args: QueryArgs) -> QueryAnswer:
        """Return the rows of a table or function. Raise `IntegrationFault`."""
        if args.sql:
            raise IntegrationFault(Code.INVALID_INPUT, say(NO_SQL, url_env=self._settings.url_env))
        limit = min(args.limit, self._settings.max_rows)
        # One row more than is shown tells whether there are more; the server never returns more than its own limit.
        asked = min(limit + 1, self._settings.max_rows)
        query = [*_filters(args.where), ("limit", str(asked))]
        if args.select:
            query.append(("select", ",".join(args.select)))
        if args.order:
            query.append(("order", ",".join(f"{o.column}.{'desc' if o.descending else 'asc'}" for o in args.order)))
        path, headers = _place(args.table or args.function or "", function=args.function is not None)
        query.extend((_column(name), _error_text(value)) for name, value in args.arguments.items())
        answer = await self._request("GET", path, params=query, headers=headers)
        rows = _rows(answer.json)
        return self._table(rows[:limit], args.select, whole=len(rows) <= limit and len(rows) < self._settings.max_rows)

    async def search(self, search: VectorSettings, vector: Sequence[float], args: VectorSearchArgs) -> list[Match]:
        """Return the matches of a search function. Raise `IntegrationFault`."""
        if search.function is None:
            text = say("searching {name} through the REST API needs its `function` in the settings", name=search.name)
            raise IntegrationFault(Code.INVALID_INPUT, text)
        path, headers = _place(search.function, function=True, write=True)
        answer = await self._request(
            "POST",
            path,
            params=[*_filters(args.where), ("limit", str(args.limit))],
            body={"query_embedding": list(vector), "match_count": args.limit},
            headers=headers,
        )
        return [self._match(search, row) for row in _rows(answer.json)]

    async def close(self) -> None:
        """Close the connections."""
        await self._peer.close()

    async def _request(self, method: str, path: str, **more: Any) -> HttpAnswer:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._peer.request(method, path, **more)
        except TimeoutError:
            raise IntegrationFault(Code.TIMEOUT, say("the server did not answer in time")) from None

    def _table(self, rows: list[dict[str, Any]], select: Sequence[str], *, whole: bool) -> QueryAnswer:
        names = list(select) or list(dict.fromkeys(name for row in rows for name in row))
        kept: list[list[Any]] = []
        size = 0
        for row in rows:
            read = [plain(row.get(name), self._settings.max_value_chars) for name in names]
            size += sum(len(str(value)) for value, _ in read)
            if size > self._settings.max_bytes:
                whole = False
                break
            kept.append([value for value, _ in read])
            whole = whole and all(all_there for _, all_there in read)
        columns = [ColumnInfo(name=name, type="") for name in names]
        return QueryAnswer(columns=columns, rows=kept, count=len(kept), complete=whole)

    def _match(self, search: VectorSettings, row: dict[str, Any]) -> Match:
        longest = self._settings.max_value_chars
        try:
            return Match(
                id=str(row[search.id_column]),
                score=row[search.score_column],
                text=plain(str(row.get(search.text_column or "") or ""), longest)[0],
                row={name: plain(row.get(name), longest)[0] for name in search.columns},
            )
        except (KeyError, ValidationError):
            raise unusable(f"row with {search.id_column} and {search.score_column}") from None

    def _refused(self, answer: HttpAnswer) -> IntegrationFault | None:
        """Return the fault of a refusal by its code; None for a gateway's, which has no code."""
        try:
            refusal = _Refusal.model_validate(answer.json)
        except ValidationError:
            return None
        own = _OWN.get(refusal.code) or _OWN.get(refusal.code[:6])
        if own is None and not _SQLSTATE.match(refusal.code):
            return None
        code, sentence = own or meaning_of(refusal.code)
        return IntegrationFault(
            code,
            with_reason(say(sentence), refusal.message, self._secrets),
            http_status=answer.status,
            provider_code=refusal.code,
        )


def _place(relation: str, *, function: bool, write: bool = False) -> tuple[str, dict[str, str]]:
    """Return path and headers of a table or function; its schema goes into a header."""
    schema, _, name = relation.rpartition(".")
    headers = {"Content-Profile" if write else "Accept-Profile": schema} if schema else {}
    return (f"/rpc/{name}" if function else f"/{name}"), headers


def _filters(conditions: Sequence[Condition]) -> list[tuple[str, str]]:
    return [(_column(one.column), _comparison(one)) for one in conditions]


def _column(name: str) -> str:
    if name in _RESERVED:
        text = say("the REST API cannot compare a column called {name}", name=name)
        raise IntegrationFault(Code.INVALID_INPUT, text)
    return name


def _comparison(condition: Condition) -> str:
    match condition.op, condition.value:
        case "in", list() as values:
            return f"in.({','.join(map(_quoted, values))})"
        case ("like" | "ilike") as op, str() as pattern:
            if "*" in pattern:
                text = say("the REST API takes * for any text, so it cannot look for one")
                raise IntegrationFault(Code.INVALID_INPUT, text)
            return f"{op}.{pattern}"
        case op, value:
            return f"{op}.{_error_text(value)}"


def _quoted(value: Any) -> str:
    escaped = _error_text(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _error_text(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def _rows(answer: Any) -> list[dict[str, Any]]:
    """Return a table's rows, or a function's single value as a row of one column."""
    if not isinstance(answer, list):
        return [cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"value": answer}]
    rows = cast("list[Any]", answer)
    return [cast("dict[str, Any]", row) if isinstance(row, dict) else {"value": row} for row in rows]
