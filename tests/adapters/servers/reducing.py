"""A whole description cut down to what a stand-in serves, without its prose.

python -m tests.adapters.servers.reducing FULL.json REDUCED.json "GET /version" "POST /indexes/{indexUid}/search"
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from tests.adapters.servers.schemas import REF, TEXTUAL, Json

_KEPT = ("parameters", "requestBody", "responses", "security")


def reduced(document: Json, operations: Iterable[str], note: str) -> Json:
    """What a document says of operations, such as `GET /version`, and the schemas that they need; without its prose."""
    paths: Json = {}
    for name in operations:
        method, path = name.split(" ", 1)
        operation = document["paths"][path][method.lower()]
        kept = {key: operation[key] for key in _KEPT if key in operation}
        paths.setdefault(path, {})[method.lower()] = _bare(kept)
    given = document.get("components", {})
    schemas = given.get("schemas", {})
    needed: Json = {}
    waiting = set(_refs(paths))
    while waiting:
        name = waiting.pop()
        needed[name] = _bare(schemas[name])
        waiting |= set(_refs(needed[name])) - needed.keys()
    info = {"title": document["info"]["title"], "version": document["info"]["version"], "description": note}
    if "license" in document["info"]:
        info["license"] = document["info"]["license"]
    components: Json = {"schemas": dict(sorted(needed.items()))}
    if "securitySchemes" in given:
        components["securitySchemes"] = _bare(given["securitySchemes"])
    made = {"openapi": document["openapi"], "info": info, "paths": paths, "components": components}
    return made | ({"security": document["security"]} if "security" in document else {})


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in cast("list[Any]", node):
            yield from _refs(one)
    elif isinstance(node, dict):
        given = cast("Json", node)
        for key, one in given.items():
            if key == "$ref":
                yield str(one).removeprefix(REF)
            else:
                yield from _refs(one)


def _bare(node: Any, *, names: bool = False) -> Any:
    """Without prose; where `names` stand, such a word is a field's name and stays."""
    if isinstance(node, list):
        return [_bare(one) for one in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    return {
        key: _bare(one, names=key == "properties" and not names)
        for key, one in cast("Json", node).items()
        if names or key not in TEXTUAL
    }


def _written(document: Json) -> str:
    """JSON with each path and each schema on a line of its own."""
    rest = {key: value for key, value in document.items() if key not in {"paths", "components"}}
    components = document["components"]
    others = {key: value for key, value in components.items() if key != "schemas"}
    paths = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in document["paths"].items())
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in components["schemas"].items())
    more = "".join(f'"{key}": {json.dumps(value)},\n ' for key, value in others.items())
    head = json.dumps(rest)[:-1]
    return f'{head},\n "paths": {{\n{paths}\n }},\n "components": {{{more}"schemas": {{\n{lines}\n }}}}}}\n'


def _main(full: str, into: str, *operations: str) -> None:
    document = json.loads(Path(full).read_text(encoding="utf-8"))
    note = "Reduced to what the stand-in serves, without its prose; see the README beside it for source and licence."
    Path(into).write_text(_written(reduced(document, operations, note)), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
