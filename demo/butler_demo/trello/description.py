"""The published Trello description: which operation a request means, what it may say and what it is answered.

Notice: `trello-api.json` is reduced by `scripts/reduce_trello_description.py` from a copy of Atlassian's document; its
first line names the source.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from butler_demo.schemas import Schema, SchemaError, Schemas, converted
from butler_demo.trello.errors import TrelloError, invalid_value, not_in_stand_in


@dataclass(frozen=True)
class Operation:
    """One operation: what it takes and what it answers."""

    id: str
    http_method: str
    path: re.Pattern[str]
    in_path: Mapping[str, Schema]
    parameters: Mapping[str, Mapping[str, Any]]
    answer: Schema
    schemas: Schemas

    def check_path(self, values: Mapping[str, str]) -> None:
        """Raise TrelloError 400 for what is no id in an address."""
        for name, value in values.items():
            try:
                self.schemas.check(self.in_path[name], value)
            except SchemaError as error:
                raise TrelloError(400, "invalid id") from error

    def read(self, raw: Mapping[str, object]) -> dict[str, Any]:
        """Return a request's parameters as their types. Raises TrelloError where one is missing, wrong or unknown."""
        given: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in self.parameters:
                raise not_in_stand_in(f"the parameter {name} of {self.id}")
            schema = self.schemas.resolved(self.parameters[name]["schema"])
            given[name] = converted(schema, value)
            try:
                self.schemas.check(schema, given[name])
            except SchemaError as error:
                raise invalid_value(name) from error
        for name, parameter in self.parameters.items():
            if parameter.get("required") and name not in given:
                raise invalid_value(name)
        return given


class Description:
    """Every operation that is served."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        schemas = Schemas(document["schemas"])
        self.operations = {name: _operation(name, entry, schemas) for name, entry in document["operations"].items()}

    def match(self, http_method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """Return the operation of a request and the texts in its address. Raises TrelloError 404."""
        for operation in self.operations.values():
            if operation.http_method == http_method and (found := operation.path.fullmatch(path)):
                return operation, found.groupdict()
        raise TrelloError(404, f"Cannot {http_method} /1{path}")


def _operation(name: str, entry: Mapping[str, Any], schemas: Schemas) -> Operation:
    path = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", entry["path"]))
    return Operation(name, entry["method"], path, entry["in_path"], entry["parameters"], entry["answer"], schemas)


@cache
def published_description() -> Description:
    """Return the description, read once."""
    text = Path(__file__).with_name("trello-api.json").read_text(encoding="utf-8")
    return Description(json.loads(text))
