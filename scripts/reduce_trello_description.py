"""Reduces the published Trello description to the operations that the stand-in serves.

The published document is wrong or silent in places; what is corrected stands here, with the reason, and nowhere else.
Run `python -m scripts.reduce_trello_description FILE` on a newer document to bring the stand-in up to date.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NOTICE = (
    "Reduced from docs/trello-openapi.json of github.com/stritzinger/trellang (Apache-2.0), commit "
    "946ad5e79aca27f9a2830bed1ea31a6dce141c27, a copy of Atlassian's document, which names no licence: no "
    "descriptions, only what is served; corrections are in scripts/reduce_trello_description.py."
)
_REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')
_KEPT = frozenset(
    {"type", "properties", "items", "$ref", "oneOf", "enum", "nullable", "pattern", "required", "additionalProperties"}
    | {"minLength", "maxLength", "minimum", "maximum"}
)
_TEXT: Mapping[str, Any] = {"type": "string"}
_FLAG: Mapping[str, Any] = {"type": "boolean"}
_LIMIT: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": 1000}
_IDS: Mapping[str, Any] = {"type": "array", "items": {"$ref": "#/components/schemas/TrelloID"}}
_MOMENT: Mapping[str, Any] = {"type": "string", "format": "date", "nullable": True}
_CARDS_FILTER: Mapping[str, Any] = {
    "type": "string",
    "enum": ["all", "closed", "complete", "incomplete", "none", "open", "visible"],
}
_MOST_ACTIONS: Mapping[str, Any] = {"type": "integer", "minimum": 0, "maximum": 1000}
# Lists of cards and actions take these, says the guide to nested resources; the document leaves them out.
_OF_CARDS = {"fields": _TEXT, "limit": _LIMIT, "before": _TEXT, "since": _TEXT, "filter": _CARDS_FILTER}
_OF_ACTIONS = {"filter": _TEXT, "limit": _MOST_ACTIONS, "since": _TEXT, "memberCreator": _FLAG}
_OF_CARD = {"name", "desc", "pos", "idList"}
_OF_WRITTEN_CARD = {"due": _MOMENT, "idMembers": _IDS, "idLabels": _IDS}


def _a(schema: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{schema}"}


def _many(schema: str) -> dict[str, Any]:
    return {"type": "array", "items": _a(schema)}


SERVED: Mapping[str, tuple[set[str], Mapping[str, Any], Mapping[str, Any] | None]] = {
    # operation: parameters as published, parameters added or corrected, answer where none is published or it is wrong
    "get /members/{id}": (set(), {"fields": _TEXT}, None),
    "get /members/{id}/boards": ({"filter", "lists"}, {"fields": _TEXT}, None),
    "get /boards/{id}/labels": ({"limit"}, {"fields": _TEXT}, _many("Label")),
    "get /boards/{id}/members": (set(), {"fields": _TEXT}, _many("Member")),
    "get /boards/{boardId}/actions": (set(), _OF_ACTIONS, _many("Action")),
    "get /lists/{id}": ({"fields"}, {}, _a("TrelloList")),
    "post /lists": ({"name", "idBoard", "pos"}, {}, _a("TrelloList")),
    "get /lists/{id}/cards": (set(), _OF_CARDS, None),
    "get /cards/{id}": ({"fields", "list", "board", "board_fields"}, {}, None),
    "post /cards": (_OF_CARD, _OF_WRITTEN_CARD, None),
    # The published PUT says one id; a comma-separated list is what Trello takes.
    "put /cards/{id}": (_OF_CARD | {"dueComplete", "closed", "idBoard"}, _OF_WRITTEN_CARD, None),
    "delete /cards/{id}": (set(), {}, _a("Deleted")),
    "get /cards/{id}/actions": (set(), {"filter": _TEXT, "limit": _MOST_ACTIONS}, None),
    "post /cards/{id}/actions/comments": ({"text"}, {}, None),
    "post /cards/{id}/idLabels": ({"value"}, {}, _many("TrelloID")),
    "delete /cards/{id}/idLabels/{idLabel}": (set(), {}, _a("Deleted")),
    "post /cards/{id}/idMembers": ({"value"}, {}, _many("Member")),
    "delete /cards/{id}/idMembers/{idMember}": (set(), {}, _many("Member")),
    "post /labels": ({"name", "color"}, {"idBoard": _a("TrelloID")}, _a("Label")),
}
_PATHS = {
    # An id or the short link of an address does; a member may be "me" or a user name.
    "/boards/{id}": "IdOrLink",
    "/boards/{boardId}": "IdOrLink",
    "/cards/{id}": "IdOrLink",
    "/members/{id}": "MemberKey",
}
_COLORS = ["yellow", "purple", "blue", "red", "green", "orange", "black", "sky", "pink", "lime"]

NEW_SCHEMAS: Mapping[str, Any] = {
    "IdOrLink": {"type": "string", "pattern": "^([0-9a-fA-F]{24}|[0-9a-zA-Z]{8})$"},
    "MemberKey": {"type": "string", "pattern": "^([0-9a-fA-F]{24}|[0-9a-z_]{2,100})$"},
    "Deleted": {"type": "object", "additionalProperties": True},
}


def _correct(schemas: dict[str, Any]) -> None:
    """Bring the schemas to what Trello sends."""
    card, board, label = (schemas[name]["properties"] for name in ("Card", "Board", "Label"))
    card["labels"] = _many("Label")  # published as ids
    card |= {"dueComplete": _FLAG}  # published for requests only
    card |= {"list": _a("TrelloList"), "board": _a("Board")}  # nested by order
    board["lists"] = _many("TrelloList")
    # Since 2022 each colour has a light and a dark one.
    schemas["Color"]["enum"] = [color + shade for color in _COLORS for shade in ("", "_light", "_dark")]
    label["color"] = {**_a("Color"), "nullable": True}
    # Actions tell of much more than a comment does: what was before, whom it was about.
    schemas["Action"]["properties"]["data"] = {"type": "object", "additionalProperties": True}


def _reduced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without prose; a `$ref` makes its neighbours void, but for `nullable`."""
    kept = frozenset({"$ref", "nullable"}) if "$ref" in schema else _KEPT
    reduced: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            reduced[key] = {name: _reduced(item) for name, item in value.items()}
        elif key == "oneOf":
            reduced[key] = [_reduced(item) for item in value]
        elif key in kept:
            reduced[key] = _reduced(value) if key == "items" else value
        elif key == "format" and value in {"date", "date-time"}:
            reduced[key] = "moment"
    return reduced


