"""The JSON schemas of models, generated once per process: building the modules needs hundreds of them."""

from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel

_GENERATED: WeakKeyDictionary[type[BaseModel], dict[str, Any]] = WeakKeyDictionary()


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model; it is shared, so nobody may change it. Raises pydantic's errors.

    The cache drops a schema together with its model.
    """
    if (schema := _GENERATED.get(model)) is None:
        schema = _GENERATED[model] = model.model_json_schema()
    return schema
