"""The published Trello description: which operation a request means, what it may say and what it is answered.

Notice: `trello-api.json` is reduced by reduce.py from a copy of Atlassian's document; its first line names the source.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from butler_demo.trello.errors import invalid_id, invalid_value, not_in_stand_in
from butler_demo.trello.schema import Checker, Schemas

_CREDENTIALS = frozenset({"key", "token"})


@dataclass(frozen=True)
class Operation:
    """One operation: what it takes and what it answers."""

    id: str
    http_method: str
    path: re.Pattern[str]
    in_path: Mapping[str, Checker]
    parameters: Mapping[str, Mapping[str, Any]]
    required: frozenset[str]
    check_answer: Checker
    schemas: Schemas

    def path_values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return what the address names. Raises TrelloError 400 for what is no id."""
        for name, value in values.items():
            if self.in_path[name](value):
                raise invalid_value(name) if name == "filter" else invalid_id()
        return dict(values)

    def read(self, raw: Mapping[str, object]) -> dict[str, object]:
        """Return a request's parameters as their types. Raises TrelloError where one is missing, wrong or unknown."""
        given: dict[str, object] = {}
        for name, value in raw.items():
            if name in _CREDENTIALS:
                continue
            schema = self.parameters.get(name)
            if schema is None:
                raise not_in_stand_in(f"the parameter {name} of {self.id}")
            try:
                given[name] = self.schemas.read(schema, value)
            except ValueError as error:
                raise invalid_value(name) from error
        if missing := sorted(self.required - given.keys()):
            raise invalid_value(missing[0])
        return given


class Description:
    """Every operation that is served."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        schemas = Schemas(document["schemas"])
        self.operations = {name: _operation(name, entry, schemas) for name, entry in document["operations"].items()}

    def match(self, http_method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """Return the operation of a request and the texts in its address, None if there is none."""
        for operation in self.operations.values():
            if operation.http_method == http_method and (found := operation.path.fullmatch(path)):
                return operation, found.groupdict()
        return None


def _operation(name: str, entry: Mapping[str, Any], schemas: Schemas) -> Operation:
    parameters: Mapping[str, Any] = entry["parameters"]
    return Operation(
        name,
        entry["method"],
        re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", entry["path"]) + "/?"),
        {parameter: schemas.checker(schema) for parameter, schema in entry["in_path"].items()},
        {parameter: given["schema"] for parameter, given in parameters.items()},
        frozenset(parameter for parameter, given in parameters.items() if given.get("required")),
        schemas.checker(entry["answer"]),
        schemas,
    )


@cache
def published_description() -> Description:
    """Return the description, read once."""
    text = Path(__file__).with_name("trello-api.json").read_text(encoding="utf-8")
    return Description(json.loads(text))
