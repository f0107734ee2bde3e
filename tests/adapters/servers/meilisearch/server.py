"""A Meilisearch server of ours: keys, indexes and searches as Meilisearch has them, but for typos."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.adapters.servers.described import Asked, DescribedServer, Reply
from tests.adapters.servers.meilisearch.description import published
from tests.adapters.servers.meilisearch.documents import Index, Json, SortError, cropped
from tests.adapters.servers.meilisearch.filters import FilterError

_BEGAN = "2026-01-05T09:00:00Z"
_RETRY_AFTER_S = 10


class MeilisearchServer(DescribedServer):
    """`keys` may search the indexes that stand with them, `*` for all; without any, everybody may."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        super().__init__(published(keyless=not keys))
        self.indexes: dict[str, Index] = {}
        self.busy = False
        """True while it has more searches than it takes."""
        self._keys = keys or {}
        self._operations: Mapping[str, Callable[[Asked], Reply]] = {
            "GET /health": lambda _: Reply({"status": "available"}),
            "GET /version": self._version,
            "GET /indexes": self._list,
            "GET /indexes/{indexUid}": self._index,
            "POST /indexes/{indexUid}/search": self._search,
        }

    def answer(self, asked: Asked) -> Reply:
        if refused := self._refused(asked):
            return refused
        index = asked.path.get("indexUid")
        if index is not None and index not in self.indexes:
            return _failed(404, "index_not_found", f"Index `{index}` not found.")
        return self._operations[asked.name](asked)

    def state(self) -> str:
        """All that is kept."""
        return repr(sorted(self.indexes.items(), key=lambda one: one[0]))

    def _refused(self, asked: Asked) -> Reply | None:
        if not self._keys or asked.name == "GET /health":
            return None
        scheme, _, key = asked.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer":
            text = "The Authorization header is missing. It must use the bearer authorization method."
            return _failed(401, "missing_authorization_header", text, "auth")
        if self._keys.get(key) not in {"*", asked.path.get("indexUid", "*")}:
            return _failed(403, "invalid_api_key", "The provided API key is invalid.", "auth")
        return None

    def _version(self, _: Asked) -> Reply:
        return Reply({"commitSha": "0123abcd", "commitDate": _BEGAN, "pkgVersion": "1.15.2"})

    def _list(self, _: Asked) -> Reply:
        views = [_view(uid) for uid in self.indexes]
        return Reply({"results": views, "offset": 0, "limit": 20, "total": len(views)})

    def _index(self, asked: Asked) -> Reply:
        return Reply(_view(asked.path["indexUid"]))

    def _search(self, asked: Asked) -> Reply:
        if self.busy:
            text = "Too many search requests running at the same time: 1000. Retry after 10s."
            headers = {"Retry-After": str(_RETRY_AFTER_S)}
            return _failed(503, "too_many_search_requests", text, "system", headers)
        body: Json = asked.body
        query = body.get("q") or ""
        filters: list[str] = body.get("filter") or []
        try:
            found = self.indexes[asked.path["indexUid"]].found(query, filters, body.get("sort") or [])
        except FilterError as error:
            return _failed(400, "invalid_search_filter", str(error))
        except SortError as error:
            return _failed(400, "invalid_search_sort", str(error))
        offset, limit = body.get("offset", 0), body.get("limit", 20)
        hits = [_hit(document, score, query, body) for document, score in found[offset : offset + limit]]
        told = {"query": query, "processingTimeMs": 1, "limit": limit, "offset": offset}
        return Reply({"hits": hits, "estimatedTotalHits": len(found), **told})


def _hit(document: Json, score: float, query: str, body: Json) -> Json:
    hit = dict(document)
    if fields := body.get("attributesToCrop"):
        length = body.get("cropLength", 10)
        hit["_formatted"] = {
            name: cropped(value, query, length) if name in fields and isinstance(value, str) else _as_text(value)
            for name, value in document.items()
        }
    if body.get("showRankingScore"):
        hit["_rankingScore"] = score
    return hit


def _as_text(value: Any) -> Any:
    """Meilisearch formats numbers as texts."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _view(uid: str) -> Json:
    return {"uid": uid, "createdAt": _BEGAN, "updatedAt": _BEGAN, "primaryKey": "id"}


def _failed(
    status: int, code: str, message: str, kind: str = "invalid_request", headers: Mapping[str, str] | None = None
) -> Reply:
    link = f"https://docs.meilisearch.com/errors#{code}"
    return Reply({"message": message, "code": code, "type": kind, "link": link}, status, headers or {})
