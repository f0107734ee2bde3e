"""Meilisearch's own client asks the stand-in the same as the butler does, and takes its answers."""
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import asyncio
from typing import Any

import meilisearch
import pytest
from meilisearch.errors import MeilisearchApiError

from tests.adapters.servers.wire import Request
from tests.modules.meilisearch.harness import KEY, Harness, harness

ASKED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"query": "boiler"}, {}),
    ({"query": "boiler", "limit": 2, "offset": 1, "sort": ["year:desc"]}, {"sort": ["year:desc"]}),
    ({"query": "", "filter": [{"field": "year", "op": "gte", "value": 2025}]}, {"filter": ['"year" >= 2025']}),
]


def said(request: Request) -> tuple[str, str, bytes, str, str]:
    headers = request.headers
    return request.method, request.path, request.body, headers["content-type"], headers["authorization"]


async def by_the_vendor(there: Harness, query: str, options: dict[str, Any]) -> dict[str, Any]:
    client = meilisearch.Client(there.server.url, KEY)
    return await asyncio.to_thread(client.index("papers").search, query, options)


@pytest.mark.parametrize(("args", "more"), ASKED)
async def test_a_search_is_asked_for_and_answered_as_by_the_vendors_client(
    args: dict[str, Any], more: dict[str, Any]
) -> None:
    async with harness() as there:
        found = await there.found(args)
        ours, _ = there.server.judge.exchanges[-1]
        shape = {"limit": args.get("limit", 10), "offset": args.get("offset", 0), "showRankingScore": True}
        cropped = {"attributesToCrop": ["text"], "cropLength": 60}
        vendor = await by_the_vendor(there, args["query"], shape | cropped | more)
        theirs, _ = there.server.judge.exchanges[-1]
    assert said(ours) == said(theirs)
    assert [hit["id"] for hit in vendor["hits"]] == [int(hit["id"]) for hit in found["hits"]]
    assert vendor["estimatedTotalHits"] == found["estimated"]


async def test_the_vendors_client_reads_the_refusals_of_the_stand_in() -> None:
    async with harness() as there:
        with pytest.raises(MeilisearchApiError) as refused:
            await by_the_vendor(there, "boiler", {"filter": "colour = red"})
        there.server.busy = True
        with pytest.raises(MeilisearchApiError) as busy:
            await by_the_vendor(there, "boiler", {})
    assert (refused.value.status_code, refused.value.code) == (400, "invalid_search_filter")
    assert (busy.value.status_code, busy.value.code, busy.value.type) == (503, "too_many_search_requests", "system")
