"""What Meilisearch publishes, with three of its slips put right.

- It names the fields of a search as the server's source does (`hits_per_page`) and calls those required that have
  defaults; the server and its clients write `hitsPerPage`, and leave out what they like.
- It lists two refusals of a search; all that the server has error codes for come in the same form, each code with one
  status and one type (`crates/meilisearch-types/src/error.rs` of meilisearch/meilisearch, MIT).
- It asks everybody for a key; a server without a master key takes none.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.adapters.servers.openapi import OpenApi

FILE = Path(__file__).with_name("meilisearch-openapi.json")
_REQUEST, _AUTH, _SYSTEM = "invalid_request", "auth", "system"
_REFUSALS: dict[int, dict[str, str]] = {
    400: {"invalid_search_filter": _REQUEST, "invalid_search_sort": _REQUEST, "bad_request": _REQUEST},
    401: {"missing_authorization_header": _AUTH},
    403: {"invalid_api_key": _AUTH},
    404: {"index_not_found": _REQUEST},
    415: {"invalid_content_type": _REQUEST},
    503: {"too_many_search_requests": _SYSTEM},
}
"""The codes that each status comes with, as far as a search can meet them, and their types."""
_RETRY_AFTER = {"Retry-After": {"required": True, "schema": {"const": "10"}}}


@cache
def published(*, keyless: bool = False) -> OpenApi:
    """The description, read once; `keyless` for a server that takes no keys."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    search = document["components"]["schemas"]["SearchQuery"]
    search["properties"] = {_camel(name): schema for name, schema in search["properties"].items()}
    search["required"] = []
    refusals = {str(status): _refusal(status, codes) for status, codes in _REFUSALS.items()}
    for entry in document["paths"].values():
        for operation in entry.values():
            operation["responses"] = {"200": operation["responses"]["200"], **refusals}
            if keyless:
                operation["security"] = []
    return OpenApi(document)


def _refusal(status: int, codes: dict[str, str]) -> dict[str, Any]:
    one = {
        code: {
            "type": "object",
            "required": ["message", "code", "type", "link"],
            "properties": {
                "message": {"type": "string"},
                "code": {"const": code},
                "type": {"const": kind},
                "link": {"const": f"https://docs.meilisearch.com/errors#{code}"},
            },
        }
        for code, kind in codes.items()
    }
    told: dict[str, Any] = {"content": {"application/json": {"schema": {"oneOf": list(one.values())}}}}
    return told | ({"headers": _RETRY_AFTER} if status == 503 else {})


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