def _operation(paths: Mapping[str, Any], served: str) -> tuple[str, dict[str, Any]]:
    verb, path = served.split(" ")
    published = paths[path][verb]
    named, corrected, answer = SERVED[served]
    given = [*paths[path].get("parameters", ()), *published.get("parameters", ())]
    known = {each["name"]: each for each in given if each["in"] == "query"}
    if missing := named - known.keys():
        raise ValueError(f"{served} has no parameter {min(missing)} any more")
    in_path = {each["name"]: each["schema"] for each in given if each["in"] == "path"}
    for start, schema in _PATHS.items():
        if path.startswith(start):
            in_path[start.rpartition("{")[2].rstrip("}")] = _a(schema)
    answer = answer or published["responses"]["200"]["content"]["application/json"]["schema"]
    parameters = {
        name: {"schema": _reduced(corrected.get(name) or known[name]["schema"])}
        | ({"required": True} if known.get(name, {}).get("required") else {})
        for name in sorted(named | corrected.keys())
    }
    return published["operationId"].replace("=", "-"), {
        "method": verb.upper(),
        "path": path,
        "in_path": {name: _reduced(schema) for name, schema in in_path.items()},
        "parameters": parameters,
        "answer": _reduced(answer),
    }


def _references(value: object) -> set[str]:
    return set(_REFERENCE.findall(json.dumps(value)))


def _used(schemas: Mapping[str, Any], operations: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas that the operations refer to, however far away."""
    used: set[str] = set()
    reached = _references(operations)
    while reached:
        used |= reached
        reached = _references([schemas[name] for name in reached]) - used
    return {name: schemas[name] for name in sorted(used)}


def reduce(published: dict[str, Any]) -> str:
    """Return JSON with one operation or schema a line, so that an update reads well as a diff."""
    schemas = published["components"]["schemas"]
    _correct(schemas)
    reduced = {name: _reduced(schema) for name, schema in {**schemas, **NEW_SCHEMAS}.items()}
    operations = dict(_operation(published["paths"], served) for served in SERVED)
    lines = [f'"notice": {json.dumps(NOTICE)}', f'"version": {json.dumps(published["info"]["version"])}']
    for part, entries in (("operations", operations), ("schemas", _used(reduced, operations))):
        rows = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
        lines.append(f'"{part}": {{\n' + ",\n".join(rows) + "\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    reduced = Path(__file__).parent.parent / "demo/butler_demo/trello/trello-api.json"
    reduced.write_text(reduce(document), encoding="utf-8")
