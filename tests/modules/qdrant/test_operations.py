"""The butler's tools on a Qdrant server: what is found, put there, made, and told."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from butler.contract.errors import IntegrationErrorCode
from modules._remote.conditions import Condition
from modules.qdrant.args import Distance
from modules.qdrant.filters import filter_of
from tests.modules.qdrant.harness import KEY, READ_ONLY_KEY, Harness, embed, harness

NOTES: list[dict[str, Any]] = [
    {"text": "The boiler is serviced each May.", "payload": {"year": 2025, "room": "cellar"}},
    {"text": "Invoice of the boiler man: 120 pounds.", "payload": {"year": 2026, "paid": True}},
    {"text": "The garden gate needs paint.", "payload": {"tags": ["outside", "paint"]}},
]
POINTS: list[dict[str, Any]] = [
    {"id": 1, "vector": [1.0, 0.0, 0.2], "payload": {"city": "Berlin", "size": 3.5, "at": "2026-01-05T10:00:00Z"}},
    {"id": 2, "vector": [0.0, 2.0, 0.1], "payload": {"city": "London", "size": 7, "open": True}},
    {"id": 3, "vector": [3.0, 1.0, -1.0], "payload": {"city": ["Berlin", "London"], "at": {"home": 1}}},
    {"id": 4, "vector": [-1.0, 0.5, 0.5], "payload": {"open": False, "at": "2026-03-05T10:00:00Z"}},
    {"id": 5, "vector": [0.4, 0.4, 0.4]},
]


async def with_notes(there: Harness) -> Harness:
    await there.done("create_collection", {"collection": "notes"})
    await there.done("upsert", {"collection": "notes", "points": NOTES})
    return there


async def test_texts_that_were_put_there_are_found_by_meaning_with_what_is_kept_beside_them():
    async with harness() as there:
        await with_notes(there)

        found = await there.done("search", {"text": "who sees to the boiler?", "limit": 2})

        assert found["count"] == 2
        assert [match["text"] for match in found["matches"]] == [NOTES[0]["text"], NOTES[1]["text"]]
        assert found["matches"][0]["payload"] == {"text": NOTES[0]["text"], "year": 2025, "room": "cellar"}
        assert found["matches"][0]["score"] > found["matches"][1]["score"] > 0.5


async def test_texts_are_embedded_as_passages_and_questions_as_questions():
    asked: list[tuple[list[str], bool]] = []

    async def embedder(texts: Sequence[str], *, query: bool) -> list[list[float]]:
        asked.append((list(texts), query))
        return await embed(texts, query=query)

    async with harness(embedder=embedder) as there:
        await with_notes(there)
        await there.done("search", {"text": "boiler?"})

    assert asked == [([note["text"] for note in NOTES], False), (["boiler?"], True)]


async def test_the_same_text_put_twice_is_there_once():
    async with harness() as there:
        await with_notes(there)
        before = there.server.state()

        done = await there.done("upsert", {"collection": "notes", "points": NOTES})

        assert done == {"count": 3, "status": "completed"}
        assert there.server.state() == before
        assert all(UUID(str(point)).version == 5 for point in there.server.collections["notes"].points)


async def test_a_point_with_an_id_that_is_there_is_overwritten():
    async with harness() as there:
        await there.done("create_collection", {"collection": "photos", "size": 3, "distance": "Dot"})
        await there.done("upsert", {"collection": "photos", "points": POINTS})

        await there.done("upsert", {"collection": "photos", "points": [{"id": 2, "vector": [0, 0, 9]}]})

        found = await there.done("search", {"collection": "photos", "vector": [0, 0, 1], "limit": 1})
        assert found["matches"] == [{"id": 2, "score": 9.0, "payload": {}, "text": ""}]
        assert len(there.server.collections["photos"].points) == 5


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        ([("city", "eq", "Berlin")], {1, 3}),
        ([("city", "ne", "Berlin")], {2, 4, 5}),
        ([("city", "in", ["London", "Rome"])], {2, 3}),
        ([("city", "not_in", ["London", "Rome"])], {1, 4, 5}),
        ([("open", "eq", True)], {2}),
        ([("size", "eq", 3.5)], {1}),
        ([("size", "gt", 3.5)], {2}),
        ([("size", "lte", 7)], {1, 2}),
        ([("at", "gte", "2026-02-01T00:00:00Z")], {4}),
        ([("at.home", "eq", 1)], {3}),
        ([("city", "eq", "Berlin"), ("size", "lt", 5)], {1}),
        ([("city", "eq", "Rome")], set[int]()),
    ],
)
async def test_what_must_hold_of_a_payload_holds_and_qdrants_own_code_finds_the_same(
    conditions: list[tuple[str, str, Any]], ids: set[int]
):
    given = [{"field": field, "op": op, "value": value} for field, op, value in conditions]
    async with harness() as there:
        await there.done("create_collection", {"collection": "photos", "size": 3, "distance": "Dot"})
        await there.done("upsert", {"collection": "photos", "points": POINTS})

        found = await there.done("search", {"collection": "photos", "vector": [1, 1, 1], "filter": given})

    assert {match["id"] for match in found["matches"]} == ids
    expected = in_memory("Dot").query_points(
        "photos",
        query=[1.0, 1.0, 1.0],
        query_filter=models.Filter.model_validate(filter_of([Condition.model_validate(one) for one in given])),
    )
    assert {point.id for point in expected.points} == ids


@pytest.mark.parametrize("distance", list(Distance))
@pytest.mark.parametrize("threshold", [None, 1.2])
async def test_points_come_in_the_order_and_with_the_scores_of_qdrants_own_code(
    distance: Distance, threshold: float | None
):
    query = [0.7, 0.9, -0.3]
    async with harness() as there:
        await there.done("create_collection", {"collection": "photos", "size": 3, "distance": distance.value})
        await there.done("upsert", {"collection": "photos", "points": POINTS})
        asked = {"collection": "photos", "vector": query, "limit": 4, "score_threshold": threshold}

        found = await there.done("search", asked)

    expected = in_memory(distance.value).query_points("photos", query=query, limit=4, score_threshold=threshold)
    assert [match["id"] for match in found["matches"]] == [point.id for point in expected.points]
    assert np.allclose([m["score"] for m in found["matches"]], [p.score for p in expected.points], atol=1e-5)


async def test_a_collection_is_made_once_and_one_made_otherwise_is_a_conflict():
    async with harness() as there:
        made = await there.done("create_collection", {"collection": "notes"})
        again = await there.done("create_collection", {"collection": "notes", "size": 384, "distance": "Cosine"})
        assert (made, again) == (
            {"collection": "notes", "created": True},
            {"collection": "notes", "created": False},
        )

        result = await there.call("create_collection", {"collection": "notes", "size": 4, "distance": "Dot"})

        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.CONFLICT
        assert result.error.message == (
            "there is a collection notes already, with 384 dimensions compared by Cosine; choose another name"
        )


async def test_a_server_says_how_it_is():
    async with harness() as there:
        await there.done("create_collection", {"collection": "notes"})
        assert await there.done("health_check", {}) == {"ok": True, "version": "1.16.0", "collections": ["notes"]}
        there.server.ready = False
        assert (await there.done("health_check", {}))["ok"] is False
        status = await there.integration.auth_status()
        assert (status["ok"], status["todo"]) == (False, "the server is not ready yet; look at its log")


@pytest.mark.parametrize(
    ("operation", "args", "said"),
    [
        ("search", {"collection": "photos", "text": "boats"}, "photos is none of the collections of texts"),
        ("search", {"collection": "photos", "vector": [1, 2]}, "expected dim: 3, got 2"),
        ("upsert", {"collection": "photos", "points": [{"text": "boats"}]}, "photos is none of the collections"),
        (
            "upsert",
            {"collection": "notes", "points": [{"text": "boats", "payload": {"text": "ships"}}]},
            "text is where the text itself is kept",
        ),
    ],
)
async def test_what_a_collection_cannot_take_is_said_in_one_sentence(operation: str, args: dict[str, Any], said: str):
    async with harness() as there:
        await there.done("create_collection", {"collection": "notes"})
        await there.done("create_collection", {"collection": "photos", "size": 3})
        result = await there.call(operation, args)
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.INVALID_INPUT
        assert said in result.error.message


async def test_without_a_collection_in_the_settings_one_has_to_be_named():
    async with harness(collection="") as there:
        result = await there.call("search", {"text": "boats"})
        assert result.error is not None
        assert result.error.message == "say which collection of Qdrant's is searched"
        assert there.proxy.requests == 0


async def test_a_key_that_may_only_read_searches_and_writes_nothing():
    async with harness() as there:
        await with_notes(there)
        before = there.server.state()
        async with harness(key=READ_ONLY_KEY, url=there.server.url) as reader:
            assert (await reader.done("search", {"text": "boiler"}))["count"] == 3
            result = await reader.call("upsert", {"collection": "notes", "points": [{"text": "boats"}]})
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.FORBIDDEN
        assert there.server.state() == before


async def test_a_server_without_a_key_is_asked_without_one():
    async with harness() as there, harness(key="", key_env="", url=there.server.url) as keyless:
        result = await keyless.call("health_check", {})
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert "Must provide an API key" in result.error.message


async def test_a_key_that_is_not_there_is_asked_for_by_its_name():
    async with harness(key="") as there:
        result = await there.call("health_check", {})
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert "there is no key in BUTLER_QDRANT_KEY" in result.error.message
        assert there.proxy.requests == 0


async def test_a_dry_run_asks_nothing_of_the_server():
    async with harness() as there:
        result = await there.call("create_collection", {"collection": "notes"}, dry_run=True)
        assert result.ok
        assert (there.proxy.requests, there.server.state()) == (0, frozenset())


async def test_doctor_says_what_is_there():
    async with harness() as there:
        await with_notes(there)
        (check,) = await there.module.checks()
        assert (check.name, check.ok) == ("your Qdrant", True)
        assert check.detail.endswith(": Qdrant 1.16.0, collections: notes")
        assert KEY not in repr(check)


def in_memory(distance: str) -> QdrantClient:
    """The same points in the engine that Qdrant's client carries for tests."""
    client = QdrantClient(":memory:")
    vectors = models.VectorParams(size=3, distance=models.Distance(distance))
    client.create_collection("photos", vectors_config=vectors)
    client.upsert("photos", points=[models.PointStruct.model_validate({"payload": {}, **point}) for point in POINTS])
    return client
