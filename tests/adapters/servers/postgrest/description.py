"""What PostgREST documents of reading tables and calling functions, and of its errors, as an OpenAPI document.

Facts in our own words; the README beside it says from where. A server of its own describes only its tables, with the
same few rules for each, so those rules stand here for any table and any function.
"""

import re
from typing import Any

from tests.adapters.servers.openapi import OpenApi
from tests.adapters.servers.wire import Answer, NotAsDescribedError

Json = dict[str, Any]
ROOT = "/rest/v1"
_WORDS = r"select|order|limit|offset|columns|on_conflict|and|or|not\.and|not\.or"
_COMPARED = r"eq|neq|gt|gte|lt|lte|like|ilike|match|imatch|isdistinct|fts|plfts|phfts|wfts|cs|cd|ov|sl|sr|nxr|nxl|adj"
_IS = r"(?i:null|not_null|true|false|unknown)"
FILTER = rf"(?s)^(not\.)?(({_COMPARED})(\([^)]*\))?\..*|is\.{_IS}|in\.\(.*\))$"
_TERM = r'("[^"]+"|[^,.&"]+)(\.(asc|desc))?(\.(nullsfirst|nullslast))?'
ORDER = rf"^{_TERM}(,{_TERM})*$"
_OTHERS_400 = (
    r"PGRST1(00|02|08|09|10|14|15|18|19|20|22|23|24)|PGRST20[04]|P0001"
    r"|(?!0[89]|0L|0P|25|28|2D|38|39|3B|40|42883|42P01|42P17|42501|53|54|55|57|58|F0|HV|P0|XX|2350[35])[0-9A-Z]{5}"
)
CODES = {
    300: r"PGRST20[13]",
    400: _OTHERS_400,
    401: r"42501|PGRST30[123]",
    403: r"42501|(0L|0P|28)[0-9A-Z]{3}",
    404: r"42883|42P01|PGRST125|PGRST20[25]",
    405: r"25006|PGRST1(01|05|17)",
    406: r"PGRST1(06|07|16)",
    409: r"2350[35]",
    415: r"PGRST107",
    416: r"PGRST103",
    500: r"(09|25(?!006)|2D|38|39|3B|40|54|55|57|58|F0|HV|P0(?!001)|XX)[0-9A-Z]{3}|53400|42P17"
    r"|PGRST1(11|12|21)|PGRST300|PGRSTX00",
    503: r"(08|53(?!400))[0-9A-Z]{3}|PGRST00[0-2]",
    504: r"PGRST003",
}
"""The codes of errors that each status comes with."""


def _query(name: str, schema: Json, *, pattern: bool = False) -> Json:
    return {"name": name, "in": "query", "schema": schema} | ({"x-name-is-pattern": True} if pattern else {})


def _text(pattern: str = "") -> Json:
    return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}


_SHAPE = [
    _query("select", _text(r"^\S.*$")),
    _query("order", _text(ORDER)),
    _query("limit", {"type": "integer", "minimum": 0}),
    _query("offset", {"type": "integer", "minimum": 0}),
    _query(r"(not\.)?(and|or)", _text(r"^\(.*\)$"), pattern=True),
]
_FILTERS = _query(rf"(?!({_WORDS})$).+", _text(FILTER), pattern=True)
_ARGUMENTS = _query(rf"(?!({_WORDS})$).+", _text(), pattern=True)
_PROFILE = {"required": False, "schema": _text(r"^\S")}
_RANGE = {"required": True, "schema": _text(r"^(\d+-\d+|\*)/(\d+|\*)$")}
_ROWS: Json = {"type": "array", "items": {"type": "object"}}


def _header(name: str) -> Json:
    return {"name": name, "in": "header", "schema": _text(r"^\S")}


def _named(name: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": _text(r"^\S+$")}


def _error(pattern: str) -> Json:
    nullable = {"type": ["string", "null"]}
    return {
        "type": "object",
        "required": ["code", "message", "details", "hint"],
        "properties": {"code": _text(f"^({pattern})$"), "message": _text(), "details": nullable, "hint": nullable},
    }


def _responses(schema: Json) -> Json:
    content = {"application/json": {"schema": schema}}
    found = {"headers": {"Content-Range": _RANGE, "Content-Profile": _PROFILE}, "content": content}
    refused = {
        str(status): {"content": {"application/json": {"schema": _error(codes)}}} for status, codes in CODES.items()
    }
    return {"200": found, "206": found} | refused


def _document() -> Json:
    reads: Json = {"parameters": [_named("table"), _header("Accept-Profile"), *_SHAPE, _FILTERS]}
    gets: Json = {"parameters": [_named("function"), _header("Accept-Profile"), *_SHAPE, _ARGUMENTS]}
    posts: Json = {
        "parameters": [_named("function"), _header("Content-Profile"), *_SHAPE, _FILTERS],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
    }
    described: Json = {
        "type": "object",
        "required": ["swagger", "info", "paths"],
        "properties": {"swagger": {"const": "2.0"}, "info": {"type": "object"}, "paths": {"type": "object"}},
    }
    root: Json = {"200": {"content": {"application/openapi+json": {"schema": described}}}}
    refused = {key: one for key, one in _responses({}).items() if key in {"401", "404", "503"}}
    return {
        "security": [{"key": []}, {"key": [], "jwt": []}],
        "paths": {
            f"{ROOT}/": {"get": {"responses": root | refused}, "head": {"responses": root | refused}},
            f"{ROOT}/{{table}}": {"get": reads | {"responses": _responses(_ROWS)}},
            f"{ROOT}/rpc/{{function}}": {
                "get": gets | {"responses": _responses({})},
                "post": posts | {"responses": _responses({})},
            },
        },
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "apikey"},
                "jwt": {"type": "http", "scheme": "bearer"},
            }
        },
    }


class Postgrest(OpenApi):
    """Behind Supabase's gateway, which answers 401 without a word to a key that it does not know."""

    def __init__(self) -> None:
        super().__init__(_document())

    def answer(self, asked: Any, answer: Answer) -> None:
        if answer.status == 401 and not answer.body:
            return
        super().answer(asked, answer)
        of_jwt = answer.status == 401 and b'"PGRST3' in answer.body
        if of_jwt and not re.match("Bearer", answer.headers.get("www-authenticate", "")):
            raise NotAsDescribedError(f"the answer 401 of {asked.name} does not say how to sign in")


POSTGREST = Postgrest()
