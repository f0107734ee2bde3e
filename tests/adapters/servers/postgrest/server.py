"""The server: it takes a key, and answers from a real PostgreSQL in a transaction as PostgREST would have it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import psycopg
from aiohttp import web
from psycopg import AsyncConnection, AsyncRawCursor, sql

from butler_demo.serving import Port
from tests.adapters.servers.postgrest.query_parsing import OPERATORS, Asked, RefusedError, asked

_FUNCTION = """
SELECT p.proargnames, p.proretset OR t.typtype = 'c' FROM pg_proc AS p
JOIN pg_type AS t ON t.oid = p.prorettype JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND p.proname = $2
"""
_STATUSES = {"23503": 409, "23505": 409, "25006": 405, "42883": 404, "42P01": 404, "42501": 403, "42P17": 500}
_BY_CLASS = {
    **dict.fromkeys(("08", "53"), 503),
    **dict.fromkeys(("0L", "0P", "28"), 403),
    **dict.fromkeys(("09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX"), 500),
}


@dataclass(frozen=True, slots=True)
class Answered:
    """What a request comes to: JSON, of which schema, and which rows those are."""

    body: str
    schema: str
    first: int
    count: int


@dataclass
class PostgrestServer:
    """On a port of its own; `url` once it is entered, `requests` counts what came."""

    database_url: str
    key: str
    schemas: Sequence[str] = ("public",)
    max_rows: int = 1000
    url: str = ""
    requests: int = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/rest/v1/", self._root)
        app.router.add_get("/rest/v1/{table}", self._guarded)
        app.router.add_get("/rest/v1/rpc/{function}", self._guarded, allow_head=False)
        app.router.add_post("/rest/v1/rpc/{function}", self._guarded)
        self._port = Port(shutdown_timeout=0.1)
        await self._port.open(app)
        self.url = f"{self._port.root}/rest/v1"
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._port.close()

    async def _root(self, request: web.Request) -> web.Response:
        self.requests += 1
        if (refusal := self._gate(request)) is not None:
            return refusal
        info = {"title": "PostgREST API", "description": "", "version": "14.0"}
        described = {"swagger": "2.0", "info": info, "basePath": "/", "paths": {"/": {"get": {"responses": {}}}}}
        return web.json_response(described, content_type="application/openapi+json")

    async def _guarded(self, request: web.Request) -> web.Response:
        self.requests += 1
        if (refusal := self._gate(request)) is not None:
            return refusal
        try:
            answered = await self._answer(request)
        except RefusedError as error:
            return _refusal(error.status, error.code, error.message, error.hint, error.details)
        except psycopg.Error as error:
            code = error.sqlstate or "XX000"
            status = _STATUSES.get(code) or _BY_CLASS.get(code[:2], 400)
            return _refusal(status, code, error.diag.message_primary or "", error.diag.message_hint)
        headers = {"Content-Range": _range(answered.first, answered.count)}
        if len(self.schemas) > 1:
            headers["Content-Profile"] = answered.schema
        return web.Response(text=answered.body, content_type="application/json", charset="utf-8", headers=headers)

    def _gate(self, request: web.Request) -> web.Response | None:
        """The gateway before PostgREST looks at `apikey`, and PostgREST itself at the JWT."""
        if request.headers.get("apikey") != self.key:
            return web.Response(status=401)
        if (said := request.headers.get("Authorization")) is not None and (
            self.key.startswith("sb_") or said != f"Bearer {self.key}"
        ):
            return _refusal(401, "PGRST301", f"Expected 3 parts in JWT; got {said.count('.') + 1}")
        return None

    async def _answer(self, request: web.Request) -> Answered:
        posted = request.method == "POST"
        schema = request.headers.get("Content-Profile" if posted else "Accept-Profile", self.schemas[0])
        if schema not in self.schemas:
            exposed = f"Only the following schemas are exposed: {', '.join(self.schemas)}"
            raise RefusedError(406, "PGRST106", f"Invalid schema: {schema}", hint=exposed)
        connection = await AsyncConnection.connect(self.database_url, cursor_factory=AsyncRawCursor, autocommit=True)
        async with connection:
            # POST runs a function that may change something in a transaction that may.
            await connection.execute("BEGIN" if posted else "BEGIN READ ONLY")
            if "table" in request.match_info:
                return await self._table(connection, schema, request)
            return await self._function(connection, schema, request, posted=posted)

    async def _table(self, connection: AsyncConnection[Any], schema: str, request: web.Request) -> Answered:
        name = request.match_info["table"]
        there = await connection.execute("SELECT to_regclass(format('%I.%I', $1::text, $2::text))", [schema, name])
        if await there.fetchone() == (None,):
            raise RefusedError(404, "PGRST205", f"Could not find the table '{schema}.{name}' in the schema cache")
        return await self._rows(connection, schema, sql.Identifier(schema, name), asked(request.query.items()), [])

    async def _function(
        self, connection: AsyncConnection[Any], schema: str, request: web.Request, *, posted: bool
    ) -> Answered:
        name = request.match_info["function"]
        found = await (await connection.execute(_FUNCTION, [schema, name])).fetchone()
        names: Sequence[str] = (found[0] or []) if found else []
        wanted = asked(request.query.items(), None if posted else names)
        given: Mapping[str, Any] = await _body(request) if posted else wanted.arguments
        if found is None or not set(given) <= set(names):
            raise _no_function(f"{schema}.{name}", list(given))
        values = [one if isinstance(one, str) else json.dumps(one) for one in given.values()]
        said = [
            sql.SQL("{} => {}").format(sql.Identifier(argument), _place(number))
            for number, argument in enumerate(given, start=1)
        ]
        called = sql.SQL("{}({})").format(sql.Identifier(schema, name), sql.SQL(", ").join(said))
        if found[1]:
            return await self._rows(connection, schema, called, wanted, values)
        single = await connection.execute(sql.SQL("SELECT to_json({})::text").format(called), values)
        row = await single.fetchone()
        return Answered(str(row[0]) if row else "null", schema, 0, 1)

    async def _rows(
        self, connection: AsyncConnection[Any], schema: str, source: sql.Composable, wanted: Asked, values: list[str]
    ) -> Answered:
        limit = min(wanted.limit if wanted.limit is not None else self.max_rows, self.max_rows)
        query = sql.SQL(
            "SELECT coalesce(json_agg(answer), '[]')::text, count(*)"
            " FROM (SELECT {} FROM {} AS source{}{} LIMIT {} OFFSET {}) AS answer"
        ).format(
            sql.SQL(", ").join(map(sql.Identifier, wanted.select)) if wanted.select else sql.SQL("*"),
            source,
            _where(wanted, values),
            _order(wanted),
            sql.Literal(limit),
            sql.Literal(wanted.offset),
        )
        row = await (await connection.execute(query, values)).fetchone()
        body, count = row or ("[]", 0)
        return Answered(str(body), schema, wanted.offset, int(count))


def _where(wanted: Asked, values: list[str]) -> sql.Composable:
    terms: list[sql.Composable] = []
    for one in wanted.filters:
        column, operator = sql.Identifier(one.column), sql.SQL(cast("Any", OPERATORS[one.op]))
        if one.op == "is":
            state = one.values[0].upper().replace("_", " ")
            terms.append(sql.SQL("{} IS {}").format(column, sql.SQL(cast("Any", state))))
            continue
        places: list[sql.Composable] = []
        for value in one.values:
            values.append(value)
            places.append(_place(len(values)))
        place = sql.SQL("({})").format(sql.SQL(", ").join(places or [sql.SQL("NULL")])) if one.op == "in" else places[0]
        terms.append(sql.SQL("{} {} {}").format(column, operator, place))
    return sql.SQL(" WHERE {}").format(sql.SQL(" AND ").join(terms)) if terms else sql.SQL("")


def _order(wanted: Asked) -> sql.Composable:
    terms = [
        sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(cast("Any", direction)))
        for column, direction in wanted.order
    ]
    return sql.SQL(" ORDER BY {}").format(sql.SQL(", ").join(terms)) if terms else sql.SQL("")


def _place(number: int) -> sql.SQL:
    return sql.SQL(cast("Any", f"${number}"))


async def _body(request: web.Request) -> Mapping[str, Any]:
    try:
        given = await request.json()
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise RefusedError(400, "PGRST102", "Empty or invalid json")
    return cast("dict[str, Any]", given)


def _range(first: int, count: int) -> str:
    return f"{first}-{first + count - 1}/*" if count else "*/*"


def _no_function(name: str, given: list[str]) -> RefusedError:
    """PGRST202, without PostgREST's guess at what was meant."""
    called = f"{name}({', '.join(given)})" if given else f"{name} without parameters"
    plural = "parameters" if len(given) > 1 else "parameter"
    searched = f"{name} with {plural} {', '.join(given)}" if given else f"{name} without parameters"
    return RefusedError(
        404,
        "PGRST202",
        f"Could not find the function {called} in the schema cache",
        details=f"Searched for the function {searched}, but no matches were found in the schema cache.",
    )


def _refusal(status: int, code: str, message: str, hint: str | None = None, details: str | None = None) -> web.Response:
    body = {"code": code, "details": details, "hint": hint, "message": message}
    headers = {"Proxy-Status": f"PostgREST; error={code}"}
    if code.startswith("PGRST3"):
        headers["WWW-Authenticate"] = f'Bearer error="invalid_token", error_description="{message}"'
    return web.json_response(body, status=status, headers=headers)
