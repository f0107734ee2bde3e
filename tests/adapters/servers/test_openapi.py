"""The check of stand-ins against published descriptions finds what is not described."""

from typing import Any

import pytest

from tests.adapters.servers.openapi import NotAsDescribedError, OpenApi, reduced

BOOK_SCHEMA = {"$ref": "#/components/schemas/Book"}


def content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shelves", "version": "1", "license": {"name": "MIT"}},
    "paths": {
        "/shelves/{shelf}": {
            "put": {
                "summary": "Put books on a shelf",
                "parameters": [
                    {"name": "shelf", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "wait", "in": "query", "schema": {"type": "boolean"}},
                    {"name": "most", "in": "query", "required": True, "schema": {"type": "integer", "minimum": 1}},
                ],
                "requestBody": {"required": True} | content(BOOK_SCHEMA),
                "responses": {
                    "200": content({"type": "array", "items": BOOK_SCHEMA}),
                    "4XX": content({"type": "object", "properties": {"error": {"type": "string"}}}),
                },
            }
        },
        "/shelves/all": {"put": {"responses": {"200": {"description": "done"}}}},
    },
    "components": {
        "schemas": {
            "Book": {
                "type": "object",
                "required": ["title"],
                "properties": {
                    "title": {"type": "string"},
                    "description": {"type": "string", "nullable": True},
                    "author": {"anyOf": [{"$ref": "#/components/schemas/Author"}, {"nullable": True}]},
                },
            },
            "Author": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
            "Unused": {"type": "object"},
        }
    },
}
BOOK: dict[str, Any] = {"title": "Emma", "description": None, "author": {"name": "Austen"}}


@pytest.fixture(params=["whole", "reduced"])
def api(request: pytest.FixtureRequest) -> OpenApi:
    if request.param == "whole":
        return OpenApi(DOCUMENT)
    return OpenApi(reduced(DOCUMENT, ["PUT /shelves/{shelf}", "PUT /shelves/all"], "a note"))


def test_what_is_described_passes(api: OpenApi):
    put = api.match("put", "/shelves/novels")
    assert (put.name, put.path) == ("PUT /shelves/{shelf}", {"shelf": "novels"})
    api.check_request(put, {"wait": "true", "most": "3"}, BOOK)
    api.check_request(put, {"most": "3"}, {"title": "Emma", "author": None})
    api.check_answer(put, 200, [BOOK])
    api.check_answer(put, 404, {"error": "no such shelf"})
    assert api.match("PUT", "/shelves/all").name == "PUT /shelves/all"


@pytest.mark.parametrize(
    ("query", "body", "said"),
    [
        ({"most": "0"}, BOOK, "most"),
        ({"most": "many"}, BOOK, "most"),
        ({}, BOOK, "lacks most"),
        ({"most": "1", "wait": "perhaps"}, BOOK, "wait"),
        ({"most": "1", "quick": "true"}, BOOK, "no parameter quick"),
        ({"most": "1"}, None, "needs a body"),
        ({"most": "1"}, {}, "'title' is a required property"),
        ({"most": "1"}, {"title": "Emma", "pages": 3}, "'pages' was unexpected"),
        ({"most": "1"}, {"title": "Emma", "author": "Austen"}, "author"),
        ({"most": "1"}, {"title": None}, "title"),
    ],
)
def test_a_request_that_is_not_described_is_a_fault(api: OpenApi, query: dict[str, str], body: Any, said: str):
    with pytest.raises(NotAsDescribedError, match=said):
        api.check_request(api.match("PUT", "/shelves/novels"), query, body)


@pytest.mark.parametrize(
    ("status", "body"), [(200, BOOK), (200, [{"title": "Emma", "pages": 3}]), (404, {"reason": "none"}), (500, {})]
)
def test_an_answer_that_is_not_described_is_a_fault(api: OpenApi, status: int, body: Any):
    with pytest.raises(NotAsDescribedError):
        api.check_answer(api.match("PUT", "/shelves/novels"), status, body)


def test_a_path_that_is_not_described_is_a_fault_and_a_body_where_none_is_taken(api: OpenApi):
    with pytest.raises(NotAsDescribedError, match="GET /books is not in the description"):
        api.match("GET", "/books")
    with pytest.raises(NotAsDescribedError, match="takes no body"):
        api.check_request(api.match("PUT", "/shelves/all"), {}, BOOK)


def test_a_reduced_description_keeps_only_what_is_needed_and_no_prose():
    kept = reduced(DOCUMENT, ["PUT /shelves/{shelf}"], "a note")
    assert kept["paths"].keys() == {"/shelves/{shelf}"}
    assert kept["components"]["schemas"].keys() == {"Book", "Author"}
    assert "description" in kept["components"]["schemas"]["Book"]["properties"]
    assert "summary" not in kept["paths"]["/shelves/{shelf}"]["put"]
    assert kept["info"] == {"title": "Shelves", "version": "1", "description": "a note", "license": {"name": "MIT"}}
