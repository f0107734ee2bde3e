"""Grafana as its published description has it: dashboards, data sources, queries and pictures, over a real socket.

Each request and each answer is held against the description.
"""

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.adapters.servers.described import Asked, DescribedServer, Reply
from tests.adapters.servers.openapi import OpenApi

Json = dict[str, Any]
API = OpenApi.load(Path(__file__).with_name("grafana-openapi.json"))
TOKEN = "glsa_the-butlers-own-token_0123abcd"
Query = Callable[[Json, Json], list[Json]]
"""Takes a query and the whole request, and gives frames; raises `QueryError`."""


NO_DASHBOARD = Reply({"message": "Dashboard not found"}, 404)


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


class GrafanaServer(DescribedServer):
    """One Grafana. `url` once it is entered."""

    def __init__(self) -> None:
        super().__init__(API)
        self.dashboards: dict[str, Json] = {}
        self.folders: dict[str, str] = {}
        """Titles of folders by a dashboard's uid."""
        self.sources: list[Json] = []
        self.answers: dict[str, Query] = {}
        """What answers the queries of a data source, by its uid."""
        self.renderer = True
        self.multi_status = False
        """Whether it answers 207 where some queries fail, as newer ones may be told to, and not 400."""
        self.queries: list[Json] = []
        """Every request for data, as it came."""
        self.pictures: list[tuple[str, Mapping[str, str]]] = []

    def add(self, uid: str, title: str, panels: list[Json], *, folder: str = "", **more: Any) -> None:
        """A dashboard; `more` are further fields, such as `templating`."""
        self.dashboards[uid] = {"id": len(self.dashboards) + 1, "uid": uid, "title": title, "panels": panels} | more
        self.folders[uid] = folder

    def add_source(self, uid: str, name: str, kind: str, answers: Query, *, default: bool = False) -> None:
        """A data source, and what answers its queries."""
        self.sources.append({"id": len(self.sources) + 1, "uid": uid, "name": name, "type": kind, "isDefault": default})
        self.answers[uid] = answers

    def answer(self, asked: Asked) -> Reply:  # noqa: PLR0911 - a line for each path
        if asked.name == "GET /api/health":
            return Reply({"database": "ok", "version": "12.1.0", "commit": "0123abcd"})
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return Reply({"message": "Invalid API key"}, 401)
        match asked.name:
            case "GET /api/search":
                return Reply(self._search(asked.query))
            case "GET /api/dashboards/uid/{uid}":
                return self._dashboard(asked.path["uid"])
            case "GET /api/datasources":
                return Reply(self.sources)
            case "GET /api/frontend/settings":
                return Reply({"rendererAvailable": self.renderer, "buildInfo": {"version": "12.1.0"}})
            case "POST /api/ds/query":
                return self._query(asked.body)
            case _:
                return self._render(asked)

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

    def _dashboard(self, uid: str) -> Reply:
        board = self.dashboards.get(uid)
        if board is None:
            return NO_DASHBOARD
        return Reply({"dashboard": board, "meta": {"url": self._path(board), "folderTitle": self.folders[uid]}})

    def _query(self, body: Json) -> Reply:
        self.queries.append(body)
        results: dict[str, Json] = {}
        for query in body["queries"]:
            answers = self.answers.get(query["datasource"]["uid"])
            if answers is None:
                return Reply({"message": "data source not found"}, 404)
            try:
                results[query["refId"]] = {"status": 200, "frames": answers(query, body)}
            except QueryError as error:
                results[query["refId"]] = {"status": 400, "error": str(error), "errorSource": "downstream"}
        refused = any("error" in one for one in results.values())
        return Reply({"results": results}, (207 if self.multi_status else 400) if refused else 200)

    def _render(self, asked: Asked) -> Reply:
        if asked.path["uid"] not in self.dashboards:
            return NO_DASHBOARD
        kind = "d-solo" if asked.name.startswith("GET /render/d-solo/") else "d"
        self.pictures.append((f"/render/{kind}/{asked.path['uid']}/{asked.path['slug']}", dict(asked.query)))
        picture = png(int(asked.query["width"]), int(asked.query["height"])) if self.renderer else NOT_INSTALLED
        return Reply(picture, media_type="image/png")

    def _path(self, board: Json) -> str:
        return f"/d/{board['uid']}/{board['title'].lower().replace(' ', '-')}"

    def state(self) -> str:
        """All that is kept, in one text."""
        return json.dumps([self.dashboards, self.folders, self.sources], sort_keys=True)
