"""The stand-in finds what Qdrant's own client finds in its local mode, the vendor's implementation without a server."""
# pyright: reportUnknownMemberType=false

import warnings
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.adapters.servers.qdrant.server import QdrantServer

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient

DISTANCES = ("Cosine", "Euclid", "Dot", "Manhattan")
POINTS: list[tuple[int | str, list[float], dict[str, Any]]] = [
    (1, [1.0, 0.0, 0.5], {"kind": "note", "year": 2024, "paid": True, "at": "2024-05-01T09:00:00Z"}),
    (2, [0.2, 0.9, 0.1], {"kind": "note", "year": 2025, "tags": ["home", "roof"], "by": {"name": "Ada"}}),
    (3, [-0.5, 0.5, 0.7], {"kind": "bill", "year": 2026, "paid": False, "at": "2026-01-01T00:00:00Z"}),
    ("5c56c793-69f3-4fbf-87e6-c4bf54c28c26", [0.9, 0.1, 0.4], {"kind": "bill", "year": 1, "tags": []}),
    (9, [0.3, 0.3, 0.3], {}),
]
FILTERS: dict[str, dict[str, Any] | None] = {
    "all": None,
    "match": {"must": [{"key": "kind", "match": {"value": "note"}}]},
    "a flag is no number": {"must": [{"key": "year", "match": {"value": 1}}]},
    "any": {"must": [{"key": "year", "match": {"any": [2024, 2026]}}]},
    "not": {"must_not": [{"key": "kind", "match": {"value": "bill"}}]},
    "either": {"should": [{"key": "paid", "match": {"value": True}}, {"key": "year", "match": {"value": 2025}}]},
    "range": {"must": [{"key": "year", "range": {"gt": 1, "lte": 2025}}]},
    "time": {"must": [{"key": "at", "range": {"gte": "2025-01-01T00:00:00Z"}}]},
    "within a list": {"must": [{"key": "tags", "match": {"value": "roof"}}]},
    "deeper": {"must": [{"key": "by.name", "match": {"value": "Ada"}}]},
    "ids": {"must": [{"has_id": [1, 9]}]},
    "nested": {
        "must": [{"must_not": [{"key": "paid", "match": {"value": False}}]}, {"key": "year", "range": {"gt": 0}}]
    },
}


@pytest.fixture
async def both() -> AsyncIterator["list[AsyncQdrantClient]"]:
    """Qdrant's client on the stand-in, and in its local mode."""
    # A tenth of what all tests import: only who runs these loads it.
    from qdrant_client import AsyncQdrantClient  # noqa: PLC0415

    async with QdrantServer() as server:
        there = AsyncQdrantClient(url=server.url, port=None, check_compatibility=False, trust_env=False)
        clients = [there, AsyncQdrantClient(":memory:")]
        yield clients
        for client in clients:
            await client.close()


async def found(
    client: "AsyncQdrantClient", distance: str, condition: dict[str, Any] | None = None, **asked: Any
) -> list[tuple[Any, ...]]:
    """What a new collection with the points of above gives."""
    from qdrant_client import models  # noqa: PLC0415 - as above

    name = distance.lower()
    if name not in [one.name for one in (await client.get_collections()).collections]:
        await client.create_collection(
            name, vectors_config=models.VectorParams(size=3, distance=models.Distance(distance))
        )
        points = [models.PointStruct(id=point, vector=vector, payload=payload) for point, vector, payload in POINTS]
        assert (await client.upsert(name, points=points, wait=True)).status == models.UpdateStatus.COMPLETED
    if condition is not None:
        asked["query_filter"] = models.Filter.model_validate(condition)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        answer = await client.query_points(name, query=[0.8, 0.2, 0.4], with_payload=True, **asked)
    return [(one.id, pytest.approx(one.score, abs=1e-5), one.payload) for one in answer.points]


@pytest.mark.parametrize("distance", DISTANCES)
async def test_points_are_compared_as_by_the_vendor(both: "list[AsyncQdrantClient]", distance: str) -> None:
    for name, condition in FILTERS.items():
        ours, theirs = [await found(client, distance, condition) for client in both]
        assert ours == theirs, name
    for limit, threshold in ((2, None), (10, 0.5), (10, 0.95)):
        ours, theirs = [await found(client, distance, limit=limit, score_threshold=threshold) for client in both]
        assert ours == theirs, (limit, threshold)


async def test_a_collection_tells_of_itself_as_the_vendors(both: "list[AsyncQdrantClient]") -> None:
    told: list[Any] = []
    for client in both:
        await found(client, "Cosine")
        info = await client.get_collection("cosine")
        count = (await client.count("cosine")).count
        listed = [one.name for one in (await client.get_collections()).collections]
        told.append((info.config.params.vectors, info.status, info.points_count, count, listed))
    assert told[0] == told[1]
