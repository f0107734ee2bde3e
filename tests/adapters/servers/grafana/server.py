"""Grafana as its published description has it: dashboards, data sources, queries and pictures, over a real socket.

Each request and each answer is held against the description; what is not in it ends in `problems` and a 500.
"""

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from tests.adapters.servers.openapi import Described, NotAsDescribedError, OpenApi

Json = dict[str, Any]
API = OpenApi.load(Path(__file__).with_name("grafana-openapi.json"))
TOKEN = "glsa_the-butlers-own-token_0123abcd"
Query = Callable[[Json, Json], list[Json]]
"""Takes a query and the whole request, and gives frames; raises `QueryError`."""


class QueryError(Exception):
    """A data source refuses a query."""


def frame(times: list[int], values: list[Any], *, name: str = "", labels: Mapping[str, str] | None = None) -> Json:
    """A frame of one series, as a Prometheus gives it; `name` is its legend."""
    number: Json = {"name": "Value", "type": "number", "labels": dict(labels or {})}
    if name:
        number["config"] = {"displayNameFromDS": name}
    return {
        "schema": {"refId": "A", "fields": [{"name": "Time", "type": "time"}, number]},
        "data": {"values": [times, values]},
    }


def png(width: int, height: int, shade: int = 200) -> bytes:
    """A real picture, all in one grey."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([shade]) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


NOT_INSTALLED = png(400, 100, 90)
"""What Grafana draws where there is no renderer."""


class GrafanaServer:
    """One Grafana. `url` once it is entered."""

    def __init__(self) -> None:
        self.dashboards: dict[str, Json] = {}
        self.folders: dict[str, str] = {}
        """Titles of folders by a dashboard's uid."""
        self.sources: list[Json] = []
        self.answers: dict[str, Query] = {}
        """What answers the queries of a data source, by its uid."""
        self.renderer = True
        self.queries: list[Json] = []
        """Every request for data, as it came."""
        self.pictures: list[tuple[str, Mapping[str, str]]] = []
        self.problems: list[str] = []
        self.requests = 0
        self.url = ""

    def add(self, uid: str, title: str, panels: list[Json], *, folder: str = "", **more: Any) -> None:
        """A dashboard; `more` are further fields, such as `templating`."""
        self.dashboards[uid] = {"id": len(self.dashboards) + 1, "uid": uid, "title": title, "panels": panels} | more
        self.folders[uid] = folder

    def add_source(self, uid: str, name: str, kind: str, answers: Query, *, default: bool = False) -> None:
        """A data source, and what answers its queries."""
        self.sources.append({"id": len(self.sources) + 1, "uid": uid, "name": name, "type": kind, "isDefault": default})
        self.answers[uid] = answers

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        self.requests += 1
        try:
            described = API.match(request.method, request.path)
            query = {name: value for name, value in request.query.items() if not name.startswith("var-")}
            body = await request.json() if request.can_read_body else None
            API.check_request(described, query, body)
            status, answer = self._answer(described, request, body)
            if isinstance(answer, bytes):
                return web.Response(body=answer, content_type="image/png")
            API.check_answer(described, status, answer)
            return web.json_response(answer, status=status)
        except NotAsDescribedError as problem:
            self.problems.append(str(problem))
            return web.json_response({"message": str(problem)}, status=500)

    def _answer(  # noqa: PLR0911 - a line for each path
        self, described: Described, request: web.Request, body: Any
    ) -> tuple[int, Any]:
        if described.name == "GET /api/health":
            return 200, {"database": "ok", "version": "12.1.0", "commit": "0123abcd"}
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {"message": "Invalid API key"}
        match described.name:
            case "GET /api/search":
                return 200, self._search(request.query)
            case "GET /api/dashboards/uid/{uid}":
                return self._dashboard(described.path["uid"])
            case "GET /api/datasources":
                return 200, self.sources
            case "GET /api/frontend/settings":
                return 200, {"rendererAvailable": self.renderer, "buildInfo": {"version": "12.1.0"}}
            case "POST /api/ds/query":
                return self._query(body)
            case _:
                return self._render(described, request)

    def _search(self, query: Mapping[str, str]) -> list[Json]:
        words = query.get("query", "").lower()
        found = [board for board in self.dashboards.values() if words in board["title"].lower()]
        return [
            {
                "id": board["id"],
                "uid": board["uid"],
                "title": board["title"],
                "url": self._path(board),
                "type": "dash-db",
                "tags": [],
                "folderTitle": self.folders[board["uid"]],
            }
            for board in sorted(found, key=lambda board: board["title"])[: int(query.get("limit", "1000"))]
        ]

    def _dashboard(self, uid: str) -> tuple[int, Json]:
        board = self.dashboards.get(uid)
        if board is None:
            return 404, {"message": "Dashboard not found"}
        return 200, {"dashboard": board, "meta": {"url": self._path(board), "folderTitle": self.folders[uid]}}

    def _query(self, body: Json) -> tuple[int, Json]:
        self.queries.append(body)
        results: dict[str, Json] = {}
        for query in body["queries"]:
            answers = self.answers.get(query["datasource"]["uid"])
            if answers is None:
                return 404, {"message": "data source not found"}
            try:
                results[query["refId"]] = {"status": 200, "frames": answers(query, body)}
            except QueryError as error:
                results[query["refId"]] = {"status": 400, "error": str(error), "errorSource": "downstream"}
        return 400 if any("error" in one for one in results.values()) else 200, {"results": results}

    def _render(self, described: Described, request: web.Request) -> tuple[int, Any]:
        if described.path["uid"] not in self.dashboards:
            return 404, {"message": "Dashboard not found"}
        self.pictures.append((request.path, dict(request.query)))
        if not self.renderer:
            return 200, NOT_INSTALLED
        return 200, png(int(request.query["width"]), int(request.query["height"]))

    def _path(self, board: Json) -> str:
        return f"/d/{board['uid']}/{board['title'].lower().replace(' ', '-')}"

    def state(self) -> str:
        """All that is kept, in one text."""
        return json.dumps([self.dashboards, self.folders, self.sources], sort_keys=True)
