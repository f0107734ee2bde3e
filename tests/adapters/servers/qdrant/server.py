"""A Qdrant server of ours: state and answers as Qdrant has them, with nothing of its storage."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.adapters.servers.described import Asked, DescribedServer, Reply
from tests.adapters.servers.openapi import OpenApi
from tests.adapters.servers.qdrant.collections import Collection, WrongInputError

DESCRIPTION = Path(__file__).with_name("qdrant-openapi.json")
VERSION = "1.16.0"
OPEN = frozenset({"GET /", "GET /readyz"})
"""What Qdrant answers to anybody."""
WRITES = frozenset({"PUT /collections/{collection_name}", "PUT /collections/{collection_name}/points"})
_TOOK_S = 0.001


class QdrantServer(DescribedServer):
    """`key` may do all, `read_only_key` may read; with neither, anybody may."""

    def __init__(self, *, key: str = "", read_only_key: str = "") -> None:
        super().__init__(OpenApi.load(DESCRIPTION))
        self.collections: dict[str, Collection] = {}
        self.ready = True
        self._key, self._read_only_key = key, read_only_key
        self._operations: Mapping[str, Callable[[Asked], Reply]] = {
            "GET /": self._root,
            "GET /readyz": self._readyz,
            "GET /collections": self._list,
            "GET /collections/{collection_name}": self._info,
            "PUT /collections/{collection_name}": self._create,
            "PUT /collections/{collection_name}/points": self._upsert,
            "POST /collections/{collection_name}/points/query": self._query,
            "POST /collections/{collection_name}/points/count": self._count,
        }

    def answer(self, asked: Asked) -> Reply:
        if refused := self._refused(asked):
            return refused
        name = asked.path.get("collection_name")
        if name is not None and name not in self.collections and asked.name != "PUT /collections/{collection_name}":
            return _failed(404, f"Not found: Collection `{name}` doesn't exist!")
        try:
            return self._operations[asked.name](asked)
        except WrongInputError as error:
            return _failed(400, str(error))

    def state(self) -> frozenset[tuple[str, str]]:
        """All that is kept."""
        return frozenset((name, collection.state()) for name, collection in self.collections.items())

    def _refused(self, asked: Asked) -> Reply | None:
        if not self._key or asked.name in OPEN:
            return None
        given = asked.headers.get("api-key") or asked.headers.get("authorization", "").removeprefix("Bearer ")
        if not given:
            return _failed(401, "Must provide an API key or an Authorization bearer token")
        if given == self._read_only_key and given:
            return _failed(403, "Forbidden: Global manage access is required") if asked.name in WRITES else None
        return None if given == self._key else _failed(401, "Invalid API key or JWT")

    def _root(self, _: Asked) -> Reply:
        return Reply({"title": "qdrant - vector search engine", "version": VERSION})

    def _readyz(self, _: Asked) -> Reply:
        if not self.ready:
            return Reply("some shards are not ready", 503, media_type="text/plain")
        return Reply("all shards are ready", media_type="text/plain")

    def _list(self, _: Asked) -> Reply:
        return _done({"collections": [{"name": name} for name in self.collections]})

    def _info(self, asked: Asked) -> Reply:
        collection = self.collections[asked.path["collection_name"]]
        vectors = {"size": collection.size, "distance": collection.distance}
        params = {"vectors": vectors, "shard_number": 1, "replication_factor": 1, "write_consistency_factor": 1}
        return _done(
            {
                "status": "green",
                "optimizer_status": "ok",
                "points_count": len(collection.points),
                "segments_count": 1,
                "config": {
                    "params": params,
                    "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                    "optimizer_config": {"default_segment_number": 0, "flush_interval_sec": 5},
                },
                "payload_schema": {},
            }
        )

    def _create(self, asked: Asked) -> Reply:
        name = asked.path["collection_name"]
        if name in self.collections:
            return _failed(409, f"Wrong input: Collection `{name}` already exists!")
        vectors = asked.body["vectors"]
        self.collections[name] = Collection(vectors["size"], vectors["distance"])
        return _done(result=True)

    def _upsert(self, asked: Asked) -> Reply:
        number = self.collections[asked.path["collection_name"]].put(asked.body["points"])
        waited = asked.query.get("wait") == "true"
        return _done({"operation_id": number, "status": "completed" if waited else "acknowledged"})

    def _query(self, asked: Asked) -> Reply:
        body = asked.body
        # Qdrant takes a bare vector, too; its client writes what is done with it.
        vector = body["query"] if isinstance(body["query"], list) else body["query"]["nearest"]
        found = self.collections[asked.path["collection_name"]].nearest(
            vector, body.get("limit") or 10, body.get("filter"), body.get("score_threshold")
        )
        if not body.get("with_payload"):
            found = [{**one, "payload": None} for one in found]
        return _done({"points": found})

    def _count(self, asked: Asked) -> Reply:
        return _done({"count": len(self.collections[asked.path["collection_name"]].points)})


def _done(result: Any) -> Reply:
    return Reply({"result": result, "status": "ok", "time": _TOOK_S})


def _failed(status: int, error: str) -> Reply:
    return Reply({"status": {"error": error}, "time": _TOOK_S}, status)
