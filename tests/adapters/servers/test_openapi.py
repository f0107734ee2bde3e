"""The check of stand-ins against published descriptions finds what is not described."""

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.adapters.servers.openapi import OpenApi
from tests.adapters.servers.reducing import reduced
from tests.adapters.servers.wire import Answer, NotAsDescribedError, Request

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
                    {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "var-.+", "in": "query", "x-name-is-pattern": True, "schema": {"type": "string"}},
                    {"name": "X-Shelf", "in": "header", "required": True, "schema": {"type": "integer"}},
                ],
                "requestBody": {"required": True} | content(BOOK_SCHEMA),
                "responses": {
                    "200": content({"type": "array", "items": BOOK_SCHEMA})
                    | {"headers": {"X-Count": {"required": True, "schema": {"type": "integer"}}}},
                    "4XX": content({"type": "object", "properties": {"error": {"type": "string"}}}),
                },
            }
        },
        "/shelves/all": {"put": {"security": [], "responses": {"200": {"description": "done"}}}},
    },
    "security": [{"bearer": []}],
    "components": {
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
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
        },
    },
}
BOOK: dict[str, Any] = {"title": "Emma", "description": None, "author": {"name": "Austen"}}


@pytest.fixture(params=["whole", "reduced"])
def api(request: pytest.FixtureRequest) -> OpenApi:
    if request.param == "whole":
        return OpenApi(DOCUMENT)
    return OpenApi(reduced(DOCUMENT, ["PUT /shelves/{shelf}", "PUT /shelves/all"], "a note"))


def asked(query: str = "most=1", body: Any = BOOK, raw: bytes | None = None, **headers: str) -> Request:
    """A request that is as described, but for what is said."""
    raw = raw or (b"" if body is None else json.dumps(body).encode())
    given = {"content-type": "application/json", "authorization": "Bearer key", "x-shelf": "3"} | headers
    kept = {name: value for name, value in given.items() if value}
    return Request("PUT", "/shelves/novels", tuple(parse_qsl(query)), kept, raw)


def answered(status: int, body: Any, media_type: str = "application/json", **headers: str) -> Answer:
    raw = b"" if body is None else json.dumps(body).encode()
    return Answer(status, {"content-type": f"{media_type}; charset=utf-8", "x-count": "1"} | headers, raw)


def test_what_is_described_passes(api: OpenApi):
    put = api.request(asked("wait=true&most=3&tag=a&tag=b&var-x=1&var-x=2"))
    assert (put.name, put.path, put.body) == ("PUT /shelves/{shelf}", {"shelf": "novels"}, BOOK)
    api.request(asked("most=3", {"title": "Emma", "author": None}))
    api.answer(put, answered(200, [BOOK]))
    api.answer(put, answered(404, {"error": "no such shelf"}))
    assert api.request(Request("PUT", "/shelves/all")).name == "PUT /shelves/all"
    assert api.request(asked()).path == {"shelf": "novels"}
    assert api.match("PUT", "/shelves/a%2Fb").path == {"shelf": "a/b"}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (asked("most=0"), "most"),
        (asked("most=many"), "most"),
        (asked(""), "lacks most"),
        (asked("most=1&most=2"), "takes most once"),
        (asked("most=1&wait=perhaps"), "wait"),
        (asked("most=1&quick=true"), "no parameter quick"),
        (asked("most=1&var-=1"), "no parameter var-"),
        (asked(body=None), "needs a body"),
        (asked(body={}), "'title' is a required property"),
        (asked(body={"title": "Emma", "pages": 3}), "'pages' was unexpected"),
        (asked(body={"title": "Emma", "author": "Austen"}), "author"),
        (asked(body={"title": None}), "title"),
        (asked(**{"content-type": "text/plain"}), "no body of the type text/plain"),
        (asked(**{"content-type": ""}), "no body of the type nothing"),
        (asked(**{"x-shelf": ""}), "lacks the header X-Shelf"),
        (asked(**{"x-shelf": "top"}), "the header X-Shelf"),
        (asked(authorization="Basic key"), "no credentials by Basic"),
        (asked(authorization="Bearer "), "no credentials by Bearer"),
        (asked(raw=b"{"), "is no application/json"),
        (Request("GET", "/books"), "GET /books is not in the description"),
        (Request("POST", "/shelves/novels"), "is not in the description"),
        (Request("PUT", "/shelves/all", body=b"{}"), "takes no body"),
    ],
)
def test_a_request_that_is_not_described_is_a_fault(api: OpenApi, request_: Request, said: str):
    with pytest.raises(NotAsDescribedError, match=said):
        api.request(request_)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answered(200, BOOK), "is not of type 'array'"),
        (answered(200, [{"title": "Emma", "pages": 3}]), "'pages' was unexpected"),
        (answered(404, {"reason": "none"}), "'reason' was unexpected"),
        (answered(500, {}), "never answers 500"),
        (answered(200, [BOOK], "text/html"), "is never text/html"),
        (Answer(200, {"content-type": "application/json", "x-count": "1"}, b"[{"), "is no application/json"),
        (Answer(200, {"content-type": "application/json"}, b"[]"), "lacks the header X-Count"),
        (answered(200, [], **{"x-count": "many"}), "the header X-Count"),
    ],
)
def test_an_answer_that_is_not_described_is_a_fault(api: OpenApi, answer: Answer, said: str):
    with pytest.raises(NotAsDescribedError, match=said):
        api.answer(api.request(asked()), answer)


def test_what_needs_credentials_is_refused_without_them_and_never_done(api: OpenApi):
    put = api.request(asked(authorization=""))
    api.answer(put, answered(404, {"error": "who are you?"}))
    with pytest.raises(NotAsDescribedError, match="answered without credentials"):
        api.answer(put, answered(200, [BOOK]))


def test_where_nothing_is_said_of_a_body_there_is_none(api: OpenApi):
    everything = api.request(Request("PUT", "/shelves/all"))
    api.answer(everything, Answer(200))
    with pytest.raises(NotAsDescribedError, match="has no body"):
        api.answer(everything, answered(200, {}))


def test_a_reduced_description_keeps_only_what_is_needed_and_no_prose():
    kept = reduced(DOCUMENT, ["PUT /shelves/{shelf}"], "a note")
    assert kept["paths"].keys() == {"/shelves/{shelf}"}
    assert kept["components"]["schemas"].keys() == {"Book", "Author"}
    assert "description" in kept["components"]["schemas"]["Book"]["properties"]
    assert "summary" not in kept["paths"]["/shelves/{shelf}"]["put"]
    assert kept["info"] == {"title": "Shelves", "version": "1", "description": "a note", "license": {"name": "MIT"}}
