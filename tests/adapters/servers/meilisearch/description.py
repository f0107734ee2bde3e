"""What Meilisearch publishes, with two of its slips put right.

- It names the fields of a search as the server's source does (`hits_per_page`) and calls those required that have
  defaults; the server and its clients write `hitsPerPage`, and leave out what they like.
- It lists two refusals of a search; all that the server has error codes for come in the same form.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.adapters.servers.openapi import OpenApi

FILE = Path(__file__).with_name("meilisearch-openapi.json")
_REFUSED: dict[str, Any] = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ResponseError"}}}}


@cache
def published() -> OpenApi:
    """The description, read once."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    search = document["components"]["schemas"]["SearchQuery"]
    search["properties"] = {_camel(name): schema for name, schema in search["properties"].items()}
    search["required"] = []
    for entry in document["paths"].values():
        for operation in entry.values():
            operation["responses"] = {"4XX": _REFUSED, "5XX": _REFUSED, **operation["responses"]}
    return OpenApi(document)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
