"""The butler's search on a Meilisearch server: what is found, in which order, and what of it is shown."""

from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.errors import IntegrationErrorCode
from modules.meilisearch.config import MeilisearchModuleSettings
from modules.meilisearch.module import MeilisearchModule
from modules.meilisearch.records import SearchArgs
from tests.modules.meilisearch.harness import KEY, NARROW_KEY, PAPERS, harness
from tests.support.context import make_context


async def test_documents_are_found_by_words_what_fits_best_first():
    async with harness() as there:
        found = await there.found({"query": "boiler"})

    assert [hit["title"] for hit in found["hits"]] == ["Boiler service", "Invoice", "Cellar"]
    assert (found["count"], found["estimated"], found["index"]) == (3, 3, "papers")
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert found["hits"][0]["document"] == PAPERS[0]
    assert found["hits"][0]["id"] == "1"


async def test_of_a_long_text_the_part_that_fits_is_shown():
    async with harness() as there:
        found = await there.found({"query": "boiler", "filter": [{"field": "year", "value": 2024}]})

    (hit,) = found["hits"]
    assert "The boiler hums." in hit["text"]
    assert (hit["text"][0], hit["text"][-1]) == ("…", "…")
    assert len(hit["text"].split()) <= 62
    assert hit["document"]["text"] == PAPERS[2]["text"]


CONDITIONS: list[tuple[list[tuple[str, str, Any]], set[str]]] = [
    ([("year", "eq", 2025)], {"1"}),
    ([("year", "ne", 2025)], {"2", "3", "4"}),
    ([("year", "in", [2024, 2026])], {"2", "3"}),
    ([("year", "not_in", [2024, 2026])], {"1", "4"}),
    ([("year", "gt", 2024), ("year", "lte", 2026)], {"1", "2"}),
    ([("paid", "eq", True)], {"1"}),
    ([("tags", "eq", "damp")], {"3"}),
    ([("shop", "eq", 'The "Nail" \\ Co')], {"4"}),
    ([("weight", "lte", 0.00001)], {"4"}),
    ([("shop", "eq", 'x" OR year > 0 OR shop = "')], set()),
]


@pytest.mark.parametrize(("conditions", "ids"), CONDITIONS)
async def test_what_must_hold_of_a_document_holds(conditions: list[tuple[str, str, Any]], ids: set[str]):
    given = [{"field": field, "op": op, "value": value} for field, op, value in conditions]
    async with harness() as there:
        found = await there.found({"filter": given})
    assert {hit["id"] for hit in found["hits"]} == ids


async def test_pages_and_other_orders_can_be_asked_for():
    every = [{"field": "year", "op": "gt", "value": 0}]
    async with harness() as there:
        first = await there.found({"filter": every, "sort": ["year:desc"], "limit": 2})
        second = await there.found({"filter": every, "sort": ["year:desc"], "limit": 2, "offset": 2})
    assert [hit["document"]["year"] for hit in first["hits"]] == [2026, 2025]
    assert [hit["document"]["year"] for hit in second["hits"]] == [2024]
    assert (first["count"], first["estimated"]) == (2, 3)


async def test_another_index_has_fields_of_its_own():
    async with harness(id_field="slug", title_field="name", text_field="body") as there:
        found = await there.found({"query": "lasag", "index": "recipes"})
    (hit,) = found["hits"]
    assert (hit["id"], hit["title"], hit["text"]) == ("lasagne", "Lasagne", "Layers, sauce, cheese.")


async def test_what_nobody_wrote_is_not_found():
    async with harness() as there:
        assert (await there.found({"query": "submarine"}))["hits"] == []


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ({"query": "x", "filter": [{"field": "title", "value": "y"}]}, "INVALID_INPUT", "`title` is not filterable"),
        ({"query": "x", "sort": ["title:asc"]}, "INVALID_INPUT", "`title` is not sortable"),
        ({"query": "x", "index": "nowhere"}, "NOT_FOUND", "Index `nowhere` not found."),
    ],
)
async def test_what_an_index_cannot_do_is_said_in_one_line(args: dict[str, Any], code: str, said: str):
    async with harness() as there:
        result = await there.call(args)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode(code)
    assert said in result.error.message
    assert "\n" not in result.error.message
    assert "Hint" not in result.error.message


async def test_a_key_for_one_index_searches_that_one_only():
    async with harness(key=NARROW_KEY) as there:
        assert (await there.found({"query": "boiler"}))["count"] == 3
        result = await there.call({"query": "lasagne", "index": "recipes"})
    assert result.error is not None
    assert (result.error.code, result.error.provider_code) == (
        IntegrationErrorCode.AUTH_REQUIRED,
        "invalid_api_key",
    )


async def test_a_server_without_keys_is_asked_without_one():
    async with harness(key="", key_env="") as there:
        result = await there.call({"query": "boiler"})
    assert result.error is not None
    assert result.error.provider_code == "missing_authorization_header"


async def test_a_key_that_is_not_there_is_asked_for_by_its_name():
    async with harness(key="") as there:
        result = await there.call({"query": "boiler"})
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert "there is no key in BUTLER_MEILISEARCH_KEY" in result.error.message
        assert there.proxy.requests == 0


async def test_a_dry_run_asks_nothing_of_the_server():
    async with harness() as there:
        assert (await there.call({"query": "boiler"}, dry_run=True)).ok
        assert there.proxy.requests == 0


async def test_doctor_says_how_much_there_is():
    async with harness() as there:
        (check,) = await there.module.checks()
        assert (check.name, check.ok) == ("your Meilisearch", True)
        assert check.detail.endswith(": index papers, about 4 documents")
        assert KEY not in repr(check)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "say what is looked for"),
        ({"query": "  "}, "say what is looked for"),
        ({"query": "x", "index": "../keys"}, "index"),
        ({"query": "x", "limit": 101}, "limit"),
        ({"query": "x", "offset": -1}, "offset"),
        ({"query": "x", "sort": ["year"]}, "sort"),
        ({"query": "x" * 501}, "query"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused_in_words(args: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        SearchArgs.model_validate(args)


def test_a_server_that_is_switched_off_offers_no_tools():
    settings = {"bot": {"url": "https://search.example", "index": "papers", "enabled": False}}
    for section in ({}, settings):
        module = MeilisearchModule(MeilisearchModuleSettings.model_validate(section), make_context())
        assert [*module.bot_inputs(), *module.integrations()] == []
